//! Edits: each named, each undoable, each handed to the journal as it is made.

use super::vocabulary::Turn;
use crate::domain::{Video, text};
use crate::draft::{Content, Edit, Incoming, StepRef, Target};
use crate::graph::Leads;
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, Question, Role};

use super::line::Asked;
use super::{Answer, Cursor, Editor, Journal};

impl Editor {
    /// Whether the project can be edited now; where not, why is said.
    pub(super) fn may_edit(&self, turn: &mut Turn) -> bool {
        if self.session.journal == Journal::Sought {
            turn.say(NoticeKind::Hint, "The project isn't loaded yet.");
            return false;
        }
        if self.session.journal == Journal::Taken {
            Self::offer_over(turn);
            return false;
        }
        if self.is_applying() {
            turn.say(NoticeKind::Hint, "Wait: the project is being saved.");
            return false;
        }
        true
    }

    /// Makes an edit; whether it could be made.
    pub(super) fn edit(&mut self, edit: Edit, now: Moment, turn: &mut Turn) -> bool {
        self.edit_then(edit, now, turn, |_, _, _| ())
    }

    /// Makes an edit, and goes on from the step that it made.
    pub(super) fn edit_then(
        &mut self,
        edit: Edit,
        _now: Moment,
        turn: &mut Turn,
        then: impl FnOnce(&mut Self, Option<StepRef>, &mut Turn),
    ) -> bool {
        if !self.may_edit(turn) {
            return false;
        }
        let draft = &mut self.draft;
        match draft.apply(&edit) {
            Ok(edited) => {
                if let Some(record) = edited.record {
                    self.keep(record, turn);
                }
                self.rebuild(false);
                if let Some(step) = edited.step {
                    self.go_to(Cursor { step, port: None });
                }
                self.refill();
                self.keep_in_sight();
                then(self, edited.step, turn);
                true
            }
            Err(refused) => {
                turn.say(NoticeKind::Warning, format!("Can't do that: {refused}."));
                false
            }
        }
    }

    pub(super) fn undo(&mut self, again: bool, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let draft = &mut self.draft;
        let before = draft.content().clone();
        let gone = if again { draft.redo() } else { draft.undo() };
        let changed = changed(&before, draft.content());
        match gone {
            Some(gone) => {
                let what = text::line(&gone.name).into_owned();
                let say =
                    if again { format!("Redid: {what}") } else { format!("Undid: {what}. ‹steps.redo› redoes.") };
                self.keep(gone.record, turn);
                self.rebuild(false);
                self.go_to_changed(changed);
                turn.say(NoticeKind::Done, say);
            }
            None if again => turn.say(NoticeKind::Hint, "Nothing to redo."),
            None => turn.say(NoticeKind::Hint, "Nothing left to undo."),
        }
    }

    /// Shows every edit, to go back or forth to.
    pub(super) fn show_history(&self, turn: &mut Turn) {
        let draft = &self.draft;
        let (at, forgotten) = (draft.at(), draft.forgotten());
        let entry = |(number, name): (usize, &str)| Entry {
            label: text::line(name).into_owned(),
            detail: if number > at { "undone".to_owned() } else { String::new() },
            right: number.to_string(),
        };
        let first = match forgotten {
            0 => "as saved at the service".to_owned(),
            _ => format!("before the last {} edits", draft.history().len()),
        };
        let mut entries = vec![Entry { label: first, ..Entry::default() }];
        entries.extend(draft.history().enumerate().map(|(index, name)| entry((forgotten + index + 1, name))));
        let list = |entries| Picker::new("History: go to", entries).with_selected(at.saturating_sub(forgotten));
        turn.question(Question::choose((forgotten..).map(Answer::History).zip(entries), list));
    }

    /// Goes where something changed, unless one is there.
    fn go_to_changed(&mut self, changed: Option<StepRef>) {
        let here = self.cursor.map(|cursor| cursor.step);
        match changed.filter(|step| Some(*step) != here) {
            Some(step) => self.go_to(Cursor { step, port: None }),
            None => self.keep_in_sight(),
        }
    }

    pub(super) fn go_in_history(&mut self, to: usize, turn: &mut Turn) {
        let draft = &mut self.draft;
        let before = draft.content().clone();
        if let Some(gone) = draft.go(to) {
            let changed = changed(&before, draft.content());
            self.keep(gone.record, turn);
            self.rebuild(false);
            self.go_to_changed(changed);
        }
    }

    pub(super) fn add_answer(&self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let Some(step) = self.cursor.map(|cursor| cursor.step) else { return };
        turn.question(Self::line_question(Asked::NewAnswer(step), ""));
    }

