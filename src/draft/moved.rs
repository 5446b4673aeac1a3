//! What differs between what a draft stands on and a newer reading, and whose doing it is: what was written here is told
//! by services in their own way, or a moment later; everything else was changed elsewhere.

use std::sync::Arc;

use super::as_before::{as_told_before, order_as_before};
use super::base::{Base, Names};
use super::call::{Call, ProjectFields, StepFields};
use super::content::{Content, Head, OrderEntry, StepContent};
use super::draft::Draft;
use super::refs::{StepRef, Target};
use super::settling::folded;
use crate::domain::{Project, Step, StepId};

/// A write that was answered, and what the draft stood on before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub call: Call,
    pub before: Content,
}

/// Whose doing a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// It is what is wanted here, or how the service tells what was written here.
    Here,
    /// It is as it was before the last write: the service may not show that yet.
    Late,
    /// Somebody else's.
    Elsewhere,
}

/// A reading with what it leaves out of what was written in this run: that was sent, so the service has it or ignores it,
/// and has not said that it is empty.
pub(super) fn filled(draft: &Draft, mut theirs: Project, calls: &[Call]) -> Project {
    for call in calls {
        match call {
            Call::UpdateProject { change } => fill_project(draft.base.head(), change, &mut theirs),
            Call::CreateStep(new) => fill_step(draft, new.step, &new.fields, &mut theirs),
            Call::UpdateStep { step, change, .. } => fill_step(draft, *step, change, &mut theirs),
            Call::CreateProject { .. } | Call::DeleteStep { .. } => {}
        }
    }
    theirs
}

/// Fills a field that was sent and is not told.
fn fill<T: Clone>(sent: bool, told: &mut Option<T>, known: Option<&T>) {
    if sent && told.is_none() {
        *told = known.cloned();
    }
}

fn fill_project(known: &Project, sent: &ProjectFields, theirs: &mut Project) {
    fill(sent.name.is_some(), &mut theirs.name, known.name.as_ref());
    fill(sent.folder.is_some(), &mut theirs.folder, known.folder.as_ref());
    fill(sent.email_notifications.is_some(), &mut theirs.email_notifications, known.email_notifications.as_ref());
    fill(sent.steps_order.is_some(), &mut theirs.steps_order, known.steps_order.as_ref());
    fill(sent.player.is_some(), &mut theirs.player, known.player.as_ref());
}

fn fill_step(draft: &Draft, step: StepRef, sent: &StepFields, theirs: &mut Project) {
    let Some(known) = draft.base.step(step) else { return };
    let is_it = |one: &&mut Step| match (&one.id, &known.id) {
        (Some(id), Some(known)) => id == known,
        _ => one.name.is_some() && one.name == known.name,
    };
    let Some(told) = theirs.steps.iter_mut().flatten().find(is_it) else { return };
    fill(sent.description.is_some(), &mut told.description, known.description.as_ref());
    fill(sent.overlay_text.is_some(), &mut told.overlay_text, known.overlay_text.as_ref());
    fill(sent.video_id.is_some(), &mut told.video_id, known.video_id.as_ref());
    fill(sent.answer_time.is_some(), &mut told.answer_time, known.answer_time.as_ref());
    fill(sent.answers.is_some(), &mut told.answers, known.answers.as_ref());
}

/// Every difference between what the draft stands on and a newer reading.
pub(super) fn moves(draft: &Draft, theirs: &Base, written: Option<&Written>) -> Vec<Moved> {
    let mut finder = Finder { draft, names: draft.names(), written, found: Vec::new() };
    finder.steps(theirs);
    finder.head(draft.base.content().head(), draft.now.head(), theirs.content().head());
    finder.found
}

struct Finder<'a> {
    draft: &'a Draft,
    /// What the draft calls its steps.
    names: Names,
    written: Option<&'a Written>,
    found: Vec<Moved>,
}

