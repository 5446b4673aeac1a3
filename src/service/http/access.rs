//! What a credential may do, and what it did: a read-only one changes nothing, and each change goes into the audit log.

use std::collections::HashMap;
use std::sync::Arc;

use axum::RequestPartsExt as _;
use axum::body::{Body, HttpBody as _};
use axum::extract::{MatchedPath, Path, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::slowing::Peer;
use super::{App, answer};
use crate::api::{EXTENSIONS, OPERATIONS, PROBLEM_TYPE, Problem, Row};
use crate::service::store::{Credential, Entry, Identity};

/// An answer larger than this is not looked into for an id, bytes.
const MOST_LOOKED_INTO: u64 = 1024 * 1024;

/// The operation at a route, with or without a slash at its end.
fn operation(method: &Method, route: &str) -> Option<Row> {
    let bare = |path: &str| path.trim_end_matches('/').to_owned();
    let mut rows = OPERATIONS.into_iter().chain(EXTENSIONS);
    rows.find(|row| row.method.as_str() == method.as_str() && bare(row.path) == bare(route))
}

/// Whether a request changes something. What is not known to only read, does.
fn writes(method: &Method, operation: Option<&Row>) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) && operation.is_none_or(|row| row.writes)
}

/// The routes that show a secret. Whoever has it can forge what only the service may say, so reading it takes a
/// credential that may write, and is recorded.
const SECRETS: [&str; 1] = ["/webhooks/{id}/secret"];

/// Whether an answer shows a secret.
fn shows_secret(route: &str) -> bool {
    SECRETS.contains(&route.trim_end_matches('/'))
}

/// Lets a request with a credential through to its route, unless it changes something or shows a secret and the credential
/// only reads.
pub(super) async fn watch(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let Some(identity) = request.extensions().get::<Identity>().cloned() else { return next.run(request).await };
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
    let operation = operation(request.method(), &route);
    let secret = shows_secret(&route);
    if !secret && !writes(request.method(), operation.as_ref()) {
        return next.run(request).await;
    }
    let action = format!("{} {}", request.method(), operation.map_or(&*route, |row| row.path));
    let address = request.extensions().get::<Peer>().map(|peer| peer.0.to_canonical().to_string());
    let (mut parts, body) = request.into_parts();
    let in_path = parts.extract::<Path<HashMap<String, String>>>().await.ok().and_then(|Path(mut of)| of.remove("id"));
    let request = Request::from_parts(parts, body);
    let read_only = identity.read_only;
    let answering = async move {
        let response = if read_only { refused(&identity, secret) } else { next.run(request).await };
        let (response, named) = if in_path.is_none() { with_id(response).await } else { (response, in_path) };
        let entry = Entry::request(&identity, action, named, response.status().as_u16(), address);
        let noting = async move {
            if let Err(error) = app.store.add_audit(entry).await {
                tracing::error!(%error, "the audit log can't be written");
            }
        };
        // Where the database let the request wait for as long as it may, the log has to wait for its turn, too.
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            tokio::spawn(noting.boxed());
        } else {
            noting.await;
        }
        response
    };
    // It goes to its end even where the client went away: what was changed is in the log.
    tokio::spawn(answering).await.unwrap_or_else(|error| answer::broken(&error))
}

/// The 403 of a credential that only reads (RFC 6750 §3.1).
fn refused(identity: &Identity, secret: bool) -> Response {
    let (what, way_on) = match &identity.credential {
        Credential::Key { id, name } => (
            format!("The API key {:?} is read-only", name.as_deref().unwrap_or(id)),
            "Use a key with the scope read-write; the owner can create one with: cutaway serve key add.",
        ),
        _ => (
            "This sign-in was approved with a read-only API key".to_owned(),
            "Sign in again and approve with a key of the scope read-write.",
        ),
    };
    let does = if secret { "shows a secret" } else { "changes something" };
    let detail = format!("{what}, and this request {does}. {way_on}");
    let mut response = answer::problem(&Problem::new(403, detail));
    let how = "Bearer realm=\"cutaway\", error=\"insufficient_scope\", scope=\"workspace\"";
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(how));
    response
}

/// What names the record in an answer.
#[derive(Deserialize)]
struct Named {
    id: Option<Value>,
}

/// The id of the record that an answer is about, and the answer as it was.
async fn with_id(response: Response) -> (Response, Option<String>) {
    let kind = response.headers().get(CONTENT_TYPE);
    let small = response.body().size_hint().exact().is_some_and(|size| size <= MOST_LOOKED_INTO);
    if !small || kind.is_none_or(|kind| kind == PROBLEM_TYPE || !kind.as_bytes().starts_with(b"application/json")) {
        return (response, None);
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return (Response::from_parts(parts, Body::empty()), None);
    };
    let named = serde_json::from_slice::<Named>(&bytes).ok().and_then(|named| match named.id {
        Some(Value::String(id)) if id.len() <= 100 => Some(id),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    });
    (Response::from_parts(parts, Body::from(bytes)), named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_to_only_read_changes_something() {
        let writes = |method: Method, route: &str| writes(&method, operation(&method, route).as_ref());
        for row in OPERATIONS.into_iter().chain(EXTENSIONS) {
            let method = Method::from_bytes(row.method.as_str().as_bytes()).unwrap();
            assert_eq!(writes(method.clone(), row.path), row.writes, "{}", row.name);
            assert_eq!(writes(method, &format!("{}/", row.path.trim_end_matches('/'))), row.writes, "{}", row.name);
        }
        assert!(writes(Method::POST, "/webhooks/{id}/ping"));
        assert!(writes(Method::PATCH, "/anything"));
        assert!(!writes(Method::GET, "/webhooks/{id}/deliveries"));
        assert!(shows_secret("/webhooks/{id}/secret") && shows_secret("/webhooks/{id}/secret/"));
        assert!(!shows_secret("/webhooks/{id}/deliveries"));
    }
}
