//! Rows, parts of rows and blocks that the terminal moves in place of drawing them again.

use std::io::Write;
use std::ops::Range;

use ratatui::buffer::Cell;

use super::super::cells::{is_ambiguous, reach};
use super::super::pen::PLAIN;
use super::super::shift::{LEAST_ROWS, Shift, best_shift, digest};
use super::super::slide::{Slide, best_stretch, may_slide, price};
use super::Screen;

/// What moving a part of a row takes, about, bytes.
const OF_A_ROW: isize = 26;

/// What is out of the page can't be moved into it.
const NEVER: isize = isize::MIN / (1 << 20);

/// How what slid over the page is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// Whole rows, then what each of them has beside.
    Rows,
    /// The part of some rows that slid up or down, between two columns.
    Block,
}

/// A part of the page whose rows move up or down.
#[derive(Debug)]
struct Block {
    rows: Shift,
    columns: Range<usize>,
}

impl<W: Write> Screen<W> {
    /// Where rows moved up or down together, lets the terminal move them.
    pub(super) fn scroll(&mut self, digests: &[u64], across: usize) {
        let differing = digests.iter().zip(&self.digests).filter(|(now, before)| now != before).count();
        if differing < LEAST_ROWS || !self.shortcuts.scrolls {
            return;
        }
        if let Some(rows) = best_shift(&self.digests, digests)
            && !self.anchors.touch(rows.top..=rows.bottom, 0..across)
        {
            self.shift(&Block { rows, columns: 0..across }, across);
        }
    }

    /// Lets the terminal move rows up or down: whole ones, or what they show between two columns.
    fn shift(&mut self, block: &Block, across: usize) {
        let Block { rows: Shift { top, bottom, by, up }, ref columns } = *block;
        self.pen.change(PLAIN, &mut self.frame);
        let is_whole = columns.len() == across;
        let letter = if up { 'M' } else { 'L' };
        let (row, last) = (top + 1, bottom + 1);
        let _ = if is_whole {
            write!(self.frame, "\x1b[{row};{last}r\x1b[{row}H\x1b[{by}{letter}\x1b[r")
        } else {
            let (column, end) = (columns.start + 1, columns.end);
            let set = format!("\x1b[?69h\x1b[{column};{end}s\x1b[{row};{last}r\x1b[{row};{column}H");
            write!(self.frame, "{set}\x1b[{by}{letter}\x1b[r\x1b[?69l")
        };
        self.cursor = None;
        let region = self.shown.content.get_mut(top * across..last * across).unwrap_or_default();
        if is_whole {
            rotate(region, by * across, up);
        } else {
            roll(region, by, up, columns, across);
        }
        let rows = region.chunks(across).map(digest);
        let marks = self.digests.get_mut(top..=bottom).unwrap_or_default();
        marks.iter_mut().zip(rows).for_each(|(mark, row)| *mark = row);
    }

    /// Whether the terminal knows any.
    pub(super) fn may_move(&self) -> bool {
        self.shortcuts.inserts || self.has_blocks()
    }

    fn has_blocks(&self) -> bool {
        self.shortcuts.scrolls && self.shortcuts.margins
    }

    /// Those that the terminal knows, and that differ for what slid like this: along a row there are no blocks.
    pub(super) fn motions(&self, slide: Slide) -> impl Iterator<Item = Motion> + use<W> {
        [(Motion::Rows, self.shortcuts.inserts), (Motion::Block, self.has_blocks() && slide.down != 0)]
            .into_iter()
            .filter_map(|(motion, is_known)| is_known.then_some(motion))
    }

    /// Moves what is shown as it slid over the page.
    pub(super) fn slide(&mut self, slide: Slide, motion: Motion, next: &[Cell], across: usize) {
        if slide.down != 0 {
            let moved = match motion {
                Motion::Rows => self.rows_that_slid(slide, next, across).map(|rows| Block { rows, columns: 0..across }),
                Motion::Block => self.block_that_slid(slide, next, across),
            };
            let has_links =
                |block: &Block| self.anchors.touch(block.rows.top..=block.rows.bottom, block.columns.clone());
            if let Some(block) = moved.filter(|block| self.shortcuts.scrolls && !has_links(block)) {
                self.shift(&block, across);
            }
        }
        if slide.right == 0 || !self.shortcuts.inserts {
            return;
        }
        for (y, row) in next.chunks(across).enumerate() {
            let shown = self.shown.content.get(y * across..(y + 1) * across).unwrap_or_default();
            if self.may_slide(shown)
                && let Some(part) = part_that_slid(slide.right, row, shown)
                && !self.anchors.touch(y..=y, part.start..across)
            {
                self.slide_row(y, part, slide.right, across);
            }
        }
    }

