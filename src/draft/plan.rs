//! The plan: what has to be asked of the service so that it says what the draft says.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::base::Names;
use super::call::{Call, Named, NewStep, ProjectFields, SentAnswer, StepFields};
use super::content::{DraftAnswer, OrderEntry, StepContent};
use super::difference::Difference;
use super::draft::Draft;
use super::refs::{StepRef, Target};
use super::work;
use crate::domain::{PlayerChange, StepId, VideoId};

/// A call and what it changes, for people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Planned {
    /// The call.
    pub call: Call,
    /// It in words.
    pub title: String,
    /// What it changes.
    pub differences: Vec<Difference>,
}

/// The calls in the order in which they are to be made.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Plan {
    /// The project first, where it is new; then steps are created, changed and deleted; then the project is changed.
    pub calls: Vec<Planned>,
    /// What can't be saved, and why.
    pub hindrances: Vec<String>,
}

impl Plan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

impl Draft {
    /// What has to be asked of the service so that it says what the draft says.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let (calls, hindrances) = self.calls();
        let planned = |call: Call| Planned { title: call.title(), differences: self.differences(&call), call };
        Plan { calls: calls.into_iter().map(planned).collect(), hindrances }
    }

    pub(super) fn calls(&self) -> (Vec<Call>, Vec<String>) {
        let planner = Planner { draft: self, names: self.names() };
        let mut hindrances = Vec::new();
        let mut calls = Vec::new();
        if self.base.id().is_empty() {
            calls.push(Call::CreateProject { name: self.now.head.name().to_owned() });
        }
        let new = self.creations();
        let mut made = HashSet::new();
        let mut wires = Vec::new();
        for step in new {
            let Some(content) = self.now.step(step) else { continue };
            work::visit();
            let (fields, rest) = planner.creation(step, content, &made);
            made.insert(step);
            let label = content.label.clone();
            if !rest.is_empty() {
                wires.push(Call::UpdateStep { step, id: None, label: label.clone(), change: rest });
            }
            calls.push(Call::CreateStep(NewStep { step, label, fields }));
        }
        calls.extend(wires);
        for (step, content) in self.now.steps() {
            work::visit();
            let Some(before) = self.base.content().step(step) else { continue };
            // Most steps are those that were read, and are kept once for both.
            if std::ptr::eq(before, content) {
                continue;
            }
            let change = planner.update(before, content);
            if !change.is_empty() {
                match self.wire_id(step) {
                    Some(id) => calls.push(Call::UpdateStep { step, id: Some(id), label: self.label(step), change }),
                    None => hindrances.push(nameless(&self.label(step), "changed")),
                }
            }
        }
        for step in self.base.sequence().iter().copied().filter(|step| self.now.step(*step).is_none()) {
            match self.wire_id(step) {
                Some(id) => calls.push(Call::DeleteStep { step, id, label: self.label(step) }),
                None => hindrances.push(nameless(&self.label(step), "deleted")),
            }
        }
        let change = planner.project();
        if !change.is_empty() {
            calls.push(Call::UpdateProject { change });
        }
        (calls, hindrances)
    }

    /// Whether the plan would have no call and no hindrance. Stops at the first difference, because every edit asks for it.
    pub(super) fn says_what_the_service_says(&self) -> bool {
        let (base, now) = (self.base.content(), &self.now);
        if self.base.id().is_empty() || !now.steps.keys().eq(base.steps.keys()) {
            return false;
        }
        let planner = Planner { draft: self, names: self.names() };
        let mut steps = base.steps.values().zip(now.steps.values());
        let is_head_same = || !planner.is_reordered() && planner.project().is_empty();
        (Arc::ptr_eq(&base.head, &now.head) || is_head_same())
            && steps.all(|(before, after)| Arc::ptr_eq(before, after) || planner.update(before, after).is_empty())
    }

    /// What a step is asked for by. A service that told no id may take the name.
    pub(super) fn wire_id(&self, step: StepRef) -> Option<StepId> {
        let known = [self.base.step_id(step), self.base.name(step)];
        known.into_iter().find(|text| !text.is_empty()).map(StepId::from)
    }

    /// The new steps, each behind those that its answers lead to where that can be. In a project without steps they are created
    /// in the order they are in: without an order of its own the oldest is its first step.
    fn creations(&self) -> Vec<StepRef> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let new = |step: &StepRef| self.base.step(*step).is_none() && self.now.step(*step).is_some();
        if self.is_new || self.base.id().is_empty() || self.base.sequence().is_empty() {
            return self.now.steps.keys().copied().filter(new).collect();
        }
        for root in self.now.steps.keys().copied().filter(new) {
            let mut open = vec![(root, 0)];
            if !seen.insert(root) {
                continue;
            }
            while let Some((step, at)) = open.pop() {
                let answers = self.now.step(step).map(StepContent::answers).unwrap_or_default();
                let rest = answers.iter().enumerate().skip(at);
                let next = rest.into_iter().find_map(|(port, answer)| match answer.target {
                    Target::Step(to) if new(&to) && seen.insert(to) => Some((port, to)),
                    _ => None,
                });
                match next {
                    Some((port, to)) => open.extend([(step, port + 1), (to, 0)]),
                    None => order.push(step),
                }
            }
        }
        order
    }
}

