//! How one video looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::captions::languages;
use super::upload::upload_lines;
use super::vocabulary::LibraryVideo;
use super::{Focus, Videos, playing_time};
use crate::domain::text;
use crate::studio::ground::{Clock, Moment};
use crate::studio::widgets::paint::{inside, wrap};
use crate::studio::widgets::rows::scroll;
use crate::studio::widgets::time::when;
use crate::studio::widgets::{Ink, Panel, Role, put};
use crate::uploads::{Upload, bytes};

impl Videos {
    pub(super) fn draw_detail(&self, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
        let (video, upload) = self.detailed();
        let title = video.map(|video| &*video.name).or(upload.map(|upload| &*upload.file.name)).unwrap_or_default();
        let title = text::line(title).into_owned();
        let panel = Panel { title: &title, focused: self.focus == Focus::Detail, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        let lines = self.detail_shown(inside, now);
        let most = lines.len().saturating_sub(usize::from(inside.height));
        for ((role, line), y) in lines.iter().skip(self.detail_top.min(most)).zip(inside.y..inside.bottom()) {
            put(buf, ink, (inside.x + 1, y), inside.width.saturating_sub(2), line, ink.style(*role));
        }
        if let Some(address) = video.and_then(|video| video.address.as_deref()) {
            ink.link(buf, inside, address);
        }
    }

    /// The video or the upload that the detail is of.
    fn detailed(&self) -> (Option<&LibraryVideo>, Option<&Upload>) {
        let upload = self.current_upload().filter(|_| self.focus == Focus::Queue);
        (self.library.current().filter(|_| upload.is_none()), upload)
    }

    /// What the detail has to say, in lines that fit into the inside of its panel.
    fn detail_shown(&self, inside: Rect, now: Moment) -> Vec<(Role, String)> {
        let width = inside.width.saturating_sub(2);
        let told = match self.detailed() {
            (Some(video), _) => self.detail_lines(video, width, now),
            (None, Some(upload)) => wrapped(&upload_lines(upload, self.overview.course(upload), now), width),
            (None, None) => return Vec::new(),
        };
        let above = self.detail_picture(inside).map_or(0, |picture| usize::from(picture.height) + 1);
        vec![(Role::Text, String::new()); above].into_iter().chain(told).collect()
    }

    /// Moves the lines of the detail, and never past the last.
    pub(super) fn scroll_detail(&mut self, by: isize, now: Moment) {
        let inside = inside(self.parts().detail);
        let all = self.detail_shown(inside, now).len();
        scroll(&mut self.detail_top, by, usize::from(inside.height), all);
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
        lines.push((Role::Dim, format!("added {}", when(&video.created, Clock { now, zone: &self.zone }))));
        let mut field = |label: &str, value: Option<&str>| {
            lines.push((Role::Faint, String::new()));
            lines.push((Role::Faint, label.to_owned()));
            let value = value.map_or("not known to the service".into(), text::line);
            let role = if value.starts_with("unknown") { Role::Dim } else { Role::Text };
            lines.extend(wrap(&value, width).into_iter().map(|line| (role, line)));
        };
        field("ID", Some(video.id.as_str()));
        field("Address", video.address.as_deref());
        field("Poster", video.poster.as_deref());
        field("Captions", Some(&languages(video)));
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

fn wrapped(lines: &[(Role, String)], width: u16) -> Vec<(Role, String)> {
    let parts = lines.iter().flat_map(|(role, line)| wrap(line, width).into_iter().map(|part| (*role, part)));
    parts.collect()
}
