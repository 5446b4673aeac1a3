//! What is said on the wire by one call, for those who want to see it. What is secret is taken out here, before anybody
//! does.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use reqwest::header::HeaderMap;
use url::Url;

use super::Exchange;
use crate::domain::wire::{Message, Recorded, Redaction};

/// What was noted so far: of the last sending, where there were several.
#[derive(Default)]
struct Noted {
    url: Option<Url>,
    socket: Option<PathBuf>,
    sent_headers: HeaderMap,
    sent: Bytes,
    received_headers: HeaderMap,
    received: Bytes,
    secret: String,
}

/// Notes what is said.
#[derive(Default)]
pub(super) struct Trace(Mutex<Noted>);

impl Trace {
    fn note(&self, note: impl FnOnce(&mut Noted)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The request, as it goes out to an address or by a socket, and the credential that must not be seen of it.
    pub(super) fn sent(
        &self,
        (url, socket): (&Url, Option<&Path>),
        headers: &HeaderMap,
        body: Option<&Bytes>,
        secret: &str,
    ) {
        self.note(|noted| {
            *noted = Noted {
                url: Some(url.clone()),
                socket: socket.map(Path::to_owned),
                sent_headers: headers.clone(),
                sent: body.cloned().unwrap_or_default(),
                secret: secret.to_owned(),
                ..Noted::default()
            };
        });
    }

    /// The head of the answer.
    pub(super) fn answered(&self, headers: &HeaderMap) {
        self.note(|noted| noted.received_headers = headers.clone());
    }

    /// The body of the answer.
    pub(super) fn received(&self, body: &Bytes) {
        self.note(|noted| noted.received = body.clone());
    }

    /// The record of a call that ended.
    pub(super) fn recorded(&self, exchange: &Exchange) -> Recorded {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let redaction = Redaction::new([noted.secret.as_str()]);
        let message = |headers: &HeaderMap, body: &[u8]| {
            let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
            Message::record(headers, body, &redaction)
        };
        let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Recorded {
            number: exchange.number,
            at: exchange.at,
            operation: exchange.operation,
            method: exchange.method,
            path: exchange.path.clone(),
            url: noted.url.map(|url| redaction.address(&url)).unwrap_or_default(),
            socket: noted.socket.map(|socket| socket.display().to_string()),
            status: exchange.status,
            elapsed_ms: milliseconds(exchange.elapsed),
            round_trip_ms: exchange.round_trip.map(milliseconds),
            retries: exchange.retries,
            request_id: exchange.request_id.clone(),
            error: exchange.error.clone(),
            sent: message(&noted.sent_headers, &noted.sent),
            received: message(&noted.received_headers, &noted.received),
            findings: Vec::new(),
        }
    }
}
