//! The page's own files. Their path changes with them, so that browsers keep them for good.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use http::{HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::api::Problem;
use crate::service::address::PLAYER_FILES;
use crate::service::http::answer;
use crate::service::http::page::file;
use crate::service::http::player::squeezed;
use crate::service::http::written::PathId;

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($name:literal) => {
        include_str!(concat!("../../../../assets/player/", $name))
    };
}

/// The scripts of the page, each behind those that it imports. They are sent as one.
const MODULES: [(&str, &str); 6] = [
    ("host.js", asset!("host.js")),
    ("visit.js", asset!("visit.js")),
    ("captions.js", asset!("captions.js")),
    ("chapters.js", asset!("chapters.js")),
    ("ahead.js", asset!("ahead.js")),
    ("player.js", asset!("player.js")),
];

/// Name, media type and text of each, as it is sent.
static FILES: LazyLock<[(&str, &str, String); 6]> = LazyLock::new(|| {
    [
        ("player.css", STYLE, squeezed::style(&[asset!("player.css"), asset!("captions.css")].concat())),
        ("plain.css", STYLE, squeezed::style(asset!("plain.css"))),
        ("player.js", SCRIPT, squeezed::bundle(&MODULES)),
        ("embed.js", SCRIPT, squeezed::script(asset!("embed.js"))),
        ("products.js", SCRIPT, squeezed::script(asset!("products.js"))),
        ("products.css", STYLE, squeezed::style(asset!("products.css"))),
    ]
});

/// The style sheet of the page. It stands in the page itself: what is seen first needs no second request.
pub(super) fn style() -> &'static str {
    FILES.iter().find(|(name, ..)| *name == "player.css").map_or("", |(.., text)| text)
}

/// What stands in the page beside its script, to do without it where it does not come; and what the page's policy lets it
/// in by.
pub(super) fn late() -> (&'static str, &'static str) {
    static LATE: LazyLock<(String, String)> = LazyLock::new(|| {
        let script = squeezed::script(asset!("late.js"));
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
        (script, hash)
    });
    (&LATE.0, &LATE.1)
}

/// What tells this version of all files from any other.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for (name, _, text) in &*FILES {
        hasher.update(name.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().chars().take(12).collect()
});

/// What the paths of the files begin with on a page; a slash is at its end.
pub(super) fn folder() -> &'static str {
    static FOLDER: LazyLock<String> = LazyLock::new(|| format!("{}{}/", PLAYER_FILES, *VERSION));
    &FOLDER
}

fn found(name: &str) -> Option<Response> {
    let (_, kind, text) = FILES.iter().find(|(known, ..)| *known == name)?;
    let mut response = file(kind, text);
    // In a frame that a shop has closed in (`sandbox`) the page has no origin of its own, and asks as a stranger.
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Some(response)
}

fn nothing() -> Response {
    answer::problem(&Problem::new(404, "The player has no such file."))
}

/// `GET /player/{version}/{name}`. A page of another version gets what there is now, and does not keep it.
pub(super) async fn versioned(PathId((version, name)): PathId<(String, String)>) -> Response {
    let Some(mut response) = found(&name) else { return nothing() };
    let kept = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    response
}

/// `GET /player/{name}`, for who names a file without its version.
pub(super) async fn latest(PathId(name): PathId) -> Response {
    found(&name).unwrap_or_else(nothing)
}

/// Gives an answer a tag of its text; where the browser has it already, nothing but that is said. The tag is a weak one:
/// it is the same text, compressed or not.
pub(super) async fn tagged(request: Request, next: Next) -> Response {
    let asked: Vec<HeaderValue> = request.headers().get_all(IF_NONE_MATCH).iter().cloned().collect();
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // What is tagged was put together in memory.
    let Ok(text) = axum::body::to_bytes(body, usize::MAX).await else { return nothing() };
    let hash = blake3::hash(&text).to_hex();
    let tag = format!("W/\"{}\"", hash.get(..24).unwrap_or_default());
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        parts.headers.insert(ETAG, tag);
    }
    parts.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let known = asked.iter().filter_map(|value| value.to_str().ok()).flat_map(|tags| tags.split(','));
    if known.into_iter().any(|known| known.trim() == tag) {
        parts.status = StatusCode::NOT_MODIFIED;
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(text))
}
