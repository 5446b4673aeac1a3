//! A row of the screen, from what is shown to what is to be, in the fewest bytes.

use std::io::Write;
use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::style::Color;

use super::super::cells::{by_pen, cells_of, is_ambiguous, is_blank, is_doubtful, looks_same, needed, reach};
use super::super::pen::Pen;
use super::super::placed::is_marker;
use super::super::shortcuts::Erasing;
use super::Screen;
use super::moves::Cursor;

/// Switches off and on that text goes on in the next row past the last column (DECAWM).
pub(super) const STAY: &[u8] = b"\x1b[?7l";
pub(super) const WRAP: &[u8] = b"\x1b[?7h";

impl<W: Write> Screen<W> {
    /// Writes what differs in a row: from left to right, or what is drawn with one pen after the other where that takes fewer
    /// bytes.
    pub(super) fn row(&mut self, y: u16, new: &[Cell], old: &[Cell]) -> usize {
        let (begin, pen, cursor) = (self.frame.len(), self.pen, self.cursor);
        let count = self.row_in_order(y, new, old, new.len());
        let Some(runs) = by_pen(new, old) else { return count };
        let after = (self.pen, self.cursor);
        let in_order = self.frame.split_off(begin);
        (self.pen, self.cursor) = (pen, cursor);
        self.row_by_pen(y, (new, old), runs);
        if self.frame.len() - begin >= in_order.len() {
            self.frame.truncate(begin);
            self.frame.extend_from_slice(&in_order);
            (self.pen, self.cursor) = after;
        }
        count
    }

