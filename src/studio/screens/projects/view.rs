//! How the Projects screen looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::detail::{self, Detail};
use super::fetching::SPINNER_AFTER_MS;
use super::{Filter, Focus, Line, Order, Ordering, Parts, Projects, Row, Stage};
use crate::domain::text;
use crate::studio::ground::{Moment, Remote};
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::paint::{inside, shortened, wrap};
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{
    Ink, Panel, Piece, Role, number, number_in, piece, put, put_pieces, put_right, scrollbar, select, width,
};

/// Draws the screen and gives the cursor's place.
pub fn view(projects: &Projects, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
    if let Some(code) = &projects.code {
        code.draw(buf, ink, projects.area);
        return None;
    }
    if let Some(ordering) = &projects.ordering {
        draw_ordering(projects, ordering, buf, ink, now);
        return None;
    }
    if let Some(editor) = &projects.player {
        return editor.view(buf, ink, projects.area, under_way(projects, ink, now));
    }
    let (left, right) = projects.split();
    let cursor = left.and_then(|pane| draw_list(projects, buf, ink, pane, now));
    if let Some(pane) = right {
        draw_detail(projects, buf, ink, pane, now);
    }
    cursor
}

pub(super) fn counted(count: usize, word: &str) -> String {
    let said = number(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{said} {word}{}", if count == 1 { "" } else { "s" })
}

/// What the list's title says: how many there are.
#[must_use]
pub fn count_words(projects: &Projects) -> String {
    let Some(listed) = projects.listed() else { return String::new() };
    let all = counted(listed.rows.iter().filter(|row| !row.unlisted).count(), "project");
    if projects.arranged.lines.is_searched() || projects.filter != Filter::All {
        let kept = listed.rows.iter().filter(|row| projects.filter.keeps(row, &projects.drafts)).count();
        let searched = projects.arranged.lines.is_searched();
        let found = if searched { projects.arranged.lines.len() } else { kept };
        let found = number(i64::try_from(found).unwrap_or(i64::MAX));
        let which =
            if projects.filter == Filter::All { String::new() } else { format!(", {}", projects.filter.words()) };
        return format!("{found} of {all}{which}");
    }
    match projects.arranged.folders() {
        0 => all,
        folders => format!("{all} in {}", counted(folders, "folder")),
    }
}

fn is_slow(since: Moment, now: Moment) -> bool {
    now.since(since) >= SPINNER_AFTER_MS
}

/// What is under way, for the lower edge.
fn under_way(projects: &Projects, ink: Ink, now: Moment) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(writing) = projects.writing.as_ref().filter(|writing| is_slow(writing.since, now)) {
        pieces.push(piece(Role::Accent, format!("{}{}  ", text::line(&writing.words.doing), ink.ellipsis())));
    }
    if let Some(reading) = projects.reading.as_ref().filter(|reading| is_slow(reading.since, now)) {
        pieces.push(piece(Role::Accent, format!("loading {}{}  ", reading.called, ink.ellipsis())));
    }
    if let Some(copying) = &projects.copying {
        let (done, all) = copying.progress();
        pieces.push(match copying.stage {
            Stage::Stopped(_) => piece(Role::Warn, "a copy is incomplete: d  "),
            Stage::Running => piece(Role::Accent, format!("duplicating {done} of {all}  ")),
        });
    }
    pieces
}

fn draw_list(projects: &Projects, buf: &mut Buffer, ink: Ink, pane: Rect, now: Moment) -> Option<(u16, u16)> {
    let mut right = Vec::new();
    if let Remote::Loading { since, stale: Some(_), .. } = &projects.list
        && is_slow(*since, now)
    {
        right.push(piece(Role::Warn, format!("reloading{}  ", ink.ellipsis())));
    }
    right.push(piece(Role::Dim, count_words(projects)));
    let mut bottom = under_way(projects, ink, now);
    let order = if projects.order == Order::Name { "name" } else { "last change" };
    bottom.push(piece(Role::Dim, format!("{} {order}", ink.sign("↕", "sort:"))));
    let focused = projects.focus != Focus::Detail;
    Panel { title: "Projects", right, bottom, focused }.draw(buf, ink, pane);
    let parts = projects.parts(pane);
    let cursor = draw_search(projects, buf, ink, parts.search);
    let columns = Columns::of(projects, parts.rows);
    columns.draw_header(buf, ink, parts.header);
    draw_rows(projects, buf, ink, &parts, &columns, now);
    let seen = usize::from(parts.rows.height).max(1);
    scrollbar(buf, ink, pane, projects.arranged.lines.top(), seen, projects.arranged.lines.len());
    cursor
}

