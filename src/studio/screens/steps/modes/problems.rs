//! What is wrong with the project, with the way to it and, where one is known, a fix.

use super::super::vocabulary::Turn;
use crate::domain::text;
use crate::draft::{Edit, Target};
use crate::graph::Fix;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::pane::Hint;

use super::super::{Cursor, Editor, Focus};

/// What the last line shows.
pub(super) const HINTS: &[Hint] = &[
    Hint::moves(),
    Hint::of(Command::StepsFix),
    Hint::of(Command::StepsIgnore),
    Hint::of(Command::StepsNextProblem).saying("next"),
    Hint::of(Command::Open).saying("go there"),
    Hint::of(Command::NextPane).saying("graph"),
    Hint::of(Command::Back),
];

impl Editor {
    /// Takes a command while the problems have the keys; whether it was for them.
    pub(in super::super) fn problems_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        let page = self.problems_page();
        let mut row = self.problem_row(page);
        match command {
            _ if row.command(command, page, self.shown.problems.rows().len()) => self.choose_row(row),
            Command::Open => self.focus = Focus::Map,
            Command::Back => {
                self.focus = Focus::Map;
                return true;
            }
            _ => return false,
        }
        self.go_to_problem(turn);
        true
    }

    /// Goes to the next problem, or the one before; first to the one that is selected, unless one is there.
    pub(in super::super) fn next_problem(&mut self, by: isize, turn: &mut Turn) {
        let count = self.shown.problems.all().len();
        if count == 0 {
            turn.say(NoticeKind::Done, "No problems.");
            return;
        }
        if self.is_at_problem() {
            self.chosen.at = (self.chosen.at + count).saturating_add_signed(by) % count;
        }
        self.go_to_problem(turn);
    }

    /// Goes where the selected problem is, and says what it is where the pane doesn't.
    pub(in super::super) fn go_to_problem(&mut self, turn: &mut Turn) {
        let Some(problem) = self.problem() else { return };
        let sentence = text::line(&problem.words()).into_owned();
        let cursor =
            problem.step.and_then(|step| self.shown.step(step)).map(|step| Cursor { step, port: problem.port });
        // The cursor comes to this problem, not to another one of the same step.
        self.chosen.cursor = cursor.or(self.cursor);
        self.chosen.shown = true;
        if let Some(cursor) = cursor {
            let before = self.look;
            self.go_to(cursor);
            if self.look != before {
                self.center();
            }
        }
        self.chosen.top = self.problem_row(self.problems_page()).top;
        if !self.shows_problem() {
            turn.say(NoticeKind::Hint, sentence);
        }
    }

    /// Fixes the selected problem, where a fix is known.
    pub(in super::super) fn fix(&mut self, now: Moment, turn: &mut Turn) {
        let Some(fault) = self.problem().cloned() else {
            turn.say(NoticeKind::Done, "No problems.");
            return;
        };
        self.go_to_problem(turn);
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
            Some(Fix::ChooseVideo { .. }) => return self.choose_video(turn),
            Some(Fix::ChooseProducts { product, .. }) => return self.begin_swap(product, turn),
            None => None,
        };
        if let Some(edit) = edit {
            self.edit(edit, now, turn);
            return;
        }
        let say = match (fault.port, fault.step) {
            (Some(_), _) => "No automatic fix. ‹steps.wire› wires the answer, Enter edits it, ‹app.remove› removes it.",
            (None, Some(_)) => {
                "No automatic fix. Enter edits the step, ‹steps.video› chooses its video, ‹app.remove› deletes it."
            }
            _ => "No automatic fix. ‹steps.problem.ignore› ignores it.",
        };
        turn.say(NoticeKind::Hint, format!("{}. {say}", text::line(&fault.words())));
    }

    /// Shows the problems again that are ignored.
    pub(in super::super) fn restore_ignored(&mut self, now: Moment, turn: &mut Turn) {
        if self.draft.content().head().meant.is_empty() {
            turn.say(NoticeKind::Hint, "No problem is ignored. ‹steps.problem.ignore› ignores the selected one.");
        } else if self.edit(Edit::NoneMeant, now, turn) {
            turn.say(NoticeKind::Done, "No problem is ignored anymore. ‹steps.undo› undoes.");
        }
    }

    /// Ignores the selected problem: it is not shown any more.
    pub(in super::super) fn ignore(&mut self, now: Moment, turn: &mut Turn) {
        let Some(fault) = self.problem() else {
            turn.say(NoticeKind::Done, "No problems.");
            return;
        };
        let finding = fault.key.clone();
        if self.edit(Edit::Meant { finding, meant: true }, now, turn) {
            turn.say(NoticeKind::Done, "Problem ignored. ‹steps.undo› undoes.");
        }
    }
}
