//! From one picture of the screen to the next in the fewest bytes, in one write.

use std::io::{self, Write};
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr as _};

use super::pacer::STATUS_QUERY;
use super::pen::{PLAIN, Pen};
use super::placed::{Gallery, PLACEHOLDER, Placed, Plan, is_marker};
use super::shift::{LEAST_ROWS, best_shift, digest};
use super::shortcuts::{Erasing, Shortcuts};

/// Keeps what the terminal shows and writes what differs.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    shown: Buffer,
    /// A digest of each row of `shown`: most rows are told to be the same, or to have moved, by these alone.
    digests: Vec<u64>,
    pen: Pen,
    /// Where the terminal's cursor is; `None` where that is not certain.
    cursor: Option<(u16, u16)>,
    visible: Option<(u16, u16)>,
    frame: Vec<u8>,
    whole: bool,
    /// Whether frames begin and end with a query, that the terminal answers once it has come so far.
    queries: (bool, bool),
    /// How many bytes a frame may have, nearly, and whether the last one left out what came after that.
    most: Option<usize>,
    is_partial: bool,
    shortcuts: Shortcuts,
    pictures: Gallery,
    /// The next frame, where pictures change it.
    planned: Buffer,
}

/// What a frame came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Bytes.
    pub bytes: usize,
    /// Cells that changed.
    pub cells: usize,
}

impl<W: Write> Screen<W> {
    /// A screen that shows nothing yet; the first frame paints all of it.
    pub fn new(out: W) -> Self {
        Self {
            out,
            shown: Buffer::empty(Rect::ZERO),
            digests: Vec::new(),
            pen: PLAIN,
            cursor: None,
            visible: None,
            frame: Vec::with_capacity(16 * 1024),
            whole: true,
            queries: (false, false),
            most: None,
            is_partial: false,
            shortcuts: Shortcuts::default(),
            pictures: Gallery::default(),
            planned: Buffer::empty(Rect::ZERO),
        }
    }

    /// Uses what the terminal does with many cells at once.
    #[must_use]
    pub fn with(mut self, shortcuts: Shortcuts) -> Self {
        self.shortcuts = shortcuts;
        self
    }

