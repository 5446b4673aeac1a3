//! What the last line shows: keys, and in a word or two what they do now.

use super::{Command, Keymap, Layer};
use crate::settings::{Chord, Key};

/// Keys that do something now, in the words of the mode that owns them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    keys: Keys,
    says: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// The key that the keymap gives a command.
    Of(Command),
    /// The keys of two commands that belong together, such as up and down.
    Pair(Command, Command),
    /// A key of the mode's own, which no keymap moves; with what it is called where it stands for several.
    Own(Key, Option<&'static str>),
}

impl Hint {
    /// The key of a command, with the command's own words.
    #[must_use]
    pub const fn of(command: Command) -> Self {
        Self { keys: Keys::Of(command), says: "" }
    }

    /// The keys of two commands that belong together.
    #[must_use]
    pub const fn pair(first: Command, second: Command, says: &'static str) -> Self {
        Self { keys: Keys::Pair(first, second), says }
    }

    /// Up and down.
    #[must_use]
    pub const fn moves() -> Self {
        Self::pair(Command::Up, Command::Down, "move")
    }

    /// A key of the mode's own.
    #[must_use]
    pub const fn own(key: Key, says: &'static str) -> Self {
        Self { keys: Keys::Own(key, None), says }
    }

    /// Several keys of the mode's own, called so; the first of them is pressed where the hint is clicked.
    #[must_use]
    pub const fn range(called: &'static str, first: Key, says: &'static str) -> Self {
        Self { keys: Keys::Own(first, Some(called)), says }
    }

    /// The same keys in the words of a mode.
    #[must_use]
    pub const fn saying(self, says: &'static str) -> Self {
        Self { says, ..self }
    }

    /// What the keys do, in a word or two.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self.keys {
            Keys::Of(command) | Keys::Pair(command, _) if self.says.is_empty() => command.hint(),
            _ => self.says,
        }
    }

    /// The keys as they are bound in these layers, the one that a click presses first; none where nothing is bound.
    #[must_use]
    pub fn keys(&self, keymap: &Keymap, layers: &[Layer]) -> Vec<Chord> {
        let key_of = |command| keymap.keys_that_work(command, layers).into_iter().next().cloned();
        match self.keys {
            Keys::Of(command) => key_of(command).into_iter().collect(),
            Keys::Pair(first, second) => [key_of(first), key_of(second)].into_iter().flatten().collect(),
            Keys::Own(key, _) => vec![key.into()],
        }
    }

    /// How the keys are written.
    #[must_use]
    pub fn label(&self, keymap: &Keymap, layers: &[Layer], ascii: bool) -> String {
        self.label_of(&self.keys(keymap, layers), ascii)
    }

    /// How its keys are written, where they are known.
    #[must_use]
    pub fn label_of(&self, keys: &[Chord], ascii: bool) -> String {
        if let Keys::Own(_, Some(called)) = self.keys {
            return called.to_owned();
        }
        let labels: Vec<String> = keys.iter().map(|key| key.label(ascii)).collect();
        // Signs need nothing between them; words do.
        let between = if labels.iter().all(|label| label.chars().count() == 1) && !ascii { "" } else { "/" };
        labels.join(between)
    }
}
