//! JSON bodies of what is no catalog operation: they may carry the workspace key (§5.5), and members that §4 does not
//! declare are passed over.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::response::Response;
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use subtle::ConstantTimeEq as _;

use super::{App, answer, asked, guard, strict_json};
use crate::api::Problem;
use crate::domain::{Fault, Finding, FromJson, Segment};
use crate::service::store::Identity;
use crate::service::wrong::wrong;

/// A body as it is declared, and what is wrong with it.
pub(super) struct Written<T> {
    pub body: T,
    pub findings: Vec<Finding>,
}

impl<T: FromJson + Send> FromRequest<Arc<App>> for Written<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let identity = request.extensions().get::<Identity>().cloned();
        let value = asked::read(request).await.map_err(|problem| answer::problem(&problem))?;
        take(value, app, identity.as_ref()).await
    }
}

/// The same where there may be no body: then it is an empty object.
pub(super) struct MaybeWritten<T>(pub Written<T>);

impl<T: FromJson + Send> FromRequest<Arc<App>> for MaybeWritten<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let identity = request.extensions().get::<Identity>().cloned();
        let value = asked::read_optional(request).await.map_err(|problem| answer::problem(&problem))?;
        Ok(Self(take(value.unwrap_or_else(|| Value::Object(Map::new())), app, identity.as_ref()).await?))
    }
}

async fn take<T: FromJson>(mut value: Value, app: &App, identity: Option<&Identity>) -> Result<Written<T>, Response> {
    let given = value.as_object_mut().and_then(|object| object.shift_remove("appKey"));
    let (body, mut findings) = strict_json::read(&value);
    findings.retain(|finding| finding.fault != Fault::Undeclared);
    match (given, identity) {
        (None, _) | (_, None) => {}
        (Some(Value::String(key)), Some(identity)) => {
            let user = app.store.user(identity).await.map_err(|error| answer::refused(&error))?;
            if !bool::from(user.app_key.as_bytes().ct_eq(key.as_bytes())) {
                return Err(guard::unauthenticated("The appKey doesn't belong to the credential's workspace."));
            }
        }
        (Some(_), Some(_)) => wrong(&mut findings, "/appKey", "must be a string"),
    }
    Ok(Written { body, findings })
}

/// The id in a path, or several. One that is no text is none that exists.
pub(super) struct PathId<T = String>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathId<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(answer::problem(&Problem::new(404, "There is nothing at this path."))),
        }
    }
}

/// The pairs of the query.
pub(super) struct Pairs(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(error) => Err(answer::problem(&Problem::new(400, format!("The query can't be read: {error}.")))),
        }
    }
}

impl Pairs {
    /// The last value of this name.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The id that a deletion names: in the body, in the query, or alike in both (§4.3 and §4.4 leave it open).
    pub(super) fn id(&self, member: &str, body: &str, findings: &mut Vec<Finding>) -> String {
        let mut given = self.0.iter().filter(|(name, _)| name == member).map(|(_, value)| value.as_str());
        let (query, more) = (given.next(), given.next().is_some());
        let missing = Finding { at: vec![Segment::Key(member.to_owned())], fault: Fault::Missing };
        let in_body = !findings.contains(&missing);
        let id = match query {
            Some(query) if !in_body => {
                findings.retain(|finding| *finding != missing);
                query
            }
            Some(query) if query != body => {
                wrong(findings, &format!("/{member}"), "differs from the one in the query");
                body
            }
            _ => body,
        };
        if more {
            wrong(findings, &format!("/{member}"), "appears more than once in the query");
        }
        if id.is_empty() {
            wrong(findings, &format!("/{member}"), "must not be empty");
        }
        id.to_owned()
    }
}