impl Finder<'_> {
    fn call(&self) -> Option<&Call> {
        self.written.map(|written| &written.call)
    }

    fn before(&self) -> Option<&Content> {
        self.written.map(|written| &written.before)
    }

    fn steps(&mut self, theirs: &Base) {
        let (base, now) = (self.draft.base.content(), &self.draft.now);
        for (step, known) in base.steps() {
            match theirs.content().steps.get(&step) {
                Some(told) => self.step(step, known, now.step(step), told),
                None if now.step(step).is_none() => self.found.push(Moved::Here),
                None if matches!(self.call(), Some(Call::CreateStep(new)) if new.step == step) => {
                    self.found.push(Moved::Late);
                }
                None => self.found.push(Moved::Elsewhere),
            }
        }
        for (step, _) in theirs.content().steps().filter(|(step, _)| base.step(*step).is_none()) {
            let raw = theirs.step(step);
            let is_deleted = |id: &StepId| {
                raw.is_some_and(|raw| {
                    raw.id.as_ref() == Some(id) || raw.name.as_ref().is_some_and(|name| name.as_str() == id.as_str())
                })
            };
            let late = matches!(self.call(), Some(Call::DeleteStep { id, .. }) if is_deleted(id));
            self.found.push(if late { Moved::Late } else { Moved::Elsewhere });
        }
    }

    fn step(&mut self, step: StepRef, known: &StepContent, now: Option<&StepContent>, told: &Arc<StepContent>) {
        // That a step is gone is one difference, not one more for each answer that led there.
        let told = &as_told_before(known, told);
        let nothing = StepContent::default();
        let was = self.before().and_then(|before| before.step(step)).unwrap_or(&nothing).clone();
        let now = now.unwrap_or(&nothing);
        let sent = match self.call() {
            Some(Call::CreateStep(new)) if new.step == step => [true; 5],
            Some(Call::UpdateStep { step: other, change, .. }) if *other == step => [
                change.description.is_some(),
                change.overlay_text.is_some(),
                change.video_id.is_some(),
                change.answer_time.is_some(),
                change.answers.is_some(),
            ],
            _ => [false; 5],
        };
        let alike = |a: &str, b: &str| folded(a) == folded(b);
        let texts = [StepContent::description, StepContent::overlay, StepContent::video];
        for (of, sent) in texts.into_iter().zip(sent) {
            let (known, now, told, was) = (of(known), of(now), of(told), of(&was));
            self.note([known == told, now == told, sent && alike(known, told), sent && was == told]);
        }
        let [.., time, answers] = sent;
        let of = StepContent::answers_after;
        let near = |a: Option<f64>, b: Option<f64>| (a.unwrap_or_default() - b.unwrap_or_default()).abs() < 0.01;
        self.note([
            of(known) == of(told),
            of(now) == of(told),
            time && near(of(known), of(told)),
            time && of(&was) == of(told),
        ]);
        let same = known.same_answers(told);
        let ours = (answers && alike_answers(known, told)) || self.leads_to_deleted(step, told);
        let wanted = now.same_answers(&self.draft.as_meant(&self.names, now, told));
        self.note([same, wanted, ours, answers && was.same_answers(told)]);
    }

    fn head(&mut self, known: &Head, now: &Head, told: &Head) {
        let was = self.before().map(|before| before.head().clone()).unwrap_or_default();
        let sent = match self.call() {
            Some(Call::UpdateProject { change }) => [
                change.name.is_some(),
                change.folder.is_some(),
                change.email_notifications.is_some(),
                change.steps_order.is_some(),
                change.player.is_some(),
            ],
            Some(Call::CreateProject { .. }) => [true; 5],
            _ => [false; 5],
        };
        let [name, folder, emails, order, player] = sent;
        let alike = folded(known.name()) == folded(told.name());
        self.note([
            known.name() == told.name(),
            now.name() == told.name(),
            name && alike,
            name && was.name() == told.name(),
        ]);
        // A name of a folder becomes its id.
        let placed = !told.folder().is_empty() && !known.folder().is_empty() && told.folder() != was.folder();
        let late = folder && was.folder() == told.folder();
        self.note([known.folder() == told.folder(), now.folder() == told.folder(), folder && placed, late]);
        let list = |head: &Head| {
            let mut list: Vec<String> = head.emails().iter().map(|one| folded(one)).collect();
            list.sort();
            list
        };
        let late = emails && was.emails() == told.emails();
        self.note([
            known.emails() == told.emails(),
            now.emails() == told.emails(),
            emails && list(known) == list(told),
            late,
        ]);
        // A service may write settings in its own way, such as origins.
        self.note([
            known.same_player(told),
            now.same_player(told),
            player && same_settings(known, told),
            player && was.same_player(told),
        ]);
        let ours = self.is_own_order(known, told);
        let told = &Head { order: Some(order_as_before(known, told)), ..Head::default() };
        self.note([known.same_order(told), now.same_order(told), ours, order && was.same_order(told)]);
    }

    fn note(&mut self, [same, wanted, ours, late]: [bool; 4]) {
        let moved = match () {
            () if same => return,
            () if wanted || ours => Moved::Here,
            () if late => Moved::Late,
            () => Moved::Elsewhere,
        };
        self.found.push(moved);
    }

    /// Whether a step was changed by the service only because another one was deleted here.
    fn leads_to_deleted(&self, step: StepRef, told: &StepContent) -> bool {
        let Some(Call::DeleteStep { step: deleted, .. }) = self.call() else { return false };
        let Some(before) = self.before().and_then(|before| before.step(step)) else { return false };
        let led = |target: &Target| *target == Target::Step(*deleted);
        before.answers().iter().any(|answer| led(&answer.target))
            && told.answers().len() <= before.answers().len()
            && before.answers().iter().filter(|answer| !led(&answer.target)).all(|answer| {
                told.answers().iter().any(|told| told.text == answer.text && told.target == answer.target)
            })
    }

    /// Whether the order differs only by the step that was created or deleted here.
    fn is_own_order(&self, known: &Head, told: &Head) -> bool {
        let without = |head: &Head, step: StepRef| -> Vec<OrderEntry> {
            head.order().iter().filter(|entry| entry.step != Some(step)).cloned().collect()
        };
        let same =
            |a: Vec<OrderEntry>, b: Vec<OrderEntry>| a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.same(b));
        match (self.call(), self.before()) {
            (Some(Call::CreateStep(new)), _) => same(without(known, new.step), without(told, new.step)),
            (Some(Call::DeleteStep { step, .. }), Some(before)) => {
                same(without(before.head(), *step), without(told, *step))
            }
            _ => false,
        }
    }
}

/// Whether both have settings of the player by the same names.
fn same_settings(known: &Head, told: &Head) -> bool {
    let names = |head: &Head| -> Vec<String> {
        let mut names: Vec<String> = head.player.iter().flatten().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    };
    names(known) == names(told)
}

/// Whether answers say the same but for how a service spells it.
fn alike_answers(known: &StepContent, told: &StepContent) -> bool {
    known.answers().len() == told.answers().len()
        && known.answers().iter().zip(told.answers()).all(|(known, told)| {
            folded(&known.text) == folded(&told.text) && (known.target == told.target || told.given.is_none())
        })
}
