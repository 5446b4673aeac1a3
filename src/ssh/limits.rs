//! How much of everything guests may have.

use std::time::Duration;

/// Bounds of a server. The defaults are those of `cutaway serve --ssh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long a connection may take to show a key that is let in.
    pub login: Duration,
    /// Connections that have not shown one yet; beyond it the oldest goes for the next.
    pub waiting: usize,
    /// The same of one address.
    pub waiting_of_one: usize,
    /// Studios at once.
    pub studios: usize,
    /// The same of one key.
    pub studios_of_one: usize,
    /// Commands at once; the next waits.
    pub commands: usize,
    /// The same of one key, where those count, too, that wait for a client that sends or takes nothing.
    pub commands_of_one: usize,
    /// Commands and uploads that have begun, those among them that wait for their clients: each has a thread.
    pub begun: usize,
    /// Uploads at once; the next waits.
    pub uploads: usize,
    /// The same of one key.
    pub uploads_of_one: usize,
    /// A video that is uploaded has at most so many bytes.
    pub upload: u64,
    /// A command or an upload that reads ends where nothing comes for so long.
    pub silent: Duration,
    /// Channels of one connection.
    pub channels: usize,
    /// A studio whose terminal answers nothing for so long ends, where it answered before.
    pub lost_after: Duration,
    /// A studio in which nothing is pressed ends after so long.
    pub idle: Duration,
    /// So long before that it says so.
    pub idle_warning: Duration,
    /// How long a studio may take to end in order once its connection is gone.
    pub ending: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            login: Duration::from_secs(30),
            waiting: 256,
            waiting_of_one: 64,
            studios: 512,
            studios_of_one: 64,
            commands: 16,
            commands_of_one: 8,
            begun: 256,
            uploads: 16,
            uploads_of_one: 4,
            upload: 8 << 30,
            silent: Duration::from_secs(5 * 60),
            channels: 10,
            lost_after: Duration::from_secs(600),
            idle: Duration::from_secs(4 * 60 * 60),
            idle_warning: Duration::from_secs(5 * 60),
            ending: Duration::from_secs(10),
        }
    }
}

impl Limits {
    /// The same where a studio ends after so long in which nothing is pressed. A short time is warned of in the middle.
    #[must_use]
    pub fn idle_for(self, idle: Duration) -> Self {
        Self { idle, idle_warning: self.idle_warning.min(idle / 2), ..self }
    }
}

/// A time as people say it: whole hours, else minutes.
pub(super) fn period(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60).max(1);
    let (count, unit) = if minutes.is_multiple_of(60) { (minutes / 60, "hour") } else { (minutes, "minute") };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_said_in_hours_or_minutes() {
        let said = |seconds| period(Duration::from_secs(seconds));
        assert_eq!(
            [said(0), said(60), said(90), said(3600), said(14400)].join(", "),
            "1 minute, 1 minute, 2 minutes, 1 hour, 4 hours"
        );
    }
}
