//! How the Steps screen looks.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::play_view::draw_play;
use super::{Focus, Journal, Mode, Open, Steps};
use crate::domain::text;
use crate::graph::Severity;
use crate::studio::ground::{Moment, Remote};
use crate::studio::widgets::paint::{inside, wrap};
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put, put_pieces, width};

impl Steps {
    pub(super) fn title_words(&self) -> String {
        let Some(open) = &self.open else { return "Steps".to_owned() };
        let named = open.draft.as_ref().map(|draft| draft.content().head().name()).filter(|name| !name.is_empty());
        let name = named.unwrap_or(&open.name);
        let name = if name.is_empty() { open.id.as_str() } else { name };
        let mut title = text::line(name).into_owned();
        let edits = open.shown.edits;
        if edits > 0 {
            let _ = write!(title, " · draft: {edits} edit{} not saved", if edits == 1 { "" } else { "s" });
            match &open.journal {
                Journal::Open { handed, kept } if handed > kept => title.push_str(" …"),
                Journal::Failing { .. } | Journal::Unusable(_) => title.push_str(", NOT on the disk"),
                _ => {}
            }
        }
        title
    }

    fn counts(&self, ink: Ink) -> Vec<Piece> {
        let Some(open) = &self.open else { return Vec::new() };
        let graph = &open.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        let (problems, _) = problems_and_notes(open);
        let mut pieces = Vec::new();
        if let Remote::Loading { .. } = open.read {
            pieces.push(piece(Role::Dim, format!("loading{} ", ink.ellipsis())));
        }
        // What was not read yet is not none.
        if open.draft.is_none() {
            return pieces;
        }
        let steps = counted(graph.len(), "step");
        let answers = counted(answers, "answer");
        pieces.push(piece(Role::Dim, format!("{steps}{}{answers}", ink.sign(" · ", ", "))));
        if problems > 0 {
            let role = if open.shown.faults.iter().any(|fault| fault.severity() == Severity::Fault) {
                Role::Error
            } else {
                Role::Warn
            };
            pieces.push(piece(role, format!("{}{}", ink.sign(" · ", ", "), counted(problems, "problem"))));
        }
        pieces
    }

    fn walked_words(&self) -> Vec<Piece> {
        let Some(open) = self.open.as_ref().filter(|open| !open.walked.is_empty()) else { return Vec::new() };
        let graph = &open.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        vec![piece(Role::Dim, format!("{} of {answers} answers played", open.shown.marks.walked_answers.len()))]
    }

