//! The Projects screen as lines of text: for plain mode, for screen readers, for tests.

use super::view::{count_words, counted};
use super::{Focus, Line, Projects};
use crate::domain::text;
use crate::studio::ground::{Moment, Remote};
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Piece, severity_spoken};

impl Projects {
    /// The screen as lines.
    pub fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        if let Some(code) = &self.code {
            lines.push(format!("QR code of {}: {}", code.called, code.address));
            return;
        }
        if let Some(ordering) = &self.ordering {
            lines.push(format!("Order of the steps of {}", ordering.called));
            let shown = ordering.places.all().enumerate().skip(ordering.places.top()).take(self.ordering_page());
            lines.extend(shown.map(|(at, (place, selected))| {
                let mark = if selected { ">" } else { " " };
                format!("{mark} {} {}; {}", at + 1, place.name, place.about)
            }));
            return;
        }
        if let Some(editor) = &self.player {
            editor.reading(lines);
            return;
        }
        lines.push(match count_words(self) {
            words if !words.is_empty() => format!("Projects: {words}"),
            _ if matches!(self.list, Remote::Loading { .. }) => "Projects: loading".to_owned(),
            _ => "Projects".to_owned(),
        });
        if !self.arranged.lines.query().is_empty() || self.focus == Focus::Search {
            lines.push(format!("Search: {}", self.arranged.lines.query()));
        }
        lines.extend(self.doing().map(|doing| format!("Under way: {doing}")));
        for (line, selected) in self.arranged.lines.seen().take(self.page()) {
            let mark = if selected { ">" } else { " " };
            match line {
                Line::Folder(group) => {
                    let Some(group) = self.arranged.groups.get(*group) else { continue };
                    let folded = if self.folded.contains(&group.place) { "; folded" } else { "" };
                    lines.push(format!("{mark} Folder {}; {}{folded}", group.name, counted(group.count, "project")));
                }
                Line::Project(row, _) => {
                    let Some(row) = self.listed().and_then(|listed| listed.rows.get(*row)) else { continue };
                    let steps = row.steps().map_or("unknown".to_owned(), |steps| steps.to_string());
                    let when = row.changed.map(|then| ago(now, then)).unwrap_or_default();
                    let draft = match self.draft_of(&row.project.id) {
                        Some(_) if row.unlisted => "; draft, not on the service",
                        Some(_) => "; draft",
                        None => "",
                    };
                    lines.push(format!("{mark} {}; steps {steps}; updated {when}{draft}", row.called()));
                }
            }
        }
        if let Remote::Failed { problem, .. } = &self.list {
            lines
                .push(format!("Couldn't load it: {}. ‹app.retry› retries.", text::line(problem).trim_end_matches('.')));
        }
        if let (Some(detail), Some(row)) = (&self.detail, self.current()) {
            lines.push(format!("Project {}", row.called()));
            if let Remote::Failed { problem, .. } = &detail.record {
                lines.push(format!("Couldn't load it: {}", text::line(problem)));
            }
            // Read, a line is as long as it is, and what is set in is no row of a list.
            let told = self.detail_lines(u16::MAX, now);
            let said = |line: &Vec<Piece>| line.iter().map(|piece| severity_spoken(&piece.text)).collect::<String>();
            lines.extend(told.iter().map(|line| said(line).trim_start().to_owned()));
        }
    }
}
