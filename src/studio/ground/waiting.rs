//! Drafts that were left.

use crate::domain::ProjectId;

/// A draft that waits to be gone on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its project.
    pub project: ProjectId,
    /// The project's name.
    pub name: String,
    /// How many edits it holds.
    pub edits: usize,
    /// The profile that it was begun in, where that is known.
    pub profile: Option<String>,
}
