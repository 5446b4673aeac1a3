//! Numbers as JSON has them.

use std::fmt;

use serde::{Serialize, Serializer};

/// A JSON `number` of §2. Whole numbers are written without a fraction, so what was read as `12` is written as `12`.
///
/// Exact for whole numbers up to 2^53, like every JSON reader that keeps doubles.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Num(pub f64);

impl Num {
    /// The whole number it is, if it is one and fits.
    #[must_use]
    pub fn whole(self) -> Option<i64> {
        // 2^53: beyond it neighboring whole numbers are no longer told apart.
        #[allow(clippy::cast_possible_truncation)]
        (self.0.fract() == 0.0 && self.0.abs() <= 9_007_199_254_740_992.0).then_some(self.0 as i64)
    }
}

impl From<i64> for Num {
    #[allow(clippy::cast_precision_loss)]
    fn from(value: i64) -> Self {
        Self(value as f64)
    }
}

impl From<u32> for Num {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => write!(f, "{whole}"),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_i64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}
