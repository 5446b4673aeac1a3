//! What differs from the page before, drawn in the way that takes the fewest bytes.

use std::io::Write;

use ratatui::buffer::Buffer;

use super::super::pen::Pen;
use super::super::slide::Slide;
use super::Screen;
use super::moves::Cursor;
use super::order::{Page, has_few_runs};

/// Fewer rows that differ are drawn without asking whether what they show came from elsewhere.
const MANY_ROWS: usize = 8;

/// And so are pages that take fewer bytes than this; than the second, where a block of them can be moved with few.
const MANY_BYTES: usize = 600;
const MANY_BYTES_OF_A_BLOCK: usize = 300;

/// What is known of the terminal, to try something and to come back.
#[derive(Clone)]
struct Known {
    shown: Buffer,
    digests: Vec<u64>,
    pen: Pen,
    cursor: Option<Cursor>,
    is_partial: bool,
}

/// What came of drawing rows.
struct Drawn {
    bytes: Vec<u8>,
    pen: Pen,
    cursor: Option<Cursor>,
    /// How many of the rows that differ are drawn, and how many cells of them differ.
    rows: usize,
    cells: usize,
}

impl<W: Write> Screen<W> {
    /// Draws what differs: how many cells. Where it `may_move`, the terminal moves what only moved. The bytes come between
    /// what moves and what is drawn.
    pub(super) fn draw(&mut self, next: &Buffer, digests: &[u64], may_move: bool, between: &[u8]) -> usize {
        let across = usize::from(next.area.width).max(1);
        let begin = self.frame.len();
        let many = digests.iter().zip(&self.digests).filter(|(now, before)| now != before).count() >= MANY_ROWS;
        let may_slide = may_move && many && between.is_empty() && self.may_move();
        let before = may_slide.then(|| self.known());
        if may_move {
            self.scroll(digests, across);
        }
        self.frame.extend_from_slice(between);
        let cells = self.changes(next, digests, across);
        let least = if self.shortcuts.margins { MANY_BYTES_OF_A_BLOCK } else { MANY_BYTES };
        let Some(before) = before.filter(|_| self.frame.len() - begin > least) else { return cells };
        let Some(slide) = Slide::best(&before.shown.content, &next.content, across) else { return cells };
        let mut drawn = (self.replace(before.clone()), self.frame.split_off(begin));
        for motion in self.motions(slide) {
            self.slide(slide, motion, &next.content, across);
            self.changes(next, digests, across);
            if (self.is_partial, self.frame.len() - begin) < (drawn.0.is_partial, drawn.1.len()) {
                drawn = (self.replace(before.clone()), self.frame.split_off(begin));
            } else {
                self.replace(before.clone());
                self.frame.truncate(begin);
            }
        }
        self.replace(drawn.0);
        self.frame.extend_from_slice(&drawn.1);
        cells
    }

    fn known(&self) -> Known {
        Known {
            shown: self.shown.clone(),
            digests: self.digests.clone(),
            pen: self.pen,
            cursor: self.cursor,
            is_partial: self.is_partial,
        }
    }

    fn replace(&mut self, known: Known) -> Known {
        let Known { shown, digests, pen, cursor, is_partial } = known;
        Known {
            shown: std::mem::replace(&mut self.shown, shown),
            digests: std::mem::replace(&mut self.digests, digests),
            pen: std::mem::replace(&mut self.pen, pen),
            cursor: std::mem::replace(&mut self.cursor, cursor),
            is_partial: std::mem::replace(&mut self.is_partial, is_partial),
        }
    }

    /// Draws the rows that differ: one after the other, or what is drawn with one pen after the other all over the page.
    fn changes(&mut self, next: &Buffer, digests: &[u64], across: usize) -> usize {
        let marks = digests.iter().zip(&self.digests).enumerate();
        let differing: Vec<usize> = marks.filter(|(_, (now, before))| now != before).map(|(y, _)| y).collect();
        // Taken out so that rows can be read while the frame is written.
        let mut shown = std::mem::take(&mut self.shown);
        let page = Page { new: &next.content, old: &shown.content, across };
        let mut drawn = self.drawn(|screen| screen.rows(page, &differing));
        if differing.len() > 1 && has_few_runs(page, &differing) {
            let by_pen = self.drawn(|screen| (differing.len(), screen.page(page, &differing)));
            let is_better = if drawn.rows < differing.len() {
                self.most.is_none_or(|most| self.frame.len() + by_pen.bytes.len() <= most)
            } else {
                by_pen.bytes.len() < drawn.bytes.len()
            };
            if is_better {
                drawn = by_pen;
            }
        }
        self.frame.extend_from_slice(&drawn.bytes);
        (self.pen, self.cursor) = (drawn.pen, drawn.cursor);
        self.is_partial = drawn.rows < differing.len();
        for y in differing.into_iter().take(drawn.rows) {
            let row = y * across..(y + 1) * across;
            if let Some((old, new)) = shown.content.get_mut(row.clone()).zip(next.content.get(row)) {
                old.clone_from_slice(new);
            }
            if let Some((mark, now)) = self.digests.get_mut(y).zip(digests.get(y)) {
                *mark = *now;
            }
        }
        self.shown = shown;
        drawn.cells
    }

    /// What something draws, without having drawn it.
    fn drawn(&mut self, draw: impl FnOnce(&mut Self) -> (usize, usize)) -> Drawn {
        let (begin, pen, cursor) = (self.frame.len(), self.pen, self.cursor);
        let (rows, cells) = draw(self);
        let drawn = Drawn { bytes: self.frame.split_off(begin), pen: self.pen, cursor: self.cursor, rows, cells };
        (self.pen, self.cursor) = (pen, cursor);
        drawn
    }

    /// Draws one row after the other, for as long as the frame may become larger: how many, and how many cells differ.
    fn rows(&mut self, page: Page, differing: &[usize]) -> (usize, usize) {
        let mut cells = 0;
        for (drawn, y) in differing.iter().enumerate() {
            if self.most.is_some_and(|most| self.frame.len() > most) {
                return (drawn, cells);
            }
            let (new, old) = page.rest(*y, 0);
            cells += self.row(u16::try_from(*y).unwrap_or(u16::MAX), new, old);
        }
        (differing.len(), cells)
    }
}
