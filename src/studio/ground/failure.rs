//! Why something far away could not be had.

/// Why something could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened, for people.
    pub what: String,
    /// Whether a new sign-in is what it needs.
    pub unauthorized: bool,
    /// Whether the service knows no such thing (404), or no such store (400).
    pub missing: bool,
}

impl Failure {
    /// A failure of these words.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), unauthorized: false, missing: false }
    }
}