    /// Whether a part of a row can be moved along it: the terminal has each sign where we think.
    fn may_slide(&self, row: &[Cell]) -> bool {
        may_slide(row) && !(self.wide_signs && row.iter().any(|cell| is_ambiguous(cell.symbol())))
    }

    /// What each cell of the page gains where it comes from where it slid from, row by row; very little where that is outside.
    fn gains(&self, slide: Slide, next: &[Cell], across: usize) -> Vec<isize> {
        let old = |x: isize, y: isize| {
            let (x, y) = (usize::try_from(x).ok().filter(|x| *x < across)?, usize::try_from(y).ok()?);
            self.shown.content.get(y * across + x)
        };
        let rows = next.len() / across;
        let mut gains = Vec::with_capacity(next.len());
        for (row, line) in next.chunks(across).zip(0_isize..) {
            let source = line - slide.down;
            if source < 0 || usize::try_from(source).is_ok_and(|source| source >= rows) {
                gains.extend(std::iter::repeat_n(NEVER, row.len()));
                continue;
            }
            gains.extend(
                row.iter()
                    .zip(0..)
                    .map(|(cell, x)| price(cell, old(x, line)) - price(cell, old(x - slide.right, source))),
            );
        }
        gains
    }

    /// The rows that are worth moving.
    fn rows_that_slid(&self, slide: Slide, next: &[Cell], across: usize) -> Option<Shift> {
        let gains = self.gains(slide, next, across);
        rows_worth_moving(slide, &gains, 0..across, across)
    }

    /// The rows that are worth moving between two columns, where what is beside them shall stay.
    fn block_that_slid(&self, slide: Slide, next: &[Cell], across: usize) -> Option<Block> {
        let gains = self.gains(slide, next, across);
        let begun = rows_worth_moving(slide, &gains, 0..across, across)?;
        // Among these rows the columns that gain, and among these columns the rows.
        let filled: Vec<usize> = (begun.top..=begun.bottom).filter(|y| begun.is_filled(*y)).collect();
        let by_column = (0..across).map(|x| filled.iter().filter_map(|y| gains.get(y * across + x)).sum());
        let (_, columns) = best_stretch(by_column)?;
        let rows = rows_worth_moving(slide, &gains, columns.clone(), across)?;
        let from = slide.right.unsigned_abs();
        let columns = if slide.right > 0 {
            columns.start.saturating_sub(from)..columns.end
        } else {
            columns.start..(columns.end + from).min(across)
        };
        let is_cut = |row: &[Cell]| cuts(row, columns.start) || cuts(row, columns.end);
        let is_uncertain = |row: &[Cell]| self.wide_signs && row.iter().any(|cell| is_ambiguous(cell.symbol()));
        let touched = self.shown.content.chunks(across).take(rows.bottom + 1).skip(rows.top);
        let may_move = columns.len() > 1 && touched.into_iter().all(|row| !is_cut(row) && !is_uncertain(row));
        may_move.then_some(Block { rows, columns })
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

/// The rows that are worth moving, by what the cells of some columns gain.
fn rows_worth_moving(slide: Slide, gains: &[isize], columns: Range<usize>, across: usize) -> Option<Shift> {
    let rows = gains.len() / across;
    let of_row = |row: &[isize]| row.get(columns.clone()).unwrap_or_default().iter().sum();
    let (_, stretch) = best_stretch(gains.chunks(across).map(of_row))?;
    let by = slide.down.unsigned_abs();
    let up = slide.down < 0;
    let (top, bottom) =
        if up { (stretch.start, stretch.end - 1 + by) } else { (stretch.start.checked_sub(by)?, stretch.end - 1) };
    (bottom < rows && stretch.len() >= LEAST_ROWS).then_some(Shift { top, bottom, by, up })
}

/// Whether a sign of a row may be drawn on both sides of a column's beginning.
fn cuts(row: &[Cell], column: usize) -> bool {
    let reaches = |(x, cell): (usize, &Cell)| x + reach(cell.symbol()) > column;
    column < row.len() && row.iter().enumerate().take(column).any(reaches)
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

/// Moves what rows show between two columns up or down; blanks come in.
fn roll(cells: &mut [Cell], by: usize, up: bool, columns: &Range<usize>, across: usize) {
    let rows = cells.len() / across.max(1);
    let moved = rows.saturating_sub(by);
    for nth in 0..moved {
        let (to, from) = if up { (nth, nth + by) } else { (rows - 1 - nth, rows - 1 - nth - by) };
        for x in columns.clone() {
            cells.swap(to * across + x, from * across + x);
        }
    }
    let bare = if up { moved..rows } else { 0..rows - moved };
    for y in bare {
        let part = y * across + columns.start..y * across + columns.end;
        cells.get_mut(part).unwrap_or_default().iter_mut().for_each(Cell::reset);
    }
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
