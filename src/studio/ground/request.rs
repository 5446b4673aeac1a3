//! What ties a reply to the question.

use super::Screen;

/// Ties a reply to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RequestId(pub u64);

/// Counts the requests of one screen. No two screens count alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests(u64);

impl Requests {
    /// The requests of a screen.
    #[must_use]
    pub fn of(screen: Screen) -> Self {
        Self((screen as u64) << 40)
    }

    /// The next one.
    pub fn next_id(&mut self) -> RequestId {
        self.0 += 1;
        RequestId(self.0)
    }
}
