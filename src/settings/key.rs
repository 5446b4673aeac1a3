//! Keys as people write them: `ctrl-p`, `shift-tab`, `G`, `page_down`.

use std::fmt;

/// One press of a key, with the modifiers that are not already in its character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
    /// Whether Shift was held; never set with a character, which is already the shifted one.
    pub shift: bool,
}

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum KeyCode {
    Char(char),
    Function(u8),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

const NAMES: [(&str, &str, KeyCode); 15] = [
    ("space", "space", KeyCode::Char(' ')),
    ("enter", "⏎", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backspace", "⌫", KeyCode::Backspace),
    ("delete", "Del", KeyCode::Delete),
    ("insert", "Ins", KeyCode::Insert),
    ("up", "↑", KeyCode::Up),
    ("down", "↓", KeyCode::Down),
    ("left", "←", KeyCode::Left),
    ("right", "→", KeyCode::Right),
    ("page_up", "PgUp", KeyCode::PageUp),
    ("page_down", "PgDn", KeyCode::PageDown),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
];

impl Key {
    /// The key without modifiers.
    #[must_use]
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character as typed.
    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// A character with Ctrl held.
    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// Reads a name from a keymap file.
    ///
    /// # Errors
    /// A sentence that says what is not a key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut key = Self::plain(KeyCode::Esc);
        let mut rest = text;
        while let Some((modifier, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty()) {
            match modifier {
                "ctrl" => key.ctrl = true,
                "alt" => key.alt = true,
                "shift" => key.shift = true,
                _ => break,
            }
            rest = after;
        }
        key.code = parse_code(rest).ok_or_else(|| {
            format!("{text:?} is not a key; keys are a character, f1 to f12 or a name like enter, page_down, space, with ctrl-, alt-, shift- before it")
        })?;
        if let KeyCode::Char(c) = key.code
            && key.shift
            && !key.ctrl
        {
            key.code = KeyCode::Char(c.to_uppercase().next().unwrap_or(c));
            key.shift = false;
        }
        Ok(key)
    }

    /// The rule for the names of keys, as a regular expression (ECMA 262).
    #[must_use]
    pub fn pattern() -> String {
        let names: Vec<&str> = NAMES.iter().map(|(name, _, _)| *name).collect();
        format!("^((ctrl|alt|shift)-)*({}|f([1-9]|1[0-2])|.)$", names.join("|"))
    }

    /// How it is shown in hints; in ASCII where the terminal has no more.
    #[must_use]
    pub fn label(self, ascii: bool) -> String {
        let mut label = String::new();
        for (held, name) in [(self.ctrl, "Ctrl-"), (self.alt, "Alt-"), (self.shift, "Shift-")] {
            if held {
                label.push_str(name);
            }
        }
        match self.code {
            KeyCode::Function(n) => {
                label.push('F');
                label.push_str(&n.to_string());
            }
            // As it is printed on the key.
            KeyCode::Char(c) if self.ctrl && c != ' ' => label.extend(c.to_uppercase()),
            KeyCode::Char(c) if c != ' ' => label.push(c),
            code => {
                let name = NAMES.iter().find(|(_, _, named)| *named == code);
                label.push_str(name.map_or("?", |(name, sign, _)| if ascii { name } else { sign }));
            }
        }
        label
    }
}

fn parse_code(text: &str) -> Option<KeyCode> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(KeyCode::Char(c));
    }
    if let Some(number) = text.strip_prefix('f').and_then(|number| number.parse().ok())
        && (1..=12).contains(&number)
    {
        return Some(KeyCode::Function(number));
    }
    NAMES.iter().find(|(name, _, _)| *name == text).map(|(_, _, code)| *code)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")] {
            if held {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::Function(n) => write!(f, "f{n}"),
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            code => f.write_str(NAMES.iter().find(|(_, _, named)| *named == code).map_or("?", |(name, _, _)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for name in ["ctrl-p", "alt-enter", "shift-tab", "G", "/", "-", "ctrl--", "f5", "page_down", "space"] {
            assert_eq!(Key::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::parse("shift-g").unwrap(), Key::char('G'));
        assert!(Key::parse("hyper-x").is_err());
        assert!(Key::parse("").is_err());
    }
}
