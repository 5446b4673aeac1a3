//! What an operation of §4 is.

use serde_json::Value;

use super::row::Row;
use crate::domain::{Finding, FromJson, Reader};

/// The header that tells a creation from every other one, so that it is made once however often it is sent.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

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

/// A request that stands in the table of operations, which alone implements this.
pub trait Listed {
    /// Its row there.
    const LISTED: Row;
}

/// One operation: a request that knows its row and how its answer is read.
pub trait Operation: Listed {
    /// Its row in the table.
    const ROW: Row = Self::LISTED;
    /// What a success carries.
    type Response: FromJson;

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
    fn read(body: &Value) -> (Self::Response, Vec<Finding>) {
        Reader::read(body)
    }

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
