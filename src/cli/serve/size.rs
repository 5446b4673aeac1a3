//! Sizes as people write them.

/// Reads a size: `500000`, `20M`, `4G`. The letters stand for powers of 1024.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_end_matches(['b', 'B']).trim_end_matches(['i']);
    let (number, power) = match text.char_indices().last() {
        Some((at, letter)) if letter.is_ascii_alphabetic() => {
            let power = "KMGT".find(letter.to_ascii_uppercase()).ok_or("the letter must be K, M, G or T")?;
            (text.get(..at).unwrap_or_default(), power + 1)
        }
        _ => (text, 0),
    };
    let number: u64 = number.trim().parse().map_err(|_| "must be a whole number of bytes, or with K, M, G or T")?;
    let unit = 1024_u64.pow(u32::try_from(power).unwrap_or_default());
    number.checked_mul(unit).ok_or_else(|| "is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        assert_eq!(size("500000"), Ok(500_000));
        assert_eq!(size("2K"), Ok(2048));
        assert_eq!(size("20 MiB"), Ok(20 * 1024 * 1024));
        assert_eq!(size("4g"), Ok(4 << 30));
        for wrong in ["", "M", "1.5G", "-1", "3X", "99999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
