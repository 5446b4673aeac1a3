//! How long to wait before sending again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// The longest wait of the client's own choosing.
const MOST: Duration = Duration::from_secs(8);

/// The wait before retry number `retry` (from 0): doubles each time, jittered to between half and all of it, so that
/// many clients that failed together do not come back together.
pub(super) fn wait(first: Duration, retry: u32) -> Duration {
    let whole = first.saturating_mul(2u32.saturating_pow(retry)).min(MOST);
    whole.mul_f64(0.5 + 0.5 * chance())
}

/// From 0 to 1. Where the system has no randomness to give, always the longest wait.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

/// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
pub(super) fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    // RFC 2822 knows no zone "GMT" beyond its obsolete names, which the parser takes.
    let date = rfc2822::DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_within_bounds() {
        let first = Duration::from_millis(200);
        for retry in 0..40 {
            let whole = first.saturating_mul(2u32.saturating_pow(retry)).min(MOST);
            let wait = wait(first, retry);
            assert!(wait >= whole / 2 && wait <= whole, "{retry}: {wait:?}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(Duration::from_secs(37)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
    }
}
