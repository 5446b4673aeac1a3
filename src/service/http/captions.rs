//! Captions of videos: an extension beside §4.5. WebVTT travels as a text in JSON, so that what is wrong with it can be
//! answered like any other field; players read it as a file.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use http::HeaderMap;
use http::StatusCode;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH,
    X_CONTENT_TYPE_OPTIONS,
};

use tower_http::compression::CompressionLayer;

use super::App;
use super::answer::{invalid, json, problem, refused};
use super::answered::answers;
use super::base_url::BaseUrl;
use super::written::{PathId, Written};
use crate::api::{CaptionsList, NewCaptions, Problem, RemovedCaptions};
use crate::domain::webvtt::{Captions, language_tag};
use crate::domain::{Fault, Finding, Segment, VideoId};
use crate::service::store::{Identity, NewCaption, StoreError};

type Caller = Extension<Identity>;

/// Characters of what players call captions.
pub(super) const MOST_LABEL: usize = 100;

/// Where players read captions.
pub(super) const FILE: &str = "/videos/files/{id}/captions/{file}";

answers! {
    ListCaptions => list,
    GetCaptions => one,
    SetCaptions => set,
    RemoveCaptions => remove,
}

/// Where players read them: no operation of the workspace, for it takes no credential.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route(FILE, get(file).layer(CompressionLayer::new()))
}

/// `GET /videos/{id}/captions`
async fn list(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    BaseUrl(base): BaseUrl,
    PathId(id): PathId,
) -> Response {
    match app.store.captions(identity.workspace, VideoId::new(id), base).await {
        Err(error) => refused(&error),
        Ok(captions) => json(&CaptionsList { captions, ..CaptionsList::default() }),
    }
}

/// The 404 of a path that ends with something else than a language.
fn no_language() -> Response {
    problem(&Problem::new(404, "The path must end with a language, such as de or pt-BR."))
}

/// `GET /videos/{id}/captions/{language}`
async fn one(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    BaseUrl(base): BaseUrl,
    PathId((id, language)): PathId<(String, String)>,
) -> Response {
    let Some(language) = language_tag(&language) else { return no_language() };
    match app.store.captions_in(identity.workspace, VideoId::new(id), language, base).await {
        Err(error) => refused(&error),
        Ok(captions) => json(&captions),
    }
}

/// `PUT /videos/{id}/captions/{language}`
async fn set(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    BaseUrl(base): BaseUrl,
    PathId((id, language)): PathId<(String, String)>,
    Written { body, mut findings }: Written<NewCaptions>,
) -> Response {
    let Some(language) = language_tag(&language) else { return no_language() };
    let at =
        |member: &str, why: String| Finding { at: vec![Segment::Key(member.to_owned())], fault: Fault::Invalid(why) };
    let label = body.label.map(|label| label.trim().to_owned()).filter(|label| !label.is_empty());
    if label.as_ref().is_some_and(|label| label.chars().count() > MOST_LABEL) {
        findings.push(at("label", format!("may have at most {MOST_LABEL} characters")));
    }
    let mut cues = 0;
    if !findings.iter().any(|finding| finding.at.first() == Some(&Segment::Key("vtt".to_owned()))) {
        match Captions::read(&body.vtt) {
            Ok(read) => cues = read.cues.len(),
            Err(faults) => findings.extend(faults.iter().map(|fault| at("vtt", fault.to_string()))),
        }
    }
    if !findings.is_empty() {
        return invalid(&findings);
    }
    let new = NewCaption { language, label, cues, vtt: body.vtt };
    match app.store.set_captions(identity.workspace, VideoId::new(id), new, base).await {
        Err(error) => refused(&error),
        Ok(captions) => json(&captions),
    }
}

/// `DELETE /videos/{id}/captions/{language}`
async fn remove(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    PathId((id, language)): PathId<(String, String)>,
) -> Response {
    let Some(language) = language_tag(&language) else { return no_language() };
    match app.store.remove_captions(identity.workspace, VideoId::new(id), language.clone()).await {
        Err(error) => refused(&error),
        Ok(()) => json(&RemovedCaptions { language, ..RemovedCaptions::default() }),
    }
}

/// `GET /videos/files/{id}/captions/{language}.vtt`, for players that have no credential.
async fn file(
    State(app): State<Arc<App>>,
    PathId((id, file)): PathId<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let nothing = || problem(&Problem::new(404, "There are no captions at this path."));
    let Some(language) = file.strip_suffix(".vtt").and_then(language_tag) else { return nothing() };
    let (vtt, hash) = match app.store.captions_file(id, language).await {
        Ok(found) => found,
        Err(StoreError::Missing(_)) => return nothing(),
        Err(error) => return refused(&error),
    };
    // A weak one: it is the same text, compressed or not.
    let etag = hash.iter().take(16).fold(String::from("W/\""), |tag, byte| format!("{tag}{byte:02x}")) + "\"";
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = Response::new(Body::empty());
    if known.is_some_and(|tags| {
        tags.split(',')
            .any(|tag| tag.trim() == "*" || tag.trim().trim_start_matches("W/") == etag.trim_start_matches("W/"))
    }) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        *response.body_mut() = Body::from(vtt);
    }
    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(ETAG, etag);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/vtt; charset=utf-8"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    // Players on other sites read them with the film; nothing of it takes a credential.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));
    response
}
