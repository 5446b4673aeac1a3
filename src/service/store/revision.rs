//! Which state of a project somebody has read: an entity tag (RFC 9110 §8.8.3) of the project with all its steps.
//!
//! A step's tag is that of its project: a tag may change more often than what it stands for, and who saves a project
//! wants to know that nothing of it was changed.

use rusqlite::Connection;

use super::{StoreError, project_rows};

/// The states of a project under which a change may be made (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Precondition(Option<Vec<String>>);

impl Precondition {
    /// Only where the project has one of these tags.
    #[must_use]
    pub fn any_of(tags: Vec<String>) -> Self {
        Self(Some(tags))
    }

    /// Whether it holds of a project.
    pub(super) fn check(&self, connection: &Connection, project: i64) -> Result<(), StoreError> {
        match &self.0 {
            Some(tags) if !tags.contains(&tag(connection, project)?) => Err(StoreError::Changed),
            _ => Ok(()),
        }
    }
}

/// The strong tag of a project as it is now, in quotation marks.
pub(super) fn tag(connection: &Connection, project: i64) -> Result<String, StoreError> {
    let mut record = Vec::new();
    // The address by which the service is reached says nothing of the project.
    project_rows::project(connection, project, "", &mut record)?;
    project_rows::steps(connection, project, &mut record)?;
    let hash = blake3::hash(&record).to_hex();
    Ok(format!("\"{}\"", hash.get(..32).unwrap_or_default()))
}
