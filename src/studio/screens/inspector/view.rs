//! The list of exchanges drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Inspector, Only, SLOW_MS};
use crate::domain::text;
use crate::domain::wire::Recorded;
use crate::studio::ground::Zone;
use crate::studio::widgets::{Ink, Panel, Role, number, piece, put, put_right, scrollbar, select, width};

/// How many exchanges are seen.
pub(super) fn list_rows(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(4))
}

/// How many lines of an exchange are seen.
pub(super) fn detail_rows(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(3)).max(1)
}

/// Which row of the list is at a line of the screen, counted from the first that is seen.
pub(super) fn list_row(area: Rect, y: u16) -> Option<usize> {
    (y >= area.y + 3 && y + 1 < area.bottom()).then(|| usize::from(y - area.y - 3))
}

/// A path, harmless, in so many columns: ids are cut before what follows them, which says what was asked for.
fn fitting(path: &str, room: u16) -> String {
    let path = text::line(path);
    if width(&path) <= room {
        return path.into_owned();
    }
    let short = |part: &str| match part.char_indices().nth(8) {
        Some((end, _)) if part.len() > 20 => format!("{}…", part.get(..end).unwrap_or(part)),
        _ => part.to_owned(),
    };
    path.split('/').map(short).collect::<Vec<_>>().join("/")
}

/// When an exchange was, to the millisecond.
pub(super) fn time_of(recorded: &Recorded, zone: &Zone) -> String {
    let milliseconds = recorded.at.as_millisecond().rem_euclid(1000);
    format!("{}.{milliseconds:03}", zone.clock_time(recorded.at))
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} kB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}

/// Where the columns of the list are.
#[derive(Clone, Copy)]
struct Columns {
    /// The columns of a path.
    path: u16,
    /// Whether there is room for what identifies a request and for what is wrong with it.
    wide: bool,
}

impl Columns {
    fn of(inside: Rect) -> Self {
        let wide = inside.width >= 100;
        Self { path: inside.width.saturating_sub(if wide { 70 } else { 48 }), wide }
    }
}

/// Draws the list and gives the cursor's place.
pub(super) fn view(inspector: &Inspector, buf: &mut Buffer, ink: Ink) -> Option<(u16, u16)> {
    let area = inspector.area;
    let shown = &inspector.shown;
    let all = inspector.log.iter().len();
    let count = |count: usize| number(i64::try_from(count).unwrap_or(i64::MAX));
    let said = if all == 1 && shown.len() == 1 {
        "1 request".to_owned()
    } else if shown.len() == all {
        format!("{} requests", count(all))
    } else {
        format!("{} of {}", count(shown.len()), count(all))
    };
    let mut right = Vec::new();
    if inspector.only != Only::All {
        right.push(piece(Role::Accent, format!("{} · ", inspector.only.title())));
    }
    right.push(piece(Role::Dim, said));
    let inside = Panel { title: "Inspector", right, focused: true, ..Panel::default() }.draw(buf, ink, area);
    if inside.height < 3 || inside.width < 30 {
        return None;
    }
    let cursor = draw_search(inspector, buf, ink, inside);
    let columns = Columns::of(inside);
    draw_header(buf, ink, inside, columns);
    let rows = Rect { y: inside.y + 2, height: inside.height - 2, ..inside };
    if shown.is_empty() {
        let words = if all == 0 {
            "No requests yet. They will appear here, without their secrets."
        } else {
            "Nothing matches. Esc shows all."
        };
        put(buf, ink, (rows.x + 2, rows.y), rows.width - 3, words, ink.style(Role::Dim));
    }
    for ((recorded, selected), y) in shown.seen().zip(rows.y..rows.bottom()) {
        let row = Rect { y, height: 1, ..rows };
        if inspector.marked == Some(recorded.number) {
            put(buf, ink, (row.x + 1, y), 1, ink.sign("●", "*"), ink.style(Role::Accent));
        }
        draw_row(recorded, &inspector.zone, buf, ink, row, columns);
        if selected {
            select(buf, ink, row);
        }
    }
    scrollbar(buf, ink, area, shown.top(), usize::from(rows.height), shown.len());
    cursor
}

