//! What walks have covered of a graph, and the way to what they have not.

use std::collections::HashSet;

use super::dense::Dense as _;
use super::steps::{Edge, Graph, Leads};

/// How much of what a viewer can choose was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// How many answers can be chosen by a walk from the first step.
    pub all: usize,
    /// The answers of them that no walk took, by step and answer, in the author's order of the steps.
    pub left: Vec<(usize, usize)>,
}

impl Graph {
    /// What walks that took these answers (step and answer) have covered. Answers that lead nowhere, and those of steps
    /// that can't be reached, can't be walked and do not count.
    #[must_use]
    pub fn coverage(&self, walked: &HashSet<(usize, usize)>) -> Coverage {
        let reachable = self.reachable(self.first());
        let mut coverage = Coverage::default();
        for &step in self.order().iter().filter(|step| reachable.at(**step)) {
            for port in self.walkable(step) {
                coverage.all += 1;
                if !walked.contains(&(step, port)) {
                    coverage.left.push((step, port));
                }
            }
        }
        coverage
    }

    /// The fewest answers from a step to one with an answer that no walk took, and that answer.
    #[must_use]
    pub fn shortest_to_unwalked(
        &self,
        from: usize,
        walked: &HashSet<(usize, usize)>,
    ) -> Option<(Vec<Edge>, (usize, usize))> {
        let unwalked = |step: usize| self.walkable(step).find(|port| !walked.contains(&(step, *port)));
        let way = self.shortest_to(from, |step| unwalked(step).is_some())?;
        let step = way.last().map_or(from, |edge| edge.to);
        Some((way, (step, unwalked(step)?)))
    }

    fn walkable(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let ports = self.ports(step).iter().enumerate();
        ports.filter(|(_, answer)| answer.leads != Leads::Dangling).map(|(port, _)| port)
    }
}
