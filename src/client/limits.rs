//! How long the client waits and how much it takes.

use std::time::Duration;

/// Times and sizes of every exchange. The defaults are the contract's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// For a connection to stand.
    pub connect: Duration,
    /// Without a byte from the service.
    pub silence: Duration,
    /// For a call in all, with its retries and the exchange of the key.
    pub total: Duration,
    /// How often an idempotent call is sent again.
    pub retries: u32,
    /// Before the first retry; doubles with each, and is jittered to between half and all of it.
    pub backoff: Duration,
    /// The longest body taken, bytes after decompression.
    pub body: usize,
    /// How long reads go to the second host after the base host could not be reached.
    pub avoid_base: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            total: Duration::from_secs(75),
            retries: 4,
            backoff: Duration::from_millis(250),
            body: 64 * 1024 * 1024,
            avoid_base: Duration::from_secs(30),
        }
    }
}
