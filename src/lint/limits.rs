//! What is looked for.

use super::rule::{Rule, Set};
use crate::graph::Kind;

/// What is looked for, and from which figures on.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The sets of rules that are on.
    pub sets: Vec<Set>,
    /// The only rules that are on; all of the sets where there are none.
    pub rules: Vec<Rule>,
    /// The only checks of a project's steps that are on; without such a list, all of them where the set of projects is.
    pub faults: Option<Vec<Kind>>,
    /// Less than this left to buy is nearly out (S02), pieces.
    pub nearly_out: f64,
    /// An ending that more than this share come to should offer something (W06), from 0 to 1.
    pub many_end: f64,
    /// So many products with the most in stock should be in a step (W07).
    pub best_sellers: usize,
    /// A title with more characters than this is too long (S28, F04).
    pub title: usize,
    /// A side of a picture with fewer pixels than this is too small for feeds (F03).
    pub feed_side: f64,
    /// A picture with more megapixels than this is too large for feeds (F03).
    pub feed_megapixels: f64,
    /// A description with more characters than this is too long for feeds (F04).
    pub feed_description: usize,
    /// An address with more characters than this is too long for feeds (F04).
    pub feed_address: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sets: vec![Set::Shop, Set::Video, Set::Wiring],
            rules: Vec::new(),
            faults: None,
            nearly_out: 3.0,
            many_end: 0.1,
            best_sellers: 5,
            // What third parties ask for, unverified.
            title: 150,
            feed_side: 500.0,
            feed_megapixels: 64.0,
            feed_description: 5_000,
            feed_address: 2_000,
        }
    }
}

impl Limits {
    /// Whether a check of a project's steps is on.
    #[must_use]
    pub fn has_fault(&self, kind: Kind) -> bool {
        match &self.faults {
            Some(only) => only.contains(&kind),
            None => self.rules.is_empty() && self.sets.contains(&Set::Wiring),
        }
    }

    /// Whether a rule is on.
    #[must_use]
    pub fn has(&self, rule: Rule) -> bool {
        if self.rules.is_empty() { self.sets.contains(&rule.set()) } else { self.rules.contains(&rule) }
    }
}