    pub(super) fn draw(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        let title = self.title_words();
        let focused = self.open.as_ref().is_some_and(|open| open.focus == Focus::Map && self.side().is_none());
        Panel { title: &title, right: self.counts(ink), bottom: self.walked_words(), focused }
            .draw(buf, ink, self.area);
        let area = inside(self.area);
        let Some(open) = &self.open else {
            put(
                buf,
                ink,
                (area.x + 2, area.y + 1),
                area.width.saturating_sub(3),
                "No project is open. Choose one in Projects (2).",
                ink.style(Role::Dim),
            );
            return None;
        };
        let side = self.side();
        if side != Some(area) {
            if self.is_outlined() {
                self.draw_outline(open, buf, ink);
            } else {
                Self::canvas(open).draw(buf, ink, self.map_area());
            }
            if let Some(findings) = self.findings_area() {
                self.draw_findings(open, buf, ink, findings);
            }
            self.draw_state(open, buf, ink, now);
            self.draw_wire(open, buf, ink);
        }
        let side = side?;
        let beside = side != area;
        match &open.mode {
            Mode::Form(form) => self.draw_form(form, buf, ink, side, beside, now),
            Mode::Play(play) => {
                draw_play(open, play, buf, ink, side, beside);
                None
            }
            Mode::Saving(_) => {
                self.draw_saving(buf, ink, side, beside, now);
                None
            }
            Mode::Upload(choosing) => {
                crate::studio::widgets::wipe(buf, ink, side);
                choosing.chooser.draw(buf, ink, side)
            }
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) => None,
        }
    }

    /// What is said where the project is not there, or has nothing in it.
    fn draw_state(&self, open: &Open, buf: &mut Buffer, ink: Ink, now: Moment) {
        let area = self.map_area();
        let mut lines: Vec<Piece> = Vec::new();
        match &open.read {
            Remote::Failed { problem, .. } if open.draft.is_none() => {
                lines.push(piece(Role::Error, "Couldn't load the project."));
                lines.extend(
                    wrap(&text::line(problem), area.width.saturating_sub(4))
                        .into_iter()
                        .map(|line| piece(Role::Dim, line)),
                );
                lines.push(piece(Role::Text, "Nothing was lost. R retries."));
            }
            Remote::Failed { problem, .. } => {
                let say = format!(" couldn't reload: {} ", text::line(problem));
                put(buf, ink, (area.x + 1, area.y), area.width.saturating_sub(2), &say, ink.style(Role::Warn));
            }
            Remote::Loading { since, .. } if open.draft.is_none() && now.since(*since) >= 300 => {
                lines.push(piece(Role::Dim, format!("Loading the project {}", ink.ellipsis())));
            }
            Remote::Ready(())
                if open.draft.as_ref().is_some_and(|draft| !draft.base().told_steps())
                    && open.shown.graph.is_empty() =>
            {
                lines.push(piece(Role::Warn, "The service sent no steps of this project."));
                lines.push(piece(Role::Text, "n creates one; o opens the player."));
            }
            _ if open.draft.is_some() && open.shown.graph.is_empty() => {
                lines.push(piece(Role::Text, "This project has no steps yet."));
                lines.push(piece(Role::Dim, "n adds the first. Then a adds answers, w links them."));
            }
            _ => {}
        }
        for (line, y) in lines.iter().zip(area.y + area.height / 4..area.bottom()) {
            put_pieces(buf, ink, (area.x + 2, y), area.width.saturating_sub(4), std::slice::from_ref(line));
        }
    }

    /// What the wire that is drawn would be.
    fn draw_wire(&self, open: &Open, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        let words = match &open.mode {
            Mode::Labels(_) => "Jump to: type the letters on a card".to_owned(),
            Mode::Wire(wire) => {
                let said = open
                    .shown
                    .index(wire.from)
                    .and_then(|from| open.shown.graph.ports(from).get(wire.port))
                    .map(|port| text::line(&port.text).into_owned());
                let said = said.unwrap_or_default();
                match wire.to.and_then(|to| open.shown.index(to)) {
                    Some(to) => {
                        let node = open.shown.graph.node(to);
                        let about = node.map(|node| text::line(&node.description).into_owned()).unwrap_or_default();
                        format!(
                            "“{said}” {} {} {about}   Enter confirms",
                            ink.sign("→", "->"),
                            text::line(open.shown.graph.name(to))
                        )
                    }
                    None => {
                        format!("“{said}” {} ?   choose with letters or arrows; x ends the video", ink.sign("→", "->"))
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

    fn draw_findings(&self, open: &Open, buf: &mut Buffer, ink: Ink, area: Rect) {
        let focused = open.focus == Focus::Findings;
        let role = if focused { Role::Accent } else { Role::Faint };
        let line = ink.sign("─", "-").repeat(usize::from(area.width));
        put(buf, ink, (area.x, area.y), area.width, &line, ink.style(role));
        let (problems, notes) = problems_and_notes(open);
        let beside = if notes > 0 { format!(", {}", counted(notes, "note")) } else { String::new() };
        let title = format!(" Problems {problems}{beside} ");
        put(
            buf,
            ink,
            (area.x + 1, area.y),
            area.width.saturating_sub(1),
            &title,
            ink.style(if focused { Role::Accent } else { Role::Dim }),
        );
        let first = self.first_finding(area);
        for ((at, fault), y) in open.shown.faults.iter().enumerate().skip(first).zip(area.y + 1..area.bottom()) {
            let chosen = at == open.finding.selected && focused;
            let role = match fault.severity() {
                Severity::Fault => Role::Error,
                Severity::Warning => Role::Warn,
                Severity::Note => Role::Dim,
            };
            let mark = if chosen { ink.sign("▌", ">") } else { " " };
            let mut pieces = vec![
                piece(Role::Accent, mark),
                piece(role, ink.sign("● ", "* ")),
                piece(if chosen { Role::Text } else { Role::Dim }, text::line(&fault.sentence)),
            ];
            if fault.fix.is_some() {
                pieces.push(piece(Role::Accent, "   m fixes it"));
            }
            put_pieces(buf, ink, (area.x, y), area.width, &pieces);
        }
    }
}

/// How many errors and warnings there are, and how many notes: what a note names may be intended, so it is no problem.
fn problems_and_notes(open: &Open) -> (usize, usize) {
    let notes = open.shown.faults.iter().filter(|fault| fault.severity() == Severity::Note).count();
    (open.shown.faults.len() - notes, notes)
}

/// So many of something, in words.
fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
