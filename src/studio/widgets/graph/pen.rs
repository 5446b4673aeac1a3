//! Putting signs and texts at cells of the layout, as far as they are seen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::View;
use crate::domain::text;
use crate::graph::Rect as Cells;
use crate::studio::widgets::{Ink, put};

/// Draws in the layout's cells.
pub(super) struct Pen<'a> {
    pub(super) buf: &'a mut Buffer,
    pub(super) ink: Ink<'a>,
    pub(super) area: Rect,
    pub(super) view: View,
}

impl Pen<'_> {
    /// Where a cell of the layout is seen.
    pub(super) fn place(&self, x: i32, y: i32) -> Option<(u16, u16)> {
        let right = u16::try_from(x.checked_sub(self.view.x)?).ok()?;
        let down = u16::try_from(y.checked_sub(self.view.y)?).ok()?;
        (right < self.area.width && down < self.area.height).then(|| (self.area.x + right, self.area.y + down))
    }

    /// Puts a sign of one column into a cell.
    pub(super) fn sign(&mut self, x: i32, y: i32, sign: char, style: Style) {
        if let Some(place) = self.place(x, y)
            && let Some(cell) = self.buf.cell_mut(place)
        {
            cell.set_char(sign).set_style(style);
        }
    }

    /// Puts a sign, or what stands for it in ASCII.
    pub(super) fn either(&mut self, x: i32, y: i32, sign: char, ascii: char, style: Style) {
        let sign = if self.ink.ascii { ascii } else { sign };
        self.sign(x, y, sign, style);
    }

    /// Clears cells.
    pub(super) fn clear(&mut self, cells: Cells) {
        let begin = (cells.x.max(self.view.x), cells.y.max(self.view.y));
        let window = self.view.window(self.area);
        for y in begin.1..cells.bottom().min(window.bottom()) {
            for x in begin.0..cells.right().min(window.right()) {
                if let Some(place) = self.place(x, y)
                    && let Some(cell) = self.buf.cell_mut(place)
                {
                    cell.reset();
                }
            }
        }
    }

    /// Patches the style of cells of one row.
    pub(super) fn tint(&mut self, x: i32, y: i32, room: i32, style: Style) {
        for x in x..x.saturating_add(room) {
            if let Some(place) = self.place(x, y)
                && let Some(cell) = self.buf.cell_mut(place)
            {
                cell.set_style(style);
            }
        }
    }

    /// Puts a text from anywhere into a row, made harmless and cut with an ellipsis to `room` columns; gives the columns
    /// used. What is left and right of the area is left out.
    pub(super) fn text(&mut self, x: i32, y: i32, room: i32, text: &str, style: Style) -> i32 {
        let text = fitted(text, room, self.ink);
        let taken = columns(&text);
        let Some(down) = y.checked_sub(self.view.y).and_then(|down| u16::try_from(down).ok()) else { return taken };
        if down >= self.area.height {
            return taken;
        }
        let (mut at, mut begin) = (x.saturating_sub(self.view.x), None);
        let mut seen = String::new();
        for grapheme in text.graphemes(true) {
            let wide = columns(grapheme);
            if at >= 0 && at.saturating_add(wide) <= i32::from(self.area.width) {
                begin.get_or_insert(at);
                seen.push_str(grapheme);
            } else if at < 0 && at.saturating_add(wide) > 0 {
                // Half a sign is none.
                begin.get_or_insert(0);
                seen.push(' ');
            }
            at = at.saturating_add(wide);
        }
        if let Some(right) = begin.and_then(|begin| u16::try_from(begin).ok()) {
            let room = self.area.width.saturating_sub(right);
            put(self.buf, self.ink, (self.area.x + right, self.area.y + down), room, &seen, style);
        }
        taken
    }
}

fn columns(text: &str) -> i32 {
    i32::try_from(text.width()).unwrap_or(i32::MAX / 4)
}

/// A text as one harmless line of at most `room` columns, with an ellipsis where it was longer.
pub(super) fn fitted(text: &str, room: i32, ink: Ink) -> String {
    let Some(room) = usize::try_from(room).ok().filter(|room| *room > 0) else { return String::new() };
    // Hidden before it is cut: a half of an address would not be known for one.
    let text = &*ink.veiled(text);
    // Of a text of any length only so much is looked at as could be shown.
    let begin =
        text.char_indices().nth(room.saturating_mul(8)).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let line = text::line(begin);
    if begin.len() == text.len() && line.width() <= room {
        return line.into_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        if used + grapheme.width() + 1 > room {
            break;
        }
        used += grapheme.width();
        out.push_str(grapheme);
    }
    out.push_str(ink.ellipsis());
    out
}
