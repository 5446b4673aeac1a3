//! What was said on the wire, kept for those who have to prove it: records without secrets, a bounded log of them, and
//! their forms for other tools.

mod curl;
mod har;
mod log;
mod redact;
mod summary;

use jiff::Timestamp;

use super::Finding;

pub use curl::curl;
pub use har::har;
pub use log::WireLog;
pub use redact::{Redaction, TAKEN_OUT, is_secret_name, looks_secret, shown_word};
pub use summary::{FindingSum, sum_up};

/// The most of a body that is kept, bytes.
pub const MOST_BODY: usize = 1024 * 1024;

/// One direction of an exchange, without what is secret in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// The headers, in their order.
    pub headers: Vec<(String, String)>,
    /// The body as text, at most [`MOST_BODY`] of it.
    pub body: String,
    /// How long the body was, bytes.
    pub size: usize,
    /// Whether more of the body came than is kept.
    pub cut: bool,
}

impl Message {
    /// Records a message: its secrets are taken out, its body is cut to measure.
    #[must_use]
    pub fn record<'a>(headers: impl Iterator<Item = (&'a str, &'a [u8])>, body: &[u8], redaction: &Redaction) -> Self {
        let headers = headers.map(|(name, value)| {
            let value = String::from_utf8_lossy(value);
            (name.to_owned(), redaction.header(name, &value))
        });
        let kept = body.get(..body.len().min(MOST_BODY)).unwrap_or(body);
        Self {
            headers: headers.collect(),
            body: redaction.body(&String::from_utf8_lossy(kept)),
            size: body.len(),
            cut: kept.len() < body.len(),
        }
    }

    /// Whether all of the body is there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.cut
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn weight(&self) -> usize {
        self.body.len() + self.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
    }
}

/// One exchange with the service.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
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
    /// The whole address; empty where nothing was sent.
    pub url: String,
    /// The socket that it went by, whatever host the address names: the local workspace's.
    pub socket: Option<String>,
    /// The HTTP status, where an answer came.
    pub status: Option<u16>,
    /// From the call to the last byte, retries and waits included, milliseconds.
    pub elapsed_ms: u64,
    /// From the last sending to the answer's first byte, milliseconds.
    pub round_trip_ms: Option<u64>,
    /// How often it was sent again.
    pub retries: u32,
    /// What the service calls it.
    pub request_id: Option<String>,
    /// Why it failed, in words.
    pub error: Option<String>,
    /// What was sent.
    pub sent: Message,
    /// What came.
    pub received: Message,
    /// What in the answer is not as the specification has it.
    pub findings: Vec<Finding>,
}

impl Recorded {
    /// How much room it takes, bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.sent.weight() + self.received.weight() + self.url.len() + 400 + self.findings.len() * 100
    }

    /// Whether it ended as it should.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status)) && self.error.is_none()
    }
}