/// The line of the search; the cursor's place while something is typed there.
fn draw_search(inspector: &Inspector, buf: &mut Buffer, ink: Ink, inside: Rect) -> Option<(u16, u16)> {
    put(buf, ink, (inside.x + 1, inside.y), 2, "/ ", ink.style(Role::Accent));
    if inspector.searching || !inspector.shown.query().is_empty() {
        let place = inspector.shown.draw_query(buf, ink, (inside.x + 3, inside.y), inside.width - 4);
        return inspector.searching.then_some(place);
    }
    let hint = "search paths, statuses, request IDs and bodies";
    put(buf, ink, (inside.x + 3, inside.y), inside.width - 4, hint, ink.style(Role::Faint));
    None
}

fn draw_header(buf: &mut Buffer, ink: Ink, inside: Rect, columns: Columns) {
    let mut header = |x: u16, room: u16, words: &str| {
        put(buf, ink, (inside.x + x, inside.y + 1), room, words, ink.style(Role::Dim));
    };
    header(2, 12, "Time");
    header(15, 6, "Method");
    header(22, columns.path, "Path");
    let x = 23 + columns.path;
    for (at, words) in [(0, "Status"), (8, "   ms"), (15, "  Size")] {
        header(x + at, 7, words);
    }
    if columns.wide {
        header(x + 23, 24, "Request ID");
    }
}

fn draw_row(recorded: &Recorded, zone: &Zone, buf: &mut Buffer, ink: Ink, row: Rect, columns: Columns) {
    let (y, room) = (row.y, columns.path);
    put(buf, ink, (row.x + 2, y), 12, &time_of(recorded, zone), ink.style(Role::Dim));
    put(buf, ink, (row.x + 15, y), 6, recorded.method, ink.style(Role::Text));
    put(buf, ink, (row.x + 22, y), room, &fitting(&recorded.path, room), ink.style(Role::Text));
    let x = row.x + 23 + room;
    let (role, status) = match recorded.status {
        Some(status) if recorded.is_success() => (Role::Ok, status.to_string()),
        Some(status) => (Role::Error, status.to_string()),
        None => (Role::Error, "none".to_owned()),
    };
    put(buf, ink, (x, y), 6, &status, ink.style(role));
    let slow = if recorded.elapsed_ms >= SLOW_MS { Role::Warn } else { Role::Text };
    let elapsed = number(i64::try_from(recorded.elapsed_ms).unwrap_or(i64::MAX));
    put_right(buf, ink, (x + 6, y), 7, &elapsed, ink.style(slow));
    put_right(buf, ink, (x + 14, y), 7, &size(recorded.received.size), ink.style(Role::Text));
    let found = recorded.findings.len();
    if columns.wide {
        let id = recorded.request_id.as_deref().unwrap_or_default();
        put(buf, ink, (x + 23, y), 14, &text::line(id), ink.style(Role::Faint));
        let mut words = Vec::new();
        if recorded.retries > 0 {
            words.push(format!("again {}", recorded.retries));
        }
        if found > 0 {
            words.push(if found == 1 { "1 issue".to_owned() } else { format!("{found} issues") });
        }
        put_right(buf, ink, (row.right().saturating_sub(12), y), 11, &words.join(" "), ink.style(Role::Warn));
    } else if found > 0 {
        put(buf, ink, (row.right().saturating_sub(2), y), 1, "!", ink.style(Role::Warn));
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn a_long_path_keeps_what_stands_behind_its_ids() {
        let path = "/webhooks/db1519a4-db66-4942-8b44-696a30db5794/deliveries";
        assert_eq!(fitting(path, 80), path);
        assert_eq!(fitting(path, 32), "/webhooks/db1519a4…/deliveries");
    }
}
