//! What is kept on the disk: every record of the draft, and what is being typed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::Line;
use super::vocabulary::Turn;
use super::{Editor, Effect, Journal, Mode, Place, Steps};
use crate::draft::{Draft, Record};
use crate::studio::ground::Moment;

/// What is kept in a draft beside its edits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Beside {
    /// What was typed and not yet an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    typed: Option<super::modes::form::Typed>,
    /// The same of a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Line>,
    /// Where one was, for the studio that takes the project over. Otherwise it is kept with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

impl Beside {
    /// What a draft holds of it: each part counts, also where a later Cutaway wrote another one in a way of its own.
    fn of(view: &Value) -> Self {
        fn part<T: serde::de::DeserializeOwned>(view: &Value, name: &str) -> Option<T> {
            view.get(name).and_then(|part| T::deserialize(part).ok())
        }
        Self { typed: part(view, "typed"), line: part(view, "line"), place: part(view, "place") }
    }
}

/// Whether a draft has something that was typed and is no edit yet.
pub(super) fn is_half_typed(draft: &Draft) -> bool {
    let has = |what: &str| draft.view().and_then(|view| view.get(what)).is_some_and(|typed| !typed.is_null());
    has("typed") || has("line")
}

impl Steps {
    /// Whether what was typed and edited is on the disk, as far as it can be kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.editor().is_none_or(Editor::is_kept)
    }
}

impl Editor {
    /// Hands a record to the journal.
    pub(super) fn keep(&mut self, record: Record, turn: &mut Turn) {
        let (Journal::Open { handed, .. } | Journal::Failing { handed, .. }) = &mut self.session.journal else {
            return;
        };
        let mut records = Vec::new();
        if *handed == 0
            && let Some(begun) = self.session.begun.take()
        {
            records.push(begun);
        }
        records.push(record);
        *handed += u64::try_from(records.len()).unwrap_or(0);
        turn.ask(Effect::Keep { project: self.session.id.clone(), records });
    }

    /// Writes down what is being typed, once what was written before is on the disk.
    pub(super) fn keep_typed(&mut self, turn: &mut Turn) {
        let (typed, line) = self.half_typed();
        let is_kept = matches!(self.session.journal, Journal::Open { handed, kept } if handed == kept);
        if !is_kept || (self.session.handed_typed == typed && self.session.handed_line == line) {
            return;
        }
        self.session.handed_typed.clone_from(&typed);
        self.session.handed_line.clone_from(&line);
        self.keep_beside(&Beside { typed, line, place: None }, turn);
    }

    /// Writes down what is being typed and where one is, and whether all of that is on the disk; it is as well where nothing
    /// was edited.
    pub(super) fn keep_all(&mut self, turn: &mut Turn) -> bool {
        match self.session.journal {
            Journal::Open { handed: 0, .. } => return true,
            Journal::Open { handed, kept } if handed == kept => {}
            _ => return false,
        }
        let (typed, line) = self.half_typed();
        let all = Beside { typed, line, place: self.place_in() };
        let is_kept = self.session.handed_over.as_ref() == Some(&all);
        if !is_kept {
            self.session.handed_typed.clone_from(&all.typed);
            self.session.handed_line.clone_from(&all.line);
            self.keep_beside(&all, turn);
            self.session.handed_over = Some(all);
        }
        is_kept
    }

    /// Whether what was typed and edited is on the disk, as far as it can be kept.
    fn is_kept(&self) -> bool {
        let Journal::Open { handed, kept } = self.session.journal else { return true };
        let (typed, line) = self.half_typed();
        handed == kept && self.session.handed_typed == typed && self.session.handed_line == line
    }

    /// What was typed into the form and into a question, and is no edit yet.
    fn half_typed(&self) -> (Option<super::modes::form::Typed>, Option<Line>) {
        let typed = match &self.mode {
            Mode::Form(form) if form.is_changed() => Some(form.typed()),
            _ => None,
        };
        (typed, self.session.line.clone().filter(Line::is_changed))
    }

    fn keep_beside(&mut self, beside: &Beside, turn: &mut Turn) {
        self.session.handed_over = None;
        let record = self.draft.look(serde_json::to_value(beside).unwrap_or(Value::Null));
        self.keep(record, turn);
    }

    /// Goes where one was last, and shows what was being typed there.
    pub(super) fn look_again(&mut self, now: Moment, turn: &mut Turn) {
        let known = self.known_place();
        let draft = &self.draft;
        let (beside, before) = match draft.view() {
            // Drafts of earlier versions hold the place too.
            Some(view) => (Beside::of(view), Place::deserialize(view).ok()),
            None => (Beside::default(), None),
        };
        let is_handed_over = beside.place.is_some();
        if let Some(place) = beside.place.clone().or(known).or(before) {
            self.go_to_place(place);
        }
        if is_handed_over {
            // It is where the other studio was: from now on the place is this one's again.
            self.keep_beside(&Beside { place: None, ..beside.clone() }, turn);
        }
        if let Some(typed) = beside.typed {
            self.session.handed_typed = Some(typed.clone());
            self.form_again(typed, now);
        }
        if let Some(line) = beside.line {
            self.ask_line_again(line, turn);
        }
    }
}
