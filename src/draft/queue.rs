//! The calls of a plan that are left, so that a thousand steps are not planned again after every one that is created.

use std::collections::{HashSet, VecDeque};

use super::call::{Call, Named, NewStep, ProjectFields, SentAnswer, StepFields};
use super::draft::Draft;
use super::refs::StepRef;
use crate::domain::StepId;

/// The calls of a plan that are left.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Queue {
    calls: VecDeque<Call>,
    /// What the new steps of the plan are called by until they are created.
    labels: HashSet<String>,
    /// The draft's revision that the calls are for.
    revision: Option<u64>,
    /// Whether the plan turned out to leave something: then it is made again for each call.
    is_careful: bool,
}

impl Queue {
    /// The first call that is left.
    pub fn first(&mut self, draft: &Draft) -> Option<Call> {
        if self.revision != Some(draft.revision()) {
            self.is_careful = false;
            self.fill(draft);
        } else if self.is_careful {
            self.fill(draft);
        } else if self.calls.is_empty() {
            // What was answered may not be all that is wanted.
            self.fill(draft);
            self.is_careful = true;
        } else if let Some(call) = self.calls.front().and_then(|call| self.renewed(draft, call)) {
            return Some(call);
        } else {
            self.fill(draft);
        }
        self.calls.front().cloned()
    }

    /// How many calls are left, the first one among them, as far as is known.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// The call was made, and the draft knows it.
    pub fn done(&mut self, call: &Call, draft: &Draft) {
        if self.calls.front().is_some_and(|first| first.is_alike(call)) {
            self.calls.pop_front();
            self.revision = Some(draft.revision());
        } else {
            self.revision = None;
        }
    }

    fn fill(&mut self, draft: &Draft) {
        self.calls = draft.calls().0.into();
        self.labels = self.calls.iter().filter_map(new_label).collect();
        self.revision = Some(draft.revision());
    }

    /// A call by what is known of the steps by now; none where that can't be said without the whole plan.
    fn renewed(&self, draft: &Draft, call: &Call) -> Option<Call> {
        Some(match call {
            Call::CreateProject { .. } | Call::DeleteStep { .. } => call.clone(),
            Call::CreateStep(new) => {
                let fields = self.renewed_fields(draft, &new.fields)?;
                Call::CreateStep(NewStep { step: new.step, label: new.label.clone(), fields })
            }
            Call::UpdateStep { step, id, change, .. } => {
                let id: Option<StepId> = id.clone().or_else(|| draft.wire_id(*step));
                let change = self.renewed_fields(draft, change)?;
                Call::UpdateStep { step: *step, id: Some(id?), label: draft.label(*step), change }
            }
            Call::UpdateProject { change } => {
                let steps_order = match &change.steps_order {
                    None => None,
                    Some(order) => {
                        Some(order.iter().map(|named| self.renewed_name(draft, named)).collect::<Option<_>>()?)
                    }
                };
                Call::UpdateProject { change: ProjectFields { steps_order, ..change.clone() } }
            }
        })
    }

    fn renewed_fields(&self, draft: &Draft, fields: &StepFields) -> Option<StepFields> {
        let Some(answers) = &fields.answers else { return Some(fields.clone()) };
        let renew = |answer: &SentAnswer| {
            let next = match &answer.next {
                None => None,
                Some(named) => Some(self.renewed_name(draft, named)?),
            };
            Some(SentAnswer { next, ..answer.clone() })
        };
        let answers = answers.iter().map(renew).collect::<Option<Vec<_>>>()?;
        Some(StepFields { answers: Some(answers), ..fields.clone() })
    }

    /// What a step that was created meanwhile is called, where that name means nothing else.
    fn renewed_name(&self, draft: &Draft, named: &Named) -> Option<Named> {
        match named {
            Named::Created(step, _) if draft.base().step(*step).is_some() => {
                let name = draft.base().usual_name(*step);
                let is_sure = draft.base().is_name_of(name, *step) && !self.labels.contains(name);
                is_sure.then(|| Named::As(name.to_owned()))
            }
            named => Some(named.clone()),
        }
    }
}

fn new_label(call: &Call) -> Option<String> {
    match call {
        Call::CreateStep(new) => Some(new.label.clone()),
        _ => None,
    }
}

impl super::base::Base {
    /// What a step is spelled by unless that means something else: its name or its id, as the project's answers do.
    fn usual_name(&self, step: StepRef) -> &str {
        let tried = if self.names_by_id() {
            [self.step_id(step), self.name(step)]
        } else {
            [self.name(step), self.step_id(step)]
        };
        tried.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }
}
