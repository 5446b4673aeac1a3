//! Which column a step stands in: loops are broken depth first in the author's order, and every step stands right of all
//! that lead to it.

use super::dense::{Dense as _, cells, index};
use super::steps::{Edge, Graph};

/// A walk over all steps, depth first: the first step, then whatever is left in the author's order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Depth {
    /// Steps so that only answers that lead back go from a later to an earlier one.
    pub(super) topological: Vec<usize>,
    /// The place of each step in `topological`.
    pub(super) place: Vec<usize>,
    /// When each step was come to.
    pub(super) came: Vec<usize>,
}

impl Depth {
    /// Walks. Steps that can't be reached are walked by themselves, after the others.
    pub(super) fn first(graph: &Graph, reachable: &[bool]) -> Self {
        let count = graph.len();
        let mut seen = vec![false; count];
        let mut came = vec![0; count];
        let mut left = Vec::with_capacity(count);
        let mut clock = 0;
        let mut regions = Vec::new();
        for wanted in [true, false] {
            // Those that nothing leads to go first, so that what follows them stands right of them.
            let begins = |step: &usize| !wanted && !graph.incoming(*step).iter().any(|edge| edge.from != *step);
            let roots = graph.first().into_iter().chain(graph.order().iter().copied().filter(begins));
            for root in roots.chain(graph.order().iter().copied()) {
                if seen.at(root) || reachable.at(root) != wanted {
                    continue;
                }
                seen.put(root, true);
                came.put(root, clock);
                clock += 1;
                let mut open: Vec<(usize, usize)> = vec![(root, 0)];
                while let Some((step, port)) = open.pop() {
                    let open_to = |edge: &Edge| !seen.at(edge.to) && reachable.at(edge.to) == wanted;
                    let next = graph.outgoing_after(step, port).find(open_to);
                    match next {
                        Some(edge) => {
                            seen.put(edge.to, true);
                            came.put(edge.to, clock);
                            clock += 1;
                            open.push((step, edge.port + 1));
                            open.push((edge.to, 0));
                        }
                        None => left.push(step),
                    }
                }
            }
            // A step is left after all that follow it.
            left.reverse();
            regions.append(&mut left);
        }
        let mut place = vec![0; count];
        for (at, step) in regions.iter().enumerate() {
            place.put(*step, at);
        }
        Self { topological: regions, place, came }
    }

    /// Whether an answer closes a loop.
    pub(super) fn leads_back(&self, edge: Edge) -> bool {
        self.place.at(edge.to) <= self.place.at(edge.from)
    }
}

/// How many layers an answer may span and still be drawn as a line.
pub(super) const FAR: i32 = 6;

/// The layer of each step, from 0.
pub(super) fn layers(graph: &Graph, reachable: &[bool], depth: &Depth) -> Vec<i32> {
    let mut layer = vec![0; graph.len()];
    let counts = |edge: &Edge| !depth.leads_back(*edge) && reachable.at(edge.from) == reachable.at(edge.to);
    for &step in &depth.topological {
        for edge in graph.outgoing(step).filter(counts) {
            let least = layer.at(step) + 1;
            if let Some(there) = layer.get_mut(edge.to) {
                *there = least.max(*there);
            }
        }
    }
    // A step with more lines going on than coming in stands nearer to where they lead: that makes them shorter. What is
    // too far for a line does not count.
    for &step in depth.topological.iter().rev() {
        let here = layer.at(step);
        let is_line = |edge: &Edge| counts(edge) && layer.at(edge.to) - layer.at(edge.from) <= FAR;
        let next = graph.outgoing(step).filter(counts).map(|edge| layer.at(edge.to)).min();
        let Some(next) = next.filter(|next| Some(step) != graph.first() && *next > here + 1) else { continue };
        let going = graph.outgoing(step).filter(is_line).count();
        let coming = graph.incoming(step).iter().filter(|edge| is_line(edge));
        if going > coming.clone().count() {
            let latest = coming.map(|edge| layer.at(edge.from) + FAR).min();
            layer.put(step, (next - 1).min(latest.unwrap_or(i32::MAX)).max(here));
        }
    }
    spread_the_lonely(graph, reachable, &mut layer);
    layer
}

/// Steps that can't be reached and lead to none of their kind stand in rows, not in one tall column.
fn spread_the_lonely(graph: &Graph, reachable: &[bool], layer: &mut [i32]) {
    let widest = (0..graph.len()).filter(|step| reachable.at(*step)).map(|step| layer.at(step) + 1).max().unwrap_or(1);
    let columns = index(widest).clamp(3, 12);
    let lonely = |step: usize| {
        let kin = |other: usize| other != step && !reachable.at(other);
        !reachable.at(step)
            && !graph.outgoing(step).any(|edge| kin(edge.to))
            && !graph.incoming(step).iter().any(|edge| kin(edge.from))
    };
    for (nth, step) in graph.order().iter().copied().filter(|step| lonely(*step)).enumerate() {
        layer.put(step, cells(nth % columns));
    }
}
