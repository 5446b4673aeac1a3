//! How the Products screen looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::searching::{DIM_AFTER_MS, SPINNER_AFTER_MS};
use super::{Detail, Facets, Fetch, Focus, Parts, Products, Row, Shelf, Tab};
use crate::domain::text;
use crate::studio::event::Moment;
use crate::studio::remote::Remote;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{
    Ink, Panel, Piece, Role, chips, number, number_in, piece, put, put_pieces, put_right, scrollbar, select, width,
};

/// Draws the screen and gives the cursor's place.
pub fn view(products: &Products, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
    if products.comparison.is_some() {
        products.draw_compare(buf, ink, now);
        return None;
    }
    let (left, right) = products.split();
    let mut cursor = left.and_then(|pane| draw_list(products, buf, ink, pane, now));
    if let Some(pane) = right {
        if let Some(panel) = &products.panel {
            cursor = panel.draw(buf, ink, pane, &products.query, products.focus == Focus::Filters).or(cursor);
        } else if let Some(detail) = &products.detail {
            draw_detail(detail, buf, ink, pane, products.focus == Focus::Detail, now);
        }
    }
    cursor
}

/// What the list's title says: how many there are.
#[must_use]
pub fn count_words(products: &Products) -> String {
    let list = &products.list;
    if !list.read {
        return String::new();
    }
    // What the title says is of the rows that are shown, also while others are asked for.
    if let Some(total) = products.total.known().filter(|_| list.of_all) {
        let total = i64::try_from(*total).unwrap_or(i64::MAX);
        return format!("{} product{}", number(total), if total == 1 { "" } else { "s" });
    }
    let found = number(i64::try_from(list.rows.len()).unwrap_or(i64::MAX));
    let more = if list.next.is_some() { "+" } else { "" };
    format!("{found}{more} found")
}

/// Whether what is shown belongs to the search before, and has for so long that it should be seen: rows that are
/// replaced at once are not dimmed first.
fn looks_stale(products: &Products, now: Moment) -> bool {
    products.list.is_stale() && products.list.since().is_none_or(|since| now.since(since) >= DIM_AFTER_MS)
}

fn title_right(products: &Products, ink: Ink, now: Moment) -> Vec<Piece> {
    let slow = products.list.since().is_some_and(|since| now.since(since) >= SPINNER_AFTER_MS);
    let words = count_words(products);
    let mut pieces = Vec::new();
    if slow {
        pieces.push(piece(Role::Warn, if products.list.is_stale() { "searching" } else { "reading on" }));
        pieces.push(piece(Role::Warn, format!("{}  ", ink.ellipsis())));
    }
    let role = if looks_stale(products, now) { Role::Faint } else { Role::Dim };
    pieces.push(piece(role, words));
    pieces
}

fn draw_list(products: &Products, buf: &mut Buffer, ink: Ink, pane: Rect, now: Moment) -> Option<(u16, u16)> {
    let focused = matches!(products.focus, Focus::List | Focus::Search | Focus::Chips(_));
    let mut bottom = Vec::new();
    let marked = products.marks.products.len();
    if let Some(exporting) = products.exporting {
        let done = number(i64::try_from(exporting.done).unwrap_or(i64::MAX));
        bottom.push(piece(Role::Accent, format!("exporting {done}  ")));
    }
    if marked > 0 {
        let count = number(i64::try_from(marked).unwrap_or(i64::MAX));
        bottom.push(piece(Role::Text, format!("{count} marked  ")));
    }
    if let Some((label, _, _)) =
        super::filtering::SORTS.iter().find(|(_, _, sort)| *sort == products.query.sort && sort.is_some())
    {
        bottom.push(piece(Role::Dim, format!("{} {label}", ink.sign("↕", "sort:"))));
    }
    let panel = Panel { title: "Products", right: title_right(products, ink, now), bottom, focused };
    panel.draw(buf, ink, pane);
    let parts = products.parts(pane);
    let cursor = draw_search(products, buf, ink, parts.search);
    let chosen = if let Focus::Chips(at) = products.focus { Some(at) } else { None };
    chips::draw(buf, ink, &parts.labels, parts.chips, chosen);
    let indent = products.indent();
    let columns = Columns::of(parts.rows.width.saturating_sub(indent), products.memory.facets);
    columns.draw_header(buf, ink, parts.header, parts.rows.x + indent);
    draw_rows(products, buf, ink, &parts, &columns, now);
    scrollbar(buf, ink, pane, products.list.top, products.page(), products.list.rows.len());
    cursor
}

