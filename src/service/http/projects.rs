//! Projects and their folders, §4.3.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::App;
use super::answer::{invalid, json, json_text, refused};
use super::answered::answers;
use super::base_url::BaseUrl;
use super::conditions::{Matching, Once, tagged};
use super::written::{MaybeWritten, Pairs, PathId, Written};
use crate::api::{CreateProject, DeleteProject, FolderList, ProjectChange};
use crate::domain::ProjectId;
use crate::service::checks;
use crate::service::store::Identity;

answers! {
    CreateProject => create,
    ListProjects => list,
    GetProject => get,
    GetProjectByPost => get_by_post,
    UpdateProject => update,
    DeleteProject => delete,
    ListFolders => folders,
}

type Caller = Extension<Identity>;

/// `POST /projects`
async fn create(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    base: BaseUrl,
    key: Once,
    mut written: Written<CreateProject>,
) -> Response {
    checks::new_project(&written.body, &mut written.findings);
    let key = key.of::<CreateProject>(&written.body);
    let Written { body, findings } = written;
    match app.store.create_project(&identity, body.project, findings, (key, base.0)).await {
        Err(error) => refused(&error),
        Ok(created) => json_text(created.answer),
    }
}

/// `GET /projects/`
async fn list(State(app): State<Arc<App>>, Extension(identity): Caller, base: BaseUrl) -> Response {
    match app.store.projects_json(identity.workspace, base.0).await {
        Err(error) => refused(&error),
        Ok(projects) => json_text(projects),
    }
}

/// `GET /projects/{id}`
async fn get(State(app): State<Arc<App>>, Extension(identity): Caller, base: BaseUrl, PathId(id): PathId) -> Response {
    match app.store.project_json(identity.workspace, ProjectId::new(id), base.0).await {
        Err(error) => refused(&error),
        Ok((project, tag)) => tagged(json_text(project), &tag),
    }
}

/// `POST /projects/{id}`: the other way that §4.3 shows to read one. Whatever it says, it changes nothing.
async fn get_by_post(
    state: State<Arc<App>>,
    caller: Caller,
    base: BaseUrl,
    id: PathId,
    MaybeWritten(written): MaybeWritten<serde_json::Map<String, serde_json::Value>>,
) -> Response {
    if !written.findings.is_empty() {
        return invalid(&written.findings);
    }
    get(state, caller, base, id).await
}

/// `PUT /projects/{id}`
async fn update(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    base: BaseUrl,
    PathId(id): PathId,
    Matching(when): Matching,
    mut written: Written<ProjectChange>,
) -> Response {
    checks::project_change(&written.body, &mut written.findings);
    let Written { body, findings } = written;
    match app.store.update_project(identity.workspace, ProjectId::new(id), body, findings, (when, base.0)).await {
        Err(error) => refused(&error),
        Ok((project, tag)) => tagged(json_text(project), &tag),
    }
}

/// `DELETE /projects`
async fn delete(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Matching(when): Matching,
    pairs: Pairs,
    MaybeWritten(mut written): MaybeWritten<DeleteProject>,
) -> Response {
    let id = pairs.id("projectId", written.body.project_id.as_str(), &mut written.findings);
    if !written.findings.is_empty() {
        return invalid(&written.findings);
    }
    match app.store.delete_project(identity.workspace, ProjectId::new(id.as_str()), when).await {
        Err(error) => refused(&error),
        Ok(()) => json(&json!({ "id": id })),
    }
}

/// `GET /projects/actions/folders`
async fn folders(State(app): State<Arc<App>>, Extension(identity): Caller) -> Response {
    match app.store.folders(identity.workspace).await {
        Err(error) => refused(&error),
        Ok(folders) => json(&FolderList { folders, ..FolderList::default() }),
    }
}
