//! The state of a project, and whether a change may be made to it.

use rusqlite::Connection;

use super::rules::revision::{Precondition, tag_of};
use super::{StoreError, project_rows};

/// Whether a precondition holds of a project.
pub(super) fn check(when: &Precondition, connection: &Connection, project: i64) -> Result<(), StoreError> {
    if when.needs_tag() { when.check(&tag(connection, project)?) } else { Ok(()) }
}

/// The strong tag of a project as it is now, in quotation marks.
pub(super) fn tag(connection: &Connection, project: i64) -> Result<String, StoreError> {
    let mut record = Vec::new();
    // The address by which the service is reached says nothing of the project.
    project_rows::project(connection, project, "", &mut record)?;
    project_rows::steps(connection, project, &mut record)?;
    Ok(tag_of(&record))
}
