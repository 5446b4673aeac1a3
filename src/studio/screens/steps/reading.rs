//! The Steps screen as lines of text.

use super::{Editor, Journal, Mode, Session};
use crate::domain::text;
use crate::graph::Leads;
use crate::studio::ground::Remote;
use crate::studio::widgets::severity_word;

impl Session {
    /// What is known of the project though there is no draft of it.
    pub(super) fn read_out(&self, title: &str, lines: &mut Vec<String>) {
        lines.push(format!("Project: {title}"));
        if let Journal::Failing { why, .. } | Journal::Unusable(why) = &self.journal {
            lines.push(format!("Not on the disk: {}", text::line(why)));
        }
        if let Remote::Failed { problem, .. } = &self.read {
            lines.push(format!("Couldn't load it: {}", text::line(problem)));
        }
    }
}

impl Editor {
    fn read_shown_products(&self, step: Option<usize>, lines: &mut Vec<String>) {
        let step = step.and_then(|step| self.shown.step(step));
        let products = step.map(|step| self.product_lines(step)).unwrap_or_default();
        lines.extend(products.into_iter().map(|product| format!("Product: {product}")));
    }

    pub(super) fn read_out(&self, lines: &mut Vec<String>) {
        // The sign behind the edits says that they are on the way to the disk.
        self.session.read_out(self.title_words().trim_end_matches(" …"), lines);
        let graph = &self.shown.graph;
        if let Mode::Products(choosing) = &self.mode {
            return self.read_products(choosing, lines);
        }
        if let Mode::Funnel(_) = &self.mode {
            return self.read_funnel_panel(lines);
        }
        if let Mode::Play(play) = &self.mode {
            if let Some(node) = play.at.and_then(|at| graph.node(at)) {
                lines.push(format!("Playing {}: {}", text::line(&node.name), text::line(&node.overlay)));
                self.read_shown_products(play.at, lines);
                for (number, port) in node.ports.iter().enumerate() {
                    let mark = if number == play.answers.selected { ">" } else { " " };
                    lines.push(format!("{mark} {} {}", number + 1, text::line(&port.text)));
                }
            }
            if play.ended.is_some() {
                lines.push("The end.".to_owned());
            }
            return;
        }
        if let Some((step, port)) = self.selected()
            && let Some(node) = graph.node(step)
        {
            lines.push(format!("Step {}: {}", text::line(&node.name), text::line(&node.description)));
            lines.push(format!("Overlay: {}", text::line(&node.overlay)));
            let video = node.video.as_ref().map(|video| self.video_name(video).unwrap_or(video.as_str()).to_owned());
            lines.push(format!("Video: {}", video.map_or("none".to_owned(), |video| text::line(&video).into_owned())));
            if let Some(upload) = self.shown.marks.uploads.get(&step) {
                lines.push(format!("Upload: {}", text::line(&upload.words)));
            }
            if let Some(heat) = self.shown.marks.heat(step) {
                lines.push(format!("Viewers: {}", heat.words));
            }
            self.read_shown_products(Some(step), lines);
            for (number, answer) in node.ports.iter().enumerate() {
                let mark = if port == Some(number) { ">" } else { " " };
                let leads = match answer.leads {
                    Leads::End => "ends the video".to_owned(),
                    Leads::Step(to) => format!("leads to {}", text::line(graph.name(to))),
                    Leads::Dangling => format!("leads nowhere ({})", text::line(&answer.next)),
                };
                let share = self.shown.marks.share(step, number);
                let share = share.map(|share| format!("; chosen by {}", share.words)).unwrap_or_default();
                lines.push(format!("{mark} answer {}: {}; {leads}{share}", number + 1, text::line(&answer.text)));
            }
        }
        let chosen = self.shown.problems.row_of(self.chosen.at);
        lines.extend((0..self.shown.problems.rows().len()).map(|row| {
            let mark = if row == chosen { "> " } else { "" };
            let first = self.shown.problems.rows().get(row).and_then(|row| self.shown.problems.get(row.start));
            let severity = first.map_or("problem", |problem| severity_word(problem.severity()));
            format!("{mark}Problem ({severity}): {}", self.row_words(row))
        }));
        self.read_out_saving(lines);
    }
}
