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
    /// The letters that jump to a step.
    pub hints: HashMap<usize, String>,
}

/// How an upload for a step stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UploadMark {
    /// It in a few words.
    pub words: String,
    /// Whether it will not arrive by itself.
    pub stopped: bool,
}

impl Marks {
    /// Notes what a check found, the worst of each step and answer; what is meant is none.
    pub fn note(&mut self, faults: &[Fault]) {
        self.faults.clear();
        self.answers.clear();
        for fault in faults.iter().filter(|fault| !fault.meant) {
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