    pub(super) fn added_answer(&mut self, step: StepRef, said: String, now: Moment, turn: &mut Turn) {
        let after = self.cursor.filter(|cursor| cursor.step == step);
        let at = after.and_then(|cursor| cursor.port).map(|port| port + 1);
        if self.edit(Edit::AddAnswer { step, at, text: said, target: Target::End }, now, turn) {
            let last = self.shown.index(step).and_then(|index| self.shown.graph.ports(index).len().checked_sub(1));
            self.go_to(Cursor { step, port: at.or(last) });
            turn.say(NoticeKind::Done, "Answer added. It ends the video until ‹steps.wire› links it to a step.");
        }
    }

    pub(super) fn edit_answer_text(&self, turn: &mut Turn) {
        let (Some(cursor), draft) = (self.cursor, &self.draft) else { return };
        let Some(port) = cursor.port else {
            turn.say(NoticeKind::Hint, "Select an answer first (↑↓).");
            return;
        };
        let Some(answer) = draft.answer_at(cursor.step, port) else { return };
        let said = draft.content().answer(answer).map(|(_, _, answer)| answer.text.clone()).unwrap_or_default();
        turn.question(Self::line_question(Asked::AnswerText(answer), &said));
    }

    /// Moves the selected answer, or the selected step in the order.
    pub(super) fn reorder(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let (Some(cursor), draft) = (self.cursor, &self.draft) else { return };
        if let Some(port) = cursor.port {
            let Some(answer) = draft.answer_at(cursor.step, port) else { return };
            let count = draft.content().step(cursor.step).map_or(0, |step| step.answers().len());
            let Some(to) = port.checked_add_signed(by).filter(|to| *to < count) else { return };
            if self.edit(Edit::MoveAnswer { answer, to }, now, turn) {
                self.go_to(Cursor { port: Some(to), ..cursor });
            }
            return;
        }
        let order: Vec<StepRef> = self.shown.graph.order().iter().filter_map(|at| self.shown.step(*at)).collect();
        let at = order.iter().position(|step| *step == cursor.step);
        let Some(to) = at.and_then(|at| at.checked_add_signed(by)).filter(|to| *to < order.len()) else { return };
        if self.edit(Edit::MoveStep { step: cursor.step, to }, now, turn) {
            turn.say(NoticeKind::Done, format!("Step {} of {} in the order.", to + 1, order.len()));
        }
    }

