//! Times in tables: local and short, or exact where that is wanted.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::streams;

/// Whether times are shown as the service gives them. A process runs one command, so it is the process's.
static EXACT: AtomicBool = AtomicBool::new(false);

/// Takes over what the flag and its twin ask for.
pub(super) fn set(utc: bool) {
    if let Some(given) = streams::given() {
        return given.is_exact.store(utc, Ordering::Relaxed);
    }
    let variable = std::env::var("CUTAWAY_UTC").unwrap_or_default();
    let by_variable = !matches!(variable.trim(), "" | "0" | "false" | "no" | "off");
    EXACT.store(utc || by_variable, Ordering::Relaxed);
}

/// A time of a service as a table shows it. What is no time stays as it is.
pub(super) fn shown(time: &str) -> String {
    let is_exact =
        streams::given().map_or_else(|| EXACT.load(Ordering::Relaxed), |given| given.is_exact.load(Ordering::Relaxed));
    if is_exact { time.to_owned() } else { local(time, &TimeZone::system()) }
}

fn local(time: &str, zone: &TimeZone) -> String {
    match time.parse::<Timestamp>() {
        Ok(moment) => moment.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_local_and_short() {
        let zone = TimeZone::fixed(jiff::tz::offset(-5));
        assert_eq!(local("2026-01-31T02:30:15.123Z", &zone), "2026-01-30 21:30");
        assert_eq!(local("2026-01-31T02:30:15+02:00", &zone), "2026-01-30 19:30");
        for other in ["–", "", "yesterday", "1769826615"] {
            assert_eq!(local(other, &zone), other);
        }
    }
}
