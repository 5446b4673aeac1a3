//! Errors on the wire, §7: written as RFC 9457 problem details, read from whatever came.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::Finding;

/// The content type of a written problem, RFC 9457 §3.
pub const PROBLEM_TYPE: &str = "application/problem+json";

/// What a service said when it did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A URI that names the kind; `about:blank` where the status says it all.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Every wrong field of a 400.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What the service calls this exchange, from its `X-Request-Id`.
    #[serde(skip)]
    pub request_id: Option<String>,
    /// How long it wants to be left alone, from its `Retry-After`.
    #[serde(skip)]
    pub retry_after: Option<std::time::Duration>,
}

/// One wrong field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// A JSON Pointer (RFC 6901) into the request's body.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

impl From<&Finding> for FieldError {
    fn from(finding: &Finding) -> Self {
        Self { pointer: finding.pointer(), detail: finding.fault.to_string() }
    }
}

/// How much of an answer that is no JSON is kept as detail, characters.
const MOST_DETAIL: usize = 300;

impl Problem {
    /// A problem of the status alone.
    #[must_use]
    pub fn new(status: u16, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".to_owned(),
            title: title_of(status).to_owned(),
            status,
            detail: Some(detail.into()),
            errors: Vec::new(),
            request_id: None,
            retry_after: None,
        }
    }

    /// The 400 of a body with these findings, each field named once: what was found first of a field is why the rest
    /// was found.
    #[must_use]
    pub fn invalid(findings: &[Finding]) -> Self {
        let mut errors: Vec<FieldError> = Vec::new();
        for error in findings.iter().map(FieldError::from) {
            if !errors.iter().any(|known| known.pointer == error.pointer) {
                errors.push(error);
            }
        }
        let detail = match (findings, errors.len()) {
            ([], _) => "The request is invalid.".to_owned(),
            ([first, ..], 1) => format!("{first}."),
            (_, count) => format!("{count} fields are wrong."),
        };
        Self { errors, ..Self::new(400, detail) }
    }

    /// Reads the answer of any service: a problem document, another JSON shape, text, HTML or nothing.
    #[must_use]
    pub fn read(status: u16, body: &[u8], request_id: Option<String>) -> Self {
        let mut problem = Self { detail: None, request_id, ..Self::new(status, "") };
        let text = String::from_utf8_lossy(body);
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            problem.take_json(&value);
        } else if text.trim_start().starts_with('<') {
            problem.detail = between(&text, "<title>", "</title>").map(shorten);
        } else if !text.trim().is_empty() {
            problem.detail = Some(shorten(&text));
        }
        problem
    }

    fn take_json(&mut self, value: &Value) {
        let said = |keys: &[&str]| {
            keys.iter().find_map(|key| match value.get(key)? {
                Value::String(text) if !text.trim().is_empty() => Some(shorten(text)),
                Value::Object(inner) => inner.get("message").and_then(Value::as_str).map(shorten),
                _ => None,
            })
        };
        if let Value::String(text) = value {
            self.detail = Some(shorten(text));
        }
        if let Some(kind) = said(&["type"]) {
            self.kind = kind;
        }
        let title = said(&["title"]);
        self.detail = said(&["detail", "message", "error_description", "error"]).or(self.detail.take());
        if let Some(title) = title {
            self.title = title;
        }
        let errors = value.get("errors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.errors = errors.iter().take(100).filter_map(field_error).collect();
    }

    /// Whether a detail says no more than the title or the status: gateways send pages that are called `502 Bad Gateway`.
    fn is_title(&self, detail: &str) -> bool {
        let told = detail.trim().trim_start_matches(&self.status.to_string()).trim();
        told.trim_end_matches('.').eq_ignore_ascii_case(&self.title)
    }

    /// One line for people: what happened, with the service's own words, each once.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut sentence = format!("{} {}", self.status, self.title);
        if let Some(detail) = self.detail.as_deref().filter(|detail| !self.is_title(detail)) {
            sentence.push_str(": ");
            sentence.push_str(detail);
        }
        let mut said: Vec<&FieldError> = Vec::new();
        for error in &self.errors {
            if said.contains(&error) || self.detail.as_deref().is_some_and(|detail| error.is_said_in(detail)) {
                continue;
            }
            said.push(error);
            // The detail's full stop would end the line before its end.
            if sentence.ends_with('.') {
                sentence.pop();
            }
            sentence.push_str("; ");
            sentence.push_str(if error.pointer.is_empty() { "body" } else { &error.pointer });
            sentence.push(' ');
            sentence.push_str(&error.detail);
        }
        sentence
    }
}

