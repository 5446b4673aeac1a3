//! How the Products screen looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::{Columns, Look, MARGIN};
use super::searching::{DIM_AFTER_MS, SPINNER_AFTER_MS};
use super::{Fetch, Focus, Parts, Products};
use crate::domain::text;
use crate::studio::ground::Moment;
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::{
    Awaited, Ink, Panel, Piece, Role, chips, ground, number, piece, put, put_pieces, scrollbar,
};

/// Draws the screen and gives the cursor's place.
pub fn view(products: &Products, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
    if products.comparison.is_some() {
        products.draw_compare(buf, ink, now);
        return None;
    }
    let (left, right) = products.split();
    let mut cursor = left.and_then(|pane| match &products.problems {
        Some(problems) => {
            problems.draw(buf, ink, pane, products.focus == Focus::Problems, now);
            None
        }
        None => draw_list(products, buf, ink, pane, now),
    });
    if let Some(pane) = right {
        if let Some(panel) = &products.panel {
            let found = if left.is_none() { title_right(products, ink, now) } else { Vec::new() };
            let focused = products.focus == Focus::Filters;
            cursor = panel.draw(buf, ink, pane, &products.query, focused, found).or(cursor);
        } else if let Some(detail) = &products.detail {
            super::view_detail::draw(detail, buf, ink, pane, products.focus == Focus::Detail, now);
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
    let found = number(i64::try_from(list.found.len()).unwrap_or(i64::MAX));
    let more = if list.next.is_some() { "+" } else { "" };
    format!("{found}{more} found")
}

/// Whether what is shown belongs to the search before, and has for so long that it should be seen: rows that are
/// replaced at once are not dimmed first.
fn looks_stale(products: &Products, now: Moment) -> bool {
    products.list.is_stale() && products.list.since().is_none_or(|since| now.since(since) >= DIM_AFTER_MS)
}

fn title_right(products: &Products, ink: Ink, now: Moment) -> Vec<Piece> {
    let slow = ink.awaited != Awaited::SignIn
        && products.list.since().is_some_and(|since| now.since(since) >= SPINNER_AFTER_MS);
    let words = count_words(products);
    let mut pieces = Vec::new();
    if slow {
        pieces.push(piece(Role::Warn, if products.list.is_stale() { "searching" } else { "loading more" }));
        pieces.push(piece(Role::Warn, format!("{}  ", ink.ellipsis())));
    }
    let role = if looks_stale(products, now) { Role::Faint } else { Role::Dim };
    pieces.push(piece(role, words));
    pieces
}

fn draw_list(products: &Products, buf: &mut Buffer, ink: Ink, pane: Rect, now: Moment) -> Option<(u16, u16)> {
    let focused = matches!(products.focus, Focus::List | Focus::Search | Focus::Chips(_));
    let mut parts: Vec<Vec<Piece>> = Vec::new();
    let count = |of: u64| number(i64::try_from(of).unwrap_or(i64::MAX));
    if let Some(exporting) = products.exporting {
        let of = exporting.of.map(|of| format!(" of {}", count(of))).unwrap_or_default();
        let done = format!("exporting {}{of}, ", count(exporting.done));
        parts.push(vec![piece(Role::Accent, done), piece(Role::Dim, ink.keyed("‹products.export.stop› stops"))]);
    }
    if let Some(words) = products.selected_words() {
        parts.push(vec![piece(Role::Text, words)]);
    }
    if let Some((label, _, _)) =
        super::filtering::SORTS.iter().find(|(_, _, sort)| *sort == products.query.sort && sort.is_some())
    {
        parts.push(vec![piece(Role::Dim, format!("{} {label}", ink.sign("↕", "sort:")))]);
    }
    let bottom = parts.join(&piece(Role::Dim, "  "));
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
    scrollbar(buf, ink, pane, products.list.found.top(), products.page(), products.list.found.len());
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

fn draw_rows(products: &Products, buf: &mut Buffer, ink: Ink, parts: &Parts, columns: &Columns, now: Moment) {
    let area = parts.rows;
    let list = &products.list;
    let look = Look { term: products.query.term.trim(), stale: looks_stale(products, now) };
    let mut y = area.y;
    let (high, indent) = (products.row_height(), products.indent());
    let seen = usize::from(area.height / high);
    for (index, row) in list.found.rows().iter().enumerate().skip(list.found.top()).take(seen) {
        let place = Rect { y, height: 1, ..area };
        let texts = Rect { x: place.x + indent, width: place.width.saturating_sub(indent), ..place };
        columns.draw_row(buf, ink, texts, row, look, now);
        if high > 1 {
            columns.draw_second(buf, ink, Rect { y: y + 1, ..texts }, row, look);
        }
        if products.marks.products.contains(&row.id) {
            put(buf, ink, (place.x + 1, y), 1, ink.sign("●", "*"), ink.style(Role::Accent));
        }
        if index == list.found.selected() {
            // A picture beside it keeps its cells: on some terminals they are painted only once.
            put(buf, ink, (place.x, place.y), 1, ink.sign("▌", ">"), ink.style(Role::Accent));
            if !matches!(products.focus, Focus::Chips(_)) {
                ink.stands((place.x, place.y));
            }
            ground(buf, ink, if indent == 0 { place } else { texts });
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
            let say = if *first { "Couldn't load the products." } else { "Couldn't load the next page." };
            lines.push(vec![piece(Role::Error, say)]);
            lines.extend(
                ink.wrap(&text::line(what), area.width.saturating_sub(4))
                    .into_iter()
                    .map(|line| vec![piece(Role::Dim, line)]),
            );
            let kept = if list.found.is_empty() { "" } else { "What was loaded is kept. " };
            lines.push(vec![
                piece(Role::Dim, kept),
                piece(Role::Accent, "‹app.retry›"),
                piece(Role::Dim, " asks again."),
            ]);
        }
        Fetch::First { since, .. } if list.found.is_empty() && now.since(*since) >= SPINNER_AFTER_MS => {
            let say = ink.loading("Loading …", *since, now, Waits::STOPS);
            lines.extend(
                ink.wrap(&say, area.width.saturating_sub(4)).into_iter().map(|line| vec![piece(Role::Dim, line)]),
            );
        }
        Fetch::Idle if list.read && list.found.is_empty() && products.query.is_all() => {
            lines.push(vec![piece(Role::Text, "No products yet.")]);
            lines.push(vec![
                piece(Role::Dim, "They come from the shop's platform. "),
                piece(Role::Accent, "‹products.refresh›"),
                piece(Role::Dim, " looks again."),
            ]);
        }
        Fetch::Idle if list.read && list.found.is_empty() => {
            lines.push(vec![piece(Role::Text, "Nothing found.")]);
            let mut hint = Vec::new();
            if !products.query.term.is_empty() {
                hint.extend([piece(Role::Accent, "Esc"), piece(Role::Dim, " clears the search  ")]);
            }
            if !products.query.chips().is_empty() {
                let too = if products.query.term.is_empty() { "" } else { ", too" };
                let clears = format!(" clears the filters{too}");
                hint.extend([piece(Role::Accent, "‹products.filter.clear›"), piece(Role::Dim, clears)]);
            }
            lines.push(hint);
        }
        _ => {}
    }
    for (line, y) in lines.iter().zip(area.y + u16::from(area.height > 2 && list.found.is_empty())..area.bottom()) {
        put_pieces(buf, ink, (area.x + MARGIN, y), area.width.saturating_sub(MARGIN), line);
    }
}
