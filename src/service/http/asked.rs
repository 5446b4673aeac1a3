//! JSON bodies of requests: the right kind, not too large, in time.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use futures_util::StreamExt as _;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use serde_json::Value;

use super::{answer, strict_json};
use crate::api::Problem;
use crate::domain::{Fault, Finding, FromJson};

/// The largest JSON body, bytes.
const MOST_JSON: usize = 1024 * 1024;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A request's body as it is declared, and what is wrong with it.
pub(super) struct Asked<T> {
    pub body: T,
    pub findings: Vec<Finding>,
}

impl<S: Sync, T: FromJson> FromRequest<S> for Asked<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        let value = read(request).await.map_err(|problem| answer::problem(&problem))?;
        let (body, findings): (T, Vec<Finding>) = strict_json::read(&value);
        // Of a body that is no object no member can be wrong.
        if findings.iter().any(|finding| finding.at.is_empty()) {
            return Err(answer::invalid(&findings));
        }
        Ok(Self { body, findings })
    }
}

/// The JSON of a body.
pub(super) async fn read(request: Request) -> Result<Value, Problem> {
    strict_json::parse(&bytes(request).await?).map_err(|problem| *problem)
}

/// The JSON of a body, where there is one.
pub(super) async fn read_optional(request: Request) -> Result<Option<Value>, Problem> {
    if request.body().is_end_stream() {
        return Ok(None);
    }
    let bytes = bytes(request).await?;
    if bytes.is_empty() { Ok(None) } else { strict_json::parse(&bytes).map(Some).map_err(|problem| *problem) }
}

async fn bytes(request: Request) -> Result<Vec<u8>, Problem> {
    let (parts, body) = request.into_parts();
    if let Some(other) = other_type(&parts.headers) {
        return Err(Problem::new(415, format!("The body must be application/json, found {other}.")));
    }
    let length = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
    if length > MOST_JSON {
        return Err(too_large());
    }
    let collected = tokio::time::timeout(BODY_TIME, collect(body, length));
    collected.await.map_err(|_| Problem::new(408, "The body didn't arrive within 30 seconds."))?
}

/// The 400 of a body as a whole.
fn of_the_body(why: String) -> Problem {
    Problem::invalid(&[Finding { at: Vec::new(), fault: Fault::Invalid(why) }])
}

fn other_type(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(CONTENT_TYPE)?;
    let text = String::from_utf8_lossy(given.as_bytes());
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    (!json).then_some(essence)
}

fn too_large() -> Problem {
    Problem::new(413, format!("The body must not be longer than {MOST_JSON} bytes."))
}

async fn collect(body: Body, length: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::with_capacity(length.min(64 * 1024));
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| of_the_body("broke off".to_owned()))?;
        if bytes.len() + piece.len() > MOST_JSON {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}
