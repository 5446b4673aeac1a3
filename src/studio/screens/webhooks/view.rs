//! The Webhooks screen drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Focus, Line, Webhooks};
use crate::domain::{Delivery, Verdict, Webhook, text};
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Clock, Moment, Remote, Zone};
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::paint::{inside, wrap};
use crate::studio::widgets::time::{ago, local, moment_of, when};
use crate::studio::widgets::{Ink, Page, Panel, Role, piece, put, put_right, scrollbar, select};

/// The areas of the list, of the detail and of what arrives.
fn areas(area: Rect, listens: bool) -> (Rect, Rect, Option<Rect>) {
    let below = if listens { (area.height / 3).max(4).min(area.height) } else { 0 };
    let upper = Rect { height: area.height - below, ..area };
    let received = listens.then_some(Rect { y: upper.bottom(), height: below, ..area });
    if area.width >= 100 {
        let left = area.width * 45 / 100;
        let right = Rect { x: area.x + left, width: area.width - left, ..upper };
        return (Rect { width: left, ..upper }, right, received);
    }
    let top = upper.height / 2;
    let lower = Rect { y: upper.y + top, height: upper.height - top, ..upper };
    (Rect { height: top, ..upper }, lower, received)
}

/// How many lines of the list are seen.
pub(super) fn list_rows(webhooks: &Webhooks) -> usize {
    usize::from(list_area(webhooks).height.saturating_sub(3))
}

fn list_area(webhooks: &Webhooks) -> Rect {
    areas(webhooks.area, webhooks.shows_received()).0
}

/// What is at a place of the screen.
pub(super) fn over(webhooks: &Webhooks, x: u16, y: u16) -> Option<Focus> {
    let (list, detail, received) = areas(webhooks.area, webhooks.shows_received());
    let areas = [(Some(list), Focus::List), (Some(detail), Focus::Deliveries), (received, Focus::Received)];
    areas.into_iter().find(|(area, _)| area.is_some_and(|area| area.contains((x, y).into()))).map(|(_, focus)| focus)
}

/// How many events that arrived are seen.
pub(super) fn received_rows(webhooks: &Webhooks) -> usize {
    let area = areas(webhooks.area, webhooks.shows_received()).2;
    area.map_or(0, |area| usize::from(area.height.saturating_sub(2)))
}

/// How many deliveries are seen: below what is said of the subscription, and their heading.
pub(super) fn delivery_rows(webhooks: &Webhooks) -> usize {
    let area = inside(areas(webhooks.area, webhooks.shows_received()).1);
    let Some(webhook) = webhooks.chosen_webhook() else { return 0 };
    let above =
        1 + told(webhook, Clock { now: Moment::default(), zone: &webhooks.zone }, area.width.saturating_sub(2)).len();
    usize::from(area.height).saturating_sub(above)
}

/// Where the lines of the list stand.
pub(super) fn rows_area(webhooks: &Webhooks) -> Rect {
    let list = list_area(webhooks);
    Rect { y: list.y + 2, height: list.height.saturating_sub(3), ..list }
}

/// A delivery, whole.
pub(super) fn delivery_page(delivery: &Delivery, zone: &Zone) -> Page {
    let mut lines = Vec::new();
    let mut say = |label: &str, value: &str| {
        lines.push((Role::Text, format!("{label:<10}{}", text::line(value))));
    };
    say("State", &delivery.state);
    say("Attempts", &delivery.attempts.to_string());
    say("Message", &delivery.message_id);
    for (label, at) in [
        ("Created", Some(&delivery.created_at)),
        ("Tried", delivery.attempted_at.as_ref()),
        ("Next", delivery.next_at.as_ref()),
    ] {
        if let Some(at) = at {
            say(label, &local(at, zone));
        }
    }
    delivery.error.iter().for_each(|error| say("Error", error));
    if let Some(status) = delivery.status {
        say("Status", &status.to_string());
    }
    if let Some(answer) = delivery.response_body.as_ref().filter(|answer| !answer.is_empty()) {
        lines.push((Role::Dim, "The receiver's response:".to_owned()));
        lines.extend(text::lines(answer).lines().map(|line| (Role::Text, line.to_owned())));
    }
    lines.push((Role::Dim, "What was sent:".to_owned()));
    let body = serde_json::to_string_pretty(&delivery.body).unwrap_or_default();
    lines.extend(body.lines().map(|line| (Role::Text, text::line(line).into_owned())));
    Page::new("Delivery", lines, "‹app.copy› copies what was sent  Esc closes")
        .with_copy(delivery.body.to_string())
        .of_others()
}

