//! Edits of steps.

use std::sync::Arc;

use super::content::{OrderEntry, StepContent};
use super::draft::Draft;
use super::edit::{Bench, Incoming, Refused, quoted};
use super::edit_answers::new_answer;
use super::refs::{AnswerRef, StepRef, Target};
use crate::domain::VideoId;

/// What deleting a step comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Deletion {
    /// The answers of other steps that lead to it, with their steps.
    pub incoming: Vec<(StepRef, AnswerRef, String)>,
    /// Where they lead if they are rewired: where the step's first answer leads that doesn't lead back to it.
    pub successor: Target,
    /// The steps that could be reached only through it, if the answers are not rewired.
    pub outgoing: Vec<StepRef>,
}

impl Draft {
    /// What deleting a step would come to; none where there is no such step.
    #[must_use]
    pub fn deletion(&self, step: StepRef) -> Option<Deletion> {
        let content = self.content().step(step)?;
        let others = self.content().incoming(step).filter(|(from, _)| *from != step);
        let incoming = others.map(|(from, answer)| (from, answer.key, answer.text.clone())).collect();
        let first = self.shown_order().first().copied();
        let alone = |to: StepRef| self.content().incoming(to).all(|(from, _)| from == step || from == to);
        let only = |to: &StepRef| *to != step && Some(*to) != first && alone(*to);
        let mut outgoing: Vec<StepRef> = Vec::new();
        for answer in content.answers() {
            if let Target::Step(to) = &answer.target
                && only(to)
                && !outgoing.contains(to)
            {
                outgoing.push(*to);
            }
        }
        Some(Deletion { incoming, successor: successor(step, content), outgoing })
    }
}

fn successor(step: StepRef, content: &StepContent) -> Target {
    let mut targets = content.answers().iter().map(|answer| &answer.target);
    let found = targets.find(|target| !matches!(target, Target::End) && **target != Target::Step(step));
    found.cloned().unwrap_or_default()
}

/// Sets a text; an empty one where there was none is none.
fn set(text: &mut Option<String>, to: &str) {
    if text.as_deref().unwrap_or_default() != to {
        *text = Some(to.to_owned());
    }
}

