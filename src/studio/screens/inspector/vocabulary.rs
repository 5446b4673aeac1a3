//! What this screen hears from the world and what it asks of it.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::Finding;
use crate::domain::wire::Recorded;
use crate::studio::ground::RequestId;

/// An archive for support, as the studio has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// The file, as the person typed it.
    pub file: String,
    /// What the studio knows of itself.
    pub studio: Value,
    /// The stores that are known.
    pub stores: Vec<String>,
    /// The exchanges, the oldest first.
    pub exchanges: Vec<Arc<Recorded>>,
}

/// What happened, for the Inspector screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A call ended; this was said on the wire.
    Recorded(Arc<Recorded>),
    /// This in its answer is not as the specification has it.
    Found {
        /// The exchange's number.
        number: u64,
        /// What it is.
        findings: Vec<Finding>,
    },
    /// An exchange was made again, or was not.
    Again {
        /// The question.
        request: RequestId,
        /// Whether it was sent.
        sent: Result<(), String>,
    },
    /// The exchanges, or the archive for support, were saved, or were not.
    Saved {
        /// The question.
        request: RequestId,
        /// The file.
        saved: Result<String, String>,
    },
    /// This would be in the archive for support.
    BundleListed {
        /// The question.
        request: RequestId,
        /// The archive.
        bundle: Box<Bundle>,
        /// What it holds, a line each.
        listing: Vec<String>,
    },
}

/// What the world should do for the Inspector screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Make an exchange again; only what reads.
    Again {
        /// What the reply is called.
        request: RequestId,
        /// The exchange.
        recorded: Arc<Recorded>,
    },
    /// List what the archive for support would hold.
    ListBundle {
        /// What the reply is called.
        request: RequestId,
        /// The archive.
        bundle: Box<Bundle>,
    },
    /// Write the archive for support.
    WriteBundle {
        /// What the reply is called.
        request: RequestId,
        /// The archive.
        bundle: Box<Bundle>,
        /// Take names and addresses out, too.
        mask: bool,
    },
    /// Save exchanges as an HTTP archive.
    SaveHar {
        /// What the reply is called.
        request: RequestId,
        /// The file, as the person typed it.
        file: String,
        /// The exchanges, the oldest first.
        exchanges: Vec<Arc<Recorded>>,
    },
}

/// What the questions of this screen are answered with.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Nothing is done.
    No,
    /// An HTTP archive is saved to the file that was typed.
    Har,
    /// What the archive for support would contain is listed; it is to be in the file that was typed.
    Bundle(Box<Bundle>),
    /// It is written, without names and addresses where those are masked.
    Write {
        /// What it contains.
        bundle: Box<Bundle>,
        /// Whether names and addresses are masked.
        mask: bool,
    },
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
