//! Edits of answers.

use serde_json::Map;

use super::content::DraftAnswer;
use super::edit::{Bench, Refused, quoted};
use super::refs::{AnswerRef, StepRef, Target};

impl Bench<'_> {
    pub(super) fn add_answer(
        &mut self,
        step: StepRef,
        at: Option<usize>,
        text: &str,
        target: &Target,
    ) -> Result<String, Refused> {
        self.may_lead_to(target)?;
        let key = self.fresh.answer();
        let content = self.content.step_mut(step).ok_or(Refused::NoStep)?;
        let answers = content.answers.get_or_insert_default();
        let at = at.unwrap_or(answers.len()).min(answers.len());
        answers.insert(at, new_answer(key, text, target.clone()));
        self.answer = Some(key);
        Ok(format!("add answer {} to {}", quoted(text), self.label(step)))
    }

    pub(super) fn answer_text(&mut self, answer: AnswerRef, text: &str) -> Result<String, Refused> {
        let name = format!("reword {} to {}", quoted(&self.found(answer)?.text), quoted(text));
        text.clone_into(&mut self.answer_mut(answer)?.text);
        Ok(name)
    }

    pub(super) fn move_answer(&mut self, answer: AnswerRef, to: usize) -> Result<String, Refused> {
        let (step, at, found) = self.content.answer(answer).ok_or(Refused::NoAnswer)?;
        let (name, last) = (quoted(&found.text), self.content.step(step).map_or(0, |step| step.answers().len()) - 1);
        let to = to.min(last);
        if to != at
            && let Some(answers) = self.content.step_mut(step).and_then(|step| step.answers.as_mut())
        {
            let moved = answers.remove(at);
            answers.insert(to, moved);
        }
        Ok(format!("move {name} to place {} of {}", to + 1, self.label(step)))
    }

    pub(super) fn retarget(&mut self, answer: AnswerRef, target: &Target) -> Result<String, Refused> {
        self.may_lead_to(target)?;
        let found = self.found(answer)?;
        let name = match target {
            Target::Step(step) => format!("retarget {} to {}", quoted(&found.text), self.label(*step)),
            Target::End => format!("unwire {}", quoted(&found.text)),
            Target::Unresolved(given) => format!("link {} to {given}", quoted(&found.text)),
        };
        if found.target != *target {
            let found = self.answer_mut(answer)?;
            found.given = (*target == Target::End).then(String::new);
            found.target = target.clone();
        }
        Ok(name)
    }

    pub(super) fn delete_answer(&mut self, answer: AnswerRef) -> Result<String, Refused> {
        let (step, at, found) = self.content.answer(answer).ok_or(Refused::NoAnswer)?;
        let name = format!("delete answer {} of {}", quoted(&found.text), self.label(step));
        if let Some(answers) = self.content.step_mut(step).and_then(|step| step.answers.as_mut()) {
            answers.remove(at);
        }
        Ok(name)
    }

    pub(super) fn found(&self, answer: AnswerRef) -> Result<&DraftAnswer, Refused> {
        self.content.answer(answer).map(|(_, _, found)| found).ok_or(Refused::NoAnswer)
    }

    pub(super) fn answer_mut(&mut self, answer: AnswerRef) -> Result<&mut DraftAnswer, Refused> {
        let (step, at, _) = self.content.answer(answer).ok_or(Refused::NoAnswer)?;
        let answers = self.content.step_mut(step).and_then(|step| step.answers.as_mut());
        answers.and_then(|answers| answers.get_mut(at)).ok_or(Refused::NoAnswer)
    }

    /// Whether an answer can lead there at all.
    pub(super) fn may_lead_to(&self, target: &Target) -> Result<(), Refused> {
        let Target::Step(step) = target else { return Ok(()) };
        if self.content.step(*step).is_none() {
            return Err(Refused::NoStep);
        }
        let (base, known) = (self.draft.base(), self.draft.base().step(*step).is_some());
        if known && self.draft.names().spell(base, *step, None).is_none() { Err(Refused::Nameless) } else { Ok(()) }
    }
}

pub(super) fn new_answer(key: AnswerRef, text: &str, target: Target) -> DraftAnswer {
    let given = (target == Target::End).then(String::new);
    DraftAnswer { key, text: text.to_owned(), target, given, extra: Map::new() }
}