fn draw_search(projects: &Projects, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
    if area.height == 0 || area.width < 8 {
        return None;
    }
    let typing = projects.focus == Focus::Search;
    let role = if typing { Role::Accent } else { Role::Dim };
    put(buf, ink, (area.x + 1, area.y), 2, "/ ", ink.style(role));
    let (at, room) = ((area.x + 3, area.y), area.width - 4);
    if !typing && projects.arranged.lines.query().is_empty() {
        put(buf, ink, at, room, "search names", ink.style(Role::Faint));
        return None;
    }
    let cursor = projects.arranged.lines.draw_query(buf, ink, at, room);
    typing.then_some(cursor)
}

/// Where the columns stand.
struct Columns {
    /// Before a project's name.
    left: u16,
    name: u16,
    folder: u16,
    steps: u16,
    updated: u16,
}

impl Columns {
    fn of(projects: &Projects, rows: Rect) -> Self {
        let across = rows.width;
        let left = if projects.arranged.is_grouped() { 6 } else { 3 };
        let updated = if across < 40 { 0 } else { 8 };
        let searched = !projects.arranged.is_grouped() && projects.arranged.folders() > 0;
        let folder = if searched && across >= 60 { (across / 4).min(30) } else { 0 };
        let steps = 7;
        Self { left, name: across.saturating_sub(left + folder + steps + updated + 1), folder, steps, updated }
    }

    fn draw_header(&self, buf: &mut Buffer, ink: Ink, area: Rect) {
        if area.height == 0 {
            return;
        }
        let (style, y) = (ink.style(Role::Dim), area.y);
        put(buf, ink, (area.x + self.left, y), self.name, "Name", style);
        let mut x = area.x + self.left + self.name;
        if self.folder > 0 {
            put(buf, ink, (x + 1, y), self.folder - 1, "Folder", style);
            x += self.folder;
        }
        put_right(buf, ink, (x, y), self.steps, "Steps", style);
        if self.updated > 0 {
            put_right(buf, ink, (x + self.steps, y), self.updated, "Updated", style);
        }
    }

    /// Draws a project.
    fn draw_row(&self, buf: &mut Buffer, ink: Ink, at: (u16, u16), row: &Row, look: &Look, now: Moment) {
        let (left, y) = (at.0 + self.left, at.1);
        let role = if row.name.trim().is_empty() { Role::Faint } else { Role::Text };
        let said = if row.unlisted { UNLISTED } else { DRAFT };
        let mark = if look.draft { width(said) + 4 } else { 0 };
        let room = self.name.saturating_sub(1 + mark);
        let used = put(buf, ink, (left, y), room, row.called(), ink.style(role));
        mark_places(buf, ink, (left, y), used, row.called(), look.places);
        if look.draft {
            let sign = format!("{} {said}", ink.sign("●", "*"));
            put(buf, ink, (left + used + 2, y), mark, &sign, ink.style(Role::Warn));
        }
        let mut x = left + self.name;
        if self.folder > 0 {
            put(buf, ink, (x + 1, y), self.folder - 2, look.folder, ink.style(Role::Dim));
            x += self.folder;
        }
        let (steps, role) = match row.steps() {
            Some(steps) => (number_in(steps, self.steps - 1), Role::Text),
            None => ("–".to_owned(), Role::Faint),
        };
        put_right(buf, ink, (x + 1, y), self.steps - 1, &steps, ink.style(role));
        if self.updated > 0 {
            let (when, role) = match row.changed {
                Some(then) => (ago(now, then), Role::Dim),
                None => ("–".to_owned(), Role::Faint),
            };
            put_right(buf, ink, (x + self.steps + 1, y), self.updated - 1, &when, ink.style(role));
        }
    }
}

