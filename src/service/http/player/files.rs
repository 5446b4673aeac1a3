//! The page's own files. Their path changes with them, so that browsers keep them for good.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::api::Problem;
use crate::service::address::PLAYER_FILES;
use crate::service::http::answer;
use crate::service::http::page::file;
use crate::service::http::written::PathId;

/// A file's name, its media type, its text as it is sent, and that text compressed with Brotli.
type File = (&'static str, &'static str, &'static str, &'static [u8]);

/// Made of `assets/player` by the build script.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/player_files.rs"));

/// The text of a file that there is.
fn text(name: &str) -> &'static str {
    FILES.iter().find(|(known, ..)| *known == name).map_or("", |(_, _, text, _)| text)
}

/// The style sheet of the page. It stands in the page itself: what is seen first needs no second request.
pub(super) fn style() -> &'static str {
    text("player.css")
}

/// What stands in the page beside its script, to do without it where it does not come; and what the page's policy lets it
/// in by.
pub(super) fn late() -> (&'static str, &'static str) {
    static HASH: LazyLock<String> =
        LazyLock::new(|| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text("late.js").as_bytes()))));
    (text("late.js"), &HASH)
}

/// What tells this version of all files from any other.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for (name, _, text, _) in FILES {
        hasher.update(name.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().chars().take(12).collect()
});

/// What the paths of the files begin with on a page; a slash is at its end.
pub(super) fn folder() -> &'static str {
    static FOLDER: LazyLock<String> = LazyLock::new(|| format!("{}{}/", PLAYER_FILES, *VERSION));
    &FOLDER
}

/// A file, compressed with Brotli where the client takes that. Otherwise the layer around it compresses as it can.
fn found(name: &str, asked: &HeaderMap) -> Option<Response> {
    let (_, kind, text, packed) = FILES.iter().find(|(known, ..)| *known == name)?;
    let mut response = file(kind, text);
    let headers = response.headers_mut();
    // In a frame that a shop has closed in (`sandbox`) the page has no origin of its own, and asks as a stranger.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    if takes_brotli(asked) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("br"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        *response.body_mut() = Body::from(*packed);
    }
    Some(response)
}

/// Whether a client names Brotli among what it takes (RFC 9110 §12.5.3).
fn takes_brotli(asked: &HeaderMap) -> bool {
    let values = asked.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("br") && weight.is_none_or(|weight| weight > 0.0)
    })
}

fn nothing() -> Response {
    answer::problem(&Problem::new(404, "The player has no such file."))
}

/// `GET /player/{version}/{name}`. A page of another version gets what there is now, and does not keep it.
pub(super) async fn versioned(PathId((version, name)): PathId<(String, String)>, asked: HeaderMap) -> Response {
    let Some(mut response) = found(&name, &asked) else { return nothing() };
    let kept = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    response
}

/// `GET /player/{name}`, for who names a file without its version.
pub(super) async fn latest(PathId(name): PathId, asked: HeaderMap) -> Response {
    found(&name, &asked).unwrap_or_else(nothing)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_is_for_who_names_it() {
        for (asked, takes) in [
            ("br", true),
            ("gzip, BR;q=0.5", true),
            ("gzip", false),
            ("br;q=0, gzip", false),
            ("*", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(asked))]);
            assert_eq!(takes_brotli(&headers), takes, "{asked}");
        }
    }
}
