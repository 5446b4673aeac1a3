//! What a request says beside its body.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH};
use uuid::Uuid;

use super::ClientError;
use crate::api::{IDEMPOTENCY_KEY, Row};

/// Which creation a request is, and which state of a thing it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conditions {
    /// What tells this creation from every other one, however often it is sent; without one the client makes one up.
    /// Only operations that create something send it.
    pub key: Option<String>,
    /// The entity tag of the state that the request was made for: where a service heeds it and has another state by now,
    /// it answers 412 and does nothing.
    pub if_match: Option<String>,
    /// Whether it is sent only once, though it might be sent again without harm to the service: who asks wants to look
    /// first at what became of things meanwhile.
    pub once: bool,
}

impl Conditions {
    /// The same, with a key where the operation needs one.
    pub(super) fn of(self, row: &Row) -> Self {
        let key = row.creates().then(|| self.key.unwrap_or_else(new_key));
        Self { key, ..self }
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) -> Result<(), ClientError> {
        let names = [(HeaderName::from_static(IDEMPOTENCY_KEY), &self.key), (IF_MATCH, &self.if_match)];
        for (name, text) in names.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            let value = HeaderValue::from_str(text)
                .map_err(|_| ClientError::Request(format!("{name} contains characters not allowed in a header")))?;
            headers.insert(name, value);
        }
        Ok(())
    }
}

/// A key that no other creation has.
#[must_use]
pub fn new_key() -> String {
    Uuid::new_v4().to_string()
}
