//! A line of text being typed.

use ratatui::buffer::Buffer;
use tui_textarea::{CursorMove, Input, Key as TextKey, TextArea};
use unicode_width::UnicodeWidthStr as _;

use super::paint::{Ink, put};
use crate::domain::text;
use crate::settings::{Key, KeyCode};

/// More is refused: a search or a filter is a line, not a file.
const MOST_CHARS: usize = 2_000;

/// One line of text with a cursor, undo and word motions.
#[derive(Debug, Clone)]
pub struct LineEdit(TextArea<'static>);

impl Default for LineEdit {
    fn default() -> Self {
        Self::with("")
    }
}

impl LineEdit {
    /// The line with this text, the cursor at its end.
    #[must_use]
    pub fn with(text: &str) -> Self {
        let mut area = TextArea::new(vec![text::line(text).into_owned()]);
        area.move_cursor(CursorMove::End);
        Self(area)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.lines().first().map_or("", String::as_str)
    }

    /// Takes a key; whether the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let code = match key.code {
            KeyCode::Char(c) if text::is_hostile(c) => return false,
            KeyCode::Char(_) if !key.ctrl && !key.alt && self.is_full(1) => return false,
            KeyCode::Char(c) => TextKey::Char(c),
            KeyCode::Backspace => TextKey::Backspace,
            KeyCode::Delete => TextKey::Delete,
            KeyCode::Left => TextKey::Left,
            KeyCode::Right => TextKey::Right,
            KeyCode::Home => TextKey::Home,
            KeyCode::End => TextKey::End,
            _ => return false,
        };
        // What would break the line or page through it is not for a line; Ctrl-U takes what stands before the
        // cursor, as in a shell, and Ctrl-Z undoes elsewhere.
        if key.ctrl && matches!(key.code, KeyCode::Char('m' | 'n' | 'p' | 'v' | 'j')) {
            return false;
        }
        if key.ctrl && key.code == KeyCode::Char('u') {
            return self.0.delete_line_by_head();
        }
        self.0.input(Input { key: code, ctrl: key.ctrl, alt: key.alt, shift: key.shift })
    }

    /// Takes pasted text, made one harmless line; whether the text changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let line: String = text::line(pasted.trim_end_matches(['\r', '\n'])).chars().take(MOST_CHARS).collect();
        !line.is_empty() && !self.is_full(line.chars().count()) && self.0.insert_str(line)
    }

    /// Takes the whole text away.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn is_full(&self, more: usize) -> bool {
        self.text().chars().count() + more > MOST_CHARS
    }

    /// Draws the text, moved along so that the cursor is seen, and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16) -> (u16, u16) {
        let before: String = self.text().chars().take(self.0.cursor().1).collect();
        let cursor = before.width();
        let hidden = (cursor + 1).saturating_sub(usize::from(room));
        let mut skipped = 0;
        let shown: String = ink
            .veiled(self.text())
            .chars()
            .skip_while(|c| {
                let skip = skipped < hidden;
                if skip {
                    skipped += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
                }
                skip
            })
            .collect();
        put(buf, ink, at, room, &shown, ink.theme.text);
        let column = u16::try_from(cursor.saturating_sub(skipped)).unwrap_or(0);
        (at.0 + column.min(room.saturating_sub(1)), at.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> LineEdit {
        let mut edit = LineEdit::default();
        for c in keys.chars() {
            edit.key(Key::char(c));
        }
        edit
    }

    #[test]
    fn it_stays_one_harmless_line() {
        let mut edit = typed("wool");
        edit.paste(" a\nb\u{1b}[31m\u{202e}\n");
        assert_eq!(edit.text(), "wool a b·[31m·");
        edit.key(Key { ctrl: true, ..Key::char('m') });
        edit.key(Key { ctrl: true, ..Key::char('u') });
        assert_eq!(edit.text(), "");
    }

    #[test]
    fn it_is_bounded() {
        let mut edit = typed("x");
        edit.paste(&"y".repeat(100_000));
        assert!(edit.text().chars().count() <= MOST_CHARS);
    }
}
