//! Steps, §4.4.

use uuid::Uuid;

use super::creations::once;
use super::db::{self, Connection, OptionalExtension as _, params};
use super::project_rows::{self, NO_PROJECT, number, touch};
use super::revision::{self, tag};
use super::rules::record;
use super::rules::revision::fresh;
use super::rules::steps::{answers_json, order_without, products_json};
use super::{Created, CreationKey, Precondition, Store, StoreError, now_text, rules};
use crate::api::{CreatedStep, NewStep, StepChange};
use crate::domain::{Answer, Finding, StepId, StepName, StepProduct};
use crate::service::wrong::wrong;

const NO_STEP: StoreError = StoreError::Missing("The workspace has no such step.");

/// A step to be kept.
#[derive(Debug, Clone, Default)]
pub(super) struct StepRow<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub answers: &'a [Answer],
    pub video: Option<&'a str>,
    pub overlay_text: Option<&'a str>,
    pub answer_time: Option<f64>,
    pub products: &'a [StepProduct],
}

/// A name that no step of the project has.
pub(super) fn fresh_name(connection: &Connection, project: i64) -> Result<String, StoreError> {
    let mut taken = connection.prepare_cached("SELECT 1 FROM step WHERE project = ?1 AND name = ?2")?;
    loop {
        let name = rules::steps::name()?;
        if !taken.exists(params![project, name])? {
            return Ok(name);
        }
    }
}

/// Keeps a step of a project.
pub(super) fn insert(connection: &Connection, project: i64, step: &StepRow<'_>) -> Result<StepId, StoreError> {
    let id = Uuid::new_v4().to_string();
    let now = now_text();
    connection
        .prepare_cached(
            "INSERT INTO step (id, project, name, description, answers, video, overlay_text, answer_time, created_at,
             updated_at, products) VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, ''), ?7, ?8, ?9, ?9, ?10)",
        )?
        .execute(params![
            id,
            project,
            step.name,
            step.description,
            answers_json(step.answers)?,
            step.video,
            step.overlay_text,
            step.answer_time,
            now,
            products_json(step.products)?,
        ])?;
    connection
        .prepare_cached(
            "UPDATE project SET steps_count = steps_count + 1, updated_at = ?2, revision = ?3 WHERE number = ?1",
        )?
        .execute(params![project, now, fresh()])?;
    Ok(StepId::new(id))
}

/// Names every entry of an order that is neither name nor id of a step of the project, or of one that came before.
pub(super) fn check_order(
    connection: &Connection,
    project: i64,
    order: Option<&[String]>,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let mut known =
        connection.prepare_cached("SELECT number FROM step WHERE project = ?1 AND (name = ?2 OR id = ?2)")?;
    let order = order.unwrap_or_default().iter();
    let steps = order.map(|entry| known.query_row(params![project, entry], |row| row.get(0)).optional());
    rules::steps::check_order(&steps.collect::<Result<Vec<_>, _>>()?, found);
    Ok(())
}

/// Names a video that the workspace does not have; the empty text is none.
fn check_video(
    connection: &Connection,
    workspace: i64,
    video: &str,
    pointer: &str,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let mut known = connection.prepare_cached("SELECT 1 FROM video WHERE id = ?1 AND workspace = ?2")?;
    if !video.is_empty() && !known.exists(params![video, workspace])? {
        wrong(found, pointer, "is not a video of this workspace");
    }
    Ok(())
}

impl Store {
    /// Makes a step, once under its key. `found` is what is wrong with it already.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the project is all that is wrong, [`StoreError::Changed`] where the project is, of a
    /// creation that is no repetition, [`StoreError::Invalid`] with everything that is wrong,
    /// [`StoreError::OtherCreation`]; else where the database refuses.
    pub async fn create_step(
        &self,
        workspace: i64,
        new: NewStep,
        mut found: Vec<Finding>,
        (when, key): (Precondition, Option<CreationKey>),
    ) -> Result<Created, StoreError> {
        self.write(move |transaction| {
            once(transaction, workspace, key.as_ref(), || {
                let video = new.video_id.as_ref().map(crate::domain::VideoId::as_str);
                check_video(transaction, workspace, video.unwrap_or_default(), "/step/videoId", &mut found)?;
                let project = number(transaction, workspace, new.project_id.as_str())?;
                let Some(project) = project.filter(|_| found.is_empty()) else {
                    if found.is_empty() {
                        return Err(NO_PROJECT);
                    }
                    if project.is_none() {
                        wrong(&mut found, "/step/projectId", "is not a project of this workspace");
                    }
                    return Err(StoreError::Invalid(found));
                };
                revision::check(&when, transaction, project)?;
                let name = fresh_name(transaction, project)?;
                let step = StepRow {
                    name: &name,
                    description: new.description.as_deref(),
                    answers: new.answers.as_deref().unwrap_or_default(),
                    video,
                    overlay_text: new.overlay_text.as_deref(),
                    answer_time: None,
                    products: new.products.as_deref().unwrap_or_default(),
                };
                let id = insert(transaction, project, &step)?;
                let created = CreatedStep { id, name: StepName::new(name), ..CreatedStep::default() };
                Ok(serde_json::to_vec(&created)?)
            })
        })
        .await
    }