fn nameless(label: &str, what: &str) -> String {
    format!("{label} has neither id nor name by which it could be {what}")
}

struct Planner<'a> {
    draft: &'a Draft,
    names: Names,
}

impl Planner<'_> {
    fn named(&self, step: StepRef, given: Option<&str>) -> Named {
        if self.draft.base.step(step).is_none() {
            return Named::Created(step, self.draft.label(step));
        }
        let spelled = self.names.spell(&self.draft.base, step, given);
        Named::As(spelled.unwrap_or_else(|| self.draft.label(step)))
    }

    fn answer(&self, answer: &DraftAnswer) -> SentAnswer {
        let next = match &answer.target {
            Target::Step(step) => Some(self.named(*step, answer.given.as_deref())),
            _ => self.draft.told_next(&self.names, answer).map(Named::As),
        };
        SentAnswer { key: answer.key, text: answer.text.clone(), next, extra: answer.extra.clone() }
    }

    fn answers(&self, content: &StepContent) -> Vec<SentAnswer> {
        content.answers().iter().map(|answer| self.answer(answer)).collect()
    }

    /// What a step is created with, and what of it has to come after. `made` are the new steps that come before it.
    fn creation(&self, step: StepRef, content: &StepContent, made: &HashSet<StepRef>) -> (StepFields, StepFields) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let all = self.answers(content);
        let is_later = |answer: &SentAnswer| matches!(&answer.next, Some(Named::Created(to, _)) if *to == step || !made.contains(to));
        let later = all.iter().any(is_later);
        let end = |answer: SentAnswer| SentAnswer { next: Some(Named::As(String::new())), ..answer };
        let now = all.iter().cloned().map(|answer| if is_later(&answer) { end(answer) } else { answer });
        let fields = StepFields {
            description: some(content.description()),
            overlay_text: some(content.overlay()),
            video_id: some(content.video()).map(VideoId::new),
            answer_time: None,
            answers: (!all.is_empty()).then(|| now.collect()),
            products: (!content.products().is_empty()).then(|| content.products().to_vec()),
        };
        let rest =
            StepFields { answer_time: content.answers_after(), answers: later.then_some(all), ..StepFields::default() };
        (fields, rest)
    }

    fn update(&self, before: &StepContent, after: &StepContent) -> StepFields {
        let changed = |before: &str, after: &str| (before != after).then(|| after.to_owned());
        StepFields {
            description: changed(before.description(), after.description()),
            overlay_text: changed(before.overlay(), after.overlay()),
            video_id: changed(before.video(), after.video()).map(VideoId::new),
            answer_time: (before.answers_after() != after.answers_after())
                .then(|| after.answers_after().unwrap_or_default()),
            answers: (!self.same_answers(before, after)).then(|| self.answers(after)),
            products: (before.products() != after.products()).then(|| after.products().to_vec()),
        }
    }

    /// Whether the service has the answers as they are to be, also where what they lead to means something else by now.
    fn same_answers(&self, before: &StepContent, after: &StepContent) -> bool {
        let same = |(before, after): (&DraftAnswer, &DraftAnswer)| {
            let sent = || self.answer(after).next.as_ref().and_then(|named| named.known().ok());
            before.says_the_same(after)
                || (before.text == after.text && before.extra == after.extra && sent() == before.given)
        };
        before.answers().len() == after.answers().len() && before.answers().iter().zip(after.answers()).all(same)
    }

    /// The order of the steps as it would be sent.
    fn order(&self) -> impl Iterator<Item = Named> {
        let entry = |entry: &OrderEntry| match entry.step {
            Some(step) => self.named(step, entry.given.as_deref()),
            None => Named::As(entry.given.clone().unwrap_or_default()),
        };
        self.draft.now.head().order().iter().map(entry)
    }

    /// Whether the service has another order than the one that would be sent, whatever it is taken to mean.
    fn is_reordered(&self) -> bool {
        let (before, after) = (self.draft.base.content().head(), self.draft.now.head());
        let is_given = || {
            let given = before.order().iter().map(|entry| entry.given.clone());
            given.eq(self.order().map(|named| named.known().ok()))
        };
        !before.same_order(after) && !is_given()
    }

    fn project(&self) -> ProjectFields {
        let (before, after) = (self.draft.base.content().head(), self.draft.now.head());
        let created = self.draft.base.id().is_empty();
        ProjectFields {
            name: (before.name() != after.name() && !created).then(|| after.name().to_owned()),
            folder: (before.folder() != after.folder()).then(|| after.folder().to_owned()),
            email_notifications: (before.emails() != after.emails()).then(|| after.emails().to_vec()),
            steps_order: self.is_reordered().then(|| self.order().collect()),
            player: (!before.same_player(after)).then(|| {
                let (before, after) = (before.player.clone().unwrap_or_default(), after.player.clone());
                PlayerChange::between(&before, &after.unwrap_or_default()).members
            }),
        }
    }
}
