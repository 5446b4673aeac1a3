//! What a request says beside its body: which creation it is (`Idempotency-Key`), and which state of a project it was
//! made for (`If-Match`, RFC 9110 §13.1.1).

use axum::extract::FromRequestParts;
use axum::response::Response;
use http::header::{ETAG, IF_MATCH};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use serde::Serialize;

use super::answer;
use crate::api::{IDEMPOTENCY_KEY, Operation, Problem};
use crate::service::store::{CreationKey, Precondition};

/// The longest key, bytes.
pub(super) const LONGEST_KEY: usize = 255;

/// The key of a creation, where there is one.
pub(super) struct Once(Option<String>);

impl Once {
    /// Reads it.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Box<Problem>> {
        let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(first) = given.next() else { return Ok(Self(None)) };
        let key = first.to_str().ok().map(str::trim).filter(|key| (1..=LONGEST_KEY).contains(&key.len()));
        match key.filter(|_| given.next().is_none()) {
            Some(key) => Ok(Self(Some(key.to_owned()))),
            None => Err(Box::new(Problem::new(
                400,
                format!("Idempotency-Key must be given once and have 1 to {LONGEST_KEY} visible ASCII characters."),
            ))),
        }
    }

    /// The creation that it means, by what is to be created.
    pub(super) fn of<O: Operation>(self, new: &impl Serialize) -> Option<CreationKey> {
        let key = self.0?;
        let text = serde_json::to_vec(new).unwrap_or_default();
        Some(CreationKey { operation: O::ROW.name, key, fingerprint: blake3::hash(&text).into() })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        Self::read(&parts.headers).map_err(|problem| answer::problem(&problem))
    }
}

/// The states of a project that the request was made for; without the header any will do.
pub(super) struct Matching(pub Precondition);

impl<S: Send + Sync> FromRequestParts<S> for Matching {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let mut given = parts.headers.get_all(IF_MATCH).iter().peekable();
        if given.peek().is_none() {
            return Ok(Self(Precondition::default()));
        }
        let lists = given.map(|list| String::from_utf8_lossy(list.as_bytes()).into_owned());
        let tags: Vec<String> =
            lists.flat_map(|list| list.split(',').map(|tag| tag.trim().to_owned()).collect::<Vec<_>>()).collect();
        // Whatever is there will do; that it has to be there is answered with a 404.
        if tags.iter().any(|tag| tag == "*") {
            return Ok(Self(Precondition::default()));
        }
        Ok(Self(Precondition::any_of(tags)))
    }
}

/// An answer with the tag of the state that it shows.
pub(super) fn tagged(mut response: Response, tag: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(ETAG, value);
    }
    response
}
