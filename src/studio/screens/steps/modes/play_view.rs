//! How a walk looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Editor;
use super::play::{End, Play};
use crate::studio::widgets::paint::{inside, wrap_lines};
use crate::studio::widgets::{Ink, Panel, Role, put, width};

impl Editor {
    /// The inside of the pane that plays.
    pub(in super::super) fn play_inner(&self) -> Option<Rect> {
        let side = self.side()?;
        let inner = if side == inside(self.shared.area) { side } else { inside(side) };
        Some(Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner })
    }

    /// Draws the walk: the step it is at, its answers, and what was said so far where that is wanted.
    pub(in super::super) fn draw_play(&self, play: &Play, buf: &mut Buffer, ink: Ink, area: Rect, beside: bool) {
        crate::studio::widgets::wipe(buf, ink, area);
        let title = "Play";
        let inner = if beside { Panel { title, focused: true, ..Panel::default() }.draw(buf, ink, area) } else { area };
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        // The poster stands above the words.
        let above = self.play_picture(inner).map_or(0, |picture| picture.height + 1);
        let inner = Rect { y: inner.y + above, height: inner.height.saturating_sub(above), ..inner };
        let graph = &self.shown.graph;
        let mut lines: Vec<(Role, String)> = Vec::new();
        let told = |lines: &mut Vec<(Role, String)>, role, indent: &str, said: &str| {
            let room = inner.width.saturating_sub(width(indent));
            lines.extend(wrap_lines(said, room).into_iter().map(|line| (role, format!("{indent}{line}"))));
        };
        if play.transcript {
            for (step, port) in &play.trail {
                if let Some(node) = graph.node(*step) {
                    told(&mut lines, Role::Dim, "", if node.overlay.is_empty() { &node.name } else { &node.overlay });
                    told(&mut lines, Role::Ok, "  ", node.ports.get(*port).map_or("", |port| &port.text));
                }
            }
            lines.push((Role::Faint, String::new()));
        }
        if let Some(node) = play.at.and_then(|at| graph.node(at)) {
            let video = node
                .video
                .as_ref()
                .map(|video| self.shown.marks.videos.get(video).cloned().unwrap_or_else(|| video.to_string()));
            told(&mut lines, Role::Dim, "", &format!("{} {}", node.name, node.description));
            told(
                &mut lines,
                Role::Faint,
                "",
                &format!("{} {}", ink.sign("▶", ">"), video.unwrap_or_else(|| "no video".to_owned())),
            );
            lines.push((Role::Text, String::new()));
            if !node.overlay.is_empty() {
                told(&mut lines, Role::Text, "  ", &node.overlay);
                lines.push((Role::Text, String::new()));
            }
            if let Some(seconds) = node.answer_time.filter(|seconds| *seconds > 0.0) {
                told(&mut lines, Role::Faint, "", &format!("after {seconds} s:"));
            }
            match play.ended {
                None => {
                    for (number, port) in node.ports.iter().enumerate() {
                        let chosen = number == play.answers.selected;
                        let mark = if chosen { ink.sign("▌", ">") } else { " " };
                        let walked = play.at.is_some_and(|at| self.shown.marks.walked_answers.contains(&(at, number)));
                        let role = if chosen {
                            Role::Accent
                        } else if walked {
                            Role::Ok
                        } else {
                            Role::Text
                        };
                        told(&mut lines, role, &format!("{mark} {} ", number + 1), &port.text);
                    }
                }
                Some(ended) => {
                    let given = play
                        .trail
                        .last()
                        .filter(|(step, _)| Some(*step) == play.at)
                        .and_then(|(_, port)| node.ports.get(*port));
                    if let Some(port) = given {
                        told(&mut lines, Role::Ok, "  ", &port.text);
                    }
                    let (role, words) = match ended {
                        End::Meant => (Role::Ok, "The end."),
                        End::NoAnswers => (Role::Dim, "The end: this step has no answers."),
                        End::Dangling => (Role::Error, "This answer leads nowhere: a viewer is stuck here."),
                    };
                    lines.push((role, words.to_owned()));
                    lines.push((
                        Role::Dim,
                        format!("{} answers given. ← goes back, r restarts, Esc closes.", play.trail.len()),
                    ));
                }
            }
        }
        let skip = lines.len().saturating_sub(usize::from(inner.height));
        for ((role, line), y) in lines.iter().skip(skip).zip(inner.y..inner.bottom()) {
            put(buf, ink, (inner.x, y), inner.width, line, ink.style(*role));
        }
    }
}
