//! Steps, §4.4.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::App;
use super::answer::{invalid, json, json_text, refused};
use super::answered::answers;
use super::conditions::{Matching, Once, tagged};
use super::written::{MaybeWritten, Pairs, PathId, Written};
use crate::api::{CreateStep, DeleteStep, StepChange};
use crate::domain::StepId;
use crate::service::checks;
use crate::service::store::Identity;

answers! {
    CreateStep => create,
    UpdateStep => update,
    DeleteStep => delete,
}

type Caller = Extension<Identity>;

/// `POST /projects/steps`
async fn create(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Matching(when): Matching,
    key: Once,
    mut written: Written<CreateStep>,
) -> Response {
    checks::new_step(&written.body, &mut written.findings);
    let Written { body, findings } = written;
    let key = key.of::<CreateStep>(&body);
    match app.store.create_step(identity.workspace, body.step, findings, (when, key)).await {
        Err(error) => refused(&error),
        Ok(created) => json_text(created.answer),
    }
}

/// `PUT /projects/steps/{id}`
async fn update(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    PathId(id): PathId,
    Matching(when): Matching,
    mut written: Written<StepChange>,
) -> Response {
    checks::step_change(&written.body, &mut written.findings);
    let Written { body, findings } = written;
    match app.store.update_step(identity.workspace, StepId::new(id), body, findings, when).await {
        Err(error) => refused(&error),
        Ok((step, tag)) => tagged(json_text(step), &tag),
    }
}

/// `DELETE /projects/steps`
async fn delete(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Matching(when): Matching,
    pairs: Pairs,
    MaybeWritten(mut written): MaybeWritten<DeleteStep>,
) -> Response {
    let id = pairs.id("stepId", written.body.step_id.as_str(), &mut written.findings);
    if !written.findings.is_empty() {
        return invalid(&written.findings);
    }
    match app.store.delete_step(identity.workspace, StepId::new(id.as_str()), when).await {
        Err(error) => refused(&error),
        Ok(()) => json(&json!({ "id": id })),
    }
}
