//! Which share of the paths through a project comes to each step.

use super::dense::{Dense as _, real};
use super::layers::Depth;
use super::steps::{Graph, Leads};

/// Of the paths from the first step on, each counted once, the share that comes to a step and that ends there. Answers that
/// lead back are left out, as in [`super::Paths`]; where nothing else leads on, or an answer leads nowhere, a path stops.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shares {
    steps: Vec<f64>,
    ends: Vec<f64>,
}

impl Shares {
    /// The share that comes to a step, from 0 to 1.
    #[must_use]
    pub fn of(&self, step: usize) -> f64 {
        self.steps.at(step)
    }

    /// The share that ends at a step.
    #[must_use]
    pub fn ending(&self, step: usize) -> f64 {
        self.ends.at(step)
    }
}

impl Graph {
    /// The shares of its paths.
    #[must_use]
    pub fn shares(&self) -> Shares {
        let (mut steps, mut ends) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        let Some(first) = self.first() else { return Shares { steps, ends } };
        let reachable = self.reachable(Some(first));
        let depth = Depth::first(self, &reachable);
        let walked: Vec<usize> = depth.topological.iter().copied().filter(|step| reachable.at(*step)).collect();
        // There may be more paths than any number holds: their logarithms.
        let mut paths = vec![f64::NEG_INFINITY; self.len()];
        for &step in walked.iter().rev() {
            let onward: Vec<f64> =
                self.outgoing(step).filter(|edge| !depth.leads_back(*edge)).map(|edge| paths.at(edge.to)).collect();
            let (ending, lost) = self.stops_at(step);
            let stuck = if ending + lost == 0.0 && onward.is_empty() { 1.0 } else { 0.0 };
            paths.put(step, onward.into_iter().fold((ending + lost + stuck).ln(), add));
        }
        steps.put(first, 1.0);
        for &step in &walked {
            let (here, all) = (steps.at(step), paths.at(step));
            ends.put(step, here * (self.stops_at(step).0.ln() - all).exp());
            for edge in self.outgoing(step).filter(|edge| !depth.leads_back(*edge)) {
                let there = steps.at(edge.to) + here * (paths.at(edge.to) - all).exp();
                steps.put(edge.to, there);
            }
        }
        Shares { steps, ends }
    }

    /// How many paths end at a step, one for each answer that ends the video, or one where it has no answers; and for how
    /// many answers there is nowhere to go.
    fn stops_at(&self, step: usize) -> (f64, f64) {
        let ports = self.ports(step);
        let count = |leads: Leads| real(ports.iter().filter(|port| port.leads == leads).count());
        if ports.is_empty() { (1.0, 0.0) } else { (count(Leads::End), count(Leads::Dangling)) }
    }
}

/// The logarithm of the sum of two numbers whose logarithms are given.
fn add(a: f64, b: f64) -> f64 {
    let (more, less) = if a > b { (a, b) } else { (b, a) };
    if less == f64::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Answer, Step};

    fn graph(steps: &[(&str, &[&str])]) -> Graph {
        let step = |(name, next): &(&str, &[&str])| Step {
            name: Some((*name).into()),
            answers: Some(next.iter().map(|next| Answer { next: Some((*next).into()), ..Answer::default() }).collect()),
            ..Step::default()
        };
        Graph::new(&steps.iter().map(step).collect::<Vec<_>>(), &[])
    }

    fn shares(graph: &Graph) -> (Vec<f64>, Vec<f64>) {
        let shares = graph.shares();
        let round = |share: f64| (share * 1e6).round() / 1e6;
        let all = |of: &dyn Fn(usize) -> f64| (0..graph.len()).map(|step| round(of(step))).collect();
        (all(&|step| shares.of(step)), all(&|step| shares.ending(step)))
    }

    #[test]
    fn every_path_counts_once() {
        // Four paths: a, ab, ac twice.
        let graph = graph(&[("a", &["", "b", "c"]), ("b", &[""]), ("c", &["", ""]), ("lonely", &["a"])]);
        assert_eq!(shares(&graph), (vec![1.0, 0.25, 0.5, 0.0], vec![0.25, 0.25, 0.5, 0.0]));
    }

    #[test]
    fn loops_are_cut_and_paths_may_stop_without_an_end() {
        assert_eq!(shares(&graph(&[("a", &["b"]), ("b", &["a", ""])])), (vec![1.0, 1.0], vec![0.0, 1.0]));
        assert_eq!(shares(&graph(&[("a", &["b"]), ("b", &["a"])])), (vec![1.0, 1.0], vec![0.0, 0.0]));
        assert_eq!(shares(&graph(&[("a", &["b", "gone"]), ("b", &[])])), (vec![1.0, 0.5], vec![0.0, 0.5]));
        assert_eq!(shares(&graph(&[])), (vec![], vec![]));
    }

    #[test]
    fn more_paths_than_any_number_holds_have_shares_too() {
        let names: Vec<String> = (0..3000).map(|number| format!("s{number}")).collect();
        let next: Vec<Vec<&str>> = (0..3000)
            .map(|number| names.get(number + 1).map_or_else(Vec::new, |next| vec![next.as_str(), next.as_str()]))
            .collect();
        let steps: Vec<(&str, &[&str])> =
            names.iter().zip(&next).map(|(name, next)| (name.as_str(), next.as_slice())).collect();
        let shares = graph(&steps).shares();
        assert!((shares.of(2999) - 1.0).abs() < 1e-6 && (shares.ending(2999) - 1.0).abs() < 1e-6);
    }
}
