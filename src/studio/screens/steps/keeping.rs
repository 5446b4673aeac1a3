//! What is kept on the disk: every record of the draft, and what is being typed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::vocabulary::Turn;
use super::{Editor, Effect, Journal, Mode, Place};
use crate::draft::Record;
use crate::studio::ground::Moment;

/// What is kept in a draft beside its edits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Beside {
    /// What was typed and not yet an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    typed: Option<super::modes::form::Typed>,
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
        let typed = match &self.mode {
            Mode::Form(form) if form.is_changed() => Some(form.typed()),
            _ => None,
        };
        let is_kept = matches!(self.session.journal, Journal::Open { handed, kept } if handed == kept);
        if !is_kept || self.session.handed_typed == typed {
            return;
        }
        let draft = &mut self.draft;
        self.session.handed_typed.clone_from(&typed);
        let record = draft.look(serde_json::to_value(Beside { typed }).unwrap_or(Value::Null));
        self.keep(record, turn);
    }

    /// Goes where one was last, and shows what was being typed there.
    pub(super) fn look_again(&mut self, now: Moment) {
        let known = self.known_place();
        let draft = &self.draft;
        let (beside, before) = match draft.view() {
            // Drafts of earlier versions hold the place too.
            Some(view) => (Beside::deserialize(view).unwrap_or_default(), Place::deserialize(view).ok()),
            None => (Beside::default(), None),
        };
        if let Some(place) = known.or(before) {
            self.go_to_place(place);
        }
        if let Some(typed) = beside.typed {
            self.session.handed_typed = Some(typed.clone());
            self.form_again(typed, now);
        }
    }
}
