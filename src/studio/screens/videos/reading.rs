//! The Videos screen as lines, in reading order.

use super::showing::Showing;
use super::{Focus, Videos, playing_time};
use crate::domain::text;
use crate::studio::ground::{Moment, Remote};
use crate::uploads::{bytes, words};

impl Videos {
    pub(super) fn read_out(&self, now: Moment, lines: &mut Vec<String>) {
        if self.focus == Focus::Chooser {
            let path = self.chooser.folder.known().map(|folder| folder.path.to_string_lossy().into_owned());
            lines.push(format!("Files: {}", text::line(&path.unwrap_or_default())));
            if !self.chooser.marked.is_empty() {
                lines.push(format!("{} selected", self.chooser.marked.len()));
            }
            for (row, entry) in self.chooser.rows().enumerate() {
                let at = if row == self.chooser.found.selected() { ">" } else { " " };
                let mark = if self.chooser.marked.contains(&entry.path) { "; selected" } else { "" };
                let size = if entry.is_folder { "folder".to_owned() } else { bytes(entry.size) };
                lines.push(format!("{at} {} {size}{mark}", entry.name));
            }
        } else if let Some(problems) = &self.problems {
            problems.reading(lines);
            if let (Focus::Detail, Some(video)) = (self.focus, self.library.current()) {
                lines.extend(self.detail_lines(video, u16::MAX, now).into_iter().map(|(_, line)| line));
            }
        } else {
            lines.push(match self.library.videos.known() {
                Some(_) => format!("{} videos, {}", self.library.shown.len(), self.library.sort.words()),
                None if matches!(self.library.videos, Remote::Loading { .. }) => "Videos: loading".to_owned(),
                None => "Videos".to_owned(),
            });
            if self.library.showing != Showing::All {
                lines.push(format!("Shown: {}", self.library.showing.words()));
            }
            for (row, video) in self.library.rows().enumerate() {
                let at = if row == self.library.shown.selected() { ">" } else { " " };
                let length = self.library.duration(video).map(playing_time).unwrap_or_default();
                let size = self.library.size(video).map(bytes).unwrap_or_default();
                lines.push(format!("{at} {} {length} {size}", text::line(&video.name)));
            }
            if let (Focus::Detail, Some(video)) = (self.focus, self.library.current()) {
                lines.extend(self.detail_lines(video, u16::MAX, now).into_iter().map(|(_, line)| line));
            }
        }
        let sum = self.overview.sum();
        if !self.overview.queue.uploads().is_empty() {
            lines.push(format!("Uploads: {} of {}", sum.done, sum.count()));
        }
        for upload in self.overview.queue.uploads() {
            lines.push(format!("  {} {}", text::line(&upload.file.name), text::line(&words(upload, now.0))));
        }
    }
}