impl Bench<'_> {
    pub(super) fn describe(&mut self, step: StepRef, text: &str) -> Result<String, Refused> {
        set(&mut self.step_mut(step)?.description, text);
        Ok(format!("describe {} as {}", self.label(step), quoted(text)))
    }

    pub(super) fn overlay(&mut self, step: StepRef, text: &str) -> Result<String, Refused> {
        set(&mut self.step_mut(step)?.overlay, text);
        Ok(format!("set the text of {} to {}", self.label(step), quoted(text)))
    }

    pub(super) fn answer_time(&mut self, step: StepRef, seconds: f64) -> Result<String, Refused> {
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(Refused::Time);
        }
        self.step_mut(step)?.answer_time = Some(seconds);
        Ok(format!("show the answers of {} after {seconds} s", self.label(step)))
    }

    pub(super) fn video(&mut self, step: StepRef, video: Option<&VideoId>) -> Result<String, Refused> {
        let content = self.step_mut(step)?;
        let to = video.map_or("", VideoId::as_str);
        if content.video() != to {
            content.video = Some(VideoId::new(to));
        }
        let label = self.label(step);
        Ok(if to.is_empty() { format!("remove the video of {label}") } else { format!("set the video of {label}") })
    }

    pub(super) fn add_step(&mut self, from: Option<AnswerRef>) -> Result<String, Refused> {
        let after = from.map(|answer| self.content.answer(answer).ok_or(Refused::NoAnswer)).transpose()?;
        let (after, text) = after.map(|(step, _, answer)| (step, answer.text.clone())).unzip();
        let step = self.new_step(StepContent::default(), after);
        let label = self.label(step);
        let Some(answer) = from else { return Ok(format!("add step {label}")) };
        self.lead(answer, Target::Step(step))?;
        Ok(format!("add step {label} after {}", quoted(&text.unwrap_or_default())))
    }

    pub(super) fn duplicate_step(&mut self, step: StepRef) -> Result<String, Refused> {
        let mut copy = self.content.step(step).ok_or(Refused::NoStep)?.clone();
        for answer in copy.answers.iter_mut().flatten() {
            answer.key = self.fresh.answer();
        }
        let made = self.new_step(copy, Some(step));
        Ok(format!("duplicate {} as {}", self.label(step), self.label(made)))
    }

    pub(super) fn insert_step(&mut self, answer: AnswerRef, text: &str) -> Result<String, Refused> {
        if text.trim().is_empty() {
            return Err(Refused::Empty("the text of the new step's answer"));
        }
        let (after, _, found) = self.content.answer(answer).ok_or(Refused::NoAnswer)?;
        let (target, said) = (found.target.clone(), quoted(&found.text));
        let given = found.given.clone();
        let mut on = new_answer(self.fresh.answer(), text, target);
        on.given = given;
        let step = self.new_step(StepContent { answers: Some(vec![on]), ..StepContent::default() }, Some(after));
        self.lead(answer, Target::Step(step))?;
        Ok(format!("insert {} after {said}", self.label(step)))
    }

    pub(super) fn delete_step(&mut self, step: StepRef, incoming: Incoming) -> Result<String, Refused> {
        let name = format!("delete {}", self.label(step));
        let content = self.content.steps.remove(&step).ok_or(Refused::NoStep)?;
        let names = self.draft.names();
        let rest = {
            let base = self.draft.base();
            super::base::Names::of(base, |other| other != step && self.content.steps.contains_key(&other))
        };
        let leading: Vec<(StepRef, AnswerRef)> =
            self.content.incoming(step).map(|(from, answer)| (from, answer.key)).collect();
        for (from, key) in leading {
            let Some(answers) = self.content.step_mut(from).and_then(|step| step.answers.as_mut()) else { continue };
            if incoming == Incoming::Removed {
                answers.retain(|answer| answer.key != key);
            } else if let Some(answer) = answers.iter_mut().find(|answer| answer.key == key) {
                if incoming == Incoming::Rewired {
                    answer.target = successor(step, &content);
                    answer.given = (answer.target == Target::End).then(String::new);
                } else {
                    let spelled = self.draft.told_next(&names, answer).unwrap_or_default();
                    // Another step of that name is what the service would now take it for.
                    answer.target = rest.target(&spelled);
                    answer.given = Some(spelled);
                }
            }
        }
        if self.content.head.order().iter().any(|entry| entry.step == Some(step))
            && let Some(order) = &mut self.content.head_mut().order
        {
            order.retain(|entry| entry.step != Some(step));
        }
        Ok(name)
    }

    fn step_mut(&mut self, step: StepRef) -> Result<&mut StepContent, Refused> {
        self.content.step_mut(step).ok_or(Refused::NoStep)
    }

    fn lead(&mut self, answer: AnswerRef, target: Target) -> Result<(), Refused> {
        let answer = self.answer_mut(answer)?;
        answer.target = target;
        answer.given = None;
        Ok(())
    }

    /// A new step. Where the steps have an order it comes behind the step that it follows, else at the end.
    fn new_step(&mut self, content: StepContent, after: Option<StepRef>) -> StepRef {
        let step = self.fresh.step();
        let label = self.draft.fresh_label(&self.content);
        self.content.steps.insert(step, Arc::new(StepContent { label, ..content }));
        if !self.content.head.order().is_empty()
            && let Some(order) = &mut self.content.head_mut().order
        {
            let place = after.and_then(|after| order.iter().position(|entry| entry.step == Some(after)));
            order.insert(place.map_or(order.len(), |place| place + 1), OrderEntry::of(step));
        }
        self.step = Some(step);
        step
    }
}
