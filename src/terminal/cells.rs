//! Cells of a row: how wide a sign is, whether two look alike, which of them are drawn with one pen.

use std::ops::Range;

use ratatui::buffer::Cell;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr as _};

use super::pen::{PLAIN, Pen};
use super::placed::{PLACEHOLDER, is_marker};

/// The runs of cells of a row that differ, each drawn with one pen, where there are several pens and it doesn't matter which run
/// is drawn first: terminals don't agree on how wide some signs are.
pub(super) fn by_pen(new: &[Cell], old: &[Cell]) -> Option<Vec<Range<usize>>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let (mut last, mut pens) = (None, 0);
    for (at, (cell, before)) in new.iter().zip(old).enumerate() {
        if !is_plain(cell) || !is_plain(before) {
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

/// Whether a cell holds one character, and every terminal agrees that it takes one cell.
pub(super) fn is_plain(cell: &Cell) -> bool {
    cell.symbol().chars().nth(1).is_none() && cells_of(cell.symbol()) == 1 && !is_marker(cell)
}

/// The pen that a run of a row needs.
pub(super) fn needed(row: &[Cell], run: &Range<usize>) -> Pen {
    row.get(run.start).map_or(PLAIN, Pen::of)
}

/// Whether terminals disagree on how many cells a sign takes: those of several characters (joined ones, flags, keycaps, those
/// with a variation selector or with vowel signs), and pictures that are in no table of an older Unicode.
pub(super) fn is_doubtful(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    match (chars.next(), chars.next()) {
        (Some(PLACEHOLDER) | None, _) => false,
        (Some(_), Some(_)) => true,
        (Some(c), None) => matches!(c, '\u{2300}'..='\u{2bff}' | '\u{1f000}'..) && cells_of(symbol) > 1,
    }
}

/// Whether two cells can't be told apart: blanks differ only by what is behind them.
pub(super) fn looks_same(a: &Cell, b: &Cell) -> bool {
    a == b || (a.symbol() == " " && b.symbol() == " " && Pen::of(a).for_cell(b) == Pen::of(a))
}

/// Whether a cell shows nothing but what is behind it.
pub(super) fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && Pen::of(cell).is_unseen()
}

/// Whether terminals that are set for Chinese, Japanese or Korean may draw a sign over two cells that others draw over one:
/// lines, arrows, Greek, Cyrillic (UAX #11, ambiguous).
pub(super) fn is_ambiguous(symbol: &str) -> bool {
    !symbol.is_ascii() && symbol.width_cjk() != symbol.width()
}

pub(super) fn cells_of(symbol: &str) -> usize {
    if symbol.len() == 1 { 1 } else { symbol.width().max(1) }
}

/// How many cells a sign takes at most: where the terminal draws each of its characters by itself, or all as one.
pub(super) fn reach(symbol: &str) -> usize {
    if symbol.len() == 1 {
        return 1;
    }
    symbol.chars().filter_map(UnicodeWidthChar::width).sum::<usize>().max(cells_of(symbol))
}