fn draw_search(products: &Products, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
    if area.height == 0 || area.width < 6 {
        return None;
    }
    let typing = products.focus == Focus::Search;
    let role = if typing { Role::Accent } else { Role::Dim };
    put(buf, ink, (area.x, area.y), 2, "/ ", ink.style(role));
    let at = (area.x + 2, area.y);
    let room = area.width - 2;
    if !typing && products.query.term.is_empty() {
        put(buf, ink, at, room, "search titles and tags", ink.style(Role::Faint));
        return None;
    }
    let cursor = products.line.draw(buf, ink, at, room);
    typing.then_some(cursor)
}

/// Where the columns stand, from the left of the rows.
struct Columns {
    title: u16,
    vendor: u16,
    kind: u16,
    price: u16,
    stock: u16,
    updated: u16,
    /// What the analysis says, in the order of its facets.
    facets: [u16; 4],
}

/// Cells before the title: the bar of the selection, the mark, a gap.
const MARGIN: u16 = 3;

impl Columns {
    fn of(across: u16, facets: bool) -> Self {
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

    fn draw_header(&self, buf: &mut Buffer, ink: Ink, area: Rect, left: u16) {
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

    fn draw_row(&self, buf: &mut Buffer, ink: Ink, area: Rect, row: &Row, look: Look, now: Moment) {
        let y = area.y;
        let plain = |role: Role| if look.stale { ink.style(Role::Faint) } else { ink.style(role) };
        let title_role = if row.published { Role::Text } else { Role::Dim };
        let left = area.x + MARGIN;
        let (title, role) =
            if row.title.trim().is_empty() { ("(no title)", Role::Faint) } else { (&*row.title, title_role) };
        put(buf, ink, (left, y), self.title.saturating_sub(1), title, plain(role));
        if !look.term.is_empty() && !look.stale {
            mark_matches(buf, ink, (left, y), self.title.saturating_sub(1), title, look.term);
        }
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

    /// The second line of a row that has room for one: what the columns leave out.
    fn draw_second(&self, buf: &mut Buffer, ink: Ink, area: Rect, row: &Row, look: Look) {
        let of = |shown: u16, value: &str| (shown == 0).then(|| value.to_owned()).filter(|value| !value.is_empty());
        let words: Vec<String> = of(self.vendor, &row.vendor).into_iter().chain(of(self.kind, &row.kind)).collect();
        let style = if look.stale { ink.style(Role::Faint) } else { ink.style(Role::Dim) };
        put(buf, ink, (area.x + MARGIN, area.y), self.title.saturating_sub(1), &words.join(" · "), style);
    }
}

/// How a row is shown.
#[derive(Clone, Copy)]
struct Look<'a> {
    term: &'a str,
    stale: bool,
}

fn draw_rows(products: &Products, buf: &mut Buffer, ink: Ink, parts: &Parts, columns: &Columns, now: Moment) {
    let area = parts.rows;
    let list = &products.list;
    let look = Look { term: products.query.term.trim(), stale: looks_stale(products, now) };
    let mut y = area.y;
    let (high, indent) = (products.row_height(), products.indent());
    let seen = usize::from(area.height / high);
    for (index, row) in list.rows.iter().enumerate().skip(list.top).take(seen) {
        let place = Rect { y, height: 1, ..area };
        let texts = Rect { x: place.x + indent, width: place.width.saturating_sub(indent), ..place };
        columns.draw_row(buf, ink, texts, row, look, now);
        if high > 1 {
            columns.draw_second(buf, ink, Rect { y: y + 1, ..texts }, row, look);
        }
        if products.marks.products.contains(&row.id) {
            put(buf, ink, (place.x + 1, y), 1, ink.sign("●", "*"), ink.style(Role::Accent));
        }
        if index == list.selected {
            let used = width(&row.title).min(columns.title);
            select(buf, ink, place, texts.x + MARGIN, used);
        }
        y += high;
    }
    let free = Rect { y, height: area.bottom().saturating_sub(y), ..area };
    say_below(products, buf, ink, if parts.below.height > 0 { parts.below } else { free }, now);
}

/// What stands under the rows: what went wrong, or why there are none.
fn say_below(products: &Products, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
    let list = &products.list;
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    match &list.fetch {
        Fetch::Failed { what, first } => {
            let say = if *first { "The products could not be read." } else { "The next page could not be read." };
            lines.push(vec![piece(Role::Error, say)]);
            lines.extend(
                crate::studio::widgets::paint::wrap(&text::line(what), area.width.saturating_sub(4))
                    .into_iter()
                    .map(|line| vec![piece(Role::Dim, line)]),
            );
            let kept = if list.rows.is_empty() { "" } else { "What was read is still here. " };
            lines.push(vec![piece(Role::Dim, kept), piece(Role::Accent, "R"), piece(Role::Dim, " asks again.")]);
        }
        Fetch::First { since, .. } if list.rows.is_empty() && now.since(*since) >= SPINNER_AFTER_MS => {
            lines.push(vec![piece(Role::Dim, "Asking the service …")]);
        }
        Fetch::Idle if list.read && list.rows.is_empty() && products.query.is_all() => {
            lines.push(vec![piece(Role::Text, "This store has no products yet.")]);
            lines.push(vec![
                piece(Role::Dim, "They come from the shop's platform. "),
                piece(Role::Accent, "r"),
                piece(Role::Dim, " looks again."),
            ]);
        }
        Fetch::Idle if list.read && list.rows.is_empty() => {
            lines.push(vec![piece(Role::Text, "Nothing was found.")]);
            let mut hint = Vec::new();
            if !products.query.term.is_empty() {
                hint.extend([piece(Role::Accent, "Esc"), piece(Role::Dim, " clears the search  ")]);
            }
            if !products.query.chips().is_empty() {
                hint.extend([piece(Role::Accent, "F"), piece(Role::Dim, " clears the filters")]);
            }
            lines.push(hint);
        }
        _ => {}
    }
    for (line, y) in lines.iter().zip(area.y + u16::from(area.height > 2 && list.rows.is_empty())..area.bottom()) {
        put_pieces(buf, ink, (area.x + MARGIN, y), area.width.saturating_sub(MARGIN), line);
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

/// Where the tabs of the open product stand.
#[must_use]
pub fn tab_places(pane: Rect) -> Vec<(Tab, Rect)> {
    let short = pane.width < 66;
    let mut x = pane.x + 2;
    Tab::ALL
        .into_iter()
        .map(|tab| {
            let taken = width(tab.title());
            let place = Rect { x, y: pane.y + 1, width: taken, height: 1 };
            x = x.saturating_add(taken + if short { 1 } else { 2 });
            (tab, place)
        })
        .collect()
}

fn draw_detail(detail: &Detail, buf: &mut Buffer, ink: Ink, pane: Rect, focused: bool, now: Moment) {
    let record = detail.known();
    let title = record.map_or_else(|| detail.title.clone(), |record| text::line(&record.product.title).into_owned());
    let title = if title.trim().is_empty() { "(no title)".to_owned() } else { title };
    let mut right = Vec::new();
    if let Some(record) = record {
        let product = &record.product;
        let status = product.status.as_deref().map(|status| text::line(status).into_owned());
        let kind = product.product_type.as_deref().map(|kind| text::line(kind).into_owned());
        let words: Vec<String> = status.into_iter().chain(kind).filter(|word| !word.is_empty()).collect();
        right.push(piece(Role::Dim, words.join(" · ")));
    }
    let room = usize::from(pane.width).saturating_sub(right.iter().map(|p| p.text.len()).sum::<usize>() + 10);
    let title = if room < 12 { title } else { crop(&title, u16::try_from(room).unwrap_or(u16::MAX), ink) };
    let inside = Panel { title: &title, right, focused, ..Panel::default() }.draw(buf, ink, pane);
    if inside.height < 3 {
        return;
    }
    for (tab, place) in tab_places(pane) {
        if place.right() < pane.right() {
            let style = if tab == detail.tab { ink.style(Role::Accent) } else { ink.style(Role::Dim) };
            put(buf, ink, (place.x, place.y), place.width, tab.title(), style);
            if tab == detail.tab {
                let line = Rect { y: place.y, ..place };
                buf.set_style(line.intersection(buf.area), ink.style(Role::Accent));
            }
        }
    }
    let rule = ink.sign("─", "-").repeat(usize::from(inside.width));
    put(buf, ink, (inside.x, inside.y + 1), inside.width, &rule, ink.style(Role::Faint));
    let body =
        Rect { x: inside.x + 1, y: inside.y + 2, width: inside.width.saturating_sub(2), height: inside.height - 2 };
    draw_tab(detail, buf, ink, body, focused, now);
    if let Some(gallery) = detail.gallery {
        let media = record.map_or(0, |record| record.product.media.len());
        scrollbar(buf, ink, pane, detail.top, gallery.rows, media.div_ceil(gallery.columns));
    } else {
        scrollbar(buf, ink, pane, detail.top, usize::from(body.height), detail.len());
    }
}

fn crop(text: &str, room: u16, ink: Ink) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if width(&out) + 2 > room {
            break;
        }
        out.push(c);
    }
    out.push_str(ink.ellipsis());
    out
}

fn draw_tab(detail: &Detail, buf: &mut Buffer, ink: Ink, body: Rect, focused: bool, now: Moment) {
    let say = |buf: &mut Buffer, lines: &[Vec<Piece>]| {
        for (line, y) in lines.iter().zip(body.y..body.bottom()) {
            put_pieces(buf, ink, (body.x, y), body.width, line);
        }
    };
    match &detail.record {
        Remote::Failed { problem, stale: None } => {
            let mut lines = vec![vec![piece(Role::Error, "The product could not be read.")]];
            let told = crate::studio::widgets::paint::wrap(&text::line(problem), body.width);
            lines.extend(told.into_iter().map(|line| vec![piece(Role::Dim, line)]));
            lines.push(vec![piece(Role::Accent, "R"), piece(Role::Dim, " asks again.")]);
            return say(buf, &lines);
        }
        Remote::Ready(None) => {
            let lines = [
                vec![piece(Role::Warn, "The service no longer knows this product.")],
                vec![piece(Role::Accent, "r"), piece(Role::Dim, " reads the list again.")],
            ];
            return say(buf, &lines);
        }
        Remote::Loading { since, stale: None, .. } => {
            if now.since(*since) >= SPINNER_AFTER_MS {
                say(buf, &[vec![piece(Role::Dim, "Reading the product …")]]);
            }
            return;
        }
        _ => {}
    }
    let dim = matches!(&detail.record, Remote::Failed { .. });
    let media = detail.known().map(|record| record.product.media.as_slice()).unwrap_or_default();
    if let (Tab::Media, Some(gallery)) = (detail.tab, detail.gallery) {
        gallery.draw(buf, ink, body, media, (detail.top, detail.selected));
    } else if detail.tab.is_tree() {
        draw_tree(detail, buf, ink, body, focused);
    } else {
        for (line, y) in detail.lines.iter().skip(detail.top).zip(body.y..body.bottom()) {
            put_pieces(buf, ink, (body.x, y), body.width, line);
        }
    }
    if dim {
        buf.set_style(body.intersection(buf.area), ink.style(Role::Faint));
    }
}

fn draw_tree(detail: &Detail, buf: &mut Buffer, ink: Ink, body: Rect, focused: bool) {
    let rows = detail.tree.rows.iter().enumerate().skip(detail.top);
    for ((index, row), y) in rows.zip(body.y..body.bottom()) {
        let indent = u16::try_from(row.depth * 2).unwrap_or(u16::MAX).min(body.width / 2);
        let next_is_deeper = detail.tree.rows.get(index + 1).is_some_and(|next| next.depth > row.depth);
        let sign = match (row.branch, next_is_deeper) {
            (true, true) => ink.sign("▾", "-"),
            (true, false) => ink.sign("▸", "+"),
            _ => " ",
        };
        put(buf, ink, (body.x + indent, y), 1, sign, ink.style(Role::Faint));
        put_pieces(buf, ink, (body.x + indent + 2, y), body.width.saturating_sub(indent + 2), &row.pieces);
        if index == detail.selected && focused {
            let place = Rect { y, height: 1, ..body };
            buf.set_style(place.intersection(buf.area), Style { fg: None, ..ink.theme.select });
        }
    }
}
