//! A project's row and those of its steps, as several operations need them.

use super::StoreError;
use super::db::{Connection, OptionalExtension as _, params};
use super::rules::record;
use super::rules::revision::fresh;

/// The columns of a project's record, for [`record::project`].
pub(super) const PROJECT: &str = "project.id, project.name, workspace.app_key, project.owner, project.publish_id,
    coalesce(project.folder, ''), project.email_notifications, project.steps_order, project.steps_count,
    project.created_at, project.updated_at, project.player";

/// The columns of a step's record, for [`record::step`].
pub(super) const STEP: &str = "step.id, step.name, project.id, coalesce(step.description, ''), step.answers,
    coalesce(step.video, ''), coalesce(step.overlay_text, ''), coalesce(step.answer_time, 0), step.created_at,
    step.updated_at, step.products";

/// What is said of a project that the workspace does not have.
pub(super) const NO_PROJECT: StoreError = StoreError::Missing("The workspace has no such project.");

/// The number of a project of a workspace.
pub(super) fn number(connection: &Connection, workspace: i64, id: &str) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT number FROM project WHERE id = ?1 AND workspace = ?2")?;
    Ok(statement.query_row(params![id, workspace], |row| row.get(0)).optional()?)
}

/// Says that a project is another one now.
pub(super) fn touch(connection: &Connection, project: i64, now: &str) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare_cached("UPDATE project SET updated_at = ?2, revision = ?3 WHERE number = ?1")?;
    statement.execute(params![project, now, fresh()])?;
    Ok(())
}

/// Appends the record of one project.
pub(super) fn project(
    connection: &Connection,
    number: i64,
    base_url: &str,
    out: &mut Vec<u8>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {PROJECT} FROM project JOIN workspace ON workspace.id = project.workspace WHERE project.number = ?1"
    ))?;
    let mut rows = statement.query([number])?;
    let row = rows.next()?.ok_or(NO_PROJECT)?;
    record::project(out, &row, base_url)
}

/// Appends the array of a project's steps, the oldest first.
pub(super) fn steps(connection: &Connection, project: i64, out: &mut Vec<u8>) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {STEP} FROM step JOIN project ON project.number = step.project WHERE step.project = ?1 ORDER BY step.number"
    ))?;
    let mut rows = statement.query([project])?;
    let mut first = true;
    out.push(b'[');
    while let Some(row) = rows.next()? {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        record::step(out, &row)?;
    }
    out.push(b']');
    Ok(())
}
