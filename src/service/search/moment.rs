//! Moments and days of a date filter, §4.1, as microseconds since 1970 UTC.

use jiff::Timestamp;
use jiff::civil::Date;

/// Which end of a range a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first moment: a day begins.
    From,
    /// The last moment: a day ends.
    To,
}

/// The moment of an RFC 3339 time; `None` where it is none.
#[must_use]
pub fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, time) = text.split_at_checked(10)?;
    let clock = time.strip_prefix(['T', 't', ' '])?;
    let with_zone = clock.ends_with(['Z', 'z'])
        || clock.len().checked_sub(6).and_then(|at| clock.get(at..)).is_some_and(|zone| zone.starts_with(['+', '-']));
    if !is_day(date) || !with_zone || clock.contains('[') {
        return None;
    }
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// The moment that one end of a date filter means: a date is the whole day in UTC, both ends included. What lies
/// beyond the last moment that can be counted, in the last days of 9999, is the end of time.
#[must_use]
pub fn end_of_range(text: &str, end: End) -> Option<i64> {
    let text = text.trim();
    if !is_day(text) {
        return moment(text).or_else(|| is_beyond(text).then_some(i64::MAX));
    }
    let date: Date = text.parse().ok()?;
    let midnight = |date: Date| Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_microsecond());
    Some(match end {
        End::From => midnight(date).unwrap_or(i64::MAX),
        End::To => date.tomorrow().ok().and_then(midnight).map_or(i64::MAX, |next| next - 1),
    })
}

/// Whether a text is a time with nothing wrong but that it is too late to be counted: four digits of a year reach that
/// far, but never too far back. On another day it would be a moment.
fn is_beyond(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    date.starts_with("9999-12-") && date.parse::<Date>().is_ok() && moment(&format!("2000-01-01{time}")).is_some()
}

/// Whether a text has the form `2026-11-20`.
fn is_day(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_include_both_ends() {
        let from = end_of_range("2026-03-01", End::From).unwrap();
        let to = end_of_range("2026-03-01", End::To).unwrap();
        assert_eq!(Some(from), moment("2026-03-01T00:00:00Z"));
        assert_eq!(Some(to + 1), moment("2026-03-02T01:00:00+01:00"));
        assert_eq!(to - from, 86_400_000_000 - 1);
    }

    #[test]
    fn the_ends_of_time_are_moments_too() {
        for last in ["9999-12-31", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59"] {
            assert_eq!(end_of_range(last, End::To), Some(i64::MAX), "{last}");
            assert_eq!(end_of_range(last, End::From), Some(i64::MAX), "{last}");
        }
        let before = end_of_range("9999-12-29", End::To).unwrap();
        assert!(before < i64::MAX && end_of_range("9999-12-30", End::To).unwrap() > before);
        let first = end_of_range("0000-01-01", End::From).unwrap();
        assert_eq!(Some(first), end_of_range("0000-01-01T00:00:00Z", End::From));
        assert!(first < end_of_range("0000-01-01", End::To).unwrap());
        for wrong in ["9999-12-32", "9999-12-31T25:00:00Z", "9999-12-31T10:00:00", "9999-12-31T10:00:00+99:00"] {
            assert_eq!(end_of_range(wrong, End::To), None, "{wrong}");
        }
    }

    #[test]
    fn malformed_dates_are_none() {
        for wrong in ["", "yesterday", "2026-13-01", "2026-02-30", "2026-3-1", "2026-03-01T10:00:00", "12345", "7d"] {
            assert_eq!(end_of_range(wrong, End::From), None, "{wrong}");
        }
    }
}
