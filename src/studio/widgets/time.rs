//! Times as people say them.

use crate::domain::text;
use crate::studio::ground::{Clock, Moment, Zone};

/// The moment that a text names: RFC 3339, or a date (its first moment, UTC).
#[must_use]
pub fn moment_of(text: &str) -> Option<Moment> {
    if let Ok(timestamp) = text.trim().parse::<jiff::Timestamp>() {
        return Some(Moment(timestamp.as_millisecond()));
    }
    let date: jiff::civil::Date = text.trim().parse().ok()?;
    let start = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(Moment(start.timestamp().as_millisecond()))
}

/// How long ago, in at most eight columns: `now`, `5 min`, `3 h`, `2 d`, `4 mo`, `2 y`; the future has a `+`.
#[must_use]
pub fn ago(now: Moment, then: Moment) -> String {
    let seconds = now.since(then) / 1000;
    let sign = if seconds < -59 { "+" } else { "" };
    let seconds = seconds.abs();
    match seconds {
        0..=59 => "now".to_owned(),
        60..=3_599 => format!("{sign}{} min", seconds / 60),
        3_600..=86_399 => format!("{sign}{} h", seconds / 3_600),
        86_400..=5_183_999 => format!("{sign}{} d", seconds / 86_400),
        5_184_000..=63_071_999 => format!("{sign}{} mo", seconds / 2_592_000),
        _ => format!("{sign}{} y", seconds / 31_536_000),
    }
}

/// A time of a service as a detail shows it: on the person's clock, to the minute, and how long ago that was. What is no
/// time stays as it is.
#[must_use]
pub fn when(given: &str, clock: Clock<'_>) -> String {
    let Some(then) = moment_of(given) else { return text::line(given).into_owned() };
    let long = match ago(clock.now, then).as_str() {
        "now" => "just now".to_owned(),
        ahead if ahead.starts_with('+') => format!("in {}", ahead.trim_start_matches('+')),
        long => format!("{long} ago"),
    };
    format!("{} ({long})", local(given, clock.zone))
}

/// The same without how long ago it was: `2026-10-31 14:05`; a date stays a date.
#[must_use]
pub fn local(given: &str, zone: &Zone) -> String {
    match given.trim().parse::<jiff::Timestamp>() {
        Ok(at) => at.to_zoned(zone.0.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => text::line(given).into_owned(),
    }
}

/// The date of a moment, `2026-10-31` (UTC).
#[must_use]
pub fn date_of(moment: Moment) -> String {
    jiff::Timestamp::from_millisecond(moment.0)
        .map(|timestamp| timestamp.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
        .unwrap_or_default()
}

/// A playing time: `0:24`, `1:02:03`.
#[must_use]
pub fn playing_time(ms: u64) -> String {
    let seconds = (ms + 500) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_on_the_clock_of_the_person() {
        let zone = crate::studio::ground::Zone(jiff::tz::TimeZone::fixed(jiff::tz::offset(2)));
        let clock = Clock { now: moment_of("2026-11-20T12:00:00Z").unwrap(), zone: &zone };
        for (given, said) in [
            ("2026-11-20T08:59:30.5Z", "2026-11-20 10:59 (3 h ago)"),
            ("2026-11-19T23:30:00Z", "2026-11-20 01:30 (12 h ago)"),
            ("2026-11-20T11:59:50+00:00", "2026-11-20 13:59 (just now)"),
            ("2026-11-20T14:00:00Z", "2026-11-20 16:00 (in 2 h)"),
            ("2026-11-18", "2026-11-18 (2 d ago)"),
            ("soon\u{1b}[2J", "soon·[2J"),
        ] {
            assert_eq!(when(given, clock), said);
        }
    }

    #[test]
    fn times_are_short() {
        let now = Moment(1_000_000_000_000);
        let before = |seconds: i64| ago(now, Moment(now.0 - seconds * 1000));
        assert_eq!(
            [10, 65, 7200, 86_400 * 2, 86_400 * 90, 86_400 * 800, -7200].map(before),
            ["now", "1 min", "2 h", "2 d", "3 mo", "2 y", "+2 h"]
        );
        assert_eq!(moment_of("2001-09-09T01:46:40Z"), Some(now));
        assert_eq!(date_of(now), "2001-09-09");
        assert_eq!(moment_of("2001-09-09").map(date_of).as_deref(), Some("2001-09-09"));
        assert_eq!(moment_of("yesterday"), None);
    }
}
