//! Layers with what stands in them: cards, and the bends of lines that pass through. Lines to the same step share a bend.

use super::dense::{Dense as _, Lists, index};
use super::layers::FAR;
use super::steps::{Edge, Graph};

/// A line between two neighboring layers, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Link {
    /// What is at the other end.
    pub(super) other: usize,
    /// Which answer it starts at; 0 where it starts at a bend.
    pub(super) port: usize,
}

/// Cards are known by their step's index, bends by the indices after those.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Lattice {
    /// How many steps there are; what has a greater index is a bend.
    pub(super) steps: usize,
    /// What stands in each layer, from the top down.
    pub(super) layers: Vec<Vec<usize>>,
    /// The step that each bend leads to.
    pub(super) bends: Vec<(usize, i32)>,
    /// What leads to a card or bend from the layer before.
    pub(super) before: Lists<Link>,
    /// Where a card or bend leads to in the layer after.
    pub(super) after: Lists<Link>,
}

/// What decides which answers are drawn as lines to the right.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    /// The layer of each step.
    pub(super) layer: &'a [i32],
    pub(super) reachable: &'a [bool],
    /// The answers whose lines gave way to others, sorted.
    pub(super) gave_way: &'a [Edge],
}

impl Drawn<'_> {
    /// Whether an answer is drawn as a line.
    pub(super) fn has(self, edge: Edge) -> bool {
        let span = self.layer.at(edge.to) - self.layer.at(edge.from);
        (1..=FAR).contains(&span)
            && self.reachable.at(edge.from) == self.reachable.at(edge.to)
            && self.gave_way.binary_search(&edge).is_err()
    }

    /// The layer of the first step that has a line to another; none where no answer is drawn.
    pub(super) fn first_layer(self, graph: &Graph, to: usize) -> Option<i32> {
        let drawn = graph.incoming(to).iter().filter(|edge| self.has(**edge));
        drawn.map(|edge| self.layer.at(edge.from)).min()
    }
}

impl Lattice {
    /// Builds the layers of the steps of one region, each layer in the order in which a depth-first walk comes to it.
    pub(super) fn new(graph: &Graph, drawn: Drawn, region: bool, came: &[usize]) -> Self {
        let Drawn { layer, reachable, .. } = drawn;
        let steps = graph.len();
        let mut bends = Vec::new();
        let mut items: Vec<(i32, usize, usize)> = Vec::new();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for to in (0..steps).filter(|step| reachable.at(*step) == region) {
            items.push((layer.at(to), came.at(to) * 2, to));
            let Some(begin) = drawn.first_layer(graph, to) else { continue };
            let last = layer.at(to);
            // The bend in layer `begin + 1 + k` is item `steps + base + k`; in the last layer the card itself.
            let base = bends.len();
            let there = |at: i32| if at >= last { to } else { steps + base + index(at - begin - 1) };
            let mut link = |from: usize, port: usize, at: i32| {
                let other = there(at);
                after.push((from, Link { other, port }));
                before.push((other, Link { other: from, port }));
            };
            let mut earliest = [usize::MAX; 16];
            for edge in graph.incoming(to).iter().filter(|edge| drawn.has(**edge)) {
                let from = layer.at(edge.from);
                link(edge.from, edge.port, from + 1);
                let at = index(from - begin);
                if let Some(earliest) = earliest.get_mut(at) {
                    *earliest = came.at(edge.from).min(*earliest);
                }
            }
            let mut rank = usize::MAX;
            for at in begin + 1..last {
                rank = rank.min(earliest.get(index(at - begin - 1)).copied().unwrap_or(usize::MAX));
                link(there(at), 0, at + 1);
            }
            for at in begin + 1..last {
                items.push((at, rank.saturating_mul(2).saturating_add(1), there(at)));
                bends.push((to, at));
            }
        }
        items.sort_unstable();
        let deepest = items.last().map_or(0, |(layer, ..)| index(*layer) + 1);
        let mut layers: Vec<Vec<usize>> = vec![Vec::new(); deepest];
        for (layer, _, item) in items {
            if let Some(list) = layers.get_mut(index(layer)) {
                list.push(item);
            }
        }
        let count = steps + bends.len();
        Self { steps, layers, bends, before: Lists::new(count, &before), after: Lists::new(count, &after) }
    }

    /// Orders every layer as it is in another lattice of these steps that has all of these bends.
    pub(super) fn order_like(&mut self, other: &Self) {
        let mut places = vec![0; other.len()];
        for (place, item) in other.layers.iter().flat_map(|layer| layer.iter().enumerate()) {
            places.put(*item, place);
        }
        let place = |item: &usize| match item.checked_sub(self.steps) {
            None => places.at(*item),
            // Bends are sorted by the step they lead to and by their layer.
            Some(bend) => {
                let found = other.bends.binary_search(&self.bends.at(bend));
                found.map_or(usize::MAX, |bend| places.at(other.steps + bend))
            }
        };
        for layer in &mut self.layers {
            layer.sort_by_key(&place);
        }
    }

    /// How many cards and bends there are.
    pub(super) fn len(&self) -> usize {
        self.steps + self.bends.len()
    }
}
