//! How a walk looks.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Editor;
use super::play::{End, Play};
use crate::domain::VideoId;
use crate::studio::widgets::paint::{counted, wrap_lines};
use crate::studio::widgets::{Ink, Panel, Role, put, width};

impl Editor {
    /// The inside of the pane that plays.
    pub(in super::super) fn play_inner(&self) -> Option<Rect> {
        let inner = self.inside_side()?;
        Some(Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner })
    }

    /// What is said of the walk, with the area that it is said in and the first line that is seen.
    fn play_page(&self, play: &Play, ascii: bool) -> Option<(Lines, Rect, usize)> {
        let inner = self.play_inner()?;
        // The poster stands above the words.
        let above = self.play_picture(inner).map_or(0, |picture| picture.height + 1);
        let inner = Rect { y: inner.y + above, height: inner.height.saturating_sub(above), ..inner };
        let mut lines = Lines { all: Vec::new(), room: inner.width, ascii, current: None, answers: Vec::new() };
        if play.transcript {
            self.say_trail(play, &mut lines);
        }
        self.say_step(play, &mut lines);
        let skip = lines.all.len().saturating_sub(usize::from(inner.height));
        Some((lines, inner, skip))
    }

    /// The answer at a place of the screen, by its number.
    pub(super) fn answer_seen_at(&self, play: &Play, x: u16, y: u16) -> Option<usize> {
        let (lines, inner, skip) = self.play_page(play, false)?;
        let line = usize::from(y.checked_sub(inner.y)?) + skip;
        let is_inside = inner.contains((x, y).into());
        is_inside.then(|| lines.answers.iter().position(|of| of.contains(&line))).flatten()
    }

    /// Draws the walk: the step it is at, its answers, and what was said so far where that is wanted.
    pub(in super::super) fn draw_play(&self, play: &Play, buf: &mut Buffer, ink: Ink, area: Rect, beside: bool) {
        crate::studio::widgets::wipe(buf, ink, area);
        let title = "Play";
        if beside {
            Panel { title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        }
        let Some((lines, inner, skip)) = self.play_page(play, ink.ascii) else { return };
        for ((at, (role, line)), y) in lines.all.iter().enumerate().skip(skip).zip(inner.y..inner.bottom()) {
            if lines.current == Some(at) {
                ink.stands((inner.x, y));
            }
            put(buf, ink, (inner.x, y), inner.width, line, ink.style(*role));
        }
    }

    /// Says what was asked and answered so far.
    fn say_trail(&self, play: &Play, lines: &mut Lines) {
        for (step, port) in &play.trail {
            if let Some(node) = self.shown.graph.node(*step) {
                lines.say(Role::Dim, "", if node.overlay.is_empty() { &node.name } else { &node.overlay });
                lines.say(Role::Ok, "  ", node.ports.get(*port).map_or("", |port| &port.text));
            }
        }
        lines.line(Role::Faint, "");
    }

    /// Says what the step shows that the walk is at, and its answers or how it ended.
    fn say_step(&self, play: &Play, lines: &mut Lines) {
        let Some(at) = play.at else { return };
        let Some(node) = self.shown.graph.node(at) else { return };
        let called = |video: &VideoId| self.shown.marks.videos.get(video).cloned().unwrap_or_else(|| video.to_string());
        let video = node.video.as_ref().map_or_else(|| "no video".to_owned(), called);
        lines.say(Role::Dim, "", &format!("{} {}", node.name, node.description));
        lines.say(Role::Faint, "", &format!("{} {video}", lines.sign("▶", ">")));
        lines.line(Role::Text, "");
        if !node.overlay.is_empty() {
            lines.say(Role::Text, "  ", &node.overlay);
            lines.line(Role::Text, "");
        }
        let products = self.shown.step(at).map(|step| self.product_lines(step)).unwrap_or_default();
        for product in &products {
            lines.say(Role::Dim, "  ", &format!("{} {product}", lines.sign("◆", "*")));
        }
        if !products.is_empty() {
            lines.line(Role::Text, "");
        }
        if let Some(seconds) = node.answer_time.filter(|seconds| *seconds > 0.0) {
            lines.say(Role::Faint, "", &format!("after {seconds} s:"));
        }
        let Some(ended) = play.ended else {
            for (number, port) in node.ports.iter().enumerate() {
                let chosen = number == play.answers.selected;
                let mark = if chosen { lines.sign("▌", ">") } else { " " };
                if chosen {
                    lines.current = Some(lines.all.len());
                }
                let role = if chosen {
                    Role::Accent
                } else if self.shown.marks.walked_answers.contains(&(at, number)) {
                    Role::Ok
                } else {
                    Role::Text
                };
                let first = lines.all.len();
                lines.say(role, &format!("{mark} {} ", number + 1), &port.text);
                lines.answers.push(first..lines.all.len());
            }
            return;
        };
        let given = play.trail.last().filter(|(step, _)| *step == at).and_then(|(_, port)| node.ports.get(*port));
        if let Some(port) = given {
            lines.say(Role::Ok, "  ", &port.text);
        }
        let (role, words) = match ended {
            End::Meant => (Role::Ok, "The end."),
            End::NoAnswers => (Role::Dim, "The end: this step has no answers."),
            End::Dangling => (Role::Error, "This answer leads nowhere: a viewer is stuck here."),
        };
        lines.current = Some(lines.all.len());
        lines.line(role, words);
        let given = counted(play.trail.len(), "answer");
        lines.line(Role::Dim, &format!("{given} given. ‹play.back› goes back, ‹play.restart› restarts, Esc closes."));
    }
}

/// Lines that fit into so many cells.
struct Lines {
    all: Vec<(Role, String)>,
    room: u16,
    ascii: bool,
    /// The one that is current.
    current: Option<usize>,
    /// Those of each answer.
    answers: Vec<Range<usize>>,
}

impl Lines {
    fn sign(&self, sign: &'static str, plain: &'static str) -> &'static str {
        if self.ascii { plain } else { sign }
    }

    fn line(&mut self, role: Role, line: &str) {
        self.all.push((role, line.to_owned()));
    }

    /// As many lines as it takes, each with this before it.
    fn say(&mut self, role: Role, indent: &str, said: &str) {
        let lines = wrap_lines(said, self.room.saturating_sub(width(indent)));
        self.all.extend(lines.into_iter().map(|line| (role, format!("{indent}{line}"))));
    }
}