    /// Changes a step; its record as it is then, and the tag of that state. `found` is what is wrong with the change
    /// already.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Changed`] where its project is another one by now, or [`StoreError::Invalid`] with everything that is wrong; else where the database
    /// refuses.
    pub async fn update_step(
        &self,
        workspace: i64,
        id: StepId,
        change: StepChange,
        mut found: Vec<Finding>,
        when: Precondition,
    ) -> Result<(Vec<u8>, String), StoreError> {
        self.write(move |transaction| {
            let Found { number, project, video: before, .. } = find(transaction, workspace, &id)?;
            // What is wrong by itself is wrong in every state (RFC 9110 §13.2.1); what names something that is gone is not.
            if found.is_empty() {
                revision::check(&when, transaction, project)?;
            }
            let video = change.video_id.as_ref().map(crate::domain::VideoId::as_str);
            // A video that was deleted may stay where it is.
            if let Some(video) = video.filter(|video| before.as_deref() != Some(video)) {
                check_video(transaction, workspace, video, "/videoId", &mut found)?;
            }
            if !found.is_empty() {
                return Err(StoreError::Invalid(found));
            }
            let now = now_text();
            transaction
                .prepare_cached(
                    "UPDATE step SET description = coalesce(?2, description), answers = coalesce(?3, answers),
                     video = nullif(coalesce(?4, video), ''), overlay_text = coalesce(?5, overlay_text),
                     answer_time = coalesce(?6, answer_time), updated_at = ?7, products = coalesce(?8, products)
                     WHERE number = ?1",
                )?
                .execute(params![
                    number,
                    change.description,
                    change.answers.as_deref().map(answers_json).transpose()?,
                    video,
                    change.overlay_text,
                    change.answer_time.map(|time| time.0),
                    now,
                    change.products.as_deref().map(products_json).transpose()?,
                ])?;
            touch(transaction, project, &now)?;
            let mut statement = transaction.prepare_cached(&format!(
                "SELECT {} FROM step JOIN project ON project.number = step.project WHERE step.number = ?1",
                project_rows::STEP
            ))?;
            let mut rows = statement.query([number])?;
            let mut out = Vec::new();
            record::step(&mut out, &rows.next()?.ok_or(NO_STEP)?)?;
            Ok((out, tag(transaction, project)?))
        })
        .await
    }

    /// Deletes a step and takes it out of its project's order. Answers that led to it stay as they are.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such step, [`StoreError::Changed`] where its project is another
    /// one by now; else where the database refuses.
    pub async fn delete_step(&self, workspace: i64, id: StepId, when: Precondition) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let Found { number, project, name, .. } = find(transaction, workspace, &id)?;
            revision::check(&when, transaction, project)?;
            let order: String =
                transaction
                    .query_row("SELECT steps_order FROM project WHERE number = ?1", [project], |row| row.get(0))?;
            let order = order_without(&order, &name, id.as_str())?;
            super::creations::forget_deleted(transaction, workspace, id.as_str())?;
            transaction.execute("DELETE FROM step WHERE number = ?1", [number])?;
            transaction
                .prepare_cached(
                    "UPDATE project SET steps_count = steps_count - 1, steps_order = ?2, updated_at = ?3, revision = ?4
                     WHERE number = ?1",
                )?
                .execute(params![project, order, now_text(), fresh()])?;
            Ok(())
        })
        .await
    }
}

/// A step of a workspace, as far as a change has to know it.
struct Found {
    number: i64,
    project: i64,
    name: String,
    video: Option<String>,
}

fn find(connection: &Connection, workspace: i64, id: &StepId) -> Result<Found, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT step.number, step.project, step.name, step.video FROM step
         JOIN project ON project.number = step.project WHERE step.id = ?1 AND project.workspace = ?2",
    )?;
    let read = |row: &db::Row<'_>| {
        Ok(Found { number: row.get(0)?, project: row.get(1)?, name: row.get(2)?, video: row.get(3)? })
    };
    statement.query_row(params![id.as_str(), workspace], read).optional()?.ok_or(NO_STEP)
}
