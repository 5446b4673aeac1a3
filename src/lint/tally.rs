//! What was checked, what was not, and how much was found, by rule.

use super::rule::Rule;

/// The counts of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records that it could be told of, problem or not.
    pub checked: u64,
    /// Records that it couldn't be told of: a field is null, a word is unknown.
    pub unchecked: u64,
    /// Problems that were found.
    pub problems: u64,
}

/// The counts of all rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally(Vec<Counts>);

impl Default for Tally {
    fn default() -> Self {
        Self(vec![Counts::default(); Rule::count()])
    }
}

impl Tally {
    /// The counts of a rule.
    #[must_use]
    pub fn of(&self, rule: Rule) -> Counts {
        self.0.get(rule as usize).copied().unwrap_or_default()
    }

    /// Takes in the counts of another one.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own.checked += other.checked;
            own.unchecked += other.unchecked;
            own.problems += other.problems;
        }
    }

    pub(super) fn at(&mut self, rule: Rule) -> Option<&mut Counts> {
        self.0.get_mut(rule as usize)
    }
}
