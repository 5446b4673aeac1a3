//! How the Steps screen looks.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Editor, Focus, Journal, Mode, Session};
use crate::domain::text;
use crate::graph::Severity;
use crate::studio::ground::{Moment, Remote};
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::paint::{counted, inside};
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put, put_pieces, width};

/// Lines that stand alone in an area.
fn draw_lines(lines: &[Piece], buf: &mut Buffer, ink: Ink, area: Rect) {
    for (line, y) in lines.iter().zip(area.y + area.height / 4..area.bottom()) {
        put_pieces(buf, ink, (area.x + 2, y), area.width.saturating_sub(4), std::slice::from_ref(line));
    }
}

/// Draws the screen while no project is open.
pub(super) fn draw_closed(buf: &mut Buffer, ink: Ink, area: Rect) {
    Panel { title: "Steps", ..Panel::default() }.draw(buf, ink, area);
    let inner = inside(area);
    let say = "No project is open. Choose one in Projects (2).";
    put(buf, ink, (inner.x + 2, inner.y + 1), inner.width.saturating_sub(3), say, ink.style(Role::Dim));
    ink.stands((inner.x + 2, inner.y + 1));
}

impl Session {
    pub(super) fn title_words(&self) -> String {
        text::line(if self.name.is_empty() { self.id.as_str() } else { &self.name }).into_owned()
    }

    fn reading_words(&self, ink: Ink) -> Vec<Piece> {
        let is_read = matches!(self.read, Remote::Loading { .. });
        is_read.then(|| piece(Role::Dim, format!("loading{}", ink.ellipsis()))).into_iter().collect()
    }

    /// Draws the screen while there is no draft of the project yet.
    pub(super) fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
        let right = self.reading_words(ink);
        Panel { title: &self.title_words(), right, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let area = inside(area);
        let mut lines: Vec<Piece> = Vec::new();
        match &self.read {
            Remote::Failed { problem, .. } => {
                lines.push(piece(Role::Error, "Couldn't load the project."));
                let words = ink.wrap(&text::line(problem), area.width.saturating_sub(4));
                lines.extend(words.into_iter().map(|line| piece(Role::Dim, line)));
                lines.push(piece(Role::Text, "Nothing was lost. ‹app.retry› retries."));
            }
            Remote::Loading { since, .. } if now.since(*since) >= 300 => {
                let what = format!("Loading the project {}", ink.ellipsis());
                let say = ink.loading(&what, *since, now, Waits::LEAVES);
                let told = ink.wrap(&say, area.width.saturating_sub(4));
                lines.extend(told.into_iter().map(|line| piece(Role::Dim, line)));
            }
            _ => {}
        }
        draw_lines(&lines, buf, ink, area);
    }
}

impl Editor {
    pub(super) fn title_words(&self) -> String {
        let (name, state) = self.title_parts();
        name + &state
    }

    /// The title where so many columns are there for it: the name is cut, and how the draft stands is not.
    fn fitted_title(&self, room: u16, ink: Ink) -> String {
        let (name, state) = self.title_parts();
        let name = ink.veiled(&name).into_owned();
        let room = room.saturating_sub(width(&state));
        if width(&name) <= room {
            return name + &state;
        }
        let mut cut = String::new();
        for sign in name.chars() {
            cut.push(sign);
            if width(&cut) + 1 > room {
                cut.pop();
                break;
            }
        }
        cut + ink.ellipsis() + &state
    }

    /// What the project is called, and how its draft stands.
    fn title_parts(&self) -> (String, String) {
        let named = self.draft.content().head().name();
        let name = if named.is_empty() { self.session.title_words() } else { text::line(named).into_owned() };
        let mut title = String::new();
        if self.session.journal == Journal::Taken {
            title.push_str(" · view only: edited elsewhere");
        }
        let edits = self.shown.edits;
        if edits > 0 {
            let _ = write!(title, " · draft: {edits} edit{} not saved", if edits == 1 { "" } else { "s" });
            match &self.session.journal {
                Journal::Open { handed, kept } if handed > kept => title.push_str(" …"),
                Journal::Failing { .. } | Journal::Unusable(_) => title.push_str(", NOT on the disk"),
                _ => {}
            }
        }
        (name, title)
    }

    /// What is on the right of the title: the count of answers is given up first, that of problems last.
    fn counts(&self, ink: Ink, room: u16) -> Vec<Piece> {
        let mut counts = self.all_counts(ink);
        let between = ink.sign(" · ", ", ");
        let taken = |counts: &[(u8, Piece)]| counts.iter().map(|(_, piece)| width(&piece.text) + 3).sum::<u16>();
        while counts.len() > 1 && taken(&counts) > room + 3 {
            let least = counts.iter().enumerate().min_by_key(|(_, (rank, _))| *rank).map_or(0, |(at, _)| at);
            counts.remove(least);
        }
        let mut pieces = Vec::new();
        for (_, count) in counts {
            if !pieces.is_empty() {
                pieces.push(piece(Role::Dim, between));
            }
            pieces.push(count);
        }
        pieces
    }

