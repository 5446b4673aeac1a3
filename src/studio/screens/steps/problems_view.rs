//! How the problems look: a row each, the selected one with what can be done about it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::problems::{Met, together};
use super::{Editor, Focus, Mode};
use crate::domain::text;
use crate::graph::{Fix, Kind, Severity};
use crate::studio::ground::{Command, Layer};
use crate::studio::widgets::paint::{counted, number};
use crate::studio::widgets::{Ink, Piece, Role, piece, put, put_pieces, severity_role, severity_sign, width};

/// Where the keys beside a problem are read.
const LAYERS: [Layer; 2] = [Layer::Steps, Layer::Global];

/// Columns before a row's sentence: what marks the selected row, and how bad the problem is.
const BEFORE: u16 = 3;

impl Editor {
    /// How many errors and warnings there are, and how many notes: what a note names may be intended, so it is no problem.
    pub(super) fn problems_and_notes(&self) -> (usize, usize) {
        let all = self.shown.problems.all();
        let notes = all.iter().filter(|fault| fault.severity() == Severity::Note).count();
        (all.len() - notes, notes)
    }

    /// Whether all of the selected problem's sentence is seen in the pane.
    pub(super) fn shows_problem(&self) -> bool {
        let Some(area) = self.problems_area() else { return false };
        let words = self.row_words(self.shown.problems.row_of(self.chosen.at));
        let room = area.width.saturating_sub(BEFORE);
        // Most keys are one letter.
        let actions = self.actions_beside(&words, room, |_| Some("w".to_owned()));
        width(&words).saturating_add(taken(&actions)) <= room
    }

    pub(super) fn draw_problems(&self, buf: &mut Buffer, ink: Ink, area: Rect) {
        let focused = self.focus == Focus::Problems && self.side().is_none();
        let role = if focused { Role::Accent } else { Role::Faint };
        let line = ink.sign("─", "-").repeat(usize::from(area.width));
        put(buf, ink, (area.x, area.y), area.width, &line, ink.style(role));
        let (problems, notes) = self.problems_and_notes();
        let beside = if notes > 0 { format!(", {}", counted(notes, "note")) } else { String::new() };
        let ignored = match self.draft.content().head().meant.len() {
            0 => String::new(),
            ignored => format!(", {} ignored", number(i64::try_from(ignored).unwrap_or(i64::MAX))),
        };
        let title = format!(" Problems {}{beside}{ignored} ", number(i64::try_from(problems).unwrap_or(i64::MAX)));
        let style = ink.style(if focused { Role::Accent } else { Role::Dim });
        put(buf, ink, (area.x + 1, area.y), area.width.saturating_sub(1), &title, style);
        let place = self.problem_row(usize::from(area.height.saturating_sub(1)));
        let rows = 0..self.shown.problems.rows().len();
        for (row, y) in rows.skip(place.top).zip(area.y + 1..area.bottom()) {
            self.draw_problem(buf, ink, Rect { y, height: 1, ..area }, (row, row == place.selected));
        }
    }

    /// Draws a row; what can be done about the selected one stays, its sentence is cut for it.
    fn draw_problem(&self, buf: &mut Buffer, ink: Ink, area: Rect, (row, chosen): (usize, bool)) {
        let Some(fault) = self.shown.problems.rows().get(row).and_then(|row| self.shown.problems.get(row.start)) else {
            return;
        };
        if chosen && self.focus == Focus::Problems {
            ink.stands((area.x, area.y));
            buf.set_style(area.intersection(buf.area), ink.theme.select);
        }
        let mark = if chosen { ink.sign("▌", ">") } else { " " };
        let before =
            [piece(Role::Accent, mark), piece(severity_role(fault.severity()), severity_sign(fault.severity()))];
        put_pieces(buf, ink, (area.x, area.y), area.width, &before);
        let (words, room) = (self.row_words(row), area.width.saturating_sub(BEFORE));
        let actions =
            if chosen { self.actions_beside(&words, room, |command| ink.key(command, &LAYERS)) } else { Vec::new() };
        let room = room.saturating_sub(taken(&actions)).max(room / 2);
        let style = ink.style(if chosen { Role::Text } else { Role::Dim });
        put(buf, ink, (area.x + BEFORE, area.y), room, &words, style);
        let x = area.x + BEFORE + width(&words).min(room);
        put_pieces(buf, ink, (x, area.y), area.right().saturating_sub(x), &actions);
    }

