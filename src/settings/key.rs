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

/// What of a key a terminal sends that knows no keyboard protocol beyond that of its forebears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// The key itself.
    Itself,
    /// Another key: the two can't be told apart.
    As(Key),
    /// Nothing that is this key.
    Never,
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

    /// What most terminals send for it: only those that speak kitty's keyboard protocol send every key apart.
    #[must_use]
    pub fn sent(self) -> Sent {
        let plain = |code| Sent::As(Self { code, ctrl: false, alt: self.alt, shift: false });
        match self.code {
            // Shift is not told from a letter that Ctrl is held with, by any terminal that is read here.
            KeyCode::Char(_) if self.ctrl && self.shift => Sent::Never,
            KeyCode::Char(c) if self.ctrl => match c {
                'i' => plain(KeyCode::Tab),
                'm' => plain(KeyCode::Enter),
                '[' | '3' => plain(KeyCode::Esc),
                '?' | '8' => plain(KeyCode::Backspace),
                '2' | '@' => Sent::As(Self { code: KeyCode::Char(' '), ..self }),
                '\\' => Sent::As(Self { code: KeyCode::Char('4'), ..self }),
                ']' => Sent::As(Self { code: KeyCode::Char('5'), ..self }),
                '^' => Sent::As(Self { code: KeyCode::Char('6'), ..self }),
                '_' | '/' => Sent::As(Self { code: KeyCode::Char('7'), ..self }),
                'a'..='z' | ' ' | '4'..='7' => Sent::Itself,
                'A'..='Z' => Sent::As(Self { code: KeyCode::Char(c.to_ascii_lowercase()), ..self }),
                _ => plain(KeyCode::Char(c)),
            },
            KeyCode::Tab if self.shift && !self.ctrl => Sent::Itself,
            KeyCode::Tab | KeyCode::Enter | KeyCode::Esc | KeyCode::Backspace if self.ctrl || self.shift => {
                plain(self.code)
            }
            // They begin sequences of other keys.
            KeyCode::Char('[' | 'O') if self.alt => Sent::Never,
            _ => Sent::Itself,
        }
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
                match name {
                    Some((name, sign, _)) if ascii && !sign.is_ascii() => {
                        let mut letters = name.chars();
                        label.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                        label.push_str(letters.as_str());
                    }
                    Some((_, sign, _)) => label.push_str(sign),
                    None => label.push('?'),
                }
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

    #[test]
    fn what_most_terminals_send_of_a_key() {
        for (key, sent) in [
            ("ctrl-i", Some("tab")),
            ("ctrl-m", Some("enter")),
            ("alt-ctrl-[", Some("alt-esc")),
            ("ctrl-/", Some("ctrl-7")),
            ("ctrl-.", Some(".")),
            ("ctrl-G", Some("ctrl-g")),
            ("shift-enter", Some("enter")),
            ("ctrl-backspace", Some("backspace")),
            ("ctrl-shift-x", None),
            ("alt-[", None),
        ] {
            let expected = sent.map_or(Sent::Never, |sent| Sent::As(Key::parse(sent).unwrap()));
            assert_eq!(Key::parse(key).unwrap().sent(), expected, "{key}");
        }
        for key in ["a", "G", "ctrl-a", "ctrl-space", "alt-x", "shift-tab", "shift-up", "ctrl-left", "f5", "alt-enter"]
        {
            assert_eq!(Key::parse(key).unwrap().sent(), Sent::Itself, "{key}");
        }
    }
}
