//! How much strangers may make the service write.

/// What the visitors of one project may write in a day; in one hour a quarter of it. What is beyond is refused, so that
/// nobody fills the disk with visits that nobody made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitorLimits {
    /// Visits that begin.
    pub visits: u64,
    /// Events of visits, forms and purchases among them.
    pub events: u64,
    /// Bytes of what is kept of them and of what subscriptions are told.
    pub bytes: u64,
}

impl Default for VisitorLimits {
    fn default() -> Self {
        Self { visits: 100_000, events: 2_000_000, bytes: 512 * 1024 * 1024 }
    }
}
