//! Tables for people: aligned by what a terminal shows, never wider than it.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::domain::text;

/// The widest a cell gets where no terminal says how wide is too wide, columns.
const WIDEST: usize = 100;
/// The narrowest a column is squeezed to, columns.
const NARROWEST: usize = 5;
const GAP: usize = 2;

/// A column: its heading, and on which side its cells stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    heading: &'static str,
    right: bool,
}

pub(super) const fn left(heading: &'static str) -> Column {
    Column { heading, right: false }
}

pub(super) const fn right(heading: &'static str) -> Column {
    Column { heading, right: true }
}

/// A table whose widths are settled by its first rows, so that any number can follow.
pub(super) struct Table {
    columns: Vec<Column>,
    widths: Vec<usize>,
}

impl Table {
    /// Settles the widths by these rows and writes the headings.
    pub(super) fn begin(
        columns: &[Column],
        rows: &[Vec<String>],
        terminal: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<Self> {
        let widest = |index: usize| {
            let cells = rows.iter().filter_map(|row| row.get(index)).map(|cell| text::line(cell).width().min(WIDEST));
            cells.max().unwrap_or(0)
        };
        let heading = |column: &Column| column.heading.width();
        let mut widths: Vec<usize> =
            columns.iter().enumerate().map(|(index, column)| widest(index).max(heading(column))).collect();
        if let Some(terminal) = terminal {
            squeeze(&mut widths, terminal);
        }
        let table = Self { columns: columns.to_vec(), widths };
        table.row(&table.columns.iter().map(|column| column.heading.to_owned()).collect::<Vec<_>>(), out)?;
        Ok(table)
    }

    /// Writes one row. What a service said becomes harmless here.
    pub(super) fn row(&self, cells: &[String], out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        let mut owed = 0;
        for ((cell, column), width) in cells.iter().zip(&self.columns).zip(&self.widths) {
            let cell = text::line(cell);
            let cell = shorten(&cell, *width);
            let spare = width.saturating_sub(cell.width());
            let (before, after) = if column.right { (spare, 0) } else { (0, spare) };
            // What would only trail at the end of the line is left out.
            line.extend(std::iter::repeat_n(' ', if cell.is_empty() { 0 } else { owed + before }));
            owed = if cell.is_empty() { owed + width } else { after } + GAP;
            line.push_str(&cell);
        }
        line.push('\n');
        out.write_all(line.as_bytes())
    }
}

/// Writes a whole table.
pub(super) fn write(
    columns: &[Column],
    rows: &[Vec<String>],
    terminal: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    let table = Table::begin(columns, rows, terminal, out)?;
    rows.iter().try_for_each(|row| table.row(row, out))
}

/// Takes from the widest column until all of them fit.
fn squeeze(widths: &mut [usize], terminal: usize) {
    loop {
        let gaps = GAP * widths.len().saturating_sub(1);
        let total = widths.iter().sum::<usize>() + gaps;
        let Some(widest) = widths.iter_mut().max_by_key(|width| **width) else { return };
        if total <= terminal || *widest <= NARROWEST {
            return;
        }
        *widest -= 1;
    }
}

/// The text within a width, `…` at its end where something is missing.
fn shorten(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut short = String::new();
    let mut taken = 1;
    for grapheme in text.graphemes(true) {
        taken += grapheme.width();
        if taken > width {
            break;
        }
        short.push_str(grapheme);
    }
    short.push('…');
    Cow::Owned(short)
}

/// Writes `name  value` lines, the names aligned; a value of several lines keeps them, indented.
pub(super) fn fields(fields: &[(&str, String)], out: &mut impl Write) -> io::Result<()> {
    let widest = fields.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let indent = " ".repeat(widest + GAP);
        let value = text::lines(value.trim_end()).replace('\n', &format!("\n{indent}"));
        writeln!(out, "{name}{}{value}", " ".repeat(widest - name.width() + GAP))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]], terminal: Option<usize>) -> String {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let mut out = Vec::new();
        write(&[left("ID"), left("TITLE"), right("PRICE")], &rows, terminal, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_align_by_display_width() {
        let shown = table(&[["1", "靴下", "9.5"], ["22", "👩‍👧 e\u{301}", "10"], ["3", "", ""]], None);
        assert_eq!(shown, "ID  TITLE  PRICE\n1   靴下     9.5\n22  👩‍👧 e\u{301}      10\n3\n");
    }

    #[test]
    fn hostile_cells_are_harmless_and_the_terminal_is_never_too_narrow() {
        let long = "x".repeat(100_000);
        let shown = table(
            &[["1", &format!("\u{1b}[31m\u{202e}{long}"), "9"], ["2", "靴下靴下靴下靴下靴下靴下", "1"]],
            Some(30),
        );
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'));
        assert!(shown.lines().all(|line| line.width() <= 30), "{shown}");
        assert!(table(&[["1", &long, "9"]], None).len() < 400);
        assert!(table(&[["1", &long, "9"]], Some(1)).lines().count() == 2);
    }

    #[test]
    fn fields_leave_out_what_is_missing() {
        let mut out = Vec::new();
        let given = [("Title", "A\nB\u{9b}".to_owned()), ("Vendor", String::new()), ("Id", "1".to_owned())];
        fields(&given, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "Title   A\n        B·\nId      1\n");
    }
}
