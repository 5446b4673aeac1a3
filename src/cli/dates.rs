//! Dates as people give them.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

/// A date, an RFC 3339 time, or how long ago (`7d`, `12h`, `4w`), as §4.1 takes it: dates and times as they were given,
/// the rest as a time.
///
/// # Errors
/// A sentence that says what it has to be.
pub(super) fn date(text: &str, now: Timestamp) -> Result<String, String> {
    let text = text.trim();
    let wrong = || {
        format!(
            "must be a date (2026-01-31), a time (2026-01-31T12:00:00Z) or how long ago (7d, 12h, 4w), found {text:?}"
        )
    };
    if let Some(ago) = ago(text) {
        let then = ago.and_then(|ago| now.checked_sub(ago).ok()).ok_or_else(wrong)?;
        return Ok(then.round(jiff::Unit::Second).unwrap_or(then).to_string());
    }
    let is_date = text.len() == 10 && text.parse::<Date>().is_ok();
    let is_time = text.len() > 10 && !text.contains('[') && text.parse::<Timestamp>().is_ok();
    if is_date || is_time { Ok(text.to_owned()) } else { Err(wrong()) }
}

/// `Some(None)` where it is so long ago that it can't be said.
#[allow(clippy::option_option)]
fn ago(text: &str) -> Option<Option<SignedDuration>> {
    let unit = text.chars().last()?;
    let number =
        text.strip_suffix(unit).filter(|number| number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty())?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 7 * 24,
        _ => return None,
    };
    let hours = number.parse::<i64>().ok().and_then(|number| number.checked_mul(hours));
    Some(hours.filter(|hours| *hours < 24 * 366 * 10_000).map(SignedDuration::from_hours))
}

/// When that begins which [`date`] gave: a time, or the first moment of a day.
pub(super) fn begins(given: &str) -> Option<Timestamp> {
    moment(given, |day| day.to_zoned(jiff::tz::TimeZone::UTC).ok())
}

/// When it ends: a time, or the last moment of a day.
pub(super) fn ends(given: &str) -> Option<Timestamp> {
    moment(given, |day| day.at(23, 59, 59, 999_999_999).to_zoned(jiff::tz::TimeZone::UTC).ok())
}

fn moment(given: &str, of_day: impl FnOnce(jiff::civil::Date) -> Option<jiff::Zoned>) -> Option<Timestamp> {
    let time = || given.parse::<Timestamp>().ok();
    let day = given.parse::<jiff::civil::Date>().ok().filter(|_| !given.contains(['T', 't', ' ']));
    match day {
        Some(day) => of_day(day).map(|day| day.timestamp()),
        None => time(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_times_and_how_long_ago() {
        let now: Timestamp = "2026-03-10T12:30:15.5Z".parse().unwrap();
        let read = |text| date(text, now);
        assert_eq!(read("2026-01-31").unwrap(), "2026-01-31");
        assert_eq!(read("2026-01-31T12:00:00+02:00").unwrap(), "2026-01-31T12:00:00+02:00");
        assert_eq!(read("7d").unwrap(), "2026-03-03T12:30:16Z");
        assert_eq!(read("12h").unwrap(), "2026-03-10T00:30:16Z");
        assert_eq!(read("1w").unwrap(), "2026-03-03T12:30:16Z");
        for wrong in [
            "",
            "d",
            "2026-02-30",
            "yesterday",
            "2026-01-31T12:00:00",
            "7 d",
            "-7d",
            "99999999999999999999d",
            "9999999d",
            "7x",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
