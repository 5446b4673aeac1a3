//! What is looked for.

use super::rule::{Rule, Set};

/// What is looked for, and from which figures on.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The sets of rules that are on.
    pub sets: Vec<Set>,
    /// The only rules that are on; all of the sets where there are none.
    pub rules: Vec<Rule>,
    /// Less than this left to buy is nearly out (S02), pieces.
    pub nearly_out: f64,
    /// An ending that more than this share come to should offer something (W06), from 0 to 1.
    pub many_end: f64,
    /// So many products with the most in stock should be in a step (W07).
    pub best_sellers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sets: vec![Set::Shop, Set::Video, Set::Wiring],
            rules: Vec::new(),
            nearly_out: 3.0,
            many_end: 0.1,
            best_sellers: 5,
        }
    }
}

impl Limits {
    /// Whether a rule is on.
    #[must_use]
    pub fn has(&self, rule: Rule) -> bool {
        if self.rules.is_empty() { self.sets.contains(&rule.set()) } else { self.rules.contains(&rule) }
    }
}
