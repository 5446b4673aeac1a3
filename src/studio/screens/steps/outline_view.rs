//! How the outline looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Editor;
use super::outline::Row;
use crate::domain::text;
use crate::graph::{Leads, Severity};
use crate::studio::widgets::{
    Ink, Piece, Role, ground, piece, put, put_pieces, scrollbar, severity_role, severity_sign,
};

impl Editor {
    pub(super) fn draw_outline(&self, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        let selected = self.selected();
        let rows = &self.shown.outline;
        for ((at, row), y) in rows.iter().enumerate().skip(self.top).zip(area.y..area.bottom()) {
            let chosen = selected == Some((row.step, row.port));
            let pieces = self.outline_pieces(ink, *row, chosen);
            let indent = u16::try_from(row.depth).unwrap_or(u16::MAX).saturating_mul(2).min(area.width / 2);
            let label = row.port.is_none().then(|| self.shown.marks.hints.get(&row.step)).flatten();
            if let Some(label) =
                label.filter(|_| rows.iter().position(|other| (other.step, other.port) == (row.step, None)) == Some(at))
            {
                put(buf, ink, (area.x, y), 2, label, ink.style(Role::Match));
            }
            put_pieces(buf, ink, (area.x + 2 + indent, y), area.width.saturating_sub(indent + 3), &pieces);
            if chosen {
                ink.stands((area.x + 2 + indent, y));
                ground(buf, ink, Rect { y, height: 1, ..area });
            }
        }
        scrollbar(buf, ink, self.shared.area, self.top, usize::from(area.height), rows.len());
    }

    /// A row of the outline: the step and its video, or an answer and where it leads.
    fn outline_pieces(&self, ink: Ink, row: Row, chosen: bool) -> Vec<Piece> {
        let graph = &self.shown.graph;
        let marks = &self.shown.marks;
        let told = |severity: Option<&Severity>| severity.copied().filter(|severity| *severity > Severity::Note);
        let mut pieces = vec![piece(Role::Accent, if chosen { ink.sign("▌", ">") } else { " " })];
        let Some(node) = graph.node(row.step) else { return pieces };
        match row.port {
            None => {
                if let Some(fault) = told(marks.faults.get(&row.step)) {
                    pieces.push(piece(severity_role(fault), severity_sign(fault)));
                }
                let role = if row.reachable { Role::Text } else { Role::Dim };
                pieces.push(piece(role, text::line(&node.name)));
                pieces.push(piece(role, format!(" {}", text::line(&node.description))));
                if let Some(upload) = marks.uploads.get(&row.step) {
                    let role = if upload.stopped { Role::Error } else { Role::Accent };
                    pieces.push(piece(role, format!("  {} {}", ink.sign("↑", "^"), text::line(&upload.words))));
                    return pieces;
                }
                let video = match &node.video {
                    Some(video) => {
                        marks.videos.get(video).cloned().unwrap_or_else(|| text::line(video.as_str()).into_owned())
                    }
                    None => "no video".to_owned(),
                };
                pieces.push(piece(Role::Faint, format!("  {} {video}", ink.sign("▶", ">"))));
                if let Some(mark) = marks.products.get(&row.step) {
                    let role = if mark.is_wrong() { Role::Warn } else { Role::Dim };
                    pieces.push(piece(role, format!("  {} {}", ink.sign("◆", "*"), mark.words())));
                }
            }
            Some(port) => {
                let Some(answer) = node.ports.get(port) else { return pieces };
                let walked = marks.walked_answers.contains(&(row.step, port));
                let fault = told(marks.answers.get(&(row.step, port)));
                let role = fault.map_or(if walked { Role::Ok } else { Role::Dim }, severity_role);
                let sign = fault.map_or("", severity_sign);
                pieces.push(piece(role, format!("{} {sign}{}", port + 1, text::line(&answer.text))));
                let arrow = ink.sign(" → ", " -> ");
                let leads = match answer.leads {
                    Leads::End => format!("{arrow}end"),
                    Leads::Dangling => format!(" {} {}", ink.sign("⊘", "!"), text::line(&answer.next)),
                    Leads::Step(to) if to == row.step => format!(" {}", ink.sign("↺", "@")),
                    Leads::Step(to) => format!("{arrow}{}", text::line(graph.name(to))),
                };
                let role = if answer.leads == Leads::Dangling { Role::Error } else { Role::Faint };
                pieces.push(piece(role, leads));
            }
        }
        pieces
    }
}
