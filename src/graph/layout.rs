//! Where the cards stand, in cells. A layout is a value: it can be kept, and follow the graph through edits.

use super::channel::Channel;
use super::dense::{Dense as _, cells, index};
use super::lattice::Lattice;
use super::layers::{Depth, layers};
use super::level::{LEAST_STUB, Level};
use super::order::order;
use super::route::{Cut, nets, stub_kind};
use super::rows::{Sizes, bottom, rows};
use super::steps::{Graph, StepKey};
use super::stub::{Stub, StubKind};

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    /// Its first column.
    pub x: i32,
    /// Its first row.
    pub y: i32,
    /// How many columns.
    pub width: i32,
    /// How many rows.
    pub height: i32,
}

impl Rect {
    /// The column after its last.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The row after its last.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Whether they share a cell.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether a cell is in it.
    #[must_use]
    pub fn holds(&self, x: i32, y: i32) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }
}

/// Where a step stands. As a card: its border, one row for the video, one for the overlay text if there is any, and one
/// for each answer. As a chip or a dot: one row, or one for each answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The step it shows.
    pub key: StepKey,
    /// Its cells, border included.
    pub area: Rect,
    /// Its column of cards, counted from the left.
    pub layer: usize,
    /// The row of its first answer, from its top.
    pub answers: i32,
    /// The row at which lines come in, from its top.
    pub entry: i32,
}

impl Card {
    /// The cell of an answer's port, on the right border.
    #[must_use]
    pub fn port(&self, port: usize) -> (i32, i32) {
        (self.area.right() - 1, self.area.y + self.answers + cells(port))
    }

    /// The cell where lines come in, on the left border.
    #[must_use]
    pub fn entry(&self) -> (i32, i32) {
        (self.area.x, self.area.y + self.entry)
    }
}

/// A column of cards and the channel right of it: room for stubs, tracks for lines, and the arrow heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Column {
    pub(super) x: i32,
    pub(super) width: i32,
    pub(super) stubs: i32,
    pub(super) tracks: i32,
}

/// Cells between the last track and the next column: a bit of line and the arrow head.
pub(super) const HEADS: i32 = 2;

impl Column {
    /// The first column of its channel.
    pub(super) fn channel(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The column after its channel.
    pub(super) fn end(&self) -> i32 {
        self.channel().saturating_add(self.stubs).saturating_add(self.tracks).saturating_add(HEADS)
    }
}

/// Where everything stands. Steps are meant by their index in the graph that it was made for or followed last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    pub(super) level: Level,
    pub(super) cards: Vec<Card>,
    pub(super) columns: Vec<Column>,
    /// The rows at which lines pass a layer: the step they lead to, the layer, the row; sorted.
    pub(super) bends: Vec<(usize, i32, i32)>,
    /// The steps of each layer from the top down.
    pub(super) layers: Vec<Vec<usize>>,
    /// Whether answers that lead back are drawn as lines.
    pub(super) whole: bool,
    /// The rows along which lines lead back: the step they lead to, the row; sorted.
    pub(super) lanes: Vec<(usize, i32)>,
}

