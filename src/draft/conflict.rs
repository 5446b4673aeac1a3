//! What a merge found: what both changed, and what was changed elsewhere.

use super::base::{Base, Fresh};
use super::refs::{AnswerRef, StepRef};
use super::sequence::Side;

/// A place in a project that two can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// The project's name.
    Name,
    /// Its folder.
    Folder,
    /// Who is told by e-mail.
    Emails,
    /// A setting of its player, by its name.
    Player(&'static str),
    /// The order of its steps.
    Order,
    /// Whether a step is there.
    Step(StepRef),
    /// What a step is about.
    Description(StepRef),
    /// The text over its video.
    Overlay(StepRef),
    /// Its video.
    Video(StepRef),
    /// When its answers appear.
    AnswerTime(StepRef),
    /// The products that it shows.
    Products(StepRef),
    /// In which order its answers are.
    Answers(StepRef),
    /// Whether an answer is there.
    Answer(StepRef, AnswerRef),
    /// What an answer says.
    AnswerText(StepRef, AnswerRef),
    /// Where an answer leads.
    AnswerTarget(StepRef, AnswerRef),
}

/// Both changed the same, to something else. The texts are the project's: to be cleaned before they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What.
    pub spot: Spot,
    /// It in words: `the text of begin`.
    pub what: String,
    /// As it was when the draft began.
    pub base: String,
    /// As the draft has it.
    pub mine: String,
    /// As the service has it by now.
    pub theirs: String,
    /// Who is right.
    pub side: Side,
}

/// A newer reading of the project, ready to be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    pub(super) theirs: Base,
    pub(super) fresh: Fresh,
    /// What has to be decided; until then the draft is right.
    pub conflicts: Vec<Conflict>,
    /// What was changed elsewhere and is kept, in words.
    pub elsewhere: Vec<String>,
}

impl Merge {
    /// Decides a conflict.
    pub fn decide(&mut self, spot: Spot, side: Side) {
        for conflict in self.conflicts.iter_mut().filter(|conflict| conflict.spot == spot) {
            conflict.side = side;
        }
    }

    pub(super) fn theirs(&self) -> &Base {
        &self.theirs
    }

    /// Everything that was changed elsewhere, in words: what is kept, and what was changed here too.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let both =
            self.conflicts.iter().map(|conflict| format!("{} was changed here and by someone else", conflict.what));
        both.chain(self.elsewhere.iter().cloned()).collect()
    }

    /// Whether nothing was changed elsewhere.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.conflicts.is_empty() && self.elsewhere.is_empty()
    }
}
