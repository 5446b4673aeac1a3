//! A text of several lines being typed, wrapped to its pane.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tui_textarea::{CursorMove, Input, Key as TextKey, TextArea};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::paint::{Ink, put};
use crate::domain::text;
use crate::settings::{Key, KeyCode};

/// More is refused while typing; a text that came longer is kept as it is.
const MOST_CHARS: usize = 100_000;

/// A text with a cursor, undo and word motions.
#[derive(Debug, Clone)]
pub struct Prose(TextArea<'static>);

impl Default for Prose {
    fn default() -> Self {
        Self::with("")
    }
}

impl Prose {
    /// A text, the cursor at its end.
    #[must_use]
    pub fn with(text: &str) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self(area)
    }

    /// The text as it stands.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.lines().join("\n")
    }

    /// Takes a key; whether the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        let code = match key.code {
            KeyCode::Char(c) if text::is_hostile(c) => return false,
            KeyCode::Char(_) if !key.ctrl && !key.alt && self.is_full(1) => return false,
            KeyCode::Char(c) => TextKey::Char(c),
            KeyCode::Enter => TextKey::Enter,
            KeyCode::Backspace => TextKey::Backspace,
            KeyCode::Delete => TextKey::Delete,
            KeyCode::Left => TextKey::Left,
            KeyCode::Right => TextKey::Right,
            KeyCode::Home => TextKey::Home,
            KeyCode::End => TextKey::End,
            _ => return false,
        };
        if key.ctrl && key.code == KeyCode::Char('u') {
            return self.0.delete_line_by_head();
        }
        if key.ctrl && matches!(key.code, KeyCode::Char('m' | 'n' | 'p' | 'v' | 'j')) {
            return false;
        }
        self.0.input(Input { key: code, ctrl: key.ctrl, alt: key.alt, shift: key.shift })
    }

    /// Begins a new line.
    pub fn new_line(&mut self) {
        if !self.is_full(1) {
            self.0.insert_newline();
        }
    }

    /// Takes pasted text; whether the text changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
        let room = MOST_CHARS.saturating_sub(self.len());
        let taken: String = text::lines(&pasted).chars().take(room).collect();
        !taken.is_empty() && self.0.insert_str(taken)
    }

    /// Goes to the character that is drawn at a place of the screen, or to the last one of its row; `area` is what it is drawn
    /// into, from the row of the cursor up where it `is_current`, else from its first row on.
    pub fn press(&mut self, area: Rect, (x, y): (u16, u16), is_current: bool) {
        let rows = self.rows(area.width);
        let top = if is_current { self.top(&rows, area.height) } else { 0 };
        let Some(row) = y.checked_sub(area.y).and_then(|down| rows.get(top + usize::from(down))) else { return };
        let line = self.0.lines().get(row.line).map_or("", String::as_str);
        let shown: String = line.chars().skip(row.chars.start).take(row.chars.len()).collect();
        let (mut chars, mut across, mut last) = (0, usize::from(x.saturating_sub(area.x)), 0);
        for cluster in shown.graphemes(true) {
            let wide = text::line(cluster).width();
            if across < wide {
                break;
            }
            across -= wide;
            (last, chars) = (chars, chars + cluster.chars().count());
        }
        // Behind the last character of a row that goes on is the first of the next row.
        let is_next = !row.ends_line && chars == row.chars.len();
        self.jump(row.line, row.chars.start + if is_next { last } else { chars });
    }

    fn jump(&mut self, line: usize, column: usize) {
        let place = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.0.move_cursor(CursorMove::Jump(place(line), place(column)));
    }

    /// The first row that is seen where so many are.
    fn top(&self, rows: &[WrappedRow], seen: u16) -> usize {
        (self.cursor_row(rows) + 1).saturating_sub(usize::from(seen.max(1)))
    }

    /// Moves a row up or down; whether there was one.
    pub fn step(&mut self, down: bool, across: u16) -> bool {
        let rows = self.rows(across);
        let at = self.cursor_row(&rows);
        let Some(to) = (if down { at.checked_add(1) } else { at.checked_sub(1) }).and_then(|row| rows.get(row)) else {
            return false;
        };
        let column = self.0.cursor().1.saturating_sub(rows.get(at).map_or(0, |row| row.chars.start));
        let last = to.chars.end.saturating_sub(usize::from(!to.ends_line && to.chars.end > to.chars.start));
        let column = (to.chars.start + column).min(last);
        let line = to.line;
        self.jump(line, column);
        true
    }

    fn len(&self) -> usize {
        self.0.lines().iter().map(|line| line.len() + 1).sum()
    }

    fn is_full(&self, more: usize) -> bool {
        self.len() + more > MOST_CHARS
    }

    /// How many rows it takes when it is wrapped to a width.
    #[must_use]
    pub fn height(&self, across: u16) -> usize {
        self.rows(across).len()
    }

    fn cursor_row(&self, rows: &[WrappedRow]) -> usize {
        let cursor = self.0.cursor();
        let holds = |row: &WrappedRow| {
            row.line == cursor.0 && (row.chars.contains(&cursor.1) || (row.ends_line && cursor.1 >= row.chars.end))
        };
        rows.iter().position(holds).unwrap_or(0)
    }

    fn rows(&self, across: u16) -> Vec<WrappedRow> {
        let room = usize::from(across.max(2)) - 1;
        let mut rows = Vec::new();
        for (line, content) in self.0.lines().iter().enumerate() {
            wrap_line(line, content, room, &mut rows);
        }
        rows
    }

    /// Draws the part around the cursor and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> (u16, u16) {
        let rows = self.rows(area.width);
        let at = self.cursor_row(&rows);
        let top = self.top(&rows, area.height);
        let cursor = self.0.cursor();
        let mut place = (area.x, area.y);
        for ((index, row), y) in rows.iter().enumerate().skip(top).zip(area.y..area.bottom()) {
            let line = self.0.lines().get(row.line).map_or("", String::as_str);
            let shown: String = ink.veiled(line).chars().skip(row.chars.start).take(row.chars.len()).collect();
            put(buf, ink, (area.x, y), area.width, &text::line(&shown), ink.theme.text);
            if index == at {
                let before: String =
                    line.chars().skip(row.chars.start).take(cursor.1 - row.chars.start.min(cursor.1)).collect();
                let column = u16::try_from(text::line(&before).width()).unwrap_or(u16::MAX);
                place = (area.x + column.min(area.width.saturating_sub(1)), y);
            }
        }
        place
    }
}

