//! Tables for people: aligned by what a terminal shows, never wider than it.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::telling;
use crate::domain::text;

/// The widest a cell gets where no terminal says how wide is too wide, columns.
const WIDEST: usize = 100;
/// The narrowest a column of words is squeezed to while others could go instead, columns.
const NARROWEST: usize = 10;
const GAP: usize = 2;

/// What a cell shows where the service left out what has to be there.
pub(super) const MISSING: &str = "–";

/// A column: its heading, on which side its cells stand, and whether they may be shortened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    heading: &'static str,
    right: bool,
    elastic: bool,
}

/// A column of ids and the like, of which every character counts.
pub(super) const fn left(heading: &'static str) -> Column {
    Column { heading, right: false, elastic: false }
}

/// A column of numbers.
pub(super) const fn right(heading: &'static str) -> Column {
    Column { heading, right: true, elastic: false }
}

/// A column of words, which still say something when they are shortened.
pub(super) const fn words(heading: &'static str) -> Column {
    Column { heading, right: false, elastic: true }
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
        let mut columns = columns.to_vec();
        if let Some(terminal) = terminal {
            let left_out = fit(&mut columns, &mut widths, terminal);
            if !left_out.is_empty() {
                let left_out = left_out.join(", ");
                telling::hint(&format!(
                    "cutaway: no room for {left_out}; a wider terminal, COLUMNS or --json shows them"
                ));
            }
        }
        let table = Self { columns, widths };
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

/// Makes it fit: words are shortened, then the last columns left out, and only at the very end everything is squeezed.
/// The headings of those that were left out.
fn fit(columns: &mut Vec<Column>, widths: &mut Vec<usize>, terminal: usize) -> Vec<&'static str> {
    let mut left_out = Vec::new();
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let least = |columns: &[Column], widths: &[usize]| {
        let narrow = columns
            .iter()
            .zip(widths)
            .map(|(column, width)| if column.elastic { NARROWEST.min(*width) } else { *width });
        total(&narrow.collect::<Vec<_>>())
    };
    while columns.len() > 2 && least(columns, widths) > terminal {
        left_out.extend(columns.pop().map(|column| column.heading));
        widths.pop();
    }
    left_out.reverse();
    while total(widths) > terminal {
        let elastic = widths.iter_mut().zip(&*columns).filter(|(width, column)| column.elastic && **width > NARROWEST);
        let Some((widest, _)) = elastic.max_by_key(|(width, _)| **width) else { break };
        *widest -= 1;
    }
    while total(widths) > terminal {
        let Some(widest) = widths.iter_mut().max_by_key(|width| **width).filter(|width| **width > 1) else { break };
        *widest -= 1;
    }
    left_out
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
        write(&[left("ID"), words("TITLE"), right("PRICE")], &rows, terminal, &mut out).unwrap();
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
    fn ids_stay_whole_while_words_and_last_columns_can_go() {
        let row = ["8123456789012", "A title of several words", "149.00"];
        assert_eq!(
            table(&[row], Some(36)),
            "ID             TITLE           PRICE\n8123456789012  A title of s…  149.00\n"
        );
        assert_eq!(table(&[row], Some(26)), "ID             TITLE\n8123456789012  A title of…\n");
        assert_eq!(table(&[row], Some(10)).lines().map(unicode_width::UnicodeWidthStr::width).max(), Some(10));
    }

    #[test]
    fn fields_leave_out_what_is_missing() {
        let mut out = Vec::new();
        let given = [("Title", "A\nB\u{9b}".to_owned()), ("Vendor", String::new()), ("Id", "1".to_owned())];
        fields(&given, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "Title   A\n        B·\nId      1\n");
    }
}
