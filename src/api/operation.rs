//! What an operation of §4 is.

use serde_json::Value;

use crate::domain::Finding;

/// An HTTP method of §4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `DELETE`
    Delete,
}

impl Method {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// Which of the hosts of the spec's head answers an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// `{base_url}`, with `{lb_base_url}` in its place where that is allowed.
    Base,
    /// `{upload_url}`.
    Upload,
}

/// The header that tells a creation from every other one, so that it is made once however often it is sent.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// What is known of an operation before it is called: one row of §4's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// A name for logs, the inspector and the interface description.
    pub name: &'static str,
    /// The group of §1.
    pub tag: &'static str,
    /// The method.
    pub method: Method,
    /// The path under the host; `{id}` stands for the request's id.
    pub path: &'static str,
    /// The host.
    pub host: Host,
    /// Whether it changes anything: refused when read-only.
    pub writes: bool,
    /// Whether it may be sent again when its answer got lost.
    pub idempotent: bool,
    /// Whether the workspace key goes into the body (§5.5; the catalog rejects unknown properties).
    pub takes_app_key: bool,
}

impl Row {
    /// Whether it makes something new, each time it is sent: it goes with an [`IDEMPOTENCY_KEY`].
    #[must_use]
    pub const fn creates(&self) -> bool {
        self.writes && !self.idempotent
    }

    /// Whether the answer's body may be anything: §4 shows none for updates and deletions.
    #[must_use]
    pub const fn ignores_body(&self) -> bool {
        matches!(self.method, Method::Put | Method::Delete)
    }
}

/// What an operation sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// No body.
    None,
    /// A JSON object.
    Json(Value),
    /// The file of an upload travels as `multipart/form-data`; the caller brings its bytes.
    Multipart,
}

/// One operation of §4: a request that knows its row and how its answer is read.
pub trait Operation {
    /// Its row in §4.
    const ROW: Row;
    /// What a success carries.
    type Response;

    /// The id in the path, where the path has one.
    fn path_id(&self) -> Option<&str> {
        None
    }

    /// Pairs for the query.
    fn query(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// The body.
    fn payload(&self) -> Payload {
        Payload::None
    }

    /// Reads the JSON of a success tolerantly: what is not as declared is named, not refused.
    fn read(body: &Value) -> (Self::Response, Vec<Finding>);

    /// The path with the id in its place, percent-encoded as one segment (RFC 3986 §3.3).
    fn path(&self) -> String {
        match self.path_id() {
            None => Self::ROW.path.to_owned(),
            Some(id) => Self::ROW.path.replace("{id}", &encode_segment(id)),
        }
    }
}

pub(super) fn encode_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') || (byte == b'.' && text.len() > 2) {
            out.push(char::from(byte));
        } else {
            use std::fmt::Write as _;
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_one_segment() {
        assert_eq!(encode_segment("a/../b c"), "a%2F..%2Fb%20c");
        assert_eq!(encode_segment(".."), "%2E%2E");
        assert_eq!(encode_segment("3f0c-1"), "3f0c-1");
    }
}
