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

    /// For how many whole seconds there has been no answer to what was asked then, once that is worth a word.
    #[must_use]
    pub fn silent_since(self, asked: Self) -> Option<i64> {
        let waited = self.since(asked);
        (waited >= SILENT_MS).then_some(waited / 1_000)
    }
}

/// From so long on it is said who hasn't answered, milliseconds.
pub const SILENT_MS: i64 = 2_000;

/// The time zone that the person reads times in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(pub jiff::tz::TimeZone);

impl Default for Zone {
    fn default() -> Self {
        Self(jiff::tz::TimeZone::UTC)
    }
}

impl Zone {
    /// A moment on the clock of the person, to the second.
    #[must_use]
    pub fn clock_time(&self, at: jiff::Timestamp) -> String {
        at.to_zoned(self.0.clone()).strftime("%H:%M:%S").to_string()
    }
}

/// Now, where the person is.
#[derive(Debug, Clone, Copy)]
pub struct Clock<'z> {
    /// The moment.
    pub now: Moment,
    /// What their clock says then.
    pub zone: &'z Zone,
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
    /// To say for how long the service hasn't answered.
    Silence,
    /// To take the notice away.
    Notice(u64),
    /// To keep where the studio is, for the next start.
    Session,
}
