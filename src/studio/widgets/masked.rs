//! A secret being typed: dots on the screen, and nothing in what is printed of the model.

use std::fmt;

use ratatui::buffer::Buffer;

use super::paint::{Ink, put};
use crate::domain::ApiKey;
use crate::settings::{Key, KeyCode};

/// More is something else that was pasted.
const MOST_CHARS: usize = 4_000;

/// A line that shows as dots.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MaskedEdit(String);

impl fmt::Debug for MaskedEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskedEdit(…)")
    }
}

impl MaskedEdit {
    /// Takes a key.
    pub fn key(&mut self, key: Key) {
        match key.code {
            KeyCode::Char('u' | 'w') if key.ctrl => self.0.clear(),
            KeyCode::Char(c) if !key.ctrl && !key.alt && !c.is_control() && self.0.chars().count() < MOST_CHARS => {
                self.0.push(c);
            }
            KeyCode::Backspace | KeyCode::Delete => {
                self.0.pop();
            }
            _ => {}
        }
    }

    /// Takes pasted text: its first line.
    pub fn paste(&mut self, pasted: &str) {
        let line = pasted.trim().lines().next().unwrap_or_default();
        let room = MOST_CHARS.saturating_sub(self.0.chars().count());
        self.0.extend(line.chars().filter(|c| !c.is_control()).take(room));
    }

    /// What was typed; nothing is left of it here.
    #[must_use]
    pub fn take(&mut self) -> Option<ApiKey> {
        let key = ApiKey::new(&std::mem::take(&mut self.0));
        (!key.expose().is_empty()).then_some(key)
    }

    /// Draws the dots and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16) -> (u16, u16) {
        let typed = u16::try_from(self.0.chars().count()).unwrap_or(u16::MAX);
        let shown = typed.min(room.saturating_sub(1));
        put(buf, ink, at, room, &ink.sign("•", "*").repeat(usize::from(shown)), ink.theme.text);
        (at.0 + shown, at.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_a_key_and_prints_none() {
        let mut edit = MaskedEdit::default();
        edit.paste("  marked-key\nsecond line\n");
        edit.key(Key::char('1'));
        edit.key(Key::char('2'));
        edit.key(Key::plain(KeyCode::Backspace));
        assert!(!format!("{edit:?}").contains("marked"));
        assert_eq!(edit.take(), Some(ApiKey::new("marked-key1")));
        assert_eq!(edit.take(), None);
    }
}