fn age(now: Moment, at: &str) -> String {
    moment_of(at).map(|then| ago(now, then)).unwrap_or_default()
}

/// Draws the screen and gives the cursor's place.
pub(super) fn view(webhooks: &Webhooks, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
    let (list, detail, received) = areas(webhooks.area, webhooks.shows_received());
    let cursor = draw_list(webhooks, buf, ink, now, list);
    draw_detail(webhooks, buf, ink, now, detail);
    if let Some(area) = received {
        draw_received(webhooks, buf, ink, area);
    }
    cursor
}

fn draw_list(webhooks: &Webhooks, buf: &mut Buffer, ink: Ink, now: Moment, area: Rect) -> Option<(u16, u16)> {
    let lines = &webhooks.lines;
    let count = lines.position().map_or(0, |(_, count)| count);
    let all = webhooks.known().len();
    let said = match webhooks.list.known() {
        // What was not read is not none.
        None => String::new(),
        Some(_) if count != all => format!("{count} of {all}"),
        Some(_) if all == 1 => "1 webhook".to_owned(),
        Some(_) => format!("{all} webhooks"),
    };
    let right = match &webhooks.event {
        Some(event) => vec![piece(Role::Accent, format!("{event} only")), piece(Role::Dim, format!(" · {said}"))],
        None => vec![piece(Role::Dim, said)],
    };
    let focused = matches!(webhooks.focus, Focus::List | Focus::Search);
    let inside = Panel { title: "Webhooks", right, focused, ..Panel::default() }.draw(buf, ink, area);
    if inside.height < 2 {
        return None;
    }
    put(buf, ink, (inside.x + 1, inside.y), 2, "/ ", ink.style(Role::Accent));
    let mut cursor = None;
    if webhooks.focus == Focus::Search || !lines.query().is_empty() {
        let place = lines.draw_query(buf, ink, (inside.x + 3, inside.y), inside.width.saturating_sub(4));
        cursor = (webhooks.focus == Focus::Search).then_some(place);
    } else {
        put(buf, ink, (inside.x + 3, inside.y), inside.width - 4, "search addresses", ink.style(Role::Faint));
    }
    let rows = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    if lines.is_empty() {
        let (role, words) = match &webhooks.list {
            Remote::Failed { problem, .. } => (
                Role::Error,
                format!("{}. Nothing was lost. ‹app.retry› retries.", text::line(problem).trim_end_matches('.')),
            ),
            Remote::Ready(all) if all.is_empty() => (Role::Dim, "No webhooks yet. ‹webhooks.new› adds one.".to_owned()),
            Remote::Ready(_) => (Role::Dim, "Nothing matches. Esc shows all.".to_owned()),
            Remote::Loading { since, .. } if now.since(*since) >= 300 => {
                (Role::Dim, ink.loading("Asking …", *since, now, Waits::STOPS))
            }
            _ => (Role::Dim, String::new()),
        };
        for (line, y) in ink.wrap(&words, rows.width.saturating_sub(4)).iter().zip(rows.y + 1..rows.bottom()) {
            put(buf, ink, (rows.x + 2, y), rows.width.saturating_sub(3), line, ink.style(role));
        }
    }
    for ((line, selected), y) in lines.seen().zip(rows.y..rows.bottom()) {
        match line {
            Line::Event(event, count) => {
                put(buf, ink, (rows.x + 1, y), rows.width - 8, &text::line(event), ink.style(Role::Accent));
                put_right(buf, ink, (rows.right().saturating_sub(6), y), 5, &count.to_string(), ink.style(Role::Dim));
            }
            Line::Webhook(webhook) => {
                let Some(webhook) = webhooks.known().get(*webhook) else { continue };
                draw_row(buf, ink, now, Rect { y, height: 1, ..rows }, webhook, selected);
            }
        }
    }
    scrollbar(buf, ink, area, lines.top(), usize::from(rows.height), lines.len());
    cursor
}