/// What a project with edits that are not saved is marked with.
const DRAFT: &str = "draft";

/// What a draft is marked with whose project the service does not list.
const UNLISTED: &str = "draft only";

/// What is shown of a row beside itself.
struct Look<'a> {
    draft: bool,
    folder: &'a str,
    places: &'a [u32],
}

fn draw_rows(projects: &Projects, buf: &mut Buffer, ink: Ink, parts: &Parts, columns: &Columns, now: Moment) {
    let area = parts.rows;
    let shown = projects.arranged.lines.seen().take(usize::from(area.height));
    let mut y = area.y;
    for (line, selected) in shown {
        match line {
            Line::Folder(group) => draw_folder(projects, *group, buf, ink, (area, y)),
            Line::Project(row, places) => {
                let Some(row) = projects.listed().and_then(|listed| listed.rows.get(*row)) else { continue };
                let folder = row.folder().and_then(|id| projects.folder_name(id)).unwrap_or_default();
                let look = Look { draft: projects.draft_of(&row.project.id).is_some(), folder, places };
                columns.draw_row(buf, ink, (area.x, y), row, &look, now);
            }
        }
        if selected {
            select(buf, ink, Rect { y, height: 1, ..area });
        }
        y += 1;
    }
    let free = Rect { y, height: area.bottom().saturating_sub(y), ..area };
    say_below(projects, buf, ink, if parts.below.height > 0 { parts.below } else { free }, now);
}

fn draw_folder(projects: &Projects, group: usize, buf: &mut Buffer, ink: Ink, (area, y): (Rect, u16)) {
    let Some(group) = projects.arranged.groups.get(group) else { return };
    let folded = projects.folded.contains(&group.place);
    let sign = if folded { ink.sign("▸", "+") } else { ink.sign("▾", "-") };
    put(buf, ink, (area.x + 2, y), 1, sign, ink.style(Role::Accent));
    let count = number(i64::try_from(group.count).unwrap_or(i64::MAX));
    let room = area.width.saturating_sub(8 + width(&count));
    let name = put(buf, ink, (area.x + 4, y), room, &group.name, ink.style(Role::Dim));
    put(buf, ink, (area.x + 6 + name, y), width(&count), &count, ink.style(Role::Faint));
}

/// Shows which letters a search matched.
fn mark_places(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), used: u16, name: &str, places: &[u32]) {
    let mut column = 0;
    let mut wanted = places.iter().copied().peekable();
    for (index, c) in name.chars().enumerate() {
        if wanted.peek().is_none() || column >= used {
            break;
        }
        if wanted.next_if(|place| usize::try_from(*place) == Ok(index)).is_some()
            && let Some(cell) = buf.cell_mut((x + column, y))
        {
            cell.set_style(ink.theme.matched);
        }
        column += u16::try_from(unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)).unwrap_or(0);
    }
}

