//! What checks know beside the steps.

use std::collections::{HashMap, HashSet};

use super::steps::Node;
use crate::domain::VideoId;

/// What is known beside the steps. What is not known is not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The videos of the library.
    pub library: Option<&'a HashSet<VideoId>>,
    /// How long videos run, in seconds.
    pub seconds: Option<&'a HashMap<VideoId, f64>>,
    /// The keys of what a person said is meant.
    pub meant: Option<&'a HashSet<String>>,
}

impl Node {
    /// How long its video runs, in seconds, if that is known.
    pub(super) fn seconds(&self, known: &Known) -> Option<f64> {
        known.seconds?.get(self.video.as_ref()?).copied()
    }
}