    /// The pictures of the next frame; in one that is hurried those that are painted over cells may wait.
    pub fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.pictures.place(placed, hurried);
    }

    /// Whether the next frame begins and ends with a [query](STATUS_QUERY).
    pub fn ask(&mut self, before: bool, after: bool) {
        self.queries = (before, after);
    }

    /// How many bytes a frame may have, nearly: rows that would be beyond are left as they are, see [`Self::is_partial`].
    pub fn limit(&mut self, most: Option<usize>) {
        self.most = most;
    }

    /// Whether the last frame had more to show than it might have bytes.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What it is written to.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Whether pictures of the last frame wait for the next, so that they do not keep everything else waiting.
    pub fn is_behind(&self) -> bool {
        self.pictures.is_behind()
    }

    /// Takes back from the terminal what it was given to keep.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn withdraw_pictures(&mut self) -> io::Result<()> {
        let bytes = self.pictures.withdraw();
        if bytes.is_empty() { Ok(()) } else { self.write(bytes.as_bytes()) }
    }

    /// The next frame paints everything: someone else wrote to the terminal.
    pub fn repaint(&mut self) {
        self.whole = true;
    }

    /// Writes bytes that are no frame, in a write of their own.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// Shows a picture, with the cursor where it says, or hidden.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn present(&mut self, next: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<Written> {
        let again = self.whole || self.shown.area != next.area;
        if again {
            self.pictures.forget();
        }
        if !self.pictures.has_any() {
            return self.present_with(next, cursor, true, &Plan::default());
        }
        let may_scroll = self.pictures.may_scroll();
        let mut planned = std::mem::replace(&mut self.planned, Buffer::empty(Rect::ZERO));
        planned.clone_from(next);
        let nothing = Buffer::empty(Rect::ZERO);
        let plan = self.pictures.plan(&mut planned, if again { &nothing } else { &self.shown });
        let written = self.present_with(&planned, cursor, may_scroll, &plan);
        self.planned = planned;
        written
    }

    fn present_with(
        &mut self,
        next: &Buffer,
        cursor: Option<(u16, u16)>,
        may_scroll: bool,
        plan: &Plan,
    ) -> io::Result<Written> {
        self.frame.clear();
        self.frame.extend_from_slice(BEGIN);
        if self.queries.0 {
            self.frame.extend_from_slice(STATUS_QUERY);
        }
        if self.visible.is_some() {
            self.frame.extend_from_slice(HIDE);
        }
        let start = self.frame.len();
        let across = usize::from(next.area.width).max(1);
        let digests: Vec<u64> = next.content.chunks(across).map(digest).collect();
        if self.whole || self.shown.area != next.area {
            self.shown = Buffer::empty(next.area);
            self.digests = self.shown.content.chunks(across).map(digest).collect();
            self.pen = PLAIN;
            self.frame.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
            self.cursor = Some((0, 0));
        } else if may_scroll && !self.is_partial {
            // Where rows of several pictures stand beside each other, moving them would move right ones away.
            self.scroll(&digests, across);
        }
        self.frame.extend_from_slice(plan.before.as_bytes());
        let cells = self.changes(next, &digests, across);
        for ((x, y), bytes) in &plan.over {
            self.pen.change(PLAIN, &mut self.frame);
            self.cursor = None;
            self.go(*x, *y);
            self.frame.extend_from_slice(bytes.as_bytes());
            self.cursor = None;
        }
        let changed = self.frame.len() > start;
        if !changed && self.visible == cursor && !self.whole {
            return Ok(Written::default());
        }
        if let Some((x, y)) = cursor {
            self.go(x, y);
            self.frame.extend_from_slice(SHOW);
        } else if self.whole {
            self.frame.extend_from_slice(HIDE);
        }
        if self.queries.1 {
            self.frame.extend_from_slice(STATUS_QUERY);
        }
        self.frame.extend_from_slice(END);
        self.visible = cursor;
        self.whole = false;
        self.out.write_all(&self.frame)?;
        self.out.flush()?;
        Ok(Written { bytes: self.frame.len(), cells })
    }

    fn changes(&mut self, next: &Buffer, digests: &[u64], across: usize) -> usize {
        let mut count = 0;
        // Taken out so that rows can be read while the frame is written.
        let mut shown = std::mem::take(&mut self.shown);
        let rows = next.content.chunks(across).zip(shown.content.chunks_mut(across));
        let marks = digests.iter().zip(self.digests.clone());
        self.is_partial = false;
        for (y, ((new, old), (now, before))) in rows.zip(marks).enumerate() {
            if *now == before {
                continue;
            }
            if self.most.is_some_and(|most| self.frame.len() > most) {
                self.is_partial = true;
                break;
            }
            count += self.row(u16::try_from(y).unwrap_or(u16::MAX), new, old);
            old.clone_from_slice(new);
            if let Some(mark) = self.digests.get_mut(y) {
                *mark = *now;
            }
        }
        self.shown = shown;
        count
    }

    /// Writes what differs in a row: from left to right, or what is drawn with one pen after the other where that takes fewer
    /// bytes.
    fn row(&mut self, y: u16, new: &[Cell], old: &[Cell]) -> usize {
        let (begin, pen, cursor) = (self.frame.len(), self.pen, self.cursor);
        let count = self.row_in_order(y, new, old);
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

    fn row_in_order(&mut self, y: u16, new: &[Cell], old: &[Cell]) -> usize {
        let mut count = 0;
        // A wide sign covers the cells after it: they are not drawn, and must be once it is gone. A terminal that does
        // not join signs as we do draws over more of them, so those are drawn again behind it, and once it is gone.
        let (mut covered, mut stale) = (0usize, 0usize);
        // So many cells are drawn already, with the one before them.
        let mut done = 0usize;
        for (at, (cell, before)) in new.iter().zip(old).enumerate() {
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
    fn put_many(&mut self, new: &[Cell], old: &[Cell], x: u16, y: u16, across: usize) -> usize {
        let Some(cell) = new.first() else { return 0 };
        let differing = |alike: usize| {
            let mut pairs = new.iter().zip(old).take(alike);
            pairs.rposition(|(cell, before)| !looks_same(cell, before)).map_or(1, |last| last + 1)
        };
        let plain = cell.bg == Color::Reset;
        if is_blank(cell) && self.shortcuts.may_erase(plain) {
            let run = new.iter().take_while(|other| is_blank(other) && other.bg == cell.bg).count();
            let cells = differing(run);
            if let Some(erasing) = self.shortcuts.erasing(cells, run == new.len()) {
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
        self.cursor = u16::try_from(usize::from(x) + 1 + times).ok().map(|x| (x, y));
        times
    }

    fn put(&mut self, cell: &Cell, wide: usize, x: u16, y: u16, across: usize) {
        let pen = self.pen.for_cell(cell);
        self.pen.change(pen, &mut self.frame);
        let symbol = cell.symbol();
        // Symbols come from the view, which is given harmless text only; this is the last door, and it is shut.
        let safe = !symbol.is_empty() && !symbol.chars().any(char::is_control);
        let after = usize::from(x) + wide.max(1);
        let doubtful = safe && is_doubtful(symbol);
        if doubtful && wide > 1 {
            // A terminal that draws it narrower would leave what was there under the rest of it.
            self.frame.extend(std::iter::repeat_n(b' ', wide));
            self.cursor = None;
            self.go(x, y);
        }
        // One that draws it wider must not go on in the next row.
        let wraps = doubtful && usize::from(x) + reach(symbol) > across;
        if wraps {
            self.frame.extend_from_slice(STAY);
        }
        self.frame.extend_from_slice(if safe { symbol.as_bytes() } else { b" " });
        if wraps {
            self.frame.extend_from_slice(WRAP);
        }
        // Past the last column terminals differ, and so they do on how wide such a sign is.
        let certain = after < across && !doubtful;
        self.cursor = certain.then(|| (u16::try_from(after).unwrap_or(u16::MAX), y));
    }

    /// Moves to a place of a row, writing over a few unchanged cells where that is shorter than jumping.
    fn go_along(&mut self, x: u16, y: u16, row: &[Cell]) {
        if let Some((from, line)) = self.cursor
            && line == y
            && from < x
            && x - from <= 4
        {
            let between = row.get(usize::from(from)..usize::from(x)).unwrap_or_default();
            if between.iter().all(|cell| self.pen.for_cell(cell) == self.pen && cell.symbol().len() == 1) {
                for cell in between {
                    self.frame.extend_from_slice(cell.symbol().as_bytes());
                }
                self.cursor = Some((x, y));
                return;
            }
        }
        self.go(x, y);
    }

    fn go(&mut self, x: u16, y: u16) {
        match self.cursor {
            Some(at) if at == (x, y) => {}
            Some((from, line)) if line == y && from < x => {
                let by = x - from;
                let _ = if by == 1 { write!(self.frame, "\x1b[C") } else { write!(self.frame, "\x1b[{by}C") };
            }
            Some((_, line)) if line == y && x == 0 => self.frame.push(b'\r'),
            Some((from, line)) if line == y => {
                let _ = write!(self.frame, "\x1b[{}D", from - x);
            }
            Some((_, line)) if x < BESIDE && line.checked_add(1) == Some(y) => {
                self.frame.extend_from_slice(b"\r\n");
                let _ = match x {
                    0 => Ok(()),
                    1 => write!(self.frame, "\x1b[C"),
                    _ => write!(self.frame, "\x1b[{x}C"),
                };
            }
            _ if x == 0 => {
                let _ = write!(self.frame, "\x1b[{}H", y + 1);
            }
            _ => {
                let _ = write!(self.frame, "\x1b[{};{}H", y + 1, x + 1);
            }
        }
        self.cursor = Some((x, y));
    }

    /// Where rows moved up or down together, lets the terminal move them.
    fn scroll(&mut self, digests: &[u64], across: usize) {
        let differing = digests.iter().zip(&self.digests).filter(|(now, before)| now != before).count();
        if differing < LEAST_ROWS {
            return;
        }
        let Some(shift) = best_shift(&self.digests, digests) else { return };
        let (top, bottom, by, up) = (shift.top, shift.bottom, shift.by, shift.up);
        self.pen.change(PLAIN, &mut self.frame);
        let letter = if up { 'M' } else { 'L' };
        let _ = write!(self.frame, "\x1b[{};{}r\x1b[{}H\x1b[{by}{letter}\x1b[r", top + 1, bottom + 1, top + 1);
        self.cursor = None;
        let region = self.shown.content.get_mut(top * across..(bottom + 1) * across).unwrap_or_default();
        let moved = by * across;
        let blanks = if up {
            region.rotate_left(moved);
            region.len() - moved..region.len()
        } else {
            region.rotate_right(moved);
            0..moved
        };
        region.get_mut(blanks).unwrap_or_default().iter_mut().for_each(Cell::reset);
        let rows = region.chunks(across).map(digest);
        let marks = self.digests.get_mut(top..=bottom).unwrap_or_default();
        marks.iter_mut().zip(rows).for_each(|(mark, row)| *mark = row);
    }
}

/// Columns before this one are reached in fewer bytes from the beginning of the next row than by both numbers.
const BESIDE: u16 = 100;

/// The runs of cells of a row that differ, each drawn with one pen, where there are several pens and it doesn't matter which run
/// is drawn first: terminals don't agree on how wide some signs are.
fn by_pen(new: &[Cell], old: &[Cell]) -> Option<Vec<Range<usize>>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let (mut last, mut pens) = (None, 0);
    for (at, (cell, before)) in new.iter().zip(old).enumerate() {
        let is_plain = |cell: &Cell| cell.symbol().chars().nth(1).is_none() && cells_of(cell.symbol()) == 1;
        if !is_plain(cell) || !is_plain(before) || is_marker(cell) {
            return None;
        }
        if looks_same(cell, before) {
            continue;
        }
        match (runs.last_mut(), last) {
            // Blanks belong to what is before them.
            (Some(run), Some(pen)) if run.end == at && Pen::for_cell(pen, cell) == pen => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
        let pen = runs.last().map(|run| needed(new, run));
        pens += usize::from(pen != last);
        last = pen;
    }
    (pens > 2).then_some(runs)
}

/// The pen that a run of a row needs.
fn needed(row: &[Cell], run: &Range<usize>) -> Pen {
    row.get(run.start).map_or(PLAIN, Pen::of)
}

/// Begin and end of a frame that the terminal shows at once (mode 2026), and the cursor's sight.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
const HIDE: &[u8] = b"\x1b[?25l";
const SHOW: &[u8] = b"\x1b[?25h";

/// Switches off and on that text goes on in the next row past the last column (DECAWM).
const STAY: &[u8] = b"\x1b[?7l";
const WRAP: &[u8] = b"\x1b[?7h";

/// Whether terminals disagree on how many cells a sign takes: those of several characters (joined ones, flags, keycaps, those
/// with a variation selector or with vowel signs), and pictures that are in no table of an older Unicode.
fn is_doubtful(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    match (chars.next(), chars.next()) {
        (Some(PLACEHOLDER) | None, _) => false,
        (Some(_), Some(_)) => true,
        (Some(c), None) => matches!(c, '\u{2300}'..='\u{2bff}' | '\u{1f000}'..) && cells_of(symbol) > 1,
    }
}

/// Whether two cells can't be told apart: blanks differ only by what is behind them.
fn looks_same(a: &Cell, b: &Cell) -> bool {
    a == b || (a.symbol() == " " && b.symbol() == " " && Pen::of(a).for_cell(b) == Pen::of(a))
}

/// Whether a cell shows nothing but what is behind it.
fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && Pen::of(cell).is_unseen()
}

fn cells_of(symbol: &str) -> usize {
    if symbol.len() == 1 { 1 } else { symbol.width().max(1) }
}

/// How many cells a sign takes at most: where the terminal draws each of its characters by itself, or all as one.
fn reach(symbol: &str) -> usize {
    if symbol.len() == 1 {
        return 1;
    }
    symbol.chars().filter_map(UnicodeWidthChar::width).sum::<usize>().max(cells_of(symbol))
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "width_tests.rs"]
mod width_tests;