/// What stands under the rows: what went wrong, or why there are none.
fn say_below(projects: &Projects, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    let key = |key: &str, what: &str| vec![piece(Role::Accent, key), piece(Role::Dim, what)];
    match &projects.list {
        Remote::Failed { problem, stale } => {
            lines.push(vec![piece(Role::Error, "Couldn't load the projects.")]);
            let told = ink.wrap(&text::line(problem), area.width.saturating_sub(4));
            lines.extend(told.into_iter().map(|line| vec![piece(Role::Dim, line)]));
            let kept = if stale.is_some() { " retries. What was loaded is kept." } else { " asks again." };
            lines.push(key("‹app.retry›", kept));
        }
        Remote::Loading { since, stale: None, .. } if is_slow(*since, now) => {
            let say = ink.loading("Loading …", *since, now, Waits::STOPS);
            lines.extend(
                ink.wrap(&say, area.width.saturating_sub(4)).into_iter().map(|line| vec![piece(Role::Dim, line)]),
            );
        }
        Remote::Idle => {
            lines.push(vec![piece(Role::Dim, "Not connected to the service yet.")]);
            lines.push(key("‹app.retry›", " tries again."));
        }
        Remote::Ready(listed) if listed.rows.is_empty() => {
            lines.push(vec![piece(Role::Text, "Your projects will appear here.")]);
            lines.push(key("‹projects.create›", " creates the first one."));
        }
        Remote::Ready(_) if projects.arranged.lines.is_empty() => {
            lines.push(vec![piece(Role::Text, "No matching project.")]);
            lines.push(key("Esc", " shows all again."));
        }
        _ => {}
    }
    let gap = u16::from(area.height > 3 && projects.arranged.lines.is_empty());
    let most = usize::from(area.height.saturating_sub(gap));
    // The way out is the last to be left out.
    let cut = lines.len().saturating_sub(most.max(1));
    if cut > 0 && lines.len() > 2 {
        let last = lines.pop();
        lines.truncate(most.saturating_sub(1).max(1));
        lines.extend(last);
    }
    for (line, y) in lines.iter().zip(area.y + gap..area.bottom()) {
        put_pieces(buf, ink, (area.x + 3, y), area.width.saturating_sub(4), line);
    }
}

fn draw_detail(projects: &Projects, buf: &mut Buffer, ink: Ink, pane: Rect, now: Moment) {
    let focused = projects.focus == Focus::Detail;
    let (Some(detail), Some(row)) = (&projects.detail, projects.current()) else {
        draw_no_project(projects, buf, ink, pane);
        return;
    };
    let record = detail.record.known().and_then(Option::as_deref);
    let mut right = Vec::new();
    if let Remote::Loading { since, .. } = &detail.record
        && is_slow(*since, now)
    {
        right.push(piece(Role::Warn, format!("reading{}", ink.ellipsis())));
    } else if let Some(record) = record.filter(|record| record.graph.as_ref().is_some_and(|graph| !graph.is_empty())) {
        let (role, words) = detail::fault_words(record, &detail.offered);
        right.push(piece(role, words));
    }
    let title = detail::title(row, record);
    let room = usize::from(pane.width).saturating_sub(right.iter().map(|p| p.text.len()).sum::<usize>() + 10);
    let title = shortened(&title, u16::try_from(room).unwrap_or(u16::MAX), ink);
    let body = Panel { title: &title, right, focused, ..Panel::default() }.draw(buf, ink, pane);
    let body = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
    let trouble = trouble_lines(detail, body.width);
    let above = u16::try_from(trouble.len()).unwrap_or(u16::MAX).min(body.height);
    for (line, y) in trouble.iter().zip(body.y..body.bottom()) {
        put_pieces(buf, ink, (body.x, y), body.width, line);
    }
    for (line, y) in detail.lines.iter().skip(detail.top).zip(body.y + above..body.bottom()) {
        put_pieces(buf, ink, (body.x, y), body.width, line);
    }
    let player = record.and_then(|record| super::row::player(&record.project)).or_else(|| row.player());
    if let Some(address) = player {
        ink.link(buf, body, &address);
    }
    scrollbar(buf, ink, pane, detail.top, usize::from(body.height), detail.lines.len());
}

fn trouble_lines(detail: &Detail, across: u16) -> Vec<Vec<Piece>> {
    match &detail.record {
        Remote::Failed { problem, .. } => {
            let mut lines = vec![vec![piece(Role::Error, "Couldn't load its steps.")]];
            let told = wrap(&text::line(problem), across);
            lines.extend(told.into_iter().map(|line| vec![piece(Role::Dim, line)]));
            lines.push(vec![piece(Role::Accent, "‹app.retry›"), piece(Role::Dim, " asks again.")]);
            lines.push(Vec::new());
            lines
        }
        Remote::Ready(None) => vec![
            vec![piece(Role::Warn, "The service no longer has this project.")],
            vec![piece(Role::Accent, "‹projects.refresh›"), piece(Role::Dim, " reloads the list.")],
            Vec::new(),
        ],
        Remote::Idle if !detail.id.is_empty() => {
            vec![vec![piece(Role::Accent, "‹projects.refresh›"), piece(Role::Dim, " loads its steps.")], Vec::new()]
        }
        _ => Vec::new(),
    }
}

