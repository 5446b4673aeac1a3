//! Giving every step its place.

use super::channel::Channel;
use super::dense::{Dense as _, cells, index};
use super::give_way::give_way;
use super::lattice::{Drawn, Lattice};
use super::layers::{Depth, layers};
use super::layout::{Card, Column, Layout, Rect};
use super::level::{LEAST_STUB, Level};
use super::nets::{Cut, nets, stub_kind};
use super::order::{order, polish};
use super::rows::{Sizes, bottom, rows};
use super::steps::{Edge, Graph};
use super::stub::{Stub, StubKind};

/// Tracks that are kept free for lines to come, where there is room.
const SPARE: i32 = 2;

/// Projects of so many steps show where their answers lead back to by whole lines, bigger ones by stubs.
const SMALL: usize = 12;

/// Rows between what can be reached and what can't.
const APART: i32 = 3;

impl Layout {
    /// Lays out the whole graph as cards.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let reachable = graph.reachable(graph.first());
        let depth = Depth::first(graph, &reachable);
        let layer = layers(graph, &reachable, &depth);
        let blank = Self { whole: graph.len() <= SMALL, ..Self::default() };
        let whole = blank.whole;
        blank.arranged(graph, &reachable, &layer, &depth.came, |mut lattice, region| {
            order(&mut lattice);
            let gave_way = if whole { Vec::new() } else { give_way(graph, &lattice) };
            if gave_way.is_empty() {
                return (lattice, gave_way);
            }
            let drawn = Drawn { layer: &layer, reachable: &reachable, gave_way: &gave_way };
            let mut fewer = Lattice::new(graph, drawn, region, &depth.came);
            fewer.order_like(&lattice);
            polish(&mut fewer);
            (fewer, gave_way)
        })
    }

    /// The same arrangement at another level: every step in its column, above and below the same ones.
    #[must_use]
    pub fn at_level(&self, graph: &Graph, level: Level) -> Self {
        let reachable = graph.reachable(graph.first());
        let layer = self.layer_of();
        let rows: Vec<i32> = self.cards.iter().map(|card| card.area.y).collect();
        let blank = Self { level, whole: self.whole, gave_way: self.gave_way.clone(), ..Self::default() };
        blank.arranged(graph, &reachable, &layer, &[], |mut lattice, _| {
            let row = |item: &usize| match item.checked_sub(lattice.steps) {
                None => rows.at(*item),
                Some(bend) => {
                    let (to, at) = lattice.bends.at(bend);
                    self.bend(to, at).unwrap_or_default()
                }
            };
            let mut layers = std::mem::take(&mut lattice.layers);
            for layer in &mut layers {
                layer.sort_by_key(&row);
            }
            (Lattice { layers, ..lattice }, Vec::new())
        })
    }

    /// The same layout with no column between the cards that nothing runs in.
    pub(super) fn snug(&self, graph: &Graph) -> Self {
        let mut snug = self.clone();
        snug.spread(graph, &graph.reachable(graph.first()), 0);
        snug
    }

    /// Gives everything its place, in the columns given and in the order that `order` makes of each region, without the
    /// lines that it lets give way.
    fn arranged(
        self,
        graph: &Graph,
        reachable: &[bool],
        layer: &[i32],
        came: &[usize],
        order: impl Fn(Lattice, bool) -> (Lattice, Vec<Edge>),
    ) -> Self {
        let mut layout = self;
        let level = layout.level;
        let heights: Vec<i32> = graph.nodes().iter().map(|node| level.height(node)).collect();
        let answers: Vec<i32> = graph.nodes().iter().map(|node| level.first_answer(node)).collect();
        let sizes = Sizes { heights: &heights, answers: &answers, entry: level.entry(), below: level.below() };
        let mut tops = vec![0; graph.len()];
        let mut below = 0;
        for region in [true, false] {
            if !region && reachable.iter().all(|reached| *reached) {
                break;
            }
            let (lattice, gave_way) = order(Lattice::new(graph, layout.drawn(layer, reachable), region, came), region);
            layout.gave_way.extend(gave_way);
            layout.gave_way.sort_unstable();
            let rows = rows(&lattice, &sizes);
            for (at, list) in lattice.layers.iter().enumerate() {
                if layout.layers.len() <= at {
                    layout.layers.push(Vec::new());
                }
                for step in list.iter().filter(|item| **item < graph.len()) {
                    tops.put(*step, rows.at(*step) + below);
                    if let Some(layer) = layout.layers.get_mut(at) {
                        layer.push(*step);
                    }
                }
            }
            for (bend, (to, at)) in lattice.bends.iter().enumerate() {
                layout.bends.push((*to, *at, rows.at(lattice.steps + bend) + below));
            }
            below += bottom(&lattice, &sizes, &rows) + APART;
        }
        layout.bends.sort_unstable();
        for (step, node) in graph.nodes().iter().enumerate() {
            let area = Rect { x: 0, y: tops.at(step), width: level.width(node), height: heights.at(step) };
            layout.cards.push(Card {
                key: node.key.clone(),
                area,
                layer: index(layer.at(step)),
                answers: answers.at(step),
                entry: level.entry(),
            });
        }
        layout.find_lanes(graph, reachable);
        layout.spread(graph, reachable, SPARE);
        layout
    }

    /// Lays out again, with one step's card where it stood.
    #[must_use]
    pub fn tidied(&self, graph: &Graph, anchor: Option<usize>) -> Self {
        let mut fresh = Self::new(graph);
        if self.level != fresh.level {
            fresh = fresh.at_level(graph, self.level);
        }
        fresh.anchor(self, anchor);
        fresh
    }

    /// Gives every column its place: as wide as its cards, stubs and lines need.
    fn spread(&mut self, graph: &Graph, reachable: &[bool], spare: i32) {
        self.columns = vec![Column { stubs: LEAST_STUB, ..Column::default() }; self.layers.len()];
        for (step, node) in graph.nodes().iter().enumerate() {
            let Some(card) = self.cards.get(step) else { continue };
            let stubs = (0..node.ports.len()).filter_map(|port| {
                let kind = stub_kind(graph, self, reachable, Cut::default(), step, port)?;
                Some(self.stub_width(graph, kind, step, port))
            });
            let stubs = stubs.max().unwrap_or(LEAST_STUB);
            let (layer, wide) = (card.layer, card.area.width);
            if let Some(column) = self.columns.get_mut(layer) {
                column.width = column.width.max(wide);
                column.stubs = column.stubs.max(stubs);
            }
        }
        let nets = nets(graph, self, reachable, Cut::default());
        let mut x = 0;
        // The first nets are those left of all columns: there is room enough.
        for (column, nets) in self.columns.iter_mut().zip(nets.into_iter().skip(1)) {
            column.tracks = cells(Channel::route(nets).tracks) + spare;
            column.x = x;
            x = column.end();
        }
        for card in &mut self.cards {
            card.area.x = self.columns.get(card.layer).map_or(0, |column| column.x);
        }
    }

    /// How many cells a stub takes.
    fn stub_width(&self, graph: &Graph, kind: StubKind, step: usize, port: usize) -> i32 {
        let stub = Stub { kind, from: step, port, to: None, x: 0, y: 0, width: 0 };
        self.level.stub_width(stub.label(graph))
    }
}
