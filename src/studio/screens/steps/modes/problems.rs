//! What is wrong with the project, with the way to it and, where one is known, a fix.

use super::super::vocabulary::Turn;
use crate::domain::text;
use crate::draft::{Edit, Target};
use crate::graph::Fix;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::pane::Hint;

use super::super::{Cursor, Editor, Focus};

/// Findings that a page moves by.
const FINDINGS_PAGE: usize = 5;

/// What the last line shows.
pub(super) const HINTS: &[Hint] = &[
    Hint::moves(),
    Hint::of(Command::StepsFix),
    Hint::of(Command::StepsIgnore),
    Hint::of(Command::Open).saying("go there"),
    Hint::of(Command::NextPane).saying("graph"),
    Hint::of(Command::Back),
];

impl Editor {
    /// Takes a command while the findings have the keys; whether it was for them.
    pub(in super::super) fn findings_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        match command {
            _ if self.finding.command(command, FINDINGS_PAGE, self.shown.faults.len()) => {}
            Command::Open => {
                self.go_to_finding(turn);
                self.focus = Focus::Map;
                return true;
            }
            Command::Back => {
                self.focus = Focus::Map;
                return true;
            }
            _ => return false,
        }
        self.go_to_finding(turn);
        true
    }

    /// Goes to the next finding, or the one before.
    pub(in super::super) fn next_finding(&mut self, by: isize, turn: &mut Turn) {
        let here = self.selected();
        let count = self.shown.faults.len();
        if count == 0 {
            turn.say(NoticeKind::Done, "No problems.");
            return;
        }
        let there = self.shown.faults.get(self.finding.selected).map(|fault| (fault.step, fault.port));
        // The first time the one that is chosen is gone to, then the next.
        if there == here.map(|(step, port)| (Some(step), port)) || self.focus == Focus::Findings || here.is_none() {
            self.finding.selected = (self.finding.selected + count).saturating_add_signed(by) % count;
        }
        self.go_to_finding(turn);
    }

    /// Goes where the chosen finding is, and says what it is.
    pub(in super::super) fn go_to_finding(&mut self, turn: &mut Turn) {
        let Some(fault) = self.shown.faults.get(self.finding.selected) else { return };
        let sentence = text::line(&fault.sentence).into_owned();
        let cursor = fault.step.and_then(|step| self.shown.step(step)).map(|step| Cursor { step, port: fault.port });
        if let Some(cursor) = cursor {
            self.go_to(cursor);
        }
        turn.say(NoticeKind::Hint, sentence);
    }

    /// Fixes the chosen problem, where a fix is known.
    pub(in super::super) fn fix(&mut self, now: Moment, turn: &mut Turn) {
        let Some(fault) = self.shown.faults.get(self.finding.selected).cloned() else {
            turn.say(NoticeKind::Done, "No problems.");
            return;
        };
        let answer = |step: usize, port: usize| self.draft.answer_at(self.shown.step(step)?, port);
        let edit = match fault.fix.clone() {
            Some(Fix::Retarget { step, port, to }) => answer(step, port)
                .zip(self.shown.step(to))
                .map(|(answer, to)| Edit::Retarget { answer, target: Target::Step(to) }),
            Some(Fix::RemoveAnswer { step, port }) => answer(step, port).map(|answer| Edit::DeleteAnswer { answer }),
            Some(Fix::AnswerTime { step, seconds }) => {
                self.shown.step(step).map(|step| Edit::AnswerTime { step, seconds })
            }
            Some(Fix::AddToOrder { .. }) => Some(Edit::AddMissing),
            Some(Fix::RemoveFromOrder { .. }) => Some(Edit::DropAlien),
            Some(Fix::ReplaceInOrder { entry, step }) => {
                self.shown.step(step).map(|step| Edit::ReplaceInOrder { entry, step })
            }
            Some(Fix::ChooseVideo { .. }) => {
                self.go_to_finding(turn);
                return self.choose_video(turn);
            }
            None => None,
        };
        if let Some(edit) = edit {
            self.edit(edit, now, turn);
            return;
        }
        self.go_to_finding(turn);
        let say = match (fault.port, fault.step) {
            (Some(_), _) => "No automatic fix. w wires the answer, Enter edits it, x removes it.",
            (None, Some(_)) => "No automatic fix. Enter edits the step, V chooses its video, x deletes it.",
            _ => "No automatic fix.",
        };
        turn.say(NoticeKind::Hint, format!("{}. {say}", text::line(&fault.sentence)));
    }

    /// Marks the chosen finding as meant: it is not shown any more.
    pub(in super::super) fn mean(&mut self, now: Moment, turn: &mut Turn) {
        let Some(fault) = self.shown.faults.get(self.finding.selected) else { return };
        let finding = fault.key.clone();
        if self.edit(Edit::Meant { finding, meant: true }, now, turn) {
            turn.say(NoticeKind::Done, "Problem ignored. u undoes.");
        }
    }
}
