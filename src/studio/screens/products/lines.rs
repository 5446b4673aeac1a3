//! Lines of text in what is said of a product, and small tables of them.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::domain::text;
use crate::studio::widgets::{Piece, Role, piece, width};

/// A line of a tab.
pub type Line = Vec<Piece>;

pub(super) fn field(name: &str, value: impl Into<String>) -> Line {
    vec![piece(Role::Dim, format!("{name:<12} ")), piece(Role::Text, value)]
}

pub(super) fn clean(value: &str) -> String {
    text::line(value).into_owned()
}

/// One column of a small table.
pub(super) struct Column {
    title: &'static str,
    right: bool,
    most: u16,
}

pub(super) const fn column(title: &'static str, right: bool, most: u16) -> Column {
    Column { title, right, most }
}

/// Lines of a table whose columns are as wide as they need to be, and no wider than they may. Where they do not all
/// have room the last ones are left out: half a number is worse than none.
pub(super) fn table(columns: &[Column], rows: Vec<Vec<Piece>>, room: u16) -> Vec<Line> {
    let mut widths: Vec<u16> = columns.iter().map(|column| width(column.title)).collect();
    for row in &rows {
        for ((taken, cell), column) in widths.iter_mut().zip(row).zip(columns) {
            *taken = (*taken).max(width(&cell.text)).min(column.most);
        }
    }
    let mut end = 0;
    let fitting = widths.iter().take_while(|taken| {
        end += **taken;
        let fits = end <= room;
        end += 2;
        fits
    });
    let shown = fitting.count().max(1);
    widths.truncate(shown);
    let mut lines = Vec::with_capacity(rows.len() + 1);
    let header = columns.iter().take(shown).map(|column| piece(Role::Dim, column.title)).collect();
    for row in std::iter::once(header).chain(rows) {
        let mut line = Vec::with_capacity(row.len());
        for (at, ((cell, taken), column)) in row.into_iter().zip(&widths).zip(columns).enumerate() {
            let gap = if at + 1 < shown { "  " } else { "" };
            line.push(piece(cell.role, padded(&cell.text, *taken, column.right) + gap));
        }
        lines.push(line);
    }
    lines
}

pub(super) fn padded(text: &str, room: u16, right: bool) -> String {
    let mut cut = String::new();
    let mut used = 0;
    let whole = width(text) <= room;
    for grapheme in text.graphemes(true) {
        let taken = width(grapheme);
        if !whole && used + taken + 1 > room {
            cut.push('…');
            used += 1;
            break;
        }
        cut.push_str(grapheme);
        used += taken;
    }
    let gap = " ".repeat(usize::from(room.saturating_sub(used)));
    if right { gap + &cut } else { cut + &gap }
}