/// A row of a wrapped text: some characters of a line.
struct WrappedRow {
    line: usize,
    chars: Range<usize>,
    ends_line: bool,
}

/// Breaks a line after spaces where it can, else anywhere between what belongs together.
fn wrap_line(line: usize, content: &str, room: usize, rows: &mut Vec<WrappedRow>) {
    let (mut start, mut at, mut taken, mut space) = (0, 0, 0, None);
    for cluster in content.graphemes(true) {
        let across = cluster.width();
        if taken + across > room && at > start {
            let end = space.filter(|space| *space > start).unwrap_or(at);
            rows.push(WrappedRow { line, chars: start..end, ends_line: false });
            taken = content.chars().skip(end).take(at - end).collect::<String>().width();
            start = end;
            space = None;
        }
        at += cluster.chars().count();
        taken += across;
        if cluster == " " {
            space = Some(at);
        }
    }
    rows.push(WrappedRow { line, chars: start..at, ends_line: true });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_what_it_says() {
        let mut prose = Prose::with("one\ntwo");
        prose.key(Key::char('!'));
        prose.new_line();
        prose.paste("a\r\nb\u{1b}[2J");
        assert_eq!(prose.text(), "one\ntwo!\na\nb·[2J");
    }

    #[test]
    fn rows_break_after_words_and_the_cursor_walks_over_them() {
        let mut prose = Prose::with("the quick brown fox");
        assert_eq!(prose.height(11), 2);
        assert!(prose.step(false, 11));
        assert!(!prose.step(false, 11));
        assert!(prose.step(true, 11));
        assert!(!prose.step(true, 11));
        let mut buf = Buffer::empty(Rect::new(0, 0, 11, 2));
        let theme = crate::settings::Theme::load("dark", None, crate::settings::Depth::True).0;
        let place = prose.draw(&mut buf, Ink::new(&theme, false), Rect::new(0, 0, 11, 2));
        assert_eq!(place.1, 1);
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost_or_shown_twice(text in "[a-z \u{65e5}\u{1f469}\n]{0,80}", across in 2u16..30) {
            let prose = Prose::with(&text);
            let mut whole = String::new();
            let rows = prose.rows(across);
            for row in &rows {
                let line = &prose.0.lines()[row.line];
                whole.extend(line.chars().skip(row.chars.start).take(row.chars.len()));
                if row.ends_line {
                    whole.push('\n');
                }
            }
            proptest::prop_assert_eq!(whole, format!("{text}\n"));
        }
    }
}