impl FieldError {
    /// Whether a sentence names this field and what is wrong with it.
    fn is_said_in(&self, sentence: &str) -> bool {
        let named = |key: &str| sentence.contains(&key.replace("~1", "/").replace("~0", "~"));
        sentence.contains(self.detail.trim_end_matches('.')) && self.pointer.split('/').all(named)
    }
}

fn field_error(value: &Value) -> Option<FieldError> {
    if let Value::String(text) = value {
        return Some(FieldError { pointer: String::new(), detail: shorten(text) });
    }
    let text = |keys: [&str; 3]| keys.iter().find_map(|key| value.get(key)?.as_str()).map(shorten);
    Some(FieldError {
        pointer: text(["pointer", "path", "field"]).unwrap_or_default(),
        detail: text(["detail", "message", "reason"])?,
    })
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    rest.split_once(to).map(|(inside, _)| inside)
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MOST_DETAIL) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The reason phrase of a status (RFC 9110 §15), for those that a service of the spec gives.
#[must_use]
pub fn title_of(status: u16) -> &'static str {
    match status {
        400 => "Invalid request",
        401 => "Authentication required",
        403 => "Forbidden",
        404 => "Not found",
        405 => "Method not allowed",
        406 => "Not acceptable",
        408 => "Request timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length required",
        412 => "Precondition failed",
        413 => "Content too large",
        415 => "Unsupported media type",
        416 => "Range not satisfiable",
        422 => "Unprocessable content",
        429 => "Too many requests",
        500 => "Internal server error",
        501 => "Not implemented",
        502 => "Bad gateway",
        503 => "Service unavailable",
        504 => "Gateway timeout",
        507 => "Insufficient storage",
        _ if status >= 500 => "Server error",
        _ if status >= 400 => "Request refused",
        _ => "Unexpected answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Fault, Segment};

    #[test]
    fn any_body_makes_a_problem() {
        let read = |body: &str| Problem::read(400, body.as_bytes(), None).sentence();
        assert_eq!(read(""), "400 Invalid request");
        assert_eq!(read("no such thing"), "400 Invalid request: no such thing");
        assert_eq!(read("<html><title>Bad gateway</title>"), "400 Invalid request: Bad gateway");
        let page = b"<html><title>502 Bad Gateway</title>";
        assert_eq!(Problem::read(502, page, None).sentence(), "502 Bad gateway");
        assert_eq!(read(r#"{"message":"nope"}"#), "400 Invalid request: nope");
        assert_eq!(read(r#"{"error":{"message":"deep"}}"#), "400 Invalid request: deep");
        assert_eq!(
            read(r#"{"title":"T","detail":"D","errors":[{"pointer":"/limit","detail":"too much"}]}"#),
            "400 T: D; /limit too much"
        );
    }

    #[test]
    fn each_detail_is_said_once() {
        let error = |pointer: &str, detail: &str| FieldError { pointer: pointer.to_owned(), detail: detail.to_owned() };
        let mut problem = Problem::new(400, "filters.createdAt.from must be a date.");
        problem.errors = vec![error("/filters/createdAt/from", "must be a date")];
        assert_eq!(problem.sentence(), "400 Invalid request: filters.createdAt.from must be a date.");
        problem.errors.extend([error("/limit", "must be a date"), error("/limit", "must be a date")]);
        let said = "400 Invalid request: filters.createdAt.from must be a date; /limit must be a date";
        assert_eq!(problem.sentence(), said);
        assert_eq!(Problem::new(404, "Not found").sentence(), "404 Not found");
    }

    #[test]
    fn each_field_is_named_once() {
        let finding = |key: &str, why: &str| Finding {
            at: vec![Segment::Key(key.to_owned())],
            fault: Fault::Invalid(why.to_owned()),
        };
        let one = Problem::invalid(&[finding("a", "is first"), finding("a", "is second")]);
        assert_eq!((one.errors.len(), one.detail.as_deref()), (1, Some("a is first.")));
        let two = Problem::invalid(&[finding("a", "is first"), finding("b", "is other"), finding("a", "is second")]);
        assert_eq!((two.errors.len(), two.detail.as_deref()), (2, Some("2 fields are wrong.")));
    }
}
