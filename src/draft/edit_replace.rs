//! The edit that puts a text in the place of another.

use super::edit::{Bench, Refused, quoted};
use super::refs::StepRef;
use super::replace::{Find, Place, hits};

impl Bench<'_> {
    pub(super) fn replace(&mut self, find: &Find, with: &str, only: Option<&[Place]>) -> Result<String, Refused> {
        let order: Vec<StepRef> = self.content.steps.keys().copied().collect();
        let all = hits(&self.content, &order, find);
        for hit in all.iter().filter(|hit| only.is_none_or(|only| only.contains(&hit.place))) {
            let text = hit.replaced(with);
            match hit.place {
                Place::Name if text.trim().is_empty() => return Err(Refused::Empty("the project's name")),
                Place::Name => self.content.head_mut().name = Some(text),
                Place::Description(step) => {
                    self.content.step_mut(step).ok_or(Refused::NoStep)?.description = Some(text);
                }
                Place::Overlay(step) => self.content.step_mut(step).ok_or(Refused::NoStep)?.overlay = Some(text),
                Place::Answer(_, answer) => self.answer_mut(answer)?.text = text,
            }
        }
        Ok(format!("replace {} by {}", quoted(&find.text), quoted(with)))
    }
}
