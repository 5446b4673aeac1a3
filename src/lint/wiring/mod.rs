//! What projects offer against what the catalog has: W01 to W07, and V05 and V06 of a project's videos.

mod endings;
mod links;
mod named;
mod offer;
mod offered;
mod promise;
mod reach;
#[cfg(test)]
mod sample;
mod sellers;
#[cfg(test)]
mod sellers_tests;
mod shelf;
#[cfg(test)]
mod tests;
mod watching;

pub use named::Named;
pub use offer::Offer;
pub use offered::offered;
pub use promise::{Promise, promise};
pub use reach::Reaches;
pub use sellers::Sellers;
pub use shelf::{Shelf, Stocked};
pub use watching::{Happened, Watching};

use std::sync::Arc;

use super::limits::Limits;
use super::problem::{Problem, Reach, Record};
use super::rule::Rule;
use super::tally::Tally;
use crate::graph::Graph;

/// A project as the rules see it.
#[derive(Debug, Clone)]
pub struct Wired {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its steps.
    pub graph: Arc<Graph>,
    /// Who comes where.
    pub reaches: Reaches,
}

impl Wired {
    /// A step of it, or one of its answers.
    #[must_use]
    pub fn record(&self, step: usize, port: Option<usize>) -> Record {
        Record::Step {
            project: self.id.clone(),
            project_name: self.name.clone(),
            name: self.graph.name(step).to_owned(),
            step,
            port,
        }
    }

    /// Who comes to a step.
    #[must_use]
    pub fn reach(&self, step: usize) -> Reach {
        self.reaches.step(&self.graph, step)
    }
}

/// The rules over projects, while they are checked one by one.
#[derive(Debug)]
pub struct Wiring {
    pub(super) limits: Limits,
    pub(super) tally: Tally,
}

impl Wiring {
    /// Nothing was checked yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, tally: Tally::default() }
    }

    /// What is wrong with what a project offers: W01 to W04, W06.
    pub fn project(&mut self, wired: &Wired, stock: &Shelf) -> Vec<Problem> {
        let (mut problems, mut promises) = (Vec::new(), Vec::new());
        for step in 0..wired.graph.len() {
            self.links(wired, step, stock, &mut problems);
            self.promises(wired, step, stock, &mut promises);
        }
        problems.extend(promises);
        problems.extend(self.endings(wired));
        problems
    }

    /// The same of one step, but for W06: of its products, and of what its answers promise.
    pub fn step(&mut self, wired: &Wired, step: usize, stock: &Shelf) -> [Vec<Problem>; 2] {
        let (mut links, mut promises) = (Vec::new(), Vec::new());
        self.links(wired, step, stock, &mut links);
        self.promises(wired, step, stock, &mut promises);
        [links, promises]
    }

    /// What was checked.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether a rule is on.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.limits.has(rule)
    }

    /// Notes how a rule stands to one record: nothing where it can't be told.
    pub(super) fn stand(&mut self, rule: Rule, problem: Option<bool>) {
        if !self.limits.has(rule) {
            return;
        }
        if let Some(counts) = self.tally.at(rule) {
            match problem {
                None => counts.unchecked += 1,
                Some(is_problem) => {
                    counts.checked += 1;
                    counts.problems += u64::from(is_problem);
                }
            }
        }
    }
}