fn draw_row(buf: &mut Buffer, ink: Ink, now: Moment, row: Rect, webhook: &Webhook, selected: bool) {
    let room = row.width.saturating_sub(13);
    let off = webhook.disabled_at.is_some();
    let style = if off { ink.style(Role::Warn) } else { ink.theme.text };
    put(buf, ink, (row.x + 3, row.y), room, &text::line(&webhook.url), style);
    let age = if off { "off".to_owned() } else { age(now, &webhook.created_at) };
    put_right(buf, ink, (row.right().saturating_sub(9), row.y), 8, &age, ink.style(Role::Dim));
    if selected {
        select(buf, ink, row);
    }
}

fn draw_detail(webhooks: &Webhooks, buf: &mut Buffer, ink: Ink, now: Moment, area: Rect) {
    let focused = webhooks.focus == Focus::Deliveries;
    let Some(webhook) = webhooks.chosen_webhook() else {
        Panel { title: "", focused, ..Panel::default() }.draw(buf, ink, area);
        return;
    };
    let title = text::line(webhook.event.as_str()).into_owned();
    let inside = Panel { title: &title, focused, ..Panel::default() }.draw(buf, ink, area);
    let room = inside.width.saturating_sub(2);
    let mut y = inside.y;
    let mut say = |role: Role, words: &str, buf: &mut Buffer| {
        if y < inside.bottom() {
            put(buf, ink, (inside.x + 1, y), room, words, ink.style(role));
        }
        y += 1;
    };
    for (role, line) in told(webhook, Clock { now, zone: &webhooks.zone }, room) {
        say(role, &line, buf);
    }
    match &webhooks.deliveries {
        Remote::Failed { problem, .. } => {
            let what = format!("{}. ‹app.retry› retries.", text::line(problem).trim_end_matches('.'));
            for line in ink.wrap(&what, room) {
                say(Role::Error, &line, buf);
            }
        }
        Remote::Ready(None) => say(Role::Faint, "This service doesn't list deliveries.", buf),
        deliveries => match deliveries.known().and_then(Option::as_ref) {
            None => {}
            Some(all) if all.is_empty() => {
                say(Role::Dim, "No deliveries yet. ‹webhooks.ping› sends a test event.", buf);
            }
            Some(all) => {
                say(Role::Dim, "Deliveries     attempts  status  when      response", buf);
                let seen = usize::from(inside.bottom().saturating_sub(y));
                let chosen = webhooks.delivery.selected;
                let top = scrolled(webhooks.delivery.top, chosen, seen, all.len());
                for (at, delivery) in all.iter().enumerate().skip(top) {
                    if y >= inside.bottom() {
                        break;
                    }
                    draw_delivery(buf, ink, now, Rect { y, height: 1, ..inside }, delivery, focused && at == chosen);
                    y += 1;
                }
            }
        },
    }
}

