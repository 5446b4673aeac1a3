//! The code by which one studio is shared: short enough to be said, too long to be guessed.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The signs of a code: no letter that is heard or read as another one or as a digit (Crockford's base 32).
const SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// How many signs a code has, of five bits each.
const LENGTH: usize = 12;

/// Signs between two dashes.
const GROUP: usize = 4;

/// A code of 60 bits: `K7QF-29MX-4TBD`. It is a secret for as long as nobody has used it, so `Debug` shows nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShareCode(u64);

/// What was typed is no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a code has {LENGTH} letters and digits, such as K7QF-29MX-4TBD")]
pub struct NoCode;

impl ShareCode {
    /// The code of the lower 60 bits, which have to be random.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self(bits & ((1 << (5 * LENGTH)) - 1))
    }

    /// The code of a text that is written exactly as codes are shown, dashes and all: what stands where a user's name
    /// may stand, too, is not taken for a code by accident.
    #[must_use]
    pub fn as_shown(text: &str) -> Option<Self> {
        let code: Self = text.parse().ok()?;
        code.to_string().eq_ignore_ascii_case(text).then_some(code)
    }
}

impl FromStr for ShareCode {
    type Err = NoCode;

    /// Reads a code as people write it down: in any case, with or without dashes and spaces, O for 0 and I or L for 1.
    fn from_str(text: &str) -> Result<Self, NoCode> {
        let mut bits = 0_u64;
        let mut signs = 0;
        for c in text.chars().filter(|c| !matches!(c, '-' | ' ')) {
            let c = match c.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                c => c,
            };
            let value = SIGNS.iter().position(|sign| char::from(*sign) == c).ok_or(NoCode)?;
            signs += 1;
            if signs > LENGTH {
                return Err(NoCode);
            }
            bits = bits << 5 | u64::try_from(value).map_err(|_| NoCode)?;
        }
        if signs == LENGTH { Ok(Self(bits)) } else { Err(NoCode) }
    }
}

impl fmt::Display for ShareCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in 0..LENGTH {
            if at > 0 && at % GROUP == 0 {
                f.write_str("-")?;
            }
            let value = usize::try_from(self.0 >> (5 * (LENGTH - 1 - at)) & 31).unwrap_or(0);
            let sign = SIGNS.get(value).copied().unwrap_or(b'0');
            write!(f, "{}", char::from(sign))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ShareCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_is_read_as_it_is_said(bits in any::<u64>()) {
            let code = ShareCode::from_bits(bits);
            let shown = code.to_string();
            prop_assert_eq!(shown.len(), 14);
            let said = shown.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
            prop_assert_eq!(said.parse(), Ok(code));
            prop_assert_eq!(ShareCode::as_shown(&shown.to_lowercase()), Some(code));
            let debug = format!("{code:?}");
            prop_assert!(!debug.contains(&shown));
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        assert_eq!(ShareCode::from_bits(u64::MAX).to_string(), "ZZZZ-ZZZZ-ZZZZ");
        for text in ["", "K7QF-29MX-4TB", "K7QF-29MX-4TBDD", "K7QF-29MX-4TBU", "K7QF_29MX_4TBD"] {
            assert_eq!(text.parse::<ShareCode>(), Err(NoCode), "{text}");
        }
        assert_eq!(ShareCode::as_shown("K7QF29MX4TBD"), None, "a user may be called that");
    }
}
