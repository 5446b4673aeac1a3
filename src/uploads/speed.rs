//! How fast an upload goes, smoothed so that it can be read.

use std::time::Duration;

/// Over about how long it is smoothed, seconds.
const OVER: f64 = 4.0;

/// A speed from counts of bytes at moments: what is long past weighs little.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Speed {
    /// The last count, and when it was taken, milliseconds.
    last: Option<(u64, i64)>,
    /// Bytes, weighed.
    bytes: f64,
    /// Seconds, weighed alike.
    seconds: f64,
    /// The second that it was shown in last, and what was.
    shown: Option<(i64, u64)>,
}

impl Speed {
    /// Takes a count: `sent` bytes in all by `now_ms`. A count below the last one is a new beginning.
    #[expect(clippy::cast_precision_loss, reason = "a speed is shown with three digits")]
    pub fn note(&mut self, sent: u64, now_ms: i64) {
        let Some((before, then_ms)) = self.last else {
            self.last = Some((sent, now_ms));
            return;
        };
        if sent < before {
            *self = Self { last: Some((sent, now_ms)), ..Self::default() };
            return;
        }
        let seconds = now_ms.saturating_sub(then_ms) as f64 / 1000.0;
        if seconds <= 0.0 {
            return;
        }
        let kept = (-seconds / OVER).exp();
        self.bytes = self.bytes * kept + (sent - before) as f64;
        self.seconds = self.seconds * kept + seconds;
        self.last = Some((sent, now_ms));
    }

    /// Bytes a second; none before two counts were taken.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a quotient of counts is no less than 0"
    )]
    pub fn per_second(&self) -> Option<u64> {
        (self.seconds > 0.0).then(|| (self.bytes / self.seconds) as u64)
    }

    /// The same as it is shown: it changes with the second, however often it is counted.
    pub fn shown(&mut self, now_ms: i64) -> Option<u64> {
        let second = now_ms.div_euclid(1000);
        if let Some(speed) = self.per_second()
            && self.shown.is_none_or(|(at, _)| at != second)
        {
            self.shown = Some((second, speed));
        }
        self.shown.map(|(_, speed)| speed)
    }
}

/// How long so many bytes take at so many a second; none where nothing moves.
#[must_use]
pub fn time_left(bytes: u64, per_second: u64) -> Option<Duration> {
    bytes.checked_div(per_second).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_stream_has_its_speed_from_the_second_count_on() {
        let mut speed = Speed::default();
        speed.note(0, 0);
        assert_eq!(speed.per_second(), None);
        for tick in 1..200u32 {
            speed.note(u64::from(tick) * 1_000_000, i64::from(tick) * 500);
            let per_second = speed.per_second().unwrap();
            assert!(per_second.abs_diff(2_000_000) < 10, "{per_second}");
        }
    }

    #[test]
    fn what_is_shown_changes_once_a_second() {
        let mut speed = Speed::default();
        assert_eq!(speed.shown(0), None);
        let mut changes = 0;
        let mut before = None;
        for tick in 0..100u32 {
            let now = i64::from(tick) * 100;
            speed.note(u64::from(tick * tick), now);
            let shown = speed.shown(now);
            changes += u32::from(shown != before);
            before = shown;
        }
        assert!((9..=11).contains(&changes), "{changes} in ten seconds");
        speed.note(0, 10_000);
        assert_eq!(speed.shown(10_000), None, "a new beginning");
    }

    #[test]
    fn a_stall_brings_it_down_and_a_new_beginning_forgets() {
        let mut speed = Speed::default();
        speed.note(0, 0);
        speed.note(10_000_000, 1000);
        for second in 2..20 {
            speed.note(10_000_000, second * 1000);
        }
        assert!(speed.per_second().unwrap() < 100_000);
        speed.note(5, 21_000);
        assert_eq!(speed.per_second(), None);
        assert_eq!(time_left(100, 0), None);
        assert_eq!(time_left(100, 50), Some(Duration::from_secs(2)));
    }
}
