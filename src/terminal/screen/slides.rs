//! Rows and parts of rows that the terminal moves in place of drawing them again.

use std::io::Write;
use std::ops::Range;

use ratatui::buffer::Cell;

use super::super::cells::is_ambiguous;
use super::super::pen::PLAIN;
use super::super::shift::{LEAST_ROWS, Shift, best_shift, digest};
use super::super::slide::{Slide, best_stretch, may_slide, price};
use super::Screen;

/// What moving a part of a row takes, about, bytes.
const OF_A_ROW: isize = 26;

impl<W: Write> Screen<W> {
    /// Where rows moved up or down together, lets the terminal move them.
    pub(super) fn scroll(&mut self, digests: &[u64], across: usize) {
        let differing = digests.iter().zip(&self.digests).filter(|(now, before)| now != before).count();
        if differing < LEAST_ROWS {
            return;
        }
        if let Some(shift) = best_shift(&self.digests, digests) {
            self.shift(&shift, across);
        }
    }

    fn shift(&mut self, shift: &Shift, across: usize) {
        let Shift { top, bottom, by, up } = *shift;
        self.pen.change(PLAIN, &mut self.frame);
        let letter = if up { 'M' } else { 'L' };
        let _ = write!(self.frame, "\x1b[{};{}r\x1b[{}H\x1b[{by}{letter}\x1b[r", top + 1, bottom + 1, top + 1);
        self.cursor = None;
        let region = self.shown.content.get_mut(top * across..(bottom + 1) * across).unwrap_or_default();
        rotate(region, by * across, up);
        let rows = region.chunks(across).map(digest);
        let marks = self.digests.get_mut(top..=bottom).unwrap_or_default();
        marks.iter_mut().zip(rows).for_each(|(mark, row)| *mark = row);
    }

    /// Moves what is shown as it slid over the page: rows first, then what each of them has beside.
    pub(super) fn slide(&mut self, slide: Slide, next: &[Cell], across: usize) {
        if slide.down != 0
            && let Some(shift) = self.rows_that_slid(slide, next, across)
        {
            self.shift(&shift, across);
        }
        if slide.right == 0 {
            return;
        }
        for (y, row) in next.chunks(across).enumerate() {
            let shown = self.shown.content.get(y * across..(y + 1) * across).unwrap_or_default();
            if self.may_slide(shown)
                && let Some(part) = part_that_slid(slide.right, row, shown)
            {
                self.slide_row(y, part, slide.right, across);
            }
        }
    }

    /// Whether a part of a row can be moved along it: the terminal has each sign where we think.
    fn may_slide(&self, row: &[Cell]) -> bool {
        may_slide(row) && !(self.wide_signs && row.iter().any(|cell| is_ambiguous(cell.symbol())))
    }

    /// The rows that are worth moving.
    fn rows_that_slid(&self, slide: Slide, next: &[Cell], across: usize) -> Option<Shift> {
        let old = |x: isize, y: isize| {
            let (x, y) = (usize::try_from(x).ok().filter(|x| *x < across)?, usize::try_from(y).ok()?);
            self.shown.content.get(y * across + x)
        };
        let rows = next.len() / across;
        let gain = |y: usize| -> isize {
            let line = isize::try_from(y).unwrap_or_default();
            let source = line - slide.down;
            if source < 0 || usize::try_from(source).is_ok_and(|source| source >= rows) {
                return isize::MIN / 1024;
            }
            let row = next.get(y * across..(y + 1) * across).unwrap_or_default();
            let gains = row
                .iter()
                .zip(0..)
                .map(|(cell, x)| price(cell, old(x, line)) - price(cell, old(x - slide.right, source)));
            gains.sum()
        };
        let (_, stretch) = best_stretch((0..rows).map(gain))?;
        let by = slide.down.unsigned_abs();
        let up = slide.down < 0;
        let (top, bottom) =
            if up { (stretch.start, stretch.end - 1 + by) } else { (stretch.start - by, stretch.end - 1) };
        (bottom < rows && stretch.len() >= LEAST_ROWS).then_some(Shift { top, bottom, by, up })
    }

    /// Moves a part of a row along it; what is on either side of the part stays.
    fn slide_row(&mut self, y: usize, part: Range<usize>, right: isize, across: usize) {
        let Some(row) = self.shown.content.get_mut(y * across + part.start..y * across + part.end) else { return };
        let by = right.unsigned_abs();
        rotate(row, by, right < 0);
        let whole = self.shown.content.get(y * across..(y + 1) * across).unwrap_or_default();
        if let Some(mark) = self.digests.get_mut(y) {
            *mark = digest(whole);
        }
        let column = |x: usize| u16::try_from(x).unwrap_or(u16::MAX);
        let (line, begin, last) = (column(y), column(part.start), column(part.end - by));
        // Blanks that come in have no background.
        self.pen.change(PLAIN, &mut self.frame);
        let is_last = part.end == across;
        if right < 0 {
            self.go(begin, line);
            self.by(column(by), 'P');
            if !is_last {
                self.go(last, line);
                self.insert(column(by), column(across).saturating_sub(last));
            }
        } else {
            if !is_last {
                self.go(last, line);
                self.by(column(by), 'P');
            }
            self.go(begin, line);
            self.insert(column(by), column(across).saturating_sub(begin));
        }
    }

    /// Inserts blanks where so many cells are left of the row. tmux clears only cells that moved away: where it inserts more
    /// than half of what is left, cells between stay what they were, so that it takes several steps then.
    fn insert(&mut self, by: u16, left: u16) {
        let most = (left / 2).max(1);
        let mut rest = by;
        while rest > 0 {
            self.by(rest.min(most), '@');
            rest -= rest.min(most);
        }
    }
}

/// Moves cells to the front, or to the back; blanks come in.
fn rotate(cells: &mut [Cell], by: usize, to_front: bool) {
    let by = by.min(cells.len());
    let blanks = if to_front {
        cells.rotate_left(by);
        cells.len() - by..cells.len()
    } else {
        cells.rotate_right(by);
        0..by
    };
    cells.get_mut(blanks).unwrap_or_default().iter_mut().for_each(Cell::reset);
}

/// The part of a row that is worth moving along it.
fn part_that_slid(right: isize, new: &[Cell], shown: &[Cell]) -> Option<Range<usize>> {
    let by = right.unsigned_abs();
    let (skipped, source) = if right < 0 { (0, by) } else { (by, 0) };
    let places = new.len().checked_sub(by)?;
    let gain = |at: usize| -> isize {
        let Some(cell) = new.get(skipped + at) else { return 0 };
        price(cell, shown.get(skipped + at)) - price(cell, shown.get(source + at))
    };
    let (gain, stretch) = best_stretch((0..places).map(gain))?;
    // From the cells that move to those that they come to.
    let part = stretch.start..stretch.end + by;
    let bare = if right < 0 { stretch.end..part.end } else { part.start..part.start + by };
    let blank = Cell::default();
    let loss: isize =
        bare.map(|x| new.get(x).map_or(0, |cell| price(cell, Some(&blank)) - price(cell, shown.get(x)))).sum();
    (gain - loss > OF_A_ROW && stretch.len() > by / 4).then_some(part)
}
