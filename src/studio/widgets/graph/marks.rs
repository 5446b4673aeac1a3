//! What is known about steps and answers beside the graph.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::domain::VideoId;
use crate::graph::{Fault, Severity};

/// What is shown on cards beside what their steps hold. Steps are meant by their index in the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// The worst that is wrong with a step.
    pub faults: HashMap<usize, Severity>,
    /// The worst that is wrong with an answer: step and answer.
    pub answers: HashMap<(usize, usize), Severity>,
    /// The steps that a walk came to.
    pub walked: HashSet<usize>,
    /// The answers that a walk took.
    pub walked_answers: HashSet<(usize, usize)>,
    /// The steps that a search found.
    pub found: HashSet<usize>,
    /// How far the upload of a step's video is: stands where its video's name does.
    pub uploads: HashMap<usize, UploadMark>,
    /// What a video is called, with its length if that is known; without, its id is shown.
    pub videos: Arc<HashMap<VideoId, String>>,
    /// What viewers did at a step: stands where its video's name does.
    pub heat: Arc<HashMap<usize, Arc<StepHeat>>>,
    /// What a step shows of products, in the words of the catalog.
    pub products: Arc<HashMap<usize, Arc<ProductMark>>>,
    /// The letters that jump to a step.
    pub hints: HashMap<usize, String>,
}

/// The products of a step on its card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProductMark {
    /// What the one that matters most is called.
    pub title: String,
    /// What it costs; empty where nobody knows.
    pub price: String,
    /// What is wrong with it, in a few words: sold out, hidden, gone; empty where nothing is known to be.
    pub wrong: &'static str,
    /// How many more there are.
    pub more: usize,
}

impl ProductMark {
    /// Whether something is wrong with it.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }

    /// All of it in one line, what is wrong first.
    #[must_use]
    pub fn words(&self) -> String {
        let more = if self.more > 0 { format!("+{}", self.more) } else { String::new() };
        let parts = [self.wrong, self.title.as_str(), self.price.as_str(), more.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

/// How an upload for a step stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UploadMark {
    /// It in a few words.
    pub words: String,
    /// Whether it will not arrive by itself.
    pub stopped: bool,
}

/// How much of something there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Heat {
    /// Little, or nothing that can be said.
    #[default]
    Low,
    /// Some.
    Some,
    /// Much.
    High,
    /// Most.
    Most,
}

impl Heat {
    /// It as a sign, also one of ASCII.
    #[must_use]
    pub const fn signs(self) -> (char, char) {
        match self {
            Self::Low => ('▁', '.'),
            Self::Some => ('▃', '-'),
            Self::High => ('▅', '='),
            Self::Most => ('█', '#'),
        }
    }
}

/// What viewers did, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeatMark {
    /// It in numbers.
    pub words: String,
    /// How much it is.
    pub heat: Heat,
}

/// What viewers did at a step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepHeat {
    /// How many saw it, and left there.
    pub mark: HeatMark,
    /// How many of them chose each of its answers; nothing where that was not counted.
    pub answers: Vec<Option<HeatMark>>,
}

impl Marks {
    /// What viewers did at a step.
    #[must_use]
    pub fn heat(&self, step: usize) -> Option<&HeatMark> {
        self.heat.get(&step).map(|heat| &heat.mark)
    }

    /// How many of them chose an answer.
    #[must_use]
    pub fn share(&self, step: usize, port: usize) -> Option<&HeatMark> {
        self.heat.get(&step)?.answers.get(port)?.as_ref()
    }

    /// Notes what a check found, the worst of each step and answer; what is meant is none.
    pub fn note<'a>(&mut self, faults: impl IntoIterator<Item = &'a Fault>) {
        self.faults.clear();
        self.answers.clear();
        for fault in faults.into_iter().filter(|fault| !fault.meant) {
            let Some(step) = fault.step else { continue };
            let worst = self.faults.entry(step).or_insert(fault.severity());
            *worst = fault.severity().max(*worst);
            if let Some(port) = fault.port {
                let worst = self.answers.entry((step, port)).or_insert(fault.severity());
                *worst = fault.severity().max(*worst);
            }
        }
    }
}
