//! Videos and assets, §4.5, but for the upload itself.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use uuid::Uuid;

use super::answer::{broken, invalid, json, json_text, problem, refused};
use super::answered::answers;
use super::base_url::BaseUrl;
use super::conditions::Once;
use super::written::{MaybeWritten, PathId};
use super::{App, file_answer};
use crate::api::{CreateVideo, DeletedAsset, Problem, VideoList};
use crate::domain::VideoId;
use crate::service::checks;
use crate::service::store::{DeletedVideo, Identity, NewVideoRow, StoreError};

answers! {
    CreateVideo => create,
    ListVideos => list,
    DeleteAsset => delete,
}

type Caller = Extension<Identity>;

/// `POST /videos/video`: registers a video by its address; an empty body reserves an id.
async fn create(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    key: Once,
    MaybeWritten(mut written): MaybeWritten<CreateVideo>,
) -> Response {
    checks::new_video(&written.body, &mut written.findings);
    if !written.findings.is_empty() {
        return invalid(&written.findings);
    }
    let key = key.of::<CreateVideo>(&written.body);
    let new = match written.body.video {
        None => NewVideoRow { name: "Reserved".to_owned(), video_url: None, poster_url: None, file: None },
        Some(video) => NewVideoRow {
            name: video.name.unwrap_or_else(|| checks::name_of(&video.video_url)),
            video_url: Some(video.video_url),
            poster_url: video.poster_url,
            file: None,
        },
    };
    match app.store.create_video(identity.workspace, new, key).await {
        Err(error) => refused(&error),
        Ok(created) => json_text(created.answer),
    }
}

/// `GET /videos/videos`
async fn list(State(app): State<Arc<App>>, Extension(identity): Caller, base: BaseUrl) -> Response {
    match app.store.videos(identity.workspace, base.0).await {
        Err(error) => refused(&error),
        Ok(videos) => json(&VideoList { videos, ..VideoList::default() }),
    }
}

/// `DELETE /partners/assets/{id}`: an asset in use goes too; the message names the steps that it leaves without.
async fn delete(State(app): State<Arc<App>>, Extension(identity): Caller, PathId(id): PathId) -> Response {
    // It goes to its end even where the client went away, so that no file is left halfway.
    let deleting = tokio::spawn(async move { remove(&app, identity.workspace, VideoId::new(id)).await });
    match deleting.await {
        Ok(Ok(deleted)) => json(&DeletedAsset { message: message(&deleted), ..DeletedAsset::default() }),
        Ok(Err(error)) => refused(&error),
        Err(error) => broken(&error),
    }
}

async fn remove(app: &App, workspace: i64, id: VideoId) -> Result<DeletedVideo, StoreError> {
    let file = app.store.video_has_file(workspace, id.clone()).await?;
    let file = Uuid::try_parse(id.as_str()).ok().filter(|_| file);
    let mut left = None;
    if let Some(file) = file {
        match app.blobs.leave(file).await {
            Ok(()) => left = Some(file),
            Err(error) => tracing::warn!(%error, id = id.as_str(), "the file of an asset was not there"),
        }
    }
    let deleted = app.store.delete_video(workspace, id).await;
    // Of several who delete the same asset one takes the file away and one the record: whoever has the file settles it,
    // and it goes back only where the record is still there.
    if let Some(file) = left {
        let gone = matches!(deleted, Ok(_) | Err(StoreError::Missing(_)));
        let settled = if gone { app.blobs.forget(file).await } else { app.blobs.keep(file).await };
        if let Err(error) = settled {
            tracing::warn!(%error, "the file of an asset was left; the next start clears it");
        }
    }
    deleted
}

/// How many steps a message names.
const MOST_NAMED: usize = 100;

fn message(deleted: &DeletedVideo) -> String {
    let mut message = format!("The asset {:?} is deleted.", deleted.name);
    let steps = &deleted.steps;
    if steps.is_empty() {
        return message;
    }
    let _ = write!(
        message,
        " {} without their video now:",
        if steps.len() == 1 { "This step is" } else { "These steps are" }
    );
    for (at, (step, project)) in steps.iter().take(MOST_NAMED).enumerate() {
        let _ = write!(message, "{} {step} of {project:?}", if at == 0 { "" } else { "," });
    }
    if steps.len() > MOST_NAMED {
        let _ = write!(message, ", and {} more", steps.len() - MOST_NAMED);
    }
    message.push('.');
    message
}

/// `GET /videos/files/{id}`: the file of an uploaded video, for players that have no credential.
pub(super) async fn file(State(app): State<Arc<App>>, PathId(id): PathId, headers: HeaderMap) -> Response {
    let nothing = || problem(&Problem::new(404, "There is no video at this path."));
    let Ok(id) = Uuid::try_parse(&id) else { return nothing() };
    let found = match app.store.video_file(id).await {
        Ok(found) => found,
        Err(StoreError::Missing(_)) => return nothing(),
        Err(error) => return refused(&error),
    };
    let etag = found.hash.bytes().iter().take(16).fold(String::from("\""), |mut tag, byte| {
        let _ = write!(tag, "{byte:02x}");
        tag
    }) + "\"";
    let about = file_answer::About { etag: &etag, content_type: &found.content_type, size: found.size };
    let (mut response, range) = file_answer::head(&about, &headers);
    if let Some(range) = range {
        match app.blobs.read(id, range).await {
            Ok(bytes) => *response.body_mut() = Body::from_stream(bytes),
            Err(error) => {
                tracing::warn!(%error, %id, "the file of a video can't be read");
                return nothing();
            }
        }
    }
    response
}
