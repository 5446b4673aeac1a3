//! Straight pieces of lines, and the cells they are made of.

use super::glyph::Mask;
use super::layout::Rect;

/// A cell that a line goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
    /// The sides the line leaves by.
    pub mask: Mask,
    /// The step the line leads to. Lines to the same step are one line from where they meet.
    pub to: usize,
    /// Whether it is the line's last cell, before the card: `▸`.
    pub entry: bool,
}

/// A straight piece of a line.
#[allow(clippy::struct_excessive_bools)] // Its direction, and what is at either end: nothing that excludes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Segment {
    /// The step the line leads to.
    pub(super) to: usize,
    /// Whether it runs along a row rather than a column.
    pub(super) along: bool,
    /// The row it runs along, or the column.
    pub(super) at: i32,
    /// Its first column or row.
    pub(super) begin: i32,
    /// Its last one.
    pub(super) end: i32,
    /// Whether the line goes on straight before the first cell, or a port stands there.
    pub(super) open_begin: bool,
    /// Whether it goes on straight after the last one, or ends at a card.
    pub(super) open_end: bool,
    /// Whether its last cell is the line's last.
    pub(super) entry: bool,
}

impl Segment {
    /// The rows it takes: first and last.
    pub(super) fn rows(&self) -> (i32, i32) {
        if self.along { (self.at, self.at) } else { (self.begin, self.end) }
    }

    /// Its cells inside of a rectangle.
    pub(super) fn cells(self, rect: Rect) -> impl Iterator<Item = Cell> {
        let (low, high, across, across_end) = if self.along {
            (rect.x, rect.right(), rect.y, rect.bottom())
        } else {
            (rect.y, rect.bottom(), rect.x, rect.right())
        };
        let (back, on) = if self.along { (Mask::W, Mask::E) } else { (Mask::N, Mask::S) };
        let inside = self.at >= across && self.at < across_end;
        let range = if inside { self.begin.max(low)..self.end.saturating_add(1).min(high) } else { 0..0 };
        range.map(move |place| {
            let mask = back.when(place > self.begin || self.open_begin) | on.when(place < self.end || self.open_end);
            let (x, y) = if self.along { (place, self.at) } else { (self.at, place) };
            Cell { x, y, mask, to: self.to, entry: self.entry && place == self.end }
        })
    }
}
