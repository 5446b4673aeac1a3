//! How choosing the products of a step looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Editor;
use super::super::catalog::Said;
use super::super::listing::Listing;
use super::products::{Choosing, Row};
use crate::domain::text;
use crate::studio::widgets::{Ink, Panel, Role, number, piece, put, put_right, scrollbar, select, width, wipe};

impl Editor {
    /// Where the words are that are searched for, and the rows; none where there is too little room.
    pub(super) fn products_places(&self) -> Option<(Rect, Rect)> {
        let inner = self.below_title()?;
        let words = Rect { height: 1, ..inner };
        let rows = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        (inner.height >= 3 && inner.width >= 12).then_some((words, rows))
    }

    pub(in super::super) fn draw_products(
        &self,
        choosing: &Choosing,
        buf: &mut Buffer,
        ink: Ink,
        area: Rect,
        beside: bool,
    ) -> Option<(u16, u16)> {
        wipe(buf, ink, area);
        let title = self.products_title(choosing);
        let shown = self.products_of(choosing.step).len();
        let count = format!("{} on the step", number(i64::try_from(shown).unwrap_or(i64::MAX)));
        if beside {
            let right = vec![piece(Role::Dim, count)];
            Panel { title: &title, right, focused: true, ..Panel::default() }.draw(buf, ink, area);
        } else {
            put(buf, ink, (area.x + 1, area.y), area.width, &title, ink.style(Role::Accent));
        }
        let (words, rows) = self.products_places()?;
        let role = if choosing.typing { Role::Accent } else { Role::Dim };
        put(buf, ink, (words.x + 1, words.y), 2, ink.sign("❯ ", "> "), ink.style(role));
        let cursor = choosing.words.draw(buf, ink, (words.x + 3, words.y), words.width - 4);
        let all = self.product_rows(choosing);
        for (at, y) in (choosing.place.top..all).zip(rows.y..rows.bottom()) {
            self.draw_product_row(choosing, buf, ink, Rect { y, height: 1, ..rows }, at);
        }
        if let Some((role, say)) = Self::products_say(choosing, ink) {
            let y = rows.y + u16::try_from(all - choosing.place.top.min(all)).unwrap_or(u16::MAX).saturating_add(1);
            let y = y.min(rows.bottom().saturating_sub(1));
            put(buf, ink, (rows.x + 2, y), rows.width.saturating_sub(3), &say, ink.style(role));
        }
        scrollbar(buf, ink, area, choosing.place.top, usize::from(rows.height), all);
        choosing.typing.then_some(cursor)
    }

    fn products_title(&self, choosing: &Choosing) -> String {
        let step = self.draft.label(choosing.step);
        let step = text::line(&step);
        match &choosing.replaces {
            Some(product) => format!("{step}: in place of {}", self.product_titles(std::slice::from_ref(product))),
            None => format!("Products of {step}"),
        }
    }

    /// What is said below the rows.
    fn products_say(choosing: &Choosing, ink: Ink) -> Option<(Role, String)> {
        match (&choosing.problem, choosing.request) {
            (Some(problem), _) => Some((Role::Error, format!("Couldn't search: {problem}"))),
            (None, Some(_)) => choosing.found.is_empty().then(|| (Role::Dim, format!("Searching{}", ink.ellipsis()))),
            (None, None) if choosing.found.is_empty() => Some((Role::Dim, "No product matches.".to_owned())),
            (None, None) => None,
        }
    }

    fn draw_product_row(&self, choosing: &Choosing, buf: &mut Buffer, ink: Ink, row: Rect, at: usize) {
        let Some(which) = self.row_of(choosing, at) else { return };
        let (sign, role, said) = match which {
            Row::Shown(at) => (ink.sign("◆", "*"), Role::Accent, self.say_product(choosing.step, at)),
            Row::Found(at) => {
                let Some(listing) = choosing.found.get(at) else { return };
                let chosen = choosing.selected.contains(&listing.id);
                let sign = if chosen { ink.sign("●", "x") } else { ink.sign("○", ".") };
                (sign, if chosen { Role::Accent } else { Role::Faint }, said_of(listing))
            }
        };
        put(buf, ink, (row.x + 1, row.y), 1, sign, ink.style(role));
        let right = [said.wrong, said.price.as_str()].into_iter().filter(|part| !part.is_empty());
        let right = right.collect::<Vec<_>>().join("  ");
        let taken = width(&right);
        let room = row.width.saturating_sub(taken + 6);
        put(buf, ink, (row.x + 3, row.y), room, &said.title, ink.style(Role::Text));
        let style = ink.style(if said.wrong.is_empty() { Role::Dim } else { Role::Warn });
        put_right(buf, ink, (row.right().saturating_sub(taken + 1), row.y), taken, &right, style);
        if !choosing.typing && at == choosing.place.selected {
            select(buf, ink, row);
        }
    }

    /// The same as lines of text.
    pub(in super::super) fn read_products(&self, choosing: &Choosing, lines: &mut Vec<String>) {
        lines.push(self.products_title(choosing));
        lines.push(format!("Search: {}", choosing.words.text()));
        for at in 0..self.product_rows(choosing) {
            let mark = if !choosing.typing && at == choosing.place.selected { ">" } else { " " };
            match self.row_of(choosing, at) {
                Some(Row::Shown(at)) => {
                    lines.push(format!("{mark} shown: {}", self.say_product(choosing.step, at).line()));
                }
                Some(Row::Found(at)) => {
                    let Some(listing) = choosing.found.get(at) else { continue };
                    let chosen = if choosing.selected.contains(&listing.id) { "selected" } else { "found" };
                    lines.push(format!("{mark} {chosen}: {}", said_of(listing).line()));
                }
                None => {}
            }
        }
    }
}

/// A product that was found, in words.
fn said_of(listing: &Listing) -> Said {
    let wrong = match () {
        () if listing.hidden => "hidden",
        () if listing.sold_out == Some(true) => "sold out",
        () => "",
    };
    Said { title: listing.title.clone(), price: listing.price.clone(), wrong }
}
