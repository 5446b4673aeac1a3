//! Answers: JSON as it stands, and the problems of §7.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::api::{PROBLEM_TYPE, Problem};
use crate::domain::{Fault, Finding, Segment};
use crate::service::store::StoreError;

/// A 200 with a JSON text.
pub(super) fn json_text(text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A 200 with the exact JSON of an answer.
pub(super) fn json(answer: &impl Serialize) -> Response {
    match serde_json::to_vec(answer) {
        Ok(text) => json_text(text),
        Err(error) => broken(&error),
    }
}

/// Seconds after which what can't be done at the moment may be tried again.
const TRY_AGAIN: u64 = 1;

/// A problem document; a 401 says how to do better, a 503 when.
pub(super) fn problem(problem: &Problem) -> Response {
    let mut response = Response::new(Body::from(serde_json::to_vec(problem).unwrap_or_default()));
    *response.status_mut() = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
    if problem.status == 401 {
        let how = HeaderValue::from_static("Bearer realm=\"cutaway\", scope=\"workspace\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, how);
    }
    if problem.status == 503 {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(TRY_AGAIN));
    }
    response
}

/// The 400 of a body in which something is wrong.
pub(super) fn invalid(findings: &[Finding]) -> Response {
    problem(&Problem::invalid(findings))
}

/// What is wrong with one member of the body.
pub(super) fn finding(member: &str, why: impl Into<String>) -> Finding {
    Finding { at: vec![Segment::Key(member.to_owned())], fault: Fault::Invalid(why.into()) }
}

/// What the database's refusal is to the one who asked.
pub(super) fn refused(error: &StoreError) -> Response {
    match error {
        StoreError::UnknownStore(_) => invalid(&[unknown_store()]),
        StoreError::Missing(what) => problem(&Problem::new(404, *what)),
        StoreError::Invalid(findings) => invalid(findings),
        StoreError::Changed => problem(&Problem::new(412, "The project has changed since it was read. Read it again.")),
        StoreError::OtherCreation => problem(&Problem::new(
            422,
            "This Idempotency-Key was used with another body. Use a new key for another creation.",
        )),
        StoreError::Conflict(why) => problem(&Problem::new(409, why.clone())),
        StoreError::TooMuch { seconds } => {
            let mut response = problem(&Problem::new(429, error.to_string()));
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*seconds));
            response
        }
        error => {
            if let Some(why) = error.unavailable() {
                tracing::warn!(%error, "a request was refused for the database");
                return problem(&Problem::new(503, why));
            }
            // The sentence says that a change may have been made: whoever sends a creation again has to look first, or to
            // send it with its Idempotency-Key.
            if let Some(why) = error.unknown() {
                tracing::error!(%error, "it is not known whether a change was made");
                return problem(&Problem::new(503, why));
            }
            broken(error)
        }
    }
}

/// The finding of a store that the workspace does not have.
pub(super) fn unknown_store() -> Finding {
    finding("appUrl", "is not a store of this workspace")
}

/// The 507 of a disk that has no room.
pub(super) fn full() -> Response {
    problem(&Problem::new(507, "The service's disk is full."))
}

/// The 500 of what should not have happened.
pub(super) fn broken(error: &dyn std::error::Error) -> Response {
    tracing::error!(%error, "a request failed");
    problem(&Problem::new(500, "The service failed; see its log for details."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_that_nobody_knows_of_is_no_fault_of_the_service_and_is_said_to_be_so() {
        let answer = refused(&StoreError::unanswered());
        assert_eq!((answer.status().as_u16(), &answer.headers()[RETRY_AFTER]), (503, &HeaderValue::from(TRY_AGAIN)));
        let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let said: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert!(said["detail"].as_str().unwrap().contains("may have been made"), "{said}");
    }
}
