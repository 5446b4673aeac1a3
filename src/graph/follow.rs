//! A layout that follows its graph through an edit: cards stay where they are, new ones find a place near what leads to
//! them, and only lines are drawn again.

use std::collections::{HashMap, HashSet};

use super::dense::{Dense as _, cells, index};
use super::layout::{Card, Column, Layout, Rect};
use super::level::Level;
use super::rows::GAP;
use super::steps::{Edge, Graph, StepKey};

/// A project that was small when it was laid out may grow to this before lines that lead back become stubs.
const MOST_WHOLE: usize = 24;

impl Layout {
    /// The layout of the graph after an edit. No card moves, but one: a card that grew into another finds a new place in
    /// its column.
    #[must_use]
    pub fn follow(&self, graph: &Graph) -> Self {
        if self.cards.is_empty() {
            let fresh = Self::new(graph);
            return if self.level == fresh.level { fresh } else { fresh.at_level(graph, self.level) };
        }
        let known: HashMap<&StepKey, usize> = self.cards.iter().map(|card| &card.key).zip(0..).collect();
        let mut follower = Follower {
            graph,
            level: self.level,
            columns: self.columns.clone(),
            cards: vec![None; graph.len()],
            layers: vec![Vec::new(); self.layers.len()],
        };
        let mut now: Vec<Option<usize>> = vec![None; self.cards.len()];
        let mut grown = Vec::new();
        for (step, node) in graph.nodes().iter().enumerate() {
            let Some((old, card)) = known.get(&node.key).and_then(|old| Some((*old, self.cards.get(*old)?))) else {
                continue;
            };
            now.put(old, Some(step));
            let mut card = card.clone();
            let before = card.area.height;
            card.area.height = self.level.height(node);
            card.area.width = follower.width(step, card.layer);
            card.answers = self.level.first_answer(node);
            if card.area.height > before {
                grown.push(step);
            }
            if let Some(slot) = follower.cards.get_mut(step) {
                *slot = Some(card);
            }
        }
        for (layer, steps) in self.layers.iter().zip(&mut follower.layers) {
            steps.extend(layer.iter().filter_map(|old| now.at(*old)));
        }
        for step in grown {
            follower.make_room(step);
        }
        follower.place_new();
        let mut layout = Self {
            level: self.level,
            columns: follower.columns,
            layers: follower.layers,
            cards: follower.cards.into_iter().flatten().collect(),
            whole: self.whole && graph.len() <= MOST_WHOLE,
            ..Self::default()
        };
        let still_there = |edge: &Edge| {
            let edge = Edge { from: now.at(edge.from)?, to: now.at(edge.to)?, ..*edge };
            graph.outgoing(edge.from).any(|other| other == edge).then_some(edge)
        };
        layout.gave_way = self.gave_way.iter().filter_map(still_there).collect();
        layout.gave_way.sort_unstable();
        layout.bend_again(graph, self, &now);
        layout.find_lanes(graph, &graph.reachable(graph.first()));
        layout
    }

    /// Lets lines pass where they passed before, as far as nothing stands there now, and else as near as can be.
    fn bend_again(&mut self, graph: &Graph, old: &Self, now: &[Option<usize>]) {
        let reachable = graph.reachable(graph.first());
        let layer = self.layer_of();
        let mut before: Vec<(usize, i32, i32)> = Vec::with_capacity(old.bends.len());
        before.extend(old.bends.iter().filter_map(|(to, at, row)| Some((now.at(*to)?, *at, *row))));
        before.sort_unstable();
        let mut taken = HashSet::with_capacity(before.len());
        let mut missing = Vec::new();
        for to in 0..graph.len() {
            let Some(begin) = self.drawn(&layer, &reachable).first_layer(graph, to) else { continue };
            for at in begin + 1..layer.at(to) {
                let row = before.binary_search_by_key(&(to, at), |(to, at, _)| (*to, *at)).ok();
                let row = row.map(|row| before.at(row).2).filter(|row| !self.stands(at, *row));
                match row.filter(|row| taken.insert((at, *row))) {
                    Some(row) => self.bends.push((to, at, row)),
                    None => missing.push((to, at)),
                }
            }
        }
        for (to, at) in missing {
            let ports = graph.incoming(to).iter().filter(|edge| layer.at(edge.from) < at);
            let ports = ports.filter_map(|edge| Some(self.cards.get(edge.from)?.port(edge.port).1));
            let wanted = ports.min().or_else(|| Some(self.cards.get(to)?.entry().1)).unwrap_or(0);
            let free = |row: &i32| !self.stands(at, *row) && !taken.contains(&(at, *row));
            let row = (0..i32::MAX / 4)
                .flat_map(|away| [wanted.saturating_sub(away), wanted.saturating_add(away)])
                .find(free);
            let row = row.unwrap_or(wanted);
            taken.insert((at, row));
            self.bends.push((to, at, row));
        }
        self.bends.sort_unstable();
    }

