//! Deliveries of webhooks: as the local service keeps them, and as they arrive somewhere.

use jiff::Timestamp;
use serde_json::Value;

use super::{Num, WebhookId};
use crate::shape;

shape! {
    /// A delivery of a subscription, as the local service tells it beside §4.6.
    pub struct Delivery {
        id: req String => "id",
        webhook_id: req WebhookId => "webhookId",
        message_id: req String => "messageId",
        event: req String => "event",
        /// `pending`, `delivered`, `failed` or `ended`.
        state: req String => "state",
        attempts: req Num => "attempts",
        created_at: req String => "createdAt",
        next_at: optnull String => "nextAt",
        attempted_at: optnull String => "attemptedAt",
        status: optnull Num => "status",
        error: optnull String => "error",
        response_body: optnull String => "responseBody",
        body: req Value => "body",
    }
}

/// What is known of who sent an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Signed with the secret of a subscription that is known.
    Verified,
    /// Signed so, but too long ago, or in the future: seconds. Sent again by someone, or a clock is wrong.
    Stale(i64),
    /// Signed so, and sent again with the same time: it was taken already.
    Replayed,
    /// Signed with something else.
    Forged,
    /// Not signed at all.
    Unsigned,
    /// No secret is known to hold it against.
    Unknown,
    /// The same, and a web page sent it: no service did.
    Page,
}

impl Verdict {
    /// Whether its sender is told that it was taken: nothing is known against it.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Verified | Self::Replayed | Self::Unknown)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Verified => f.write_str("verified"),
            Self::Stale(seconds) => write!(f, "stale by {seconds} s"),
            Self::Replayed => f.write_str("replayed"),
            Self::Forged => f.write_str("forged"),
            Self::Unsigned => f.write_str("not signed"),
            Self::Unknown => f.write_str("not verified"),
            Self::Page => f.write_str("web page"),
        }
    }
}

/// An event that arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedEvent {
    /// When.
    pub at: Timestamp,
    /// `webhook-id`: the same in each attempt.
    pub message: String,
    /// The subscription whose secret it is signed with.
    pub webhook: Option<WebhookId>,
    /// The event, where the subscription tells.
    pub event: Option<String>,
    /// Whether it may be believed.
    pub verdict: Verdict,
    /// The body, as JSON where it is that.
    pub body: Value,
    /// Its length, bytes.
    pub size: usize,
    /// What the address it was passed on to answered, where it was.
    pub forwarded: Option<Result<u16, String>>,
    /// What the sender was answered.
    pub answered: u16,
}

impl ReceivedEvent {
    /// The event as one JSON document.
    #[must_use]
    pub fn document(&self) -> Value {
        let forwarded = self.forwarded.as_ref().map(|forwarded| match forwarded {
            Ok(status) => serde_json::json!({ "status": status }),
            Err(error) => serde_json::json!({ "error": error }),
        });
        serde_json::json!({
            "at": self.at.to_string(),
            "id": self.message,
            "event": self.event,
            "webhookId": self.webhook,
            "verified": self.verdict == Verdict::Verified,
            "verdict": self.verdict.to_string(),
            "forwarded": forwarded,
            "answered": self.answered,
            "body": self.body,
        })
    }
}
