//! Why a call failed.

use std::time::Duration;

use thiserror::Error;

use crate::api::Problem;
use crate::uploads::FileChange;

/// Why a call failed. Nothing secret is in it: it may be shown, logged and kept.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClientError {
    /// The operation writes and the client is read-only; nothing was sent.
    #[error("refused: read-only{}; nothing was changed ({operation})", by.as_ref().map(|by| format!(", by {by}")).unwrap_or_default())]
    ReadOnly {
        /// The operation's name in §4.
        operation: &'static str,
        /// What made it so, where that is known: a flag, the profile.
        by: Option<String>,
    },
    /// The profile is live, and the person said no; nothing was sent.
    #[error("canceled: {operation} would change a live profile")]
    NotWanted {
        /// The operation's name in §4.
        operation: &'static str,
    },
    /// There is no credential; nothing was sent.
    #[error("no credential: set CUTAWAY_API_KEY or choose a profile that has one")]
    NoCredential,
    /// The sign-in is over: the authorization server renews it no more.
    #[error("the sign-in has expired ({0}); sign in again")]
    SignedOut(String),
    /// The credential was refused and there is a new one by now; nothing was done, and what is sent only once was not sent
    /// again.
    #[error("the sign-in was renewed before this was done; try again")]
    Renewed,
    /// The credential would travel in the clear over a public network; nothing was sent.
    #[error("refused to send the credential to {host} over plain http; use https")]
    InsecureCredential {
        /// Where it would have gone.
        host: String,
    },
    /// The request can't be made; nothing was sent.
    #[error("couldn't make the request: {0}")]
    Request(String),
    /// What was given as an id is none; nothing was sent.
    #[error("couldn't make the request: {0}")]
    Id(String),
    /// No connection came about; nothing was sent.
    #[error("couldn't reach {host}: {why}")]
    Unreachable {
        /// Host and port.
        host: String,
        /// What the system said.
        why: String,
    },
    /// The connection broke before an answer came; whether the request arrived is not known.
    #[error("the connection to {host} broke: {why}")]
    Broken {
        /// Host and port.
        host: String,
        /// What the system said.
        why: String,
    },
    /// Nothing came for too long; whether the request arrived is not known. After several attempts, how long all of
    /// them took.
    #[error("{host} didn't respond within {}", seconds(*.after))]
    Silent {
        /// Host and port.
        host: String,
        /// How long was waited.
        after: Duration,
    },
    /// The answer ended before it was whole.
    #[error("the response from {host} was cut off after {bytes} bytes: {why}")]
    CutOff {
        /// Host and port.
        host: String,
        /// How much had come, bytes.
        bytes: usize,
        /// What the system said.
        why: String,
    },
    /// The answer is longer than is taken.
    #[error("the response from {host} is longer than {} MiB", .most / 1_048_576)]
    TooLong {
        /// Host and port.
        host: String,
        /// The longest that is taken, bytes.
        most: usize,
    },
    /// The service points elsewhere. Not followed: the credential is for this host.
    #[error("the service redirects ({status}) to {to}; use that as the base URL if it's right")]
    Redirected {
        /// The HTTP status.
        status: u16,
        /// Scheme, host and path of the place.
        to: String,
    },
    /// The service points to another origin. Not followed: the credential belongs to the one that was asked.
    #[error(
        "the service redirects ({status}) to {to}; the credential is for {from} and was not sent there; if the service \
         has moved: cutaway login --profile NAME --base-url {origin}, or give that address with the key in CUTAWAY_API_KEY"
    )]
    RedirectedElsewhere {
        /// The HTTP status.
        status: u16,
        /// The origin that was asked.
        from: String,
        /// Scheme, host and path of the place.
        to: String,
        /// The origin of the place.
        origin: String,
    },
    /// A success whose body can't be read.
    #[error("couldn't read the response ({status}): {what}{}", named(.request_id.as_deref()))]
    Unreadable {
        /// The HTTP status.
        status: u16,
        /// What it is in place of the JSON.
        what: String,
        /// What the service calls this exchange.
        request_id: Option<String>,
    },
    /// The file of an upload is no longer what it was; it was not sent whole.
    #[error("{0}")]
    File(FileChange),
    /// The service said no, §7.
    #[error("{}{}", .0.sentence(), named(.0.request_id.as_deref()))]
    Problem(Box<Problem>),
}

impl ClientError {
    /// The HTTP status, where an answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Problem(problem) => Some(problem.status),
            Self::Redirected { status, .. }
            | Self::RedirectedElsewhere { status, .. }
            | Self::Unreadable { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether the service says that it has no such store, and nothing else against what was asked.
    #[must_use]
    pub fn is_unknown_store(&self) -> bool {
        matches!(self, Self::Problem(problem) if problem.status == 400
            && matches!(problem.errors.as_slice(), [error] if error.pointer == "/appUrl"))
    }

    /// What the service calls the exchange, where it said so.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => problem.request_id.as_deref(),
            Self::Unreadable { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// Whether a new sign-in is what it needs.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        matches!(self, Self::NoCredential | Self::SignedOut(_)) || self.status() == Some(401)
    }

    /// The exit code of a command that failed with it (contract, section 1).
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Id(_) => 2,
            Self::NoCredential | Self::SignedOut(_) | Self::RedirectedElsewhere { .. } => 3,
            Self::ReadOnly { .. } | Self::NotWanted { .. } => 7,
            Self::Problem(problem) => match problem.status {
                400 => 5,
                401 => 3,
                404 => 4,
                _ => 1,
            },
            error if error.is_lost() => 6,
            _ => 1,
        }
    }

    /// Whether the service could not be reached, or gave no whole answer: nothing that it said, and nothing that was
    /// refused here before it was asked.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Broken { .. } | Self::Silent { .. } | Self::CutOff { .. })
    }

    /// Whether sending the same again, later, may go better.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Problem(problem) => matches!(problem.status, 429 | 502 | 503 | 504),
            error => error.is_lost(),
        }
    }
}

/// A wait in whole seconds; a short one as it is.
fn seconds(wait: Duration) -> String {
    if wait < Duration::from_secs(1) {
        format!("{} ms", wait.as_millis())
    } else {
        format!("{} s", wait.as_secs_f64().round())
    }
}

fn named(id: Option<&str>) -> String {
    id.map(|id| format!(" (request {id})")).unwrap_or_default()
}

/// The innermost cause: the outer ones only repeat that something failed, and name the address.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_told_in_whole_seconds() {
        let said =
            |millis| ClientError::Silent { host: "h".to_owned(), after: Duration::from_millis(millis) }.to_string();
        assert_eq!(said(30_004), "h didn't respond within 30 s");
        assert_eq!(said(74_700), "h didn't respond within 75 s");
        assert_eq!(said(150), "h didn't respond within 150 ms");
    }
}
