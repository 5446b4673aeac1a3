//! Shares of viewers, with how sure they are.

use std::fmt;

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// How many did it.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

/// The quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// An interval that is wider says more than the share in its middle.
const WIDEST: f64 = 0.1;

impl Share {
    /// The share itself, from 0 to 1; nothing where there was nobody.
    #[must_use]
    pub fn ratio(self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss)] // Beyond 2^53 viewers nobody counts.
        let ratio = |Self { part, of }: Self| part.min(of) as f64 / of as f64;
        (self.of > 0).then(|| ratio(self))
    }

    /// Whether too few were counted for one number.
    #[must_use]
    pub fn is_rough(self) -> bool {
        self.interval().is_some_and(|(low, high)| high - low > WIDEST)
    }

    /// Where the share of all viewers to come lies with a probability of 95 % (Wilson's score interval).
    #[must_use]
    pub fn interval(self) -> Option<(f64, f64)> {
        let ratio = self.ratio()?;
        #[allow(clippy::cast_precision_loss)]
        let of = self.of as f64;
        let square = Z * Z;
        let middle = ratio + square / (2.0 * of);
        let reach = Z * ((ratio * (1.0 - ratio) + square / (4.0 * of)) / of).sqrt();
        let whole = 1.0 + square / of;
        Some((((middle - reach) / whole).clamp(0.0, 1.0), ((middle + reach) / whole).clamp(0.0, 1.0)))
    }
}

/// `34%`; `12–48%` where too few were counted for one number; nothing where there was nobody.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(ratio), Some((low, high))) = (self.ratio(), self.interval()) else { return Ok(()) };
        if self.is_rough() {
            write!(f, "{:.0}–{:.0}%", low * 100.0, high * 100.0)
        } else {
            write!(f, "{:.0}%", ratio * 100.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_an_interval_and_many_are_a_percentage() {
        let text = |part, of| Share { part, of }.to_string();
        assert_eq!(text(0, 0), "");
        assert_eq!(text(1, 1), "21–100%");
        assert_eq!(text(0, 10), "0–28%");
        assert_eq!(text(5, 10), "24–76%");
        assert_eq!(text(340, 1000), "34%");
        assert_eq!(text(1_000_000, 1_000_000), "100%");
        // What came twice is no more than all.
        assert_eq!(Share { part: 3, of: 2 }.ratio(), Some(1.0));
        // Wilson (1927), as Newcombe (1998) tabulates it: 15 of 148.
        let (low, high) = Share { part: 15, of: 148 }.interval().unwrap();
        assert!((low - 0.0624).abs() < 1e-4 && (high - 0.1605).abs() < 1e-4, "{low} {high}");
    }
}
