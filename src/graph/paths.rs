//! How many ways lead through a project, and the shortest and longest of them.

use super::dense::Dense as _;
use super::layers::Depth;
use super::steps::{Edge, Graph, Leads};

/// The ways from the first step to an end. Loops are walked at most once: answers that lead back are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paths {
    /// How many there are; stays at the largest number where there are more.
    pub count: u64,
    /// The answers of a shortest one, the one that ends it left out; none where no way ends.
    pub shortest: Option<Vec<Edge>>,
    /// The answers of a longest one.
    pub longest: Option<Vec<Edge>>,
    /// Whether any answer leads back, so that walks may go on for ever.
    pub loops: bool,
}

impl Graph {
    /// The ways from the first step to an end.
    #[must_use]
    pub fn paths(&self) -> Paths {
        let Some(first) = self.first() else { return Paths::default() };
        let reachable = self.reachable(Some(first));
        let depth = Depth::first(self, &reachable);
        let mut count = vec![0u64; self.len()];
        let mut length: Vec<Option<usize>> = vec![None; self.len()];
        let mut onward: Vec<Option<Edge>> = vec![None; self.len()];
        let mut loops = false;
        for &step in depth.topological.iter().rev().filter(|step| reachable.at(**step)) {
            let ports = self.ports(step);
            let ends = ports.iter().filter(|port| port.leads == Leads::End).count();
            let mut ways = if ports.is_empty() { 1 } else { u64::try_from(ends).unwrap_or(u64::MAX) };
            let mut longest = (ways > 0).then_some((0, None));
            for edge in self.outgoing(step) {
                if depth.leads_back(edge) {
                    loops = true;
                    continue;
                }
                ways = ways.saturating_add(count.at(edge.to));
                if let Some(further) = length.at(edge.to).map(|length| length + 1)
                    && longest.is_none_or(|(length, _)| further > length)
                {
                    longest = Some((further, Some(edge)));
                }
            }
            count.put(step, ways);
            length.put(step, longest.map(|(length, _)| length));
            onward.put(step, longest.and_then(|(_, edge)| edge));
        }
        let longest = length.at(first).map(|_| {
            let mut way = Vec::new();
            let mut at = first;
            while let Some(edge) = onward.at(at) {
                way.push(edge);
                at = edge.to;
            }
            way
        });
        let ends = |step: usize| {
            let ports = self.ports(step);
            ports.is_empty() || ports.iter().any(|port| port.leads == Leads::End)
        };
        Paths { count: count.at(first), shortest: self.shortest_to(first, ends), longest, loops }
    }
}
