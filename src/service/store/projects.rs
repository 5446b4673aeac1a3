//! Projects and their folders, §4.3.

use uuid::Uuid;

use super::creations::once;
use super::db::{Connection, OptionalExtension as _, params};
use super::project_rows::{self, NO_PROJECT, number, project};
use super::revision::{self, tag};
use super::rules::folders::{self, Place};
use super::rules::record;
use super::rules::revision::fresh;
use super::{Created, CreationKey, Identity, Precondition, Store, StoreError, now_text, player_settings, steps};
use crate::api::{CreatedProject, NewProject, ProjectChange};
use crate::domain::{Finding, Folder, ProjectId};
use crate::service::address;

/// How long ago a visit may have been seen for somebody to still be there, seconds: a day.
const WATCHED: i64 = 24 * 60 * 60;

/// A project that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MadeProject {
    /// Its id.
    pub id: ProjectId,
    /// What its player is reached by.
    pub publish_id: String,
}

/// Makes a project.
pub(super) fn insert(connection: &Connection, of: &Identity, name: &str) -> Result<(i64, MadeProject), StoreError> {
    let made = MadeProject { id: ProjectId::new(Uuid::new_v4()), publish_id: Uuid::new_v4().to_string() };
    let number = connection
        .prepare_cached(
            "INSERT INTO project (id, workspace, owner, publish_id, name, created_at, updated_at, revision)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7) RETURNING number",
        )?
        .query_row(
            params![made.id.as_str(), of.workspace, of.user.as_str(), made.publish_id, name, now_text(), fresh()],
            |row| row.get(0),
        )?;
    Ok((number, made))
}

/// Makes a folder.
pub(super) fn insert_folder(connection: &Connection, workspace: i64, name: &str) -> Result<String, StoreError> {
    let id = Uuid::new_v4().to_string();
    connection.execute(
        "INSERT INTO folder (id, workspace, name, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![id, workspace, name, now_text()],
    )?;
    Ok(id)
}

/// The id of a folder; a new one is made.
fn folder_id(connection: &Connection, workspace: i64, place: Place) -> Result<Option<String>, StoreError> {
    match place {
        Place::Nowhere => Ok(None),
        Place::Known(id) => Ok(Some(id)),
        Place::New(name) => Ok(Some(insert_folder(connection, workspace, &name)?)),
    }
}

/// Resolves a folder's id or name; a name that no folder has becomes a new one.
fn place(
    connection: &Connection,
    workspace: i64,
    given: &str,
    pointer: &str,
    found: &mut Vec<Finding>,
) -> Result<Place, StoreError> {
    let Some(asked) = folders::asked(given) else { return Ok(Place::Nowhere) };
    let by_id = "SELECT id FROM folder WHERE id = ?2 AND workspace = ?1";
    let known: Option<String> = connection.query_row(by_id, params![workspace, asked], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(Place::Known(id));
    }
    let mut by_name = connection.prepare_cached("SELECT id FROM folder WHERE workspace = ?1 AND name = ?2 LIMIT 2")?;
    let ids: Vec<String> = by_name.query_map(params![workspace, asked], |row| row.get(0))?.collect::<Result<_, _>>()?;
    folders::named(asked, &ids, pointer, found)
}

