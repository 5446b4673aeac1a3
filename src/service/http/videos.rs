//! Videos and assets, §4.5, but for the upload itself.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use url::Url;
use uuid::Uuid;

use super::answer::{broken, invalid, json, json_text, problem, refused};
use super::answered::answers;
use super::base_url::BaseUrl;
use super::conditions::Once;
use super::written::{MaybeWritten, PathId};
use super::{App, file_answer};
use crate::api::{CreateVideo, DeletedAsset, Problem, VideoList};
use crate::domain::{Num, VideoId};
use crate::lint::Reading;
use crate::service::blobs::BlobError;
use crate::service::checks;
use crate::service::sample::file as sample_file;
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
    let sample = format!("{}/sample/", base.0);
    match app.store.videos(identity.workspace, base.0).await {
        Err(error) => refused(&error),
        Ok(mut videos) => {
            for video in &mut videos {
                let address = video.video_url.as_deref().and_then(|url| url.strip_prefix(&sample));
                if let Some(file) = address.and_then(sample_file) {
                    (video.duration_ms, video.size) = measures(file.bytes);
                }
            }
            json(&VideoList { videos, ..VideoList::default() })
        }
    }
}

/// How long a file of the sample plays, milliseconds, and how many bytes it has.
fn measures(bytes: &[u8]) -> (Option<Num>, Option<Num>) {
    let size = u64::try_from(bytes.len()).ok();
    let mut reading = Reading::default();
    while let Some(part) = reading.wants() {
        let rest = usize::try_from(part.from).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
        let length = usize::try_from(part.length).unwrap_or(usize::MAX).min(rest.len());
        reading.take(rest.get(..length).unwrap_or_default(), size);
    }
    let ms = reading.end().seconds.map(|seconds| Num((seconds * 1000.0).round()));
    (ms, i64::try_from(bytes.len()).ok().map(Num::from))
}

/// `DELETE /partners/assets/{id}`: an asset in use goes too; the message names the steps that it leaves without.
async fn delete(State(app): State<Arc<App>>, Extension(identity): Caller, PathId(id): PathId) -> Response {
    // It goes to its end even where the client went away, so that no file is left halfway.
    let deleting =
        tokio::spawn(async move { app.blobs.delete(&app.store, identity.workspace, VideoId::new(id)).await });
    match deleting.await {
        Ok(Ok(deleted)) => json(&DeletedAsset { message: message(&deleted), ..DeletedAsset::default() }),
        Ok(Err(error)) => refused(&error),
        Err(error) => broken(&error),
    }
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

/// For how many seconds a browser may keep where a file is read; the address is good for longer.
const REDIRECT_KEPT: &str = "private, max-age=600";

/// `GET /videos/files/{id}`: the file of an uploaded video, for players that have no credential.
pub(super) async fn file(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    method: Method,
    headers: HeaderMap,
) -> Response {
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
    let Some(range) = range else { return response };
    if method == Method::HEAD && app.blobs.is_elsewhere() {
        return response;
    }
    match app.blobs.address(id).await {
        Ok(None) => {}
        Ok(Some(address)) => return elsewhere(&address).unwrap_or_else(nothing),
        Err(error) => return storage_away(&error),
    }
    match app.blobs.read(&app.store, id, range).await {
        Ok(Some(bytes)) => *response.body_mut() = Body::from_stream(bytes),
        Ok(None) => return nothing(),
        Err(error) => return storage_away(&error),
    }
    response
}

/// The 302 to where a file can be read for a while. Which bytes are wanted is asked there again.
fn elsewhere(address: &Url) -> Option<Response> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(LOCATION, HeaderValue::from_str(address.as_str()).ok()?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(REDIRECT_KEPT));
    Some(response)
}

/// The 503 of files that can't be reached at the moment.
pub(super) fn storage_away(error: &BlobError) -> Response {
    match error {
        BlobError::Store(error) => refused(error),
        BlobError::Busy => problem(&Problem::new(503, "Too many videos are being uploaded at once. Try again later.")),
        error => {
            tracing::warn!(%error, "a request was refused for the storage of files");
            problem(&Problem::new(503, "The service's file storage can't be reached. Try again later."))
        }
    }
}
