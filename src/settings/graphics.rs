//! In which way the terminal shows pictures.

/// A way to show pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Graphics {
    /// Not at all.
    Off,
    /// As characters: two pixels a cell, one over the other.
    Blocks,
    /// As sixels.
    Sixel,
    /// As files inside iTerm2's own sequence.
    Iterm2,
    /// By kitty's protocol, placed by characters.
    Kitty {
        /// Whether the terminal inflates what it is sent.
        deflate: bool,
    },
}

impl Graphics {
    /// The words of the setting `pictures`.
    pub const WORDS: [&str; 6] = ["auto", "kitty", "iterm2", "sixel", "blocks", "off"];

    /// The way that a word of the setting names: `Some(None)` is the best that the terminal has, `None` is no word.
    #[must_use]
    pub fn named(word: &str) -> Option<Option<Self>> {
        Some(match word {
            "auto" => None,
            "kitty" => Some(Self::Kitty { deflate: false }),
            "iterm2" => Some(Self::Iterm2),
            "sixel" => Some(Self::Sixel),
            "blocks" => Some(Self::Blocks),
            "off" => Some(Self::Off),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_known() {
        assert!(Graphics::WORDS.iter().all(|word| Graphics::named(word).is_some()));
        assert_eq!(Graphics::named("ascii"), None);
    }
}
