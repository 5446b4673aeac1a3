//! Keys that are pressed one after the other: `g g`, `ctrl-x ctrl-s`. One key alone is the shortest of them.

use std::fmt;

use super::key::Key;

/// The most keys of a chord.
pub const MOST_KEYS: usize = 4;

/// Keys that are pressed one after the other: at least one, [`MOST_KEYS`] at most.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chord(Vec<Key>);

impl From<Key> for Chord {
    fn from(key: Key) -> Self {
        Self(vec![key])
    }
}

impl Chord {
    /// Reads the name from a keymap file: names of keys with spaces between.
    ///
    /// # Errors
    /// A sentence that says what is not a key, or that there are too many.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Key::parse(text).map(Into::into);
        }
        let keys: Vec<Key> = text.split_whitespace().map(Key::parse).collect::<Result<_, _>>()?;
        if keys.len() > MOST_KEYS {
            return Err(format!("{text:?} has {} keys; the most is {MOST_KEYS}", keys.len()));
        }
        Ok(Self(keys))
    }

    /// The rule for the names of chords, as a regular expression (ECMA 262).
    #[must_use]
    pub fn pattern() -> String {
        let key = Key::pattern();
        let key = key.trim_start_matches('^').trim_end_matches('$');
        format!("^(?:{key})( +(?:{key})){{0,{}}}$", MOST_KEYS - 1)
    }

    /// The keys, in their order.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.0
    }

    /// Whether these keys are the beginning of the chord, or all of it.
    #[must_use]
    pub fn begins_with(&self, keys: &[Key]) -> bool {
        self.0.starts_with(keys)
    }

    /// How it is shown in hints; in ASCII where the terminal has no more.
    #[must_use]
    pub fn label(&self, ascii: bool) -> String {
        self.0.iter().map(|key| key.label(ascii)).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { " " };
            write!(f, "{between}{key}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_as_they_are_written() {
        for name in ["g", "g g", "ctrl-x ctrl-s", "space f", "esc esc", "f1 f2 f3 f4"] {
            assert_eq!(Chord::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Chord::parse(" ").unwrap().to_string(), "space");
        assert_eq!(Chord::parse("g  shift-g").unwrap().label(true), "g G");
        assert!(Chord::parse("g hyper-x").is_err() && Chord::parse("").is_err());
        assert_eq!(Chord::parse("a b c d e").unwrap_err(), "\"a b c d e\" has 5 keys; the most is 4");
    }
}
