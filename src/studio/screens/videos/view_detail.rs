//! How one video looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::vocabulary::LibraryVideo;
use super::{Focus, Videos, playing_time};
use crate::domain::text;
use crate::studio::event::Moment;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Ink, Panel, Role, put};
use crate::uploads::bytes;

impl Videos {
    pub(super) fn draw_detail(&self, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
        let video = self.library.current();
        let title = video.map(|video| text::line(&video.name).into_owned()).unwrap_or_default();
        let panel = Panel { title: &title, focused: self.focus == Focus::Detail, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        let Some(video) = video else { return };
        let lines = self.detail_lines(video, inside.width.saturating_sub(2), now);
        let most = lines.len().saturating_sub(usize::from(inside.height));
        for ((role, line), y) in lines.iter().skip(self.detail_top.min(most)).zip(inside.y..inside.bottom()) {
            put(buf, ink, (inside.x + 1, y), inside.width.saturating_sub(2), line, ink.style(*role));
        }
    }

    /// What is known of a video, in lines of this width.
    pub(super) fn detail_lines(&self, video: &LibraryVideo, width: u16, now: Moment) -> Vec<(Role, String)> {
        let mut lines = Vec::new();
        let mut facts = Vec::new();
        facts.extend(self.library.duration(video).map(playing_time));
        let picture = self.library.measured.get(&video.id).and_then(|measured| measured.picture);
        facts.extend(picture.map(|(across, down)| format!("{across}×{down}")));
        facts.extend(self.library.size(video).map(bytes));
        if !facts.is_empty() {
            lines.push((Role::Text, facts.join(" · ")));
        }
        let age = match video.moment.map(|moment| ago(now, moment)) {
            Some(since) if since == "now" => " (just now)".to_owned(),
            Some(since) => format!(" ({since} ago)"),
            None => String::new(),
        };
        lines.push((Role::Dim, format!("added {}{age}", text::line(&video.created))));
        let mut field = |label: &str, value: Option<&str>| {
            lines.push((Role::Faint, String::new()));
            lines.push((Role::Faint, label.to_owned()));
            let value = value.map_or("not told by the service".into(), text::line);
            let role = if value.starts_with("not told") { Role::Dim } else { Role::Text };
            lines.extend(wrap(&value, width).into_iter().map(|line| (role, line)));
        };
        field("Id", Some(video.id.as_str()));
        field("Address", video.address.as_deref());
        field("Poster", video.poster.as_deref());
        lines.push((Role::Faint, String::new()));
        lines.push((Role::Faint, format!("Used by, {}", self.uses.known())));
        match self.uses.of.get(&video.id) {
            Some(uses) => {
                let told = uses.iter().map(|(project, step)| format!("{} · {}", text::line(project), text::line(step)));
                lines.extend(told.map(|line| (Role::Text, line)));
            }
            None => lines.push((Role::Dim, "no step".to_owned())),
        }
        lines
    }
}