/// What stands beside the list while no project is selected: the folder, or nothing.
fn draw_no_project(projects: &Projects, buf: &mut Buffer, ink: Ink, pane: Rect) {
    let Some(group) = projects.current_folder() else {
        Panel::default().draw(buf, ink, pane);
        return;
    };
    let body = Panel { title: &group.name, ..Panel::default() }.draw(buf, ink, pane);
    let mut lines = vec![vec![piece(Role::Text, counted(group.count, "project"))]];
    if let Some(id) = &group.place {
        lines.push(vec![piece(Role::Dim, "ID        "), piece(Role::Text, text::line(id.as_str()))]);
    }
    lines.push(Vec::new());
    let fold = if projects.folded.contains(&group.place) { " unfolds it" } else { " folds it" };
    lines.push(vec![piece(Role::Accent, ink.sign("⏎", "enter")), piece(Role::Dim, fold)]);
    for (line, y) in lines.iter().zip(body.y..body.bottom()) {
        put_pieces(buf, ink, (body.x + 1, y), body.width.saturating_sub(2), line);
    }
}

/// Where the steps stand while they are put in order.
pub fn ordering_rows(area: Rect) -> Rect {
    let inside = inside(area);
    Rect { y: inside.y + 1, height: inside.height.saturating_sub(2), ..inside }
}

fn draw_ordering(projects: &Projects, ordering: &Ordering, buf: &mut Buffer, ink: Ink, now: Moment) {
    let area = projects.area;
    let right = vec![piece(Role::Dim, counted(ordering.places.len(), "step"))];
    let mut bottom = under_way(projects, ink, now);
    if ordering.changed().is_some() {
        bottom.push(piece(Role::Warn, format!("{} ", ink.sign("●", "*"))));
        bottom.push(piece(Role::Text, format!("{} saves", ink.sign("⏎", "enter"))));
    }
    let title = format!("Order of the steps of {}", ordering.called);
    let inside = Panel { title: &shortened(&title, area.width.saturating_sub(20), ink), right, bottom, focused: true }
        .draw(buf, ink, area);
    let rows = ordering_rows(area);
    let shown = ordering.places.all().enumerate().skip(ordering.places.top());
    for ((at, (place, selected)), y) in shown.zip(rows.y..rows.bottom()) {
        put_right(buf, ink, (rows.x + 1, y), 5, &(at + 1).to_string(), ink.style(Role::Faint));
        let name = put(buf, ink, (rows.x + 8, y), 16, &place.name, ink.style(Role::Accent)).max(6);
        let about = rows.x + 10 + name;
        let role = if place.ordered { Role::Text } else { Role::Dim };
        let room = rows.right().saturating_sub(about + 1);
        let used = put(buf, ink, (about, y), room, &place.about, ink.style(role));
        if !place.ordered && room > used + 20 {
            put(buf, ink, (about + used + 2, y), room - used - 2, "not in the order yet", ink.style(Role::Faint));
        }
        if selected {
            select(buf, ink, Rect { y, height: 1, ..rows });
        }
    }
    let begins = "The player starts with the first step.";
    let say = match ordering.alien {
        0 => begins.to_owned(),
        1 => format!("{begins} 1 entry that names no step is removed when you save."),
        alien => format!("{begins} {alien} entries that name no step are removed when you save."),
    };
    put(buf, ink, (inside.x + 1, inside.y), inside.width.saturating_sub(2), &say, ink.style(Role::Dim));
    scrollbar(buf, ink, area, ordering.places.top(), usize::from(rows.height), ordering.places.len());
}
