//! How the open product looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::searching::SPINNER_AFTER_MS;
use super::{Detail, Tab};
use crate::domain::text;
use crate::studio::ground::{Moment, Remote};
use crate::studio::widgets::{Ink, Panel, Piece, Role, ground, piece, put, put_pieces, scrollbar, width};

/// Where the tabs of the open product stand.
#[must_use]
pub fn tab_places(detail: &Detail, pane: Rect) -> Vec<(Tab, Rect)> {
    let (counted, gap) = tab_form(detail, pane);
    let mut x = pane.x + 2;
    Tab::ALL
        .into_iter()
        .map(|tab| {
            let taken = if counted { width(&detail.label(tab)) } else { width(tab.title()) };
            let place = Rect { x, y: pane.y + 1, width: taken, height: 1 };
            x = x.saturating_add(taken + gap);
            (tab, place)
        })
        .collect()
}

/// Whether there is room for how many are in each tab, and how far the tabs stand apart.
fn tab_form(detail: &Detail, pane: Rect) -> (bool, u16) {
    let counted: u16 = Tab::ALL.into_iter().map(|tab| width(&detail.label(tab)) + 2).sum();
    if counted + 1 < pane.width { (true, 2) } else { (false, if pane.width < 66 { 1 } else { 2 }) }
}

/// Draws the open product.
pub(super) fn draw(detail: &Detail, buf: &mut Buffer, ink: Ink, pane: Rect, focused: bool, now: Moment) {
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
    let (counted, _) = tab_form(detail, pane);
    for (tab, place) in tab_places(detail, pane) {
        if place.right() < pane.right() {
            let style = if tab == detail.tab { ink.style(Role::Accent) } else { ink.style(Role::Dim) };
            let label = if counted { detail.label(tab) } else { tab.title().to_owned() };
            put(buf, ink, (place.x, place.y), place.width, &label, style);
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
    if let Some(product) = record.map(|record| &record.product) {
        ink.link(buf, body, &product.product_url);
        if let Some(address) = product.media.get(detail.selected).and_then(super::gallery::address) {
            ink.link(buf, body, address);
        }
    }
    if let Some(gallery) = detail.gallery {
        let media = record.map_or(0, |record| record.product.media.len());
        scrollbar(buf, ink, pane, detail.top, gallery.rows, media.div_ceil(gallery.columns));
    } else {
        scrollbar(buf, ink, pane, detail.top, usize::from(body.height), detail.line_count());
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
            let mut lines = vec![vec![piece(Role::Error, "Couldn't load the product.")]];
            let told = ink.wrap(&text::line(problem), body.width);
            lines.extend(told.into_iter().map(|line| vec![piece(Role::Dim, line)]));
            lines.push(vec![piece(Role::Accent, "‹app.retry›"), piece(Role::Dim, " asks again.")]);
            return say(buf, &lines);
        }
        Remote::Ready(None) => {
            let lines = [
                vec![piece(Role::Warn, "The service no longer has this product.")],
                vec![piece(Role::Accent, "‹products.refresh›"), piece(Role::Dim, " reloads the list.")],
            ];
            return say(buf, &lines);
        }
        Remote::Loading { since, stale: None, .. } => {
            if now.since(*since) >= SPINNER_AFTER_MS {
                let told = ink.loading("Loading the product …", *since, now, "Esc closes it");
                let lines: Vec<_> =
                    ink.wrap(&told, body.width).into_iter().map(|line| vec![piece(Role::Dim, line)]).collect();
                say(buf, &lines);
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
        ink.stands((body.x, body.y));
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
            ink.stands((body.x + indent, y));
            ground(buf, ink, Rect { y, height: 1, ..body });
        }
    }
}