impl Store {
    /// `{"projects": […]}`: every project of a workspace without its steps, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn projects_json(&self, workspace: i64, base_url: String) -> Result<Vec<u8>, StoreError> {
        let sql = format!(
            "SELECT {} FROM project JOIN workspace ON workspace.id = project.workspace
             WHERE project.workspace = ?1 ORDER BY project.number",
            project_rows::PROJECT
        );
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(&sql)?;
                let mut rows = statement.query([workspace])?;
                let mut out = br#"{"projects":["#.to_vec();
                let mut first = true;
                while let Some(row) = rows.next()? {
                    if !std::mem::take(&mut first) {
                        out.push(b',');
                    }
                    record::project(&mut out, &row, &base_url)?;
                }
                out.extend_from_slice(b"]}");
                Ok(out)
            })
            .await
    }

    /// `{"project": {…}, "steps": […]}`: a project with its steps, the oldest first; and the tag of that state.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such project; else where the database refuses.
    pub async fn project_json(
        &self,
        workspace: i64,
        id: ProjectId,
        base_url: String,
    ) -> Result<(Vec<u8>, String), StoreError> {
        self.readers
            .run(move |connection| {
                // One transaction, so that the steps are those of the project as it is read.
                let transaction = connection.transaction()?;
                let number = number(&transaction, workspace, id.as_str())?.ok_or(NO_PROJECT)?;
                let mut out = br#"{"project":"#.to_vec();
                project(&transaction, number, &base_url, &mut out)?;
                out.extend_from_slice(br#","steps":"#);
                project_rows::steps(&transaction, number, &mut out)?;
                out.push(b'}');
                Ok((out, tag(&transaction, number)?))
            })
            .await
    }

    /// Makes a project, once under its key; the answer names the player's address at `base_url`. `found` is what is wrong
    /// with it already.
    ///
    /// # Errors
    /// As [`Store::update_project`], but that nothing can be missing; and [`StoreError::OtherCreation`].
    pub async fn create_project(
        &self,
        of: &Identity,
        new: NewProject,
        mut found: Vec<Finding>,
        (key, base_url): (Option<CreationKey>, String),
    ) -> Result<Created, StoreError> {
        let of = of.clone();
        self.write(move |transaction| {
            once(transaction, of.workspace, key.as_ref(), || {
                let folder = match new.folder.as_deref() {
                    Some(given) => place(transaction, of.workspace, given, "/project/folder", &mut found)?,
                    None => Place::Nowhere,
                };
                if !found.is_empty() {
                    return Err(StoreError::Invalid(found));
                }
                let (number, made) = insert(transaction, &of, &new.name)?;
                let folder = folder_id(transaction, of.workspace, folder)?;
                let addresses = serde_json::to_string(new.email_notifications.as_deref().unwrap_or_default())?;
                let player = player_settings::changed("{}", new.player.as_ref())?;
                let sql = "UPDATE project SET folder = ?2, email_notifications = ?3, player = ?4 WHERE number = ?1";
                transaction.prepare_cached(sql)?.execute(params![number, folder, addresses, player])?;
                Ok(serde_json::to_vec(&CreatedProject {
                    id: made.id,
                    player_url: Some(address::player(&base_url, &made.publish_id)),
                    ..CreatedProject::default()
                })?)
            })
        })
        .await
    }

    /// Changes a project; its record as it is then, and the tag of that state. `found` is what is wrong with the change
    /// already.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Changed`], [`StoreError::Invalid`] with everything that is wrong, or
    /// [`StoreError::Conflict`] where several folders have the name; else where the database refuses.
    pub async fn update_project(
        &self,
        workspace: i64,
        id: ProjectId,
        change: ProjectChange,
        mut found: Vec<Finding>,
        (when, base_url): (Precondition, String),
    ) -> Result<(Vec<u8>, String), StoreError> {
        self.write(move |transaction| {
            let number = number(transaction, workspace, id.as_str())?.ok_or(NO_PROJECT)?;
            // What is wrong by itself is wrong in every state (RFC 9110 §13.2.1); what names something that is gone is not.
            if found.is_empty() {
                revision::check(&when, transaction, number)?;
            }
            let order = change.steps_order.as_ref().map(serde_json::to_string).transpose()?;
            let sql = "SELECT steps_order, player FROM project WHERE number = ?1";
            let (before, player): (String, String) =
                transaction.query_row(sql, [number], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let player = player_settings::changed(&player, change.player.as_ref())?;
            if order.as_ref().is_some_and(|order| *order != before) {
                steps::check_order(transaction, number, change.steps_order.as_deref(), &mut found)?;
            }
            let folder = match &change.folder {
                Some(given) => Some(place(transaction, workspace, given, "/folder", &mut found)?),
                None => None,
            };
            if !found.is_empty() {
                return Err(StoreError::Invalid(found));
            }
            let moves = folder.is_some();
            let folder = folder_id(transaction, workspace, folder.unwrap_or(Place::Nowhere))?;
            let addresses = change.email_notifications.as_ref().map(serde_json::to_string).transpose()?;
            transaction
                .prepare_cached(
                    "UPDATE project SET name = coalesce(?2, name), email_notifications = coalesce(?3, email_notifications),
                     steps_order = coalesce(?4, steps_order), folder = CASE WHEN ?5 <> 0 THEN ?6 ELSE folder END, updated_at = ?7,
                     player = ?8, revision = ?9 WHERE number = ?1",
                )?
                .execute(params![number, change.name, addresses, order, moves, folder, now_text(), player, fresh()])?;
            let mut out = Vec::new();
            project(transaction, number, &base_url, &mut out)?;
            Ok((out, tag(transaction, number)?))
        })
        .await
    }

    /// Deletes a project with its steps.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such project, [`StoreError::Changed`]; else where the database
    /// refuses.
    pub async fn delete_project(&self, workspace: i64, id: ProjectId, when: Precondition) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let number = number(transaction, workspace, id.as_str())?.ok_or(NO_PROJECT)?;
            revision::check(&when, transaction, number)?;
            super::creations::forget_deleted(transaction, workspace, id.as_str())?;
            transaction.execute(
                "DELETE FROM creation WHERE workspace = ?1 AND EXISTS (
                     SELECT 1 FROM step WHERE step.project = ?2 AND instr(CAST(creation.answer AS TEXT), step.id) > 0)",
                (workspace, number),
            )?;
            transaction.execute("DELETE FROM step WHERE project = ?1", [number])?;
            super::funnel::forget(transaction, id.as_str())?;
            // Whoever watches it now may still send its form, by its rules.
            transaction.execute(
                "UPDATE visit SET player = project.player FROM project
                 WHERE project.number = ?1 AND visit.publish_id = project.publish_id
                 AND visit.seen_at > (unixepoch() - ?2) * 1000",
                (number, WATCHED),
            )?;
            transaction.execute("DELETE FROM project WHERE number = ?1", [number])?;
            Ok(())
        })
        .await
    }

    /// The folders of a workspace, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn folders(&self, workspace: i64) -> Result<Vec<Folder>, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection
                    .prepare_cached("SELECT id, name, created_at FROM folder WHERE workspace = ?1 ORDER BY number")?;
                let folders = statement.query_map([workspace], |row| {
                    let id = row.get::<String>(0)?.into();
                    Ok(Folder { id, name: row.get(1)?, created_at: row.get(2)?, ..Folder::default() })
                })?;
                Ok(folders.collect::<Result<_, _>>()?)
            })
            .await
    }
}
