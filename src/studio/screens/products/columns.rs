//! The columns of the list, and a product in them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Facets, Row, Shelf};
use crate::domain::text;
use crate::studio::ground::Moment;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Ink, Role, number_in, put, put_right, width};

/// How a row is shown.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// What was searched for.
    pub term: &'a str,
    /// Whether it is of the search before.
    pub stale: bool,
}

/// Where the columns stand, from the left of the rows.
pub(super) struct Columns {
    /// Of the title.
    pub title: u16,
    vendor: u16,
    kind: u16,
    price: u16,
    stock: u16,
    updated: u16,
    /// What the analysis says, in the order of its facets.
    facets: [u16; 4],
}

/// Less of a title says less than the word that could stand beside it.
const LEAST_TITLE: u16 = 8;

/// Cells before the title: the bar of the selection, the mark, a gap.
pub(super) const MARGIN: u16 = 3;

impl Columns {
    /// The columns of so many cells.
    pub fn of(across: u16, facets: bool) -> Self {
        let mut columns = Self { title: 0, vendor: 0, kind: 0, price: 10, stock: 7, updated: 7, facets: [0; 4] };
        if across < 48 {
            columns.updated = 0;
        }
        if across < 36 {
            columns.price = 0;
        }
        if across >= 56 {
            columns.vendor = 11;
        }
        if across >= 72 {
            columns.vendor = 15;
            columns.price = 11;
            columns.stock = 8;
            columns.updated = 8;
        }
        if across >= 90 {
            columns.vendor = 18;
            columns.kind = 18;
        }
        if across >= 140 {
            columns.vendor = 24;
            columns.kind = 26;
            columns.price = 16;
        }
        if facets {
            // They stand where the vendor and the kind do, as many as there is room for.
            (columns.vendor, columns.kind) = (0, 0);
            columns.facets = match across {
                ..46 => [0; 4],
                46..58 => [8, 0, 0, 0],
                58..72 => [8, 0, 9, 0],
                72..90 => [8, 0, 9, 10],
                _ => [8, 12, 9, 10],
            };
            if across < 72 {
                columns.updated = 0;
            }
        }
        let taken = columns.facets.iter().sum::<u16>()
            + MARGIN
            + columns.vendor
            + columns.kind
            + columns.price
            + columns.stock
            + columns.updated
            + 1;
        columns.title = across.saturating_sub(taken);
        columns
    }

    /// Draws their titles.
    pub fn draw_header(&self, buf: &mut Buffer, ink: Ink, area: Rect, left: u16) {
        if area.height == 0 {
            return;
        }
        let style = ink.style(Role::Dim);
        let y = area.y;
        put(buf, ink, (left + MARGIN, y), self.title, "Title", style);
        let mut x = left + MARGIN + self.title;
        let [gender, kind, age, range] = self.facets;
        for (room, label, right) in [
            (self.vendor, "Vendor", false),
            (self.kind, "Type", false),
            (gender, "Gender", false),
            (kind, "Type", false),
            (age, "Age", false),
            (range, "Range", false),
            (self.price, "Price", true),
            (self.stock, "Stock", true),
            (self.updated, if self.updated < 8 { "Upd." } else { "Updated" }, true),
        ] {
            if room == 0 {
                continue;
            }
            if right {
                put_right(buf, ink, (x, y), room, label, style);
            } else {
                put(buf, ink, (x + 1, y), room - 1, label, style);
            }
            x += room;
        }
    }

