//! Small bodies of public paths: read whole, bounded in size and time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};

use crate::api::Problem;

/// How long a small body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The bytes of a body that may have so many.
///
/// # Errors
/// 400, 408 or 413.
pub(super) async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(413, format!("The body must not be longer than {most} bytes."));
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if said.is_some_and(|said| said > most) {
        return Err(too_large());
    }
    let arriving = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, most));
    match arriving.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) if said.is_none() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::new(400, "The body ended too early.")),
        Err(_) => Err(Problem::new(408, "The body didn't arrive within 10 seconds.")),
    }
}

/// The media type of a body, without its parameters, in small letters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let given = headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