    /// What a row says: the sentence of its problem, or what many have in common and which of them is selected.
    pub(super) fn row_words(&self, row: usize) -> String {
        let problems = &self.shown.problems;
        let Some(of) = problems.rows().get(row) else { return String::new() };
        let Some(first) = problems.get(of.start) else { return String::new() };
        if of.len() == 1 {
            return text::line(&first.words()).into_owned();
        }
        let all = together(first.kind, of.len());
        if !of.contains(&self.chosen.at) {
            return all;
        }
        let number = |count: usize| number(i64::try_from(count).unwrap_or(i64::MAX));
        let which = problems.get(self.chosen.at).map(|problem| self.place_words(problem)).unwrap_or_default();
        format!("{all}   {} of {}: {which}", number(self.chosen.at - of.start + 1), number(of.len()))
    }

    /// Which step and answer a problem is about, and who meets it.
    fn place_words(&self, fault: &Met) -> String {
        let Some(node) = fault.step.and_then(|step| self.shown.graph.node(step)) else {
            return text::line(&fault.value).into_owned();
        };
        let words = match fault.port {
            Some(port) => format!("{} answer {}", node.name, port + 1),
            None => format!("{} {}", node.name, node.description),
        };
        format!("{}{}", text::line(words.trim()), fault.reach_words())
    }

    /// What can be done about the selected problem, beside its sentence in so many columns: in a word where there is no room
    /// for more, as what is wrong says more than what each key does.
    fn actions_beside(&self, words: &str, room: u16, key: impl Fn(Command) -> Option<String>) -> Vec<Piece> {
        let all = self.actions(&key);
        if width(words).saturating_add(taken(&all)) <= room {
            return all;
        }
        let can_fix = self.problem().is_some_and(|fault| fault.fix.is_some()) && !all.is_empty();
        if let Some(key) = key(Command::StepsFix).filter(|_| can_fix) {
            return vec![piece(Role::Accent, format!("  {key}")), piece(Role::Dim, " fix")];
        }
        all.into_iter().take(2).collect()
    }

    /// What can be done about the selected problem: keys, and what they do. What has no key is left out.
    fn actions(&self, key: impl Fn(Command) -> Option<String>) -> Vec<Piece> {
        // A mode that owns the keys leaves none for this.
        let Some(fault) = self.problem().filter(|_| matches!(self.mode, Mode::Normal)) else { return Vec::new() };
        let mut pieces = Vec::new();
        let mut add = |command: Command, words: String| {
            let Some(key) = key(command) else { return };
            pieces.push(piece(Role::Accent, format!("  {key}")));
            pieces.push(piece(Role::Dim, format!(" {words}")));
        };
        if !self.is_at_problem() {
            add(Command::StepsNextProblem, "go there".to_owned());
        }
        if let Some(fix) = &fault.fix {
            let words = match fix {
                Fix::ChooseVideo { .. } => "choose a video".to_owned(),
                Fix::ChooseProducts { .. } => "choose another product".to_owned(),
                fix => text::line(&fix.words(&self.shown.graph)).into_owned(),
            };
            add(Command::StepsFix, words);
        }
        // The other keys act on what the cursor is at.
        if self.is_at_problem() {
            for (command, words) in commands_for(fault.kind) {
                add(*command, (*words).to_owned());
            }
        }
        pieces
    }
}

/// How many columns pieces take.
fn taken(pieces: &[Piece]) -> u16 {
    pieces.iter().map(|piece| width(&piece.text)).sum()
}

/// The commands that do something about a kind of problem, beside its fix.
fn commands_for(kind: Kind) -> &'static [(Command, &'static str)] {
    match kind {
        Kind::Dangling | Kind::Ambiguous => &[(Command::StepsWire, "wire it"), (Command::StepsNew, "new step")],
        Kind::NoVideo | Kind::LostVideo => &[(Command::StepsUpload, "upload")],
        Kind::NoText | Kind::SameAnswer => {
            &[(Command::StepsAnswerText, "edit its text"), (Command::Remove, "delete it")]
        }
        Kind::SameProduct => &[(Command::StepsProducts, "products"), (Command::StepsIgnore, "ignore")],
        Kind::Trap => &[(Command::StepsAnswer, "add an answer")],
        Kind::DeadEnd => &[(Command::StepsAnswer, "add an answer"), (Command::StepsIgnore, "ignore")],
        Kind::Unreachable => &[(Command::Remove, "delete it"), (Command::StepsIgnore, "ignore")],
        Kind::SameName | Kind::LongText => &[(Command::Open, "edit"), (Command::StepsIgnore, "ignore")],
        Kind::LateAnswers => &[(Command::Open, "edit")],
        Kind::Linted("W04", _) => &[(Command::StepsAnswerText, "edit its text"), (Command::StepsIgnore, "ignore")],
        Kind::Linted("W06", _) => &[(Command::StepsProducts, "add a product"), (Command::StepsIgnore, "ignore")],
        Kind::ManySteps | Kind::Linted(..) => &[(Command::StepsIgnore, "ignore")],
        Kind::AlienInOrder | Kind::MissingInOrder => &[],
    }
}
