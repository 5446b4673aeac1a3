//! How the Videos screen looks: the library.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::showing::Showing;
use super::vocabulary::LibraryVideo;
use super::{Focus, Videos, playing_time};
use crate::domain::text;
use crate::studio::ground::{Moment, Remote};
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Ink, Panel, Role, ground, number, piece, put, put_right, scrollbar};
use crate::uploads::bytes;

/// The columns on the right of a name: duration, size, uses, age.
const COLUMNS: [(&str, u16); 4] = [("Length", 8), ("Size", 8), ("Used", 5), ("Added", 9)];

impl Videos {
    /// Draws it and gives the cursor's place, where one is shown.
    pub(super) fn draw(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        let parts = self.parts();
        let cursor = match (self.focus, parts.main.height, &self.problems) {
            (_, 0, _) => None,
            (Focus::Chooser, ..) => self.chooser.draw(buf, ink, parts.main),
            (focus, _, Some(problems)) => {
                problems.draw(buf, ink, parts.main, focus == Focus::Problems, now);
                None
            }
            _ => self.draw_list(buf, ink, parts.main, now),
        };
        if parts.detail.height > 0 {
            self.draw_detail(buf, ink, parts.detail, now);
        }
        if parts.queue.height > 0 {
            self.draw_queue(buf, ink, parts.queue, now);
        }
        cursor
    }

    fn draw_list(&self, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) -> Option<(u16, u16)> {
        let library = &self.library;
        let count = |count: usize| number(i64::try_from(count).unwrap_or(i64::MAX));
        let is_found = library.shown.is_searched() || library.showing != Showing::All;
        let title = match (library.videos.known(), is_found) {
            (None, _) => String::new(),
            (Some(_), true) => format!("{} found", count(library.shown.len())),
            (Some(videos), false) if videos.len() == 1 => "1 video".to_owned(),
            (Some(_), false) => format!("{} videos", count(library.count())),
        };
        let bottom = match library.showing {
            Showing::All => library.sort.words().to_owned(),
            showing => format!("{}, {}", showing.words(), library.sort.words()),
        };
        let panel = Panel {
            title: "Videos",
            right: vec![piece(Role::Dim, title)],
            bottom: vec![piece(Role::Dim, bottom)],
            focused: matches!(self.focus, Focus::List | Focus::Filter),
        };
        let inside = panel.draw(buf, ink, area);
        if inside.height < 3 || inside.width < 20 {
            return None;
        }
        let mut cursor = None;
        put(buf, ink, (inside.x + 1, inside.y), 2, "/", ink.style(Role::Accent));
        if self.focus == Focus::Filter || is_found {
            let place = library.shown.draw_query(buf, ink, (inside.x + 3, inside.y), inside.width - 4);
            cursor = (self.focus == Focus::Filter).then_some(place);
        } else {
            put(buf, ink, (inside.x + 3, inside.y), inside.width - 4, "search names", ink.style(Role::Faint));
        }
        let columns = columns_for(inside.width.saturating_sub(self.indent()));
        let mut right = inside.right();
        for (heading, room) in columns.iter().rev() {
            right = right.saturating_sub(room + 1);
            put_right(buf, ink, (right, inside.y + 1), *room, heading, ink.style(Role::Dim));
        }
        put(buf, ink, (inside.x + 2 + self.indent(), inside.y + 1), 20, "Name", ink.style(Role::Dim));
        let rows = Rect { y: inside.y + 2, height: inside.height - 2, ..inside };
        if library.shown.is_empty() {
            self.draw_empty(buf, ink, rows, now);
            return cursor;
        }
        let height = self.row_height();
        let ys = (rows.y..rows.bottom()).step_by(usize::from(height));
        for ((row, video), y) in library.rows().enumerate().skip(library.shown.top()).zip(ys) {
            let row_area = Rect { y, height: height.min(rows.bottom() - y), ..rows };
            self.draw_row(buf, ink, row_area, video, row == library.shown.selected(), now);
        }
        scrollbar(buf, ink, area, library.shown.top(), self.list_page(), library.shown.len());
        cursor
    }

    fn draw_row(&self, buf: &mut Buffer, ink: Ink, row: Rect, video: &LibraryVideo, selected: bool, now: Moment) {
        let columns = columns_for(row.width.saturating_sub(self.indent()));
        let mut right = row.right();
        for (heading, room) in columns.iter().rev() {
            right = right.saturating_sub(room + 1);
            let cell = match *heading {
                "Length" => self.library.duration(video).map(playing_time),
                "Size" => self.library.size(video).map(bytes),
                "Used" => self.uses.all.map(|_| match self.uses.of.get(&video.id).map_or(0, Vec::len) {
                    0 => "–".to_owned(),
                    uses => uses.to_string(),
                }),
                _ => video.moment.map(|moment| ago(now, moment)),
            };
            put_right(buf, ink, (right, row.y), *room, cell.as_deref().unwrap_or("–"), ink.style(Role::Dim));
        }
        let name = if video.name.is_empty() { video.id.as_str() } else { &video.name };
        let x = row.x + 2 + self.indent();
        put(buf, ink, (x, row.y), right.saturating_sub(x + 1), &text::line(name), ink.style(Role::Text));
        if selected {
            // A picture beside it keeps its cells: on some terminals they are painted only once.
            let indent = self.indent();
            put(buf, ink, (row.x, row.y), 1, ink.sign("▌", ">"), ink.style(Role::Accent));
            ink.stands((row.x, row.y));
            let texts = Rect { x: row.x + indent, width: row.width.saturating_sub(indent), height: 1, ..row };
            ground(buf, ink, texts);
        }
    }

    fn draw_empty(&self, buf: &mut Buffer, ink: Ink, rows: Rect, now: Moment) {
        let lines: Vec<(Role, String)> = match &self.library.videos {
            Remote::Failed { problem, .. } => vec![
                (Role::Error, "Couldn't load the library.".to_owned()),
                (Role::Dim, text::line(problem).into_owned()),
                (Role::Text, "Nothing was lost. ‹app.retry› retries.".to_owned()),
            ],
            Remote::Loading { since, .. } if now.since(*since) >= 300 => {
                let say = ink.loading("Loading the library …", *since, now, Waits::STOPS);
                ink.wrap(&say, rows.width.saturating_sub(4)).into_iter().map(|line| (Role::Dim, line)).collect()
            }
            Remote::Ready(videos) if videos.is_empty() => vec![
                (Role::Text, "No videos yet.".to_owned()),
                (Role::Dim, "‹videos.upload› uploads files; or drop them here, or paste their paths.".to_owned()),
                (Role::Dim, "‹videos.register› adds a video by its web address.".to_owned()),
            ],
            Remote::Ready(_) => vec![(Role::Dim, "No matching video. Esc shows all.".to_owned())],
            _ => Vec::new(),
        };
        for ((role, line), y) in lines.iter().zip(rows.y + 1..rows.bottom()) {
            put(buf, ink, (rows.x + 3, y), rows.width.saturating_sub(4), line, ink.style(*role));
        }
    }
}

/// As many columns as leave room for the name.
fn columns_for(width: u16) -> Vec<(&'static str, u16)> {
    let mut columns = COLUMNS.to_vec();
    while columns.len() > 1 && columns.iter().map(|(_, room)| room + 1).sum::<u16>() + 24 > width {
        columns.remove(0);
    }
    columns
}