/// Tracks that are kept free for lines to come.
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
        blank.arranged(graph, &reachable, &layer, &depth.came, order)
    }

    /// The same arrangement at another level: every step in its column, above and below the same ones.
    #[must_use]
    pub fn at_level(&self, graph: &Graph, level: Level) -> Self {
        let reachable = graph.reachable(graph.first());
        let layer = self.layer_of();
        let rows: Vec<i32> = self.cards.iter().map(|card| card.area.y).collect();
        let blank = Self { level, whole: self.whole, ..Self::default() };
        blank.arranged(graph, &reachable, &layer, &[], |lattice| {
            let row = |item: &usize| match item.checked_sub(lattice.steps) {
                None => rows.at(*item),
                Some(bend) => {
                    let (to, at) = lattice.bends.at(bend);
                    self.bend(to, at).unwrap_or_default()
                }
            };
            for layer in &mut lattice.layers {
                layer.sort_by_key(&row);
            }
        })
    }

    /// Gives everything its place, in the columns given and in the order that `order` makes.
    fn arranged(
        self,
        graph: &Graph,
        reachable: &[bool],
        layer: &[i32],
        came: &[usize],
        order: impl Fn(&mut Lattice),
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
            let mut lattice = Lattice::new(graph, layer, reachable, region, came);
            order(&mut lattice);
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
        layout.spread(graph, reachable);
        layout
    }

    /// How much of each step it has room for.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Lays out anew, with one step's card where it stood.
    #[must_use]
    pub fn tidied(&self, graph: &Graph, anchor: Option<usize>) -> Self {
        let mut fresh = Self::new(graph);
        if self.level != fresh.level {
            fresh = fresh.at_level(graph, self.level);
        }
        fresh.anchor(self, anchor);
        fresh
    }

    /// Moves everything so that one step's card stands where it stood before.
    pub(super) fn anchor(&mut self, before: &Self, anchor: Option<usize>) {
        let Some(new) = anchor.and_then(|step| self.card(step)) else { return };
        if let Some(old) = before.cards.iter().find(|card| card.key == new.key) {
            self.shift(old.area.x.saturating_sub(new.area.x), old.area.y.saturating_sub(new.area.y));
        }
    }

    /// Gives every column its place: as wide as its cards, stubs and lines need.
    fn spread(&mut self, graph: &Graph, reachable: &[bool]) {
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
            column.tracks = cells(Channel::route(nets).tracks) + SPARE;
            column.x = x;
            x = column.end();
        }
        for card in &mut self.cards {
            card.area.x = self.columns.get(card.layer).map_or(0, |column| column.x);
        }
    }

    fn shift(&mut self, right: i32, down: i32) {
        for column in &mut self.columns {
            column.x = column.x.saturating_add(right);
        }
        for card in &mut self.cards {
            card.area.x = card.area.x.saturating_add(right);
            card.area.y = card.area.y.saturating_add(down);
        }
        for (_, _, row) in &mut self.bends {
            *row = row.saturating_add(down);
        }
        for (_, row) in &mut self.lanes {
            *row = row.saturating_add(down);
        }
    }

    /// A step's card.
    #[must_use]
    pub fn card(&self, step: usize) -> Option<&Card> {
        self.cards.get(step)
    }

    /// All cards, by their steps.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// The steps of every column from the top down, columns from the left.
    #[must_use]
    pub fn layers(&self) -> &[Vec<usize>] {
        &self.layers
    }

    /// The least rectangle that holds all cards.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let mut cards = self.cards.iter().map(|card| card.area);
        let Some(first) = cards.next() else { return Rect::default() };
        cards.fold(first, |all, card| {
            let (x, y) = (all.x.min(card.x), all.y.min(card.y));
            let (right, bottom) = (all.right().max(card.right()), all.bottom().max(card.bottom()));
            Rect { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
        })
    }

    /// The steps whose cards are at least partly in a rectangle, column by column.
    pub fn visible(&self, rect: Rect) -> impl Iterator<Item = usize> + '_ {
        let from = self.columns.partition_point(|column| column.channel() <= rect.x);
        let to = self.columns.partition_point(|column| column.x < rect.right());
        let layers = self.layers.get(from..to).unwrap_or_default();
        layers.iter().flat_map(move |layer| {
            let area = |step: &usize| self.cards.get(*step).map(|card| card.area).unwrap_or_default();
            let begin = layer.partition_point(|step| area(step).bottom() <= rect.y);
            let below = layer.get(begin..).unwrap_or_default().iter().copied();
            below.take_while(move |step| area(step).y < rect.bottom()).filter(move |step| area(step).meets(&rect))
        })
    }

    /// The column of every step.
    pub(super) fn layer_of(&self) -> Vec<i32> {
        self.cards.iter().map(|card| cells(card.layer)).collect()
    }

    /// The row at which lines to a step pass a layer.
    pub(super) fn bend(&self, to: usize, layer: i32) -> Option<i32> {
        let found = self.bends.binary_search_by_key(&(to, layer), |(to, layer, _)| (*to, *layer));
        found.ok().and_then(|at| self.bends.get(at)).map(|(_, _, row)| *row)
    }

    /// How many cells a stub takes.
    fn stub_width(&self, graph: &Graph, kind: StubKind, step: usize, port: usize) -> i32 {
        let stub = Stub { kind, from: step, port, to: None, x: 0, y: 0, width: 0 };
        self.level.stub_width(stub.label(graph))
    }
}