    /// All that is counted, each with how much it is worth its room.
    fn all_counts(&self, ink: Ink) -> Vec<(u8, Piece)> {
        let graph = &self.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        let (problems, _) = self.problems_and_notes();
        let mut counts: Vec<(u8, Piece)> =
            self.session.reading_words(ink).into_iter().map(|words| (3, words)).collect();
        counts.push((1, piece(Role::Dim, counted(graph.len(), "step"))));
        counts.push((0, piece(Role::Dim, counted(answers, "answer"))));
        if problems > 0 {
            let is_error = self.shown.problems.all().iter().any(|fault| fault.severity() == Severity::Fault);
            let role = if is_error { Role::Error } else { Role::Warn };
            counts.push((2, piece(role, counted(problems, "problem"))));
        }
        counts
    }

    fn walked_words(&self) -> Vec<Piece> {
        if self.walked.is_empty() {
            return Vec::new();
        }
        let graph = &self.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        vec![piece(Role::Dim, format!("{} of {answers} answers played", self.shown.marks.walked_answers.len()))]
    }

    pub(super) fn draw(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        let room = self.shared.area.width.saturating_sub(6);
        let counts = |room| self.counts(ink, room);
        let taken = |pieces: &[Piece]| pieces.iter().map(|piece| width(&piece.text)).sum::<u16>();
        // The count of problems stays; the name is cut for it.
        let title = self.fitted_title(room.saturating_sub(taken(&counts(0)) + 2), ink);
        let right = counts(room.saturating_sub(width(&title) + 2));
        let focused = match self.side() {
            None => self.focus == Focus::Map,
            // What has the keys covers the whole screen: the border around it is its border.
            Some(side) => side == inside(self.shared.area),
        };
        Panel { title: &title, right, bottom: self.walked_words(), focused }.draw(buf, ink, self.shared.area);
        let area = inside(self.shared.area);
        let side = self.side();
        if side != Some(area) {
            if self.is_outlined() {
                self.draw_outline(buf, ink);
            } else {
                self.canvas().draw(buf, ink, self.map_area());
            }
            if let Some(problems) = self.problems_area() {
                self.draw_problems(buf, ink, problems);
            }
            self.draw_state(buf, ink);
            self.draw_wire(buf, ink);
        }
        let side = side?;
        let beside = side != area;
        self.draw_side(buf, ink, side, beside, now)
    }

    /// What is said where the project has nothing in it, or could not be read again.
    fn draw_state(&self, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        if let Remote::Failed { problem, .. } = &self.session.read {
            let say = format!(" couldn't reload: {} ", text::line(problem));
            put(buf, ink, (area.x + 1, area.y), area.width.saturating_sub(2), &say, ink.style(Role::Warn));
            return;
        }
        if !self.shown.graph.is_empty() {
            return;
        }
        let is_read = matches!(self.session.read, Remote::Ready(()));
        let lines = if is_read && !self.draft.base().told_steps() {
            [
                piece(Role::Warn, "The service sent no steps of this project."),
                piece(Role::Text, "‹steps.new› creates one; ‹app.address› opens the player."),
            ]
        } else {
            [
                piece(Role::Text, "This project has no steps yet."),
                piece(
                    Role::Dim,
                    "‹steps.new› adds the first. Then ‹steps.answer.add› adds answers, ‹steps.wire› links them.",
                ),
            ]
        };
        draw_lines(&lines, buf, ink, area);
    }

    /// What the wire that is drawn would be.
    fn draw_wire(&self, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        let words = match &self.mode {
            Mode::Labels(_) => "Jump to: type the letters on a card".to_owned(),
            Mode::Wire(wire) => {
                let said = self
                    .shown
                    .index(wire.from)
                    .and_then(|from| self.shown.graph.ports(from).get(wire.port))
                    .map(|port| text::line(&port.text).into_owned());
                let said = said.unwrap_or_default();
                match wire.to.and_then(|to| self.shown.index(to)) {
                    Some(to) => {
                        let node = self.shown.graph.node(to);
                        let about = node.map(|node| text::line(&node.description).into_owned()).unwrap_or_default();
                        format!(
                            "“{said}” {} {} {about}   Enter confirms",
                            ink.sign("→", "->"),
                            text::line(self.shown.graph.name(to))
                        )
                    }
                    None => {
                        format!(
                            "“{said}” {} ?   choose with letters or arrows; ‹wire.end› ends the video",
                            ink.sign("→", "->")
                        )
                    }
                }
            }
            _ => return,
        };
        if area.height == 0 {
            return;
        }
        let y = area.bottom() - 1;
        let taken = (width(&words) + 2).min(area.width);
        crate::studio::widgets::wipe(buf, ink, Rect { x: area.x, y, width: taken, height: 1 });
        put(buf, ink, (area.x + 1, y), taken.saturating_sub(1), &words, ink.style(Role::Accent));
    }
}