    /// Draws runs of a row: those for the pen that is held, then those for the one that the next needs.
    fn row_by_pen(&mut self, y: u16, (new, old): (&[Cell], &[Cell]), mut runs: Vec<Range<usize>>) {
        let mut drawn = vec![false; new.len()];
        while let Some(first) = runs.first() {
            let held = |run: &Range<usize>, pen: Pen| needed(new, run) == pen;
            let pen = if runs.iter().any(|run| held(run, self.pen)) { self.pen } else { needed(new, first) };
            let (now, later): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| held(run, pen));
            for at in now.into_iter().flatten() {
                if drawn.get(at).copied().unwrap_or(true) {
                    continue;
                }
                let x = u16::try_from(at).unwrap_or(u16::MAX);
                self.go_along(x, y, new);
                let rest = (new.get(at..).unwrap_or_default(), old.get(at..).unwrap_or_default());
                let done = self.put_many(rest.0, rest.1, x, y, new.len());
                drawn.iter_mut().skip(at).take(done + 1).for_each(|cell| *cell = true);
            }
            runs = later;
        }
    }

    /// Draws what differs in a row, up to a column, from left to right.
    pub(super) fn row_in_order(&mut self, y: u16, new: &[Cell], old: &[Cell], until: usize) -> usize {
        let mut count = 0;
        // A wide sign covers the cells after it: they are not drawn, and must be once it is gone. A terminal that does
        // not join signs as we do draws over more of them, so those are drawn again behind it, and once it is gone.
        let (mut covered, mut stale) = (0usize, 0usize);
        // So many cells are drawn already, with the one before them.
        let mut done = 0usize;
        for (at, (cell, before)) in new.iter().zip(old).enumerate().take(until) {
            let wide = cells_of(cell.symbol());
            if covered > 0 {
                covered -= 1;
            } else if done > 0 {
                done -= 1;
                count += usize::from(stale > 0 || !looks_same(cell, before));
            } else {
                if is_marker(cell) {
                    // The picture is painted over it.
                    count += usize::from(cell != before);
                } else if stale > 0 || !looks_same(cell, before) {
                    let x = u16::try_from(at).unwrap_or(u16::MAX);
                    self.go_along(x, y, new);
                    let rest = (new.get(at..).unwrap_or_default(), old.get(at..).unwrap_or_default());
                    done = self.put_many(rest.0, rest.1, x, y, new.len());
                    count += 1;
                    stale = stale.max(reach(cell.symbol()));
                }
                covered = wide.saturating_sub(1);
            }
            if !looks_same(cell, before) {
                stale = stale.max(reach(before.symbol()));
            }
            stale = stale.saturating_sub(1);
        }
        count
    }

    /// Draws the first cell of the rest of a row, and with it as many alike ones as the terminal does in fewer bytes: how
    /// many those are.
    pub(super) fn put_many(&mut self, new: &[Cell], old: &[Cell], x: u16, y: u16, across: usize) -> usize {
        let Some(cell) = new.first() else { return 0 };
        let differing = |alike: usize| {
            let mut pairs = new.iter().zip(old).take(alike);
            pairs.rposition(|(cell, before)| !looks_same(cell, before)).map_or(1, |last| last + 1)
        };
        let plain = cell.bg == Color::Reset;
        if is_blank(cell) && self.shortcuts.may_erase(plain) {
            let run = new.iter().take_while(|other| is_blank(other) && other.bg == cell.bg).count();
            let cells = differing(run);
            let goes_on = new.get(cells).zip(old.get(cells)).is_some_and(|(cell, before)| !looks_same(cell, before));
            if let Some(erasing) = self.shortcuts.erasing(cells, run == new.len(), goes_on) {
                let pen = self.pen.for_cell(cell);
                self.pen.change(pen, &mut self.frame);
                let _ = match erasing {
                    Erasing::ToEnd => write!(self.frame, "\x1b[K"),
                    Erasing::Cells => write!(self.frame, "\x1b[{cells}X"),
                };
                return if erasing == Erasing::ToEnd { run - 1 } else { cells - 1 };
            }
        }
        self.put(cell, cells_of(cell.symbol()), x, y, across);
        let (bytes, joined) = (cell.symbol().len(), cell.symbol().chars().nth(1).is_some());
        if !self.shortcuts.repeats || self.cursor.is_none() || joined || cells_of(cell.symbol()) != 1 {
            return 0;
        }
        let run = new.iter().take_while(|other| *other == cell).count();
        // Past the last column terminals differ.
        let times = differing(run).min(across - 1 - usize::from(x)).saturating_sub(1);
        if !self.shortcuts.repeating(times, bytes) {
            return 0;
        }
        let _ = write!(self.frame, "\x1b[{times}b");
        let after = u16::try_from(usize::from(x) + 1 + times).ok();
        self.cursor = after.zip(self.cursor).map(|(x, cursor)| Cursor { at: (x, y), ..cursor });
        times
    }

    pub(super) fn put(&mut self, cell: &Cell, wide: usize, x: u16, y: u16, across: usize) {
        let pen = self.pen.for_cell(cell);
        self.pen.change(pen, &mut self.frame);
        let symbol = cell.symbol();
        // Symbols come from the view, which is given harmless text only; this is the last door, and it is shut.
        let safe = !symbol.is_empty() && !symbol.chars().any(char::is_control);
        let after = usize::from(x) + wide.max(1);
        let doubtful = safe && is_doubtful(symbol);
        let is_sure = self.cursor.is_none_or(|cursor| cursor.is_sure) && !(self.wide_signs && is_ambiguous(symbol));
        if doubtful && wide > 1 {
            // A terminal that draws it narrower would leave what was there under the rest of it.
            self.frame.extend(std::iter::repeat_n(b' ', wide));
            self.cursor = None;
            self.go(x, y);
        }
        // One that draws it wider must not go on in the next row.
        let wraps = doubtful && !self.wide_signs && usize::from(x) + reach(symbol) > across;
        if wraps {
            self.frame.extend_from_slice(STAY);
        }
        self.frame.extend_from_slice(if safe { symbol.as_bytes() } else { b" " });
        if wraps {
            self.frame.extend_from_slice(WRAP);
        }
        // Past the last column terminals differ, and so they do on how wide such a sign is.
        let certain = after < across && !doubtful;
        self.cursor = certain.then(|| Cursor { at: (u16::try_from(after).unwrap_or(u16::MAX), y), is_sure });
    }

    /// Moves to a place of a row, writing over a few unchanged cells where that is shorter than jumping.
    pub(super) fn go_along(&mut self, x: u16, y: u16, row: &[Cell]) {
        if let Some(Cursor { at: (from, line), is_sure: true }) = self.cursor
            && line == y
            && from < x
            && x - from <= 4
        {
            let between = row.get(usize::from(from)..usize::from(x)).unwrap_or_default();
            if between.iter().all(|cell| self.pen.for_cell(cell) == self.pen && cell.symbol().len() == 1) {
                for cell in between {
                    self.frame.extend_from_slice(cell.symbol().as_bytes());
                }
                self.cursor = Some(Cursor::sure((x, y)));
                return;
            }
        }
        self.go(x, y);
    }
}