    /// Whether a card stands at a row of a layer.
    fn stands(&self, layer: i32, row: i32) -> bool {
        let Some(steps) = self.layers.get(index(layer)) else { return false };
        let area = |step: &usize| self.cards.get(*step).map(|card| card.area).unwrap_or_default();
        let at = steps.partition_point(|step| area(step).bottom() <= row);
        steps.get(at).is_some_and(|step| area(step).y <= row)
    }
}

struct Follower<'a> {
    graph: &'a Graph,
    level: Level,
    columns: Vec<Column>,
    cards: Vec<Option<Card>>,
    layers: Vec<Vec<usize>>,
}

impl Follower<'_> {
    fn area(&self, step: usize) -> Rect {
        self.cards.get(step).and_then(Option::as_ref).map(|card| card.area).unwrap_or_default()
    }

    /// A card is as wide as it likes, but not wider than its column is.
    fn width(&self, step: usize, layer: usize) -> i32 {
        let wanted = self.graph.node(step).map_or(0, |node| self.level.width(node));
        self.columns.get(layer).map_or(wanted, |column| wanted.min(column.width))
    }

    /// Moves a card that grew to the nearest free place of its column, if it stands in another's way.
    fn make_room(&mut self, step: usize) {
        let Some(layer) = self.cards.get(step).and_then(Option::as_ref).map(|card| card.layer) else { return };
        let area = self.area(step);
        let Some(steps) = self.layers.get(layer) else { return };
        let others: Vec<usize> = steps.iter().copied().filter(|other| *other != step).collect();
        if others.iter().any(|other| self.area(*other).meets(&area)) {
            if let Some(steps) = self.layers.get_mut(layer) {
                *steps = others;
            }
            self.put(step, layer, area.y);
        }
    }

    /// Places the steps that have no card yet, each near one that leads to it or that it leads to.
    fn place_new(&mut self) {
        let mut open: Vec<usize> = (0..self.graph.len()).filter(|step| self.is_new(*step)).collect();
        while !open.is_empty() {
            let before = open.len();
            open.retain(|step| !self.place_near(*step));
            if open.len() == before {
                // Nothing leads to or from these: they stand below all else.
                let step = open.remove(0);
                let bottom = (0..self.graph.len()).map(|step| self.area(step).bottom()).max().unwrap_or(0);
                self.put(step, 0, bottom.saturating_add(GAP));
            }
        }
    }

    fn is_new(&self, step: usize) -> bool {
        self.cards.get(step).is_some_and(Option::is_none)
    }

    fn place_near(&mut self, step: usize) -> bool {
        let card = |step: usize| self.cards.get(step).and_then(Option::as_ref);
        let before = self.graph.incoming(step).iter().find_map(|edge| Some((card(edge.from)?, edge.port)));
        if let Some((before, port)) = before {
            let (layer, row) = (before.layer + 1, before.area.y.saturating_add(cells(port)));
            self.put(step, layer, row);
            return true;
        }
        let after = self.graph.outgoing(step).find_map(|edge| card(edge.to));
        if let Some(after) = after {
            let (layer, row) = (after.layer.saturating_sub(1), after.area.y);
            self.put(step, layer, row);
            return true;
        }
        false
    }

    /// Puts a step's card into a layer, as near to a row as there is room.
    fn put(&mut self, step: usize, layer: usize, wanted: i32) {
        let Some(node) = self.graph.node(step) else { return };
        while self.columns.len() <= layer {
            let x = self.columns.last().map_or(0, Column::end);
            self.columns.push(Column { x, width: self.level.width(node), stubs: 8, tracks: 4 });
            self.layers.push(Vec::new());
        }
        let height = self.level.height(node);
        let steps = self.layers.get(layer).map(Vec::as_slice).unwrap_or_default();
        let (mut best, mut place) = (i64::MAX, (wanted, 0));
        let mut free = i32::MIN / 2;
        for at in 0..=steps.len() {
            let next = steps.get(at).map(|step| self.area(*step));
            let last = next.map_or(i32::MAX / 2, |area| area.y.saturating_sub(GAP + height));
            if free <= last {
                let row = wanted.clamp(free, last);
                let away = (i64::from(row) - i64::from(wanted)).abs();
                if away < best {
                    (best, place) = (away, (row, at));
                }
            }
            free = next.map_or(free, |area| area.bottom().saturating_add(GAP));
        }
        let area = Rect {
            x: self.columns.get(layer).map_or(0, |column| column.x),
            y: place.0,
            width: self.width(step, layer),
            height,
        };
        let card = Card {
            key: node.key.clone(),
            area,
            layer,
            answers: self.level.first_answer(node),
            entry: self.level.entry(),
        };
        if let Some(slot) = self.cards.get_mut(step) {
            *slot = Some(card);
        }
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.insert(place.1.min(layer.len()), step);
        }
    }
}
