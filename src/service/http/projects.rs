//! Projects and their folders, §4.3.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Unit};
use serde_json::json;

use super::App;
use super::answer::{finding, invalid, json, json_text, refused};
use super::answered::answers;
use super::base_url::BaseUrl;
use super::conditions::{Matching, Once, tagged};
use super::written::{MaybeWritten, Pairs, PathId, Written};
use crate::api::{CreateProject, DeleteProject, FolderList, ProjectChange};
use crate::domain::ProjectId;
use crate::service::checks;
use crate::service::store::{FunnelDays, Identity};

answers! {
    CreateProject => create,
    ListProjects => list,
    GetProject => get,
    GetProjectByPost => get_by_post,
    UpdateProject => update,
    DeleteProject => delete,
    ListFolders => folders,
    GetFunnel => funnel,
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

/// The day of a date or a time, since 1970, UTC.
fn day(text: &str) -> Option<i64> {
    let since_1970 =
        |day: Date| day.since((Unit::Day, Date::constant(1970, 1, 1))).ok().map(|span| span.get_days().into());
    if text.len() == 10 {
        return since_1970(text.parse().ok()?);
    }
    match text.parse::<Timestamp>() {
        Ok(moment) => Some(FunnelDays::of(moment.as_millisecond())),
        // One at the end of time, by its date.
        Err(_) => since_1970(text.parse::<DateTime>().ok()?.date()),
    }
}

/// `GET /projects/{id}/funnel`
async fn funnel(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    PathId(id): PathId,
    pairs: Pairs,
) -> Response {
    let mut days = FunnelDays::ALL;
    let mut findings = Vec::new();
    for (name, of) in [("since", &mut days.first), ("until", &mut days.last)] {
        match pairs.last(name).filter(|given| !given.is_empty()).map(day) {
            None => {}
            Some(Some(day)) => *of = day,
            Some(None) => findings.push(finding(name, "must be a date, such as 2026-01-31, or a time")),
        }
    }
    if !findings.is_empty() {
        return invalid(&findings);
    }
    match app.store.funnel(identity.workspace, id, days).await {
        Err(error) => refused(&error),
        Ok(funnel) => json(&funnel),
    }
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_are_read_from_the_first_to_the_last() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2026-01-31", Some(20_484)),
            ("2026-01-31T23:59:59Z", Some(20_484)),
            ("2026-02-01T00:30:00+01:00", Some(20_484)),
            ("0001-01-01", Some(-719_162)),
            ("9999-12-31", Some(2_932_896)),
            ("9999-12-31T23:59:59-23:59", Some(2_932_896)),
            ("2026-02-31", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(day(text), expected, "{text}");
        }
    }
}
