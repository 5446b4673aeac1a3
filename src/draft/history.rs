//! Every edit of a draft, and where among them it stands.

use super::change::Change;
use super::content::Content;

/// So many edits can be undone; older ones are forgotten, or whoever edits for days would fill the memory.
pub(super) const MOST_EDITS: usize = 1_000;

/// The edits in their order. Those before the place are made, those after it are undone and can be made again. Edits are
/// counted from the first one that was ever made, also where that one is forgotten.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct History {
    edits: Vec<Edited>,
    at: usize,
    forgotten: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Edited {
    name: String,
    make: Change,
    undo: Change,
}

impl History {
    /// Makes an edit; those that were undone are forgotten, and so many of the oldest.
    pub fn make(&mut self, name: String, make: Change, content: &mut Content, forget: usize) {
        let undo = make.make(content);
        self.edits.truncate(self.made());
        self.edits.push(Edited { name, make, undo });
        let forget = forget.min(self.edits.len());
        self.edits.drain(..forget);
        self.forgotten += forget;
        self.at = self.forgotten + self.edits.len();
    }

    /// How many of the oldest have to be forgotten with the next edit.
    pub fn excess(&self) -> usize {
        (self.made() + 1).saturating_sub(MOST_EDITS)
    }

    /// Undoes or makes again until so many edits are made.
    pub fn go(&mut self, to: usize, content: &mut Content) {
        let to = to.clamp(self.forgotten, self.forgotten + self.edits.len());
        while self.at > to {
            self.at -= 1;
            if let Some(edit) = self.edits.get(self.made()) {
                edit.undo.make(content);
            }
        }
        while self.at < to {
            if let Some(edit) = self.edits.get(self.made()) {
                edit.make.make(content);
            }
            self.at += 1;
        }
    }

    /// How many edits are made.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many edits are so old that they can't be undone any more.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Counts from here on as if so many edits had gone before.
    pub fn count_from(&mut self, forgotten: usize) {
        self.at = self.made() + forgotten;
        self.forgotten = forgotten;
    }

    /// What all edits change, also those that are undone.
    pub fn changes(&self) -> impl Iterator<Item = &Change> + '_ {
        self.edits.iter().map(|edit| &edit.make)
    }

    /// The names of all edits, also of those that are undone.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.edits.iter().map(|edit| edit.name.as_str())
    }

    /// How many of the edits that are not forgotten are made.
    fn made(&self) -> usize {
        self.at.saturating_sub(self.forgotten)
    }
}
