//! Sizes and rates in words, and a rate read from words.

/// Bytes in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).map_or('0', |digit| char::from(*digit));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The units, each 1000 of the one before: what disks and lines are sold in.
const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];

/// A size for people: `312 B`, `4.2 MB`, `310 MB`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn bytes(size: u64) -> String {
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 || value >= 9.95 { format!("{value:.0} {name}") } else { format!("{value:.1} {name}") }
}

/// A rate for people, from bytes a second.
#[must_use]
pub fn rate(per_second: u64) -> String {
    format!("{}/s", bytes(per_second))
}

/// A limit in bytes a second; none is as fast as it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

/// Reads a rate as people write it, into bytes a second: `500k`, `2M`, `1.5 MB/s`. `0`, `off` and `none` are no limit.
///
/// # Errors
/// A sentence where it can't be read.
pub fn read_rate(text: &str) -> Result<Limit, String> {
    let wrong = || format!("{text:?} is not a rate; use one like 500k, 2M or off (bytes per second)");
    let lower = text.trim().to_ascii_lowercase();
    if matches!(lower.as_str(), "0" | "off" | "none") {
        return Ok(Limit(None));
    }
    let lower = lower.strip_suffix("/s").unwrap_or(&lower).trim_end();
    let lower = lower.strip_suffix('b').unwrap_or(lower);
    let (number, factor) = match lower.char_indices().next_back() {
        Some((at, 'k')) => (lower.get(..at), 1e3),
        Some((at, 'm')) => (lower.get(..at), 1e6),
        Some((at, 'g')) => (lower.get(..at), 1e9),
        _ => (Some(lower), 1.0),
    };
    let number: f64 = number.unwrap_or_default().trim().parse().map_err(|_| wrong())?;
    let rate = number * factor;
    if !(rate.is_finite() && (1.0..1e15).contains(&rate)) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10^15")]
    Ok(Limit(Some(rate as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_or_three_digits() {
        for (size, said) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_940, "9.9 kB"),
            (9_960, "10 kB"),
            (999_700, "1.0 MB"),
            (310_000_000, "310 MB"),
            (2_147_483_648, "2.1 GB"),
            (u64::MAX, "18446744 TB"),
        ] {
            assert_eq!(bytes(size), said);
        }
    }

    #[test]
    fn rates_are_read_as_people_write_them() {
        for (text, rate) in [
            ("500k", Some(500_000)),
            ("2M", Some(2_000_000)),
            (" 1.5 MB/s ", Some(1_500_000)),
            ("800", Some(800)),
            ("1g", Some(1_000_000_000)),
            ("off", None),
            ("0", None),
        ] {
            assert_eq!(read_rate(text), Ok(Limit(rate)), "{text}");
        }
        for text in ["", "fast", "-3", "1e99", "nan", "k", "inf", "0.1"] {
            assert!(read_rate(text).is_err(), "{text}");
        }
    }
}
