//! Time as the studio knows it: it comes in with events, and the model asks to be woken.

/// A point in time, milliseconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Moment(pub i64);

impl Moment {
    /// Milliseconds from an earlier moment to this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Why the model asked to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alarm {
    /// To show that something takes long.
    Spinner,
    /// To go on without the terminal's answer on pictures.
    Graphics,
    /// To ask again for what was pending.
    Pending,
    /// To count down what is waited for.
    Countdown,
    /// To take the notice away.
    Notice(u64),
    /// To keep where the studio is, for the next start.
    Session,
}
