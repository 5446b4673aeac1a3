//! The player: a page that plays a project, what it plays, and the visits that it reports. All of it is public, so all of
//! it is bounded: bodies, rates, the events of a visit.

mod brand;
mod files;
mod language;
mod page;
mod reports;
mod shop;
// The build script's, which can't run tests of its own.
#[cfg(test)]
#[path = "../../../../build/squeezed.rs"]
mod squeezed;
mod story;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::middleware::{from_fn, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, RETRY_AFTER,
};
use http::{HeaderValue, StatusCode};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use super::slowing::{Peer, Rate, retry_after};
use super::{App, answer};
use crate::api::Problem;
use crate::service::address::PLAYER;

/// Events in one body at most.
pub(super) const MOST_AT_ONCE: usize = 50;
/// Characters of a text.
pub(super) const MOST_TEXT: usize = 500;
/// Characters of a name.
pub(super) const MOST_NAME: usize = 100;

/// Less is not worth compressing, bytes.
const LEAST_PACKED: u16 = 512;

/// How often a viewer's address may report.
pub(crate) struct Visitors {
    begun: Rate,
    reports: Rate,
}

impl Default for Visitors {
    /// Whole offices and schools may share an address.
    fn default() -> Self {
        let (begun, reports) = (Rate::new(60, Duration::from_secs(1)), Rate::new(300, Duration::from_millis(200)));
        Self { begun, reports }
    }
}

/// The 429 of a sender whose allowance is used up.
fn too_many(rate: &Rate, peer: Peer) -> Option<Response> {
    let wait = rate.take(peer, Instant::now()).err()?;
    let mut response = answer::problem(&Problem::new(429, "Too many requests; see the Retry-After header."));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after(wait)));
    Some(response)
}

/// The paths of the player.
pub(super) fn routes() -> Router<Arc<App>> {
    let open = |methods: MethodRouter<Arc<App>>| methods.options(preflight);
    let path = |rest: &str| format!("{PLAYER}{{publish_id}}{rest}");
    let visit = |rest: &str| format!("{PLAYER}{{publish_id}}/visits/{{session}}{rest}");
    Router::new()
        .route(&path("/project"), open(get(page::project).layer(from_fn(files::tagged))))
        .route(&path("/steps/{step}/products"), open(get(page::products).layer(from_fn(files::tagged))))
        .route(&path("/visits"), open(post(reports::begin)))
        .route(&visit("/events"), open(post(reports::events)))
        .route(&visit("/form"), open(post(reports::form)))
        .route(&visit("/purchase"), open(post(reports::purchase)))
        .layer(map_response(shared))
        .route(&path(""), get(page::page).layer(from_fn(files::tagged)))
        .route("/player/{name}", get(files::latest))
        .route("/player/{version}/{name}", get(files::versioned))
        .layer(packed())
}

/// Any site may ask what the page asks: nothing of it takes a credential.
async fn shared(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after, x-request-id"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Compresses what pages, scripts and JSON say. Nothing of it is a secret beside what somebody else chose.
fn packed() -> CompressionLayer<SizeAbove> {
    // Beyond this each step costs more than it saves.
    CompressionLayer::new().quality(CompressionLevel::Precise(6)).compress_when(SizeAbove::new(LEAST_PACKED))
}

async fn preflight() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}