    /// Takes away what is selected: an answer, or a step after asking what becomes of what leads there.
    pub(super) fn remove(&mut self, now: Moment, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let (Some(cursor), draft) = (self.cursor, &self.draft) else { return };
        if let Some(port) = cursor.port {
            if let Some(answer) = draft.answer_at(cursor.step, port) {
                self.edit(Edit::DeleteAnswer { answer }, now, turn);
            }
            return;
        }
        let Some(deletion) = draft.deletion(cursor.step) else { return };
        let label = |step: StepRef| self.step_words(step);
        let name = label(cursor.step);
        let mut lines = Vec::new();
        let delete = |incoming| Answer::DeleteStep(cursor.step, incoming);
        let mut options = vec![(Answer::Nothing, "keep it".to_owned())];
        if deletion.incoming.is_empty() {
            lines.push((Role::Text, "No answer leads to it.".to_owned()));
            options.push((delete(Incoming::Dangling), "delete it".to_owned()));
        } else {
            let told: Vec<String> = deletion
                .incoming
                .iter()
                .take(8)
                .map(|(from, _, said)| format!("{} “{}”", label(*from), text::line(said)))
                .collect();
            let more = deletion.incoming.len().saturating_sub(told.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push((Role::Text, format!("These answers lead to it: {}{more}.", told.join(", "))));
            let goal = match deletion.successor {
                Target::Step(step) => format!("link them to {} instead", label(step)),
                Target::End | Target::Unresolved(_) => "let them end the video instead".to_owned(),
            };
            options.extend([
                (delete(Incoming::Rewired), format!("delete it, and {goal}")),
                (delete(Incoming::Dangling), "delete it, and leave these answers without a step".to_owned()),
                (delete(Incoming::Removed), "delete it and these answers".to_owned()),
            ]);
        }
        if !deletion.outgoing.is_empty() {
            let told: Vec<String> = deletion.outgoing.iter().take(8).map(|step| label(*step)).collect();
            lines.push((Role::Warn, format!("These steps would become unreachable: {}.", told.join(", "))));
        }
        lines.push((Role::Dim, "u undoes it.".to_owned()));
        turn.question(Question::decide(format!("Delete step {name}"), lines, options));
    }

    /// Makes a new step; from an answer that leads nowhere, where it leads.
    pub(super) fn new_step(&mut self, now: Moment, turn: &mut Turn) {
        let from = self.cursor.and_then(|cursor| {
            let index = self.shown.index(cursor.step)?;
            let port = self.shown.graph.ports(index).get(cursor.port?)?;
            let free = !matches!(port.leads, Leads::Step(_));
            self.draft.answer_at(cursor.step, cursor.port?).filter(|_| free)
        });
        let linked = from.is_some();
        let done = self.edit(Edit::AddStep { from }, now, turn);
        if done {
            let say = if linked {
                "Linked to a new step. Enter edits it."
            } else {
                "Step added. Enter edits it; ‹steps.wire› on an answer links here."
            };
            turn.say(NoticeKind::Done, say);
        }
    }

    /// Puts a new step between the selected answer and where it leads.
    pub(super) fn insert_step(&mut self, now: Moment, turn: &mut Turn) {
        let (Some(cursor), draft) = (self.cursor, &self.draft) else { return };
        let Some(answer) = cursor.port.and_then(|port| draft.answer_at(cursor.step, port)) else {
            turn.say(NoticeKind::Hint, "Select the answer to insert a step after.");
            return;
        };
        self.edit(Edit::InsertStep { answer, text: "Next".to_owned() }, now, turn);
    }

    pub(super) fn duplicate(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(step) = self.cursor.map(|cursor| cursor.step) {
            self.edit(Edit::DuplicateStep { step }, now, turn);
        }
    }

    /// Lets a video of the library be chosen for the selected step, or the step of the form.
    pub(super) fn choose_video(&self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let Some(step) = self.cursor.map(|cursor| cursor.step) else { return };
        let known = self.shared.library.known();
        if known.is_none() {
            turn.say(
                NoticeKind::Hint,
                "Couldn't load the library yet; ‹steps.refresh› reloads it. You can type a video's ID.",
            );
        }
        let option = |video: &&Video| {
            let name = if video.name.is_empty() { video.id.as_str() } else { &video.name };
            let label = text::line(name).into_owned();
            let entry = Entry { label, right: self.video_facts(video), ..Entry::default() };
            (Answer::Video(step, video.id.clone()), entry)
        };
        let mut videos: Vec<&Video> = known.into_iter().flat_map(|videos| videos.iter()).collect();
        videos.sort_by_cached_key(|video| text::fold(&video.name));
        let options = videos.iter().map(option);
        let question = Question::choose(options, |entries| Picker::new("Video", entries));
        turn.question(question.or_typed(Answer::TypedVideo(step)));
    }

    pub(super) fn rename(&self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let draft = &self.draft;
        let name = draft.content().head().name().to_owned();
        turn.question(Self::line_question(Asked::Name, &name));
    }

    /// Asks whether the draft shall be thrown away.
    pub(super) fn ask_discard(&self, turn: &mut Turn) {
        let draft = &self.draft;
        if draft.is_saved() {
            turn.say(NoticeKind::Hint, "No edits: there is no draft to discard.");
            return;
        }
        let edits = draft.unsaved_edits();
        let lines = vec![
            (
                Role::Text,
                format!(
                    "{edits} edit{} would be lost; the project at the service stays as it is.",
                    if edits == 1 { "" } else { "s" }
                ),
            ),
            (Role::Dim, "‹steps.undo› undoes one edit at a time; ‹steps.history› shows all edits.".to_owned()),
        ];
        let options = [(Answer::Nothing, "keep the draft"), (Answer::Discard, "discard it")];
        turn.question(Question::decide("Discard draft", lines, options));
    }

    /// Asks whether a draft that has no project any more becomes a new one.
    pub(super) fn ask_renew(turn: &mut Turn) {
        let lines = vec![
            (Role::Text, "The service no longer has this project. Your draft is kept.".to_owned()),
            (Role::Text, "You can create a new project from it, with all its steps.".to_owned()),
            (Role::Dim, "The draft stays until ‹steps.discard› discards it.".to_owned()),
        ];
        let options = [(Answer::Nothing, "not now"), (Answer::Renew, "create a new project")];
        turn.question(Question::decide("The project is gone", lines, options));
    }

    pub(super) fn renew(&mut self, turn: &mut Turn) {
        let draft = &self.draft;
        turn.outcomes.push(Outcome::NewProject(Box::new(draft.project())));
    }
}

/// A step that is new in the second content, or else one that says something else there.
fn changed(before: &Content, after: &Content) -> Option<StepRef> {
    let new = after.steps().find(|(step, _)| before.step(*step).is_none());
    let other = || after.steps().find(|(step, content)| before.step(*step) != Some(*content));
    new.or_else(other).map(|(step, _)| step)
}
