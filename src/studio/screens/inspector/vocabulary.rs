//! What this screen hears from the world and what it asks of it.

use std::sync::Arc;

use crate::domain::Finding;
use crate::domain::wire::Recorded;

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
    /// An exchange was made once more, or was not.
    Again(Result<(), String>),
    /// The exchanges were saved to this file, or why not.
    Saved(Result<String, String>),
}

/// What the world should do for the Inspector screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Make an exchange once more; only what reads.
    Again(Arc<Recorded>),
    /// Save exchanges as an HTTP archive.
    SaveHar {
        /// The file, as the person typed it.
        file: String,
        /// The exchanges, the oldest first.
        exchanges: Vec<Arc<Recorded>>,
    },
}
