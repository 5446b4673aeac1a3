//! What is looked for in a catalog.

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
}

impl Default for Limits {
    fn default() -> Self {
        Self { sets: vec![Set::Shop], rules: Vec::new(), nearly_out: 3.0 }
    }
}

impl Limits {
    /// Whether a rule is on.
    #[must_use]
    pub fn has(&self, rule: Rule) -> bool {
        if self.rules.is_empty() { self.sets.contains(&rule.set()) } else { self.rules.contains(&rule) }
    }
}
