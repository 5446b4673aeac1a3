//! What is kept of an exchange: for the status line, the log and the inspector.

use std::time::Duration;

use jiff::Timestamp;

use crate::api::Row;
use crate::domain::Finding;
use crate::domain::wire::Recorded;

/// One call as it went. Holds no header, no body and no credential.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Which one, counted by its client.
    pub number: u64,
    /// When it was sent first.
    pub at: Timestamp,
    /// The operation's name in §4.
    pub operation: &'static str,
    /// The method.
    pub method: &'static str,
    /// The path under the host.
    pub path: String,
    /// The HTTP status, where an answer came.
    pub status: Option<u16>,
    /// From the call to the last byte, retries and waits included.
    pub elapsed: Duration,
    /// From the last sending to the answer's first byte.
    pub round_trip: Option<Duration>,
    /// Bytes of the request's body.
    pub sent: usize,
    /// Bytes of the answer's body, decompressed.
    pub received: usize,
    /// How often it was sent again.
    pub retries: u32,
    /// What the service calls it.
    pub request_id: Option<String>,
    /// Why it failed, in words; `cancelled` where the caller lost interest.
    pub error: Option<String>,
    /// Whether the service could not be reached, or did not answer.
    pub lost: bool,
}

impl Exchange {
    /// One that begins now.
    pub(super) fn of(number: u64, row: Row, path: String, sent: usize) -> Self {
        Self {
            number,
            at: Timestamp::now(),
            operation: row.name,
            method: row.method.as_str(),
            path,
            status: None,
            elapsed: Duration::ZERO,
            round_trip: None,
            sent,
            received: 0,
            retries: 0,
            request_id: None,
            error: None,
            lost: false,
        }
    }
}

/// Is told of exchanges as they go. Called from the tasks that make the calls: it may not block.
pub trait Observe: Send + Sync {
    /// A call begins: one more request is in flight.
    fn began(&self) {}
    /// A call ended, by answer, failure or cancelling.
    fn ended(&self, exchange: Exchange);
    /// Whether it wants to see what was said on the wire.
    fn wants_wire(&self) -> bool {
        false
    }
    /// What was said on the wire by a call that ended; nothing secret is in it.
    fn recorded(&self, _recorded: Recorded) {}
    /// What in the answer of a call that ended is not as the specification has it.
    fn found(&self, _number: u64, _findings: &[Finding]) {}
}
