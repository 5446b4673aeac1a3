//! Walking the graph: what can be reached, the shortest way there, every end, and the outline of it all.

use std::collections::{BTreeSet, VecDeque};

use super::dense::Dense as _;
use super::steps::{Edge, Graph, Leads};

/// A place where a walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// The last step.
    pub step: usize,
    /// The answer that ends the video; none where the step has no answers.
    pub port: Option<usize>,
}

/// A row of the outline: a step under the step that leads to it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutlineRow {
    /// The step.
    pub step: usize,
    /// How many steps stand above it.
    pub depth: usize,
    /// The answer that leads here; none for the first step and for those that nothing leads to.
    pub via: Option<Edge>,
    /// Whether the step stands further up with what follows it: this row only refers to it.
    pub again: bool,
    /// Whether a walk from the first step comes here.
    pub reachable: bool,
}

impl Graph {
    /// The steps that a step's answers lead to, each once, in the order of the answers.
    #[must_use]
    pub fn successors(&self, step: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for edge in self.outgoing(step) {
            if !found.contains(&edge.to) {
                found.push(edge.to);
            }
        }
        found
    }

    /// The steps with an answer that leads to a step, each once.
    #[must_use]
    pub fn predecessors(&self, step: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self.incoming(step).iter().map(|edge| edge.from).collect();
        found.dedup();
        found
    }

    /// Which steps a walk from `start` comes to, `start` among them; by index.
    #[must_use]
    pub fn reachable(&self, start: Option<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut open: Vec<usize> = start.into_iter().filter(|step| *step < self.len()).collect();
        for step in &open {
            reached.put(*step, true);
        }
        while let Some(step) = open.pop() {
            for edge in self.outgoing(step) {
                if !reached.at(edge.to) {
                    reached.put(edge.to, true);
                    open.push(edge.to);
                }
            }
        }
        reached
    }

    /// The fewest answers from one step to another; empty where they are the same, none where there is no way.
    #[must_use]
    pub fn shortest(&self, from: usize, to: usize) -> Option<Vec<Edge>> {
        self.shortest_to(from, |step| step == to)
    }

    /// The fewest answers from a step to one that is wanted; among equally short ways the first in the answers' order.
    #[must_use]
    pub fn shortest_to(&self, from: usize, wanted: impl Fn(usize) -> bool) -> Option<Vec<Edge>> {
        if from >= self.len() {
            return None;
        }
        let mut came: Vec<Option<Edge>> = vec![None; self.len()];
        let mut seen = vec![false; self.len()];
        seen.put(from, true);
        let mut open = VecDeque::from([from]);
        while let Some(step) = open.pop_front() {
            if wanted(step) {
                let mut way = Vec::new();
                let mut at = step;
                while let Some(edge) = came.at(at) {
                    way.push(edge);
                    at = edge.from;
                }
                way.reverse();
                return Some(way);
            }
            for edge in self.outgoing(step) {
                if !seen.at(edge.to) {
                    seen.put(edge.to, true);
                    came.put(edge.to, Some(edge));
                    open.push_back(edge.to);
                }
            }
        }
        None
    }

    /// How long the shortest path from the first step to an end takes, each step taking `time` of it, by index and not
    /// negative; none where no path ends.
    #[must_use]
    pub fn shortest_time(&self, time: &[f64]) -> Option<f64> {
        let mut best = vec![f64::INFINITY; self.len()];
        let mut open: BTreeSet<(u64, usize)> = BTreeSet::new();
        // Times that are not negative are ordered as their bits are.
        let key = |time: f64| time.max(0.0).to_bits();
        let first = self.first()?;
        best.put(first, time.get(first).copied().unwrap_or_default().max(0.0));
        open.insert((key(best.at(first)), first));
        while let Some((_, step)) = open.pop_first() {
            let here = best.at(step);
            let ports = self.ports(step);
            if ports.is_empty() || ports.iter().any(|port| port.leads == Leads::End) {
                return Some(here);
            }
            for edge in self.outgoing(step) {
                let there = here + time.get(edge.to).copied().unwrap_or_default().max(0.0);
                if there < best.at(edge.to) {
                    open.remove(&(key(best.at(edge.to)), edge.to));
                    best.put(edge.to, there);
                    open.insert((key(there), edge.to));
                }
            }
        }
        None
    }

    /// Every place where a walk ends, in the author's order, reachable or not.
    #[must_use]
    pub fn endings(&self) -> Vec<Ending> {
        let mut found = Vec::new();
        for &step in self.order() {
            let ports = self.ports(step);
            if ports.is_empty() {
                found.push(Ending { step, port: None });
            }
            let ends = ports.iter().enumerate().filter(|(_, port)| port.leads == Leads::End);
            found.extend(ends.map(|(port, _)| Ending { step, port: Some(port) }));
        }
        found
    }

    /// The steps as a tree, depth first along the answers: each step once with what follows it, and a row that refers
    /// to it wherever else an answer leads there. Steps that can't be reached come after, in the author's order.
    #[must_use]
    pub fn outline(&self) -> Vec<OutlineRow> {
        let reachable = self.reachable(self.first());
        let mut seen = vec![false; self.len()];
        let mut rows = Vec::with_capacity(self.len());
        for &root in self.first().iter().chain(self.order()) {
            // A step that can't be reached stands under the one that leads to it, if there is one.
            let led_to = self.incoming(root).iter().any(|edge| edge.from != root);
            if !seen.at(root) && (reachable.at(root) || !led_to) {
                self.outline_from(root, &reachable, &mut seen, &mut rows);
            }
        }
        for &root in self.order() {
            if !seen.at(root) {
                self.outline_from(root, &reachable, &mut seen, &mut rows);
            }
        }
        rows
    }

    fn outline_from(&self, root: usize, reachable: &[bool], seen: &mut [bool], rows: &mut Vec<OutlineRow>) {
        let mut open = vec![(root, 0, None)];
        while let Some((step, depth, via)) = open.pop() {
            let again = seen.at(step);
            seen.put(step, true);
            rows.push(OutlineRow { step, depth, via, again, reachable: reachable.at(step) });
            if !again {
                open.extend(self.outgoing(step).rev().map(|edge| (edge.to, depth + 1, Some(edge))));
            }
        }
    }

    /// All steps so that each stands after those that lead to it, as far as loops allow: reading order.
    #[must_use]
    pub fn reading_order(&self) -> Vec<usize> {
        super::layers::Depth::first(self, &self.reachable(self.first())).topological
    }
}