/// What is said of a subscription above its deliveries, in so many columns.
fn told(webhook: &Webhook, clock: Clock<'_>, room: u16) -> Vec<(Role, String)> {
    let mut lines: Vec<_> = wrap(&text::line(&webhook.url), room).into_iter().map(|line| (Role::Text, line)).collect();
    if let Some(why) = webhook.disabled() {
        let when = webhook.disabled_at.as_deref().map(|at| age(clock.now, at)).filter(|age| !age.is_empty());
        let ago = when.map(|when| if when == "now" { " now".to_owned() } else { format!(" {when} ago") });
        lines.push((Role::Warn, format!("{why}{}. + switches it on.", ago.unwrap_or_default())));
    }
    lines.push((Role::Dim, super::create::explained(&webhook.event).to_owned()));
    lines.push((Role::Dim, format!("created {}", when(&webhook.created_at, clock))));
    lines.push((Role::Dim, text::line(&format!("ID {}", webhook.id)).into_owned()));
    lines.push((Role::Text, String::new()));
    lines
}

fn draw_delivery(buf: &mut Buffer, ink: Ink, now: Moment, row: Rect, delivery: &Delivery, selected: bool) {
    let role = match delivery.state.as_str() {
        "delivered" => Role::Ok,
        "failed" | "ended" => Role::Error,
        _ => Role::Warn,
    };
    put(buf, ink, (row.x + 1, row.y), 14, &text::line(&delivery.state), ink.style(role));
    put_right(buf, ink, (row.x + 16, row.y), 8, &delivery.attempts.to_string(), ink.style(Role::Text));
    let status = delivery.status.map(|status| status.to_string()).unwrap_or_default();
    put_right(buf, ink, (row.x + 26, row.y), 6, &status, ink.style(Role::Text));
    put(buf, ink, (row.x + 34, row.y), 9, &age(now, &delivery.created_at), ink.style(Role::Dim));
    let answer = delivery.error.as_ref().or(delivery.response_body.as_ref());
    let answer = answer.map(|answer| text::line(answer).into_owned()).unwrap_or_default();
    put(buf, ink, (row.x + 44, row.y), row.width.saturating_sub(45), &answer, ink.style(Role::Dim));
    if selected {
        select(buf, ink, row);
    }
}

fn draw_received(webhooks: &Webhooks, buf: &mut Buffer, ink: Ink, area: Rect) {
    let right = match &webhooks.listening {
        Some(address) => vec![piece(Role::Ok, format!("receiving on {}", text::line(address)))],
        None => vec![piece(Role::Dim, "stopped")],
    };
    let focused = webhooks.focus == Focus::Received;
    let inside = Panel { title: "Received events", right, focused, ..Panel::default() }.draw(buf, ink, area);
    if webhooks.received.is_empty() && inside.height > 0 {
        let say = "Nothing yet. Create a webhook for this address with ‹webhooks.new›, then send a test with ‹webhooks.ping›.";
        put(buf, ink, (inside.x + 1, inside.y), inside.width.saturating_sub(2), say, ink.style(Role::Dim));
    }
    for ((event, selected), y) in webhooks.received.seen().zip(inside.y..inside.bottom()) {
        let role = match event.verdict {
            Verdict::Verified => Role::Ok,
            Verdict::Unknown | Verdict::Replayed => Role::Warn,
            _ => Role::Error,
        };
        let at = webhooks.zone.clock_time(event.at);
        put(buf, ink, (inside.x + 1, y), 8, &at, ink.style(Role::Dim));
        put(
            buf,
            ink,
            (inside.x + 11, y),
            16,
            &text::line(event.event.as_deref().unwrap_or("unknown event")),
            ink.style(Role::Text),
        );
        put(buf, ink, (inside.x + 29, y), 16, &event.verdict.to_string(), ink.style(role));
        let named = event.body.get("playlist").and_then(serde_json::Value::as_str).unwrap_or_default();
        let rest = format!("{}  {}  {} bytes", event.message, named, event.size);
        put(buf, ink, (inside.x + 46, y), inside.width.saturating_sub(47), &text::line(&rest), ink.style(Role::Dim));
        if selected && focused {
            select(buf, ink, Rect { y, height: 1, ..inside });
        }
    }
}
