//! What becomes better or worse of projects that are published, while products and projects change: W01, W02, W04.

use std::collections::BTreeMap;

use super::{Shelf, Wired, Wiring};
use crate::lint::limits::Limits;
use crate::lint::problem::Problem;
use crate::lint::rule::Rule;

/// What happened to a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Happened {
    /// The problem.
    pub problem: Problem,
    /// Whether it is over; else it has begun.
    pub is_over: bool,
}

/// The rules that are watched.
const WATCHED: [Rule; 3] = [Rule::StepSellsSoldOut, Rule::StepSellsHidden, Rule::AnswerNamesPrice];

/// What is wrong with some projects by now.
#[derive(Debug, Default)]
pub struct Watching {
    known: BTreeMap<String, Problem>,
}

impl Watching {
    /// Looks at projects as they are now: what has begun and what is over since the last time.
    pub fn look<'a>(&mut self, projects: impl IntoIterator<Item = &'a Wired>, stock: &Shelf) -> Vec<Happened> {
        let mut wiring = Wiring::new(Limits { rules: WATCHED.to_vec(), ..Limits::default() });
        let problems = projects.into_iter().flat_map(|wired| wiring.project(wired, stock));
        let now: BTreeMap<String, Problem> = problems.map(|problem| (problem.key(), problem)).collect();
        let before = std::mem::take(&mut self.known);
        let begun = now.iter().filter(|(key, _)| !before.contains_key(*key));
        let mut happened: Vec<Happened> =
            begun.map(|(_, problem)| Happened { problem: problem.clone(), is_over: false }).collect();
        let over = before.into_iter().filter(|(key, _)| !now.contains_key(key));
        happened.extend(over.map(|(_, problem)| Happened { problem, is_over: true }));
        let share = |one: &Happened| one.problem.reach.map_or(0.0, |reach| reach.share);
        happened.sort_by(|one, other| share(other).total_cmp(&share(one)));
        self.known = now;
        happened
    }

    /// How many problems there are by now.
    #[must_use]
    pub fn count(&self) -> usize {
        self.known.len()
    }
}

impl Happened {
    /// It in one word, which stays: `sold-out`, `hidden`, `price`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.problem.rule {
            Rule::StepSellsSoldOut => "sold-out",
            Rule::StepSellsHidden => "hidden",
            _ => "price",
        }
    }
}
