//! Pictures and videos of the sample store: public, with ETag and ranges.

use axum::body::Body;
use axum::response::Response;
use http::HeaderMap;

use super::written::PathId;
use super::{answer, file_answer};
use crate::api::Problem;
use crate::service::sample::file;

/// `GET /sample/…`
pub(super) async fn answer(PathId(path): PathId, headers: HeaderMap) -> Response {
    let Some(found) = file(&path) else {
        return answer::problem(&Problem::new(404, "The sample store has no such file."));
    };
    let size = found.bytes.len() as u64;
    let about = file_answer::About { etag: found.etag, content_type: found.content_type(), size };
    let (mut response, range) = file_answer::head(&about, &headers);
    if let Some(range) = range {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        *response.body_mut() = Body::from(found.bytes.get(place(range.start)..place(range.end)).unwrap_or_default());
    }
    response
}