    /// Draws a product's line.
    pub fn draw_row(&self, buf: &mut Buffer, ink: Ink, area: Rect, row: &Row, look: Look, now: Moment) {
        let y = area.y;
        let plain = |role: Role| if look.stale { ink.style(Role::Faint) } else { ink.style(role) };
        let left = area.x + MARGIN;
        self.draw_title(buf, ink, (left, y), row, look);
        let mut x = left + self.title;
        for (room, value, role) in [(self.vendor, &row.vendor, Role::Dim), (self.kind, &row.kind, Role::Dim)] {
            if room > 0 {
                put(buf, ink, (x + 1, y), room - 2, value, plain(role));
                x += room;
            }
        }
        for (facet, room) in self.facets.into_iter().enumerate().filter(|(_, room)| *room > 0) {
            let (word, role) = match &row.facets {
                Some(Facets::Pending) => (ink.ellipsis(), Role::Faint),
                Some(facets) => (facets.word(facet), Role::Dim),
                None => ("–", Role::Faint),
            };
            put(buf, ink, (x + 1, y), room - 1, word, plain(role));
            x += room;
        }
        if self.price > 0 {
            // A cut price reads as another one: where the range has no room the lowest stands for it.
            let lowest = row.price.split_once('–').map(|(lowest, _)| format!("{lowest}+"));
            let wide = width(&row.price) > self.price - 1;
            let price = lowest.filter(|_| wide).unwrap_or_else(|| row.price.to_string());
            put_right(buf, ink, (x + 1, y), self.price - 1, &price, plain(Role::Text));
            x += self.price;
        }
        let (stock, role) = match row.stock {
            _ if row.shelf == Shelf::Untracked => (row.shelf.sign(ink).to_owned(), Role::Faint),
            // None of its variants says: that is not the same as none.
            _ if row.shelf == Shelf::Unknown => ("–".to_owned(), Role::Faint),
            None => ("–".to_owned(), Role::Faint),
            Some(stock) => {
                // The sign stands before the number; both never take more than the column.
                let sign = row.shelf.sign(ink);
                let number = number_in(stock, self.stock - 1 - 2 * width(sign));
                (if sign.is_empty() { number } else { format!("{sign} {number}") }, row.shelf.role())
            }
        };
        put_right(buf, ink, (x + 1, y), self.stock - 1, &stock, plain(role));
        x += self.stock;
        if self.updated > 0 {
            let when = row.updated.map(|then| ago(now, then)).unwrap_or_default();
            put_right(buf, ink, (x + 1, y), self.updated - 1, &when, plain(Role::Dim));
        }
    }

    /// The title of a row, and what hides it.
    fn draw_title(&self, buf: &mut Buffer, ink: Ink, (left, y): (u16, u16), row: &Row, look: Look) {
        let plain = |role: Role| if look.stale { ink.style(Role::Faint) } else { ink.style(role) };
        let title_role = if row.hidden.is_empty() { Role::Text } else { Role::Dim };
        let (title, role) =
            if row.title.trim().is_empty() { ("(no title)", Role::Faint) } else { (&*row.title, title_role) };
        // Words say that it is hidden, not only the tone of its title.
        let word = if row.hidden.is_empty() { 0 } else { width(row.hidden) + 2 };
        let room = self.title.saturating_sub(1);
        let room = if room >= word + LEAST_TITLE { room - word } else { room };
        let used = put(buf, ink, (left, y), room, title, plain(role));
        if word > 0 && self.title > room + 1 {
            put(buf, ink, (left + used + 2, y), word, row.hidden, plain(Role::Dim));
        }
        if !look.term.is_empty() && !look.stale {
            mark_matches(buf, ink, (left, y), room, title, look.term);
        }
    }

    /// The second line of a row that has room for one: what the columns leave out.
    pub fn draw_second(&self, buf: &mut Buffer, ink: Ink, area: Rect, row: &Row, look: Look) {
        let of = |shown: u16, value: &str| (shown == 0).then(|| value.to_owned()).filter(|value| !value.is_empty());
        let words: Vec<String> = of(self.vendor, &row.vendor).into_iter().chain(of(self.kind, &row.kind)).collect();
        let style = if look.stale { ink.style(Role::Faint) } else { ink.style(Role::Dim) };
        put(buf, ink, (area.x + MARGIN, area.y), self.title.saturating_sub(1), &words.join(" · "), style);
    }
}

/// Shows what of a title the search matched.
fn mark_matches(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), room: u16, title: &str, term: &str) {
    for range in text::matches(title, term) {
        let start = title.get(..range.start).map_or(0, width);
        let end = start + title.get(range).map_or(0, width);
        for column in start..end.min(room) {
            if let Some(cell) = buf.cell_mut((x + column, y)) {
                cell.set_style(ink.theme.matched);
            }
        }
    }
}
