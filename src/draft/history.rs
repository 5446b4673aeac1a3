//! Every edit of a draft, and where among them it stands.

use super::change::Change;
use super::content::Content;

/// The edits in their order. Those before the place are made, those after it are undone and can be made again.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct History {
    edits: Vec<Edited>,
    at: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Edited {
    name: String,
    make: Change,
    undo: Change,
}

impl History {
    /// Makes an edit; those that were undone are forgotten.
    pub fn make(&mut self, name: String, make: Change, content: &mut Content) {
        let undo = make.make(content);
        self.edits.truncate(self.at);
        self.edits.push(Edited { name, make, undo });
        self.at = self.edits.len();
    }

    /// Undoes or makes again until so many edits are made.
    pub fn go(&mut self, to: usize, content: &mut Content) {
        let to = to.min(self.edits.len());
        while self.at > to {
            self.at -= 1;
            if let Some(edit) = self.edits.get(self.at) {
                edit.undo.make(content);
            }
        }
        while self.at < to {
            if let Some(edit) = self.edits.get(self.at) {
                edit.make.make(content);
            }
            self.at += 1;
        }
    }

    /// How many edits are made.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What all edits change, also those that are undone.
    pub fn changes(&self) -> impl Iterator<Item = &Change> + '_ {
        self.edits.iter().map(|edit| &edit.make)
    }

    /// The names of all edits, also of those that are undone.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.edits.iter().map(|edit| edit.name.as_str())
    }
}
