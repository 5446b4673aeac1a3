//! A draft whose file is damaged: what can be read is shown, what is missing is counted, and the person decides.

use super::vocabulary::Turn;
use super::{Answer, Damaged, Editor, Session};
use crate::draft::{Draft, Record};
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::{Question, Role};

fn count(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

impl Session {
    /// Takes a draft that was found damaged: says what is missing, or leaves that to a question. Gives what is whole.
    pub(super) fn take_damaged(&mut self, damaged: Box<Damaged>, turn: &mut Turn) -> Option<Draft> {
        let Damaged { draft, damage, kept, .. } = &*damaged;
        let edits = draft.as_ref().map_or(0, |draft| draft.unsaved_edits());
        let back = match edits {
            0 => "no edits".to_owned(),
            edits => format!("{} not saved", count(edits, "edit", "edits")),
        };
        let missing = count(damage.missing, "entry", "entries");
        if damage.is_torn {
            let say = format!(
                "The draft's file ends in the middle of an entry that was never confirmed as stored. Everything before it \
                 is restored: {back}. The old file: {kept}"
            );
            turn.say(NoticeKind::Warning, say);
        } else if damage.missing == 0 {
            let say = format!("The draft's file was damaged, but nothing is missing: {back}. The old file: {kept}");
            turn.say(NoticeKind::Warning, say);
        } else if damage.later() == 0 {
            let say = format!(
                "The draft's file is damaged: {missing} can't be read. Everything before is restored: {back}. The old \
                 file: {kept}"
            );
            turn.say(NoticeKind::Error, say);
        }
        let whole = draft.as_deref().cloned();
        if damage.missing > 0 && damage.later() > 0 {
            self.damaged = Some(damaged);
        }
        whole
    }
}

impl Editor {
    /// Asks what becomes of the edits behind the damage, once there is something that they can be made on.
    pub(super) fn ask_rescue(&mut self, turn: &mut Turn) {
        let Some(damaged) = self.session.damaged.take() else { return };
        let Damaged { draft, damage, kept, .. } = &*damaged;
        let (missing, later) = (count(damage.missing, "entry", "entries"), count(damage.later(), "entry", "entries"));
        let mut lines = vec![(Role::Warn, format!("The draft's file is damaged: {missing} can't be read."))];
        if let Some(draft) = draft {
            let edits = count(draft.unsaved_edits(), "edit", "edits");
            lines.push((Role::Text, format!("Before the damage: {edits} not saved, restored.")));
            lines.push((Role::Text, format!("After it: {later} can be read.")));
        } else {
            lines.push((Role::Text, "The start of the draft can't be read: the project it began from.".to_owned()));
            let say = format!("{later} after it can be applied to the project as it is now.");
            lines.push((Role::Text, say));
        }
        lines.push((Role::Text, "Steps changed only by missing edits are as they were before.".to_owned()));
        lines.push((Role::Dim, format!("The old file is kept: {kept}")));
        lines.push((Role::Dim, "Nothing is sent to the service until you save with ‹steps.save›.".to_owned()));
        let options =
            [(Answer::Nothing, "Discard the later edits"), (Answer::Rescue(damaged), "Also apply the later edits")];
        turn.question(Question::decide("Damaged draft", lines, options).deliberate());
    }

    /// Takes the edits behind the damage.
    pub(super) fn rescue(&mut self, damaged: &Damaged, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let rescued = match &damaged.draft {
            Some(draft) => Some(damaged.damage.rescue((**draft).clone())),
            None => damaged.damage.rescue_on(&turn.context.workspace, self.draft.base().project()),
        };
        let Some(rescued) = rescued.map(|rescued| with_profile(rescued, &turn.context.profile)) else { return };
        let records: Vec<Record> = rescued.records();
        let edits = rescued.unsaved_edits();
        self.draft = rescued;
        // They begin with a beginning of their own.
        self.session.begun = None;
        for record in records {
            self.keep(record, turn);
        }
        self.rebuild(true);
        self.keep_in_sight();
        let say = format!(
            "Restored {}, not saved yet. ‹steps.save› shows the plan, ‹steps.undo› undoes.",
            count(edits, "edit", "edits")
        );
        turn.say(NoticeKind::Done, say);
    }
}

fn with_profile(draft: Draft, profile: &str) -> Draft {
    if draft.profile().is_some() { draft } else { draft.within(profile) }
}
