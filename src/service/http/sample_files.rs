//! Pictures and videos of the sample store: public, with ETag and ranges.

use axum::body::Body;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::Response;
use http::HeaderMap;

use super::written::PathId;
use super::{answer, file_answer, smaller};
use crate::api::Problem;
use crate::service::address::POSTER_WIDTHS;
use crate::service::sample::file;

/// The question of a picture's address.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Sized {
    /// How wide it is wanted, pixels; one of [`POSTER_WIDTHS`].
    width: Option<u32>,
}

/// `GET /sample/…`
pub(super) async fn answer(
    PathId(path): PathId,
    sized: Result<Query<Sized>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Some(found) = file(&path) else {
        return answer::problem(&Problem::new(404, "The sample store has no such file."));
    };
    let width = sized.ok().and_then(|Query(sized)| sized.width).filter(|width| POSTER_WIDTHS.contains(width));
    if let Some(width) = width.filter(|_| found.content_type() == "image/jpeg")
        && let Some(small) = smaller::narrower(found.path, found.bytes, width).await
    {
        let etag = format!("{}-{width}\"", found.etag.trim_end_matches('"'));
        let about = file_answer::About { etag: &etag, content_type: "image/jpeg", size: small.len() as u64 };
        let (mut response, range) = file_answer::head(&about, &headers);
        if let Some(range) = range {
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(small.len());
            *response.body_mut() = Body::from(small.slice(place(range.start)..place(range.end)));
        }
        return response;
    }
    let size = found.bytes.len() as u64;
    let about = file_answer::About { etag: found.etag, content_type: found.content_type(), size };
    let (mut response, range) = file_answer::head(&about, &headers);
    if let Some(range) = range {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        *response.body_mut() = Body::from(found.bytes.get(place(range.start)..place(range.end)).unwrap_or_default());
    }
    response
}
