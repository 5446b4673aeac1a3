//! The plan in the words of the people who read it: new steps by their text, videos by their name.

use std::collections::HashMap;

use super::super::Editor;
use crate::domain::{VideoId, text};
use crate::draft::{Difference, Plan, StepContent};

/// The most characters of a step's text that stand for the step.
const MOST: usize = 32;

/// What new steps are called by, for as long as the service has given them no name: their label and their text.
pub(super) type Called = HashMap<String, String>;

impl Editor {
    /// The plan of saving, for people.
    pub(in super::super) fn planned(&self) -> (Plan, Called) {
        let mut plan = self.draft.plan();
        let called = self.called();
        for planned in &mut plan.calls {
            planned.title = in_words(&planned.title, &called);
            for difference in &mut planned.differences {
                self.say(difference, &called);
            }
        }
        (plan, called)
    }

    fn called(&self) -> Called {
        let base = self.draft.base();
        let new = self.draft.content().steps().filter(|(step, _)| base.step(*step).is_none());
        new.filter_map(|(step, content)| Some((self.draft.label(step), text_of(content)?))).collect()
    }

    fn say(&self, difference: &mut Difference, called: &Called) {
        let name = |name: &mut String| {
            if let Some(said) = called.get(name) {
                name.clone_from(said);
            }
        };
        match difference {
            Difference::Value { field: "video", before, after } => {
                for id in [before, after] {
                    if let Some(video) = self.video_name(&VideoId::new(id.clone())).filter(|name| !name.is_empty()) {
                        video.clone_into(id);
                    }
                }
            }
            Difference::Answers { answers } => {
                let leads = answers.iter_mut().flat_map(|answer| [&mut answer.before, &mut answer.after]);
                leads.flatten().for_each(name);
            }
            Difference::Order { before, after } => before.iter_mut().chain(after).for_each(name),
            Difference::Products { products } => {
                for product in products {
                    product.title = self.shared.catalog.listed_title(&product.product).map(str::to_owned);
                }
            }
            Difference::Text { .. } | Difference::Value { .. } => {}
        }
    }
}

/// A step's text in quotes, as much of it as tells the step from others.
fn text_of(step: &StepContent) -> Option<String> {
    let said = [step.description(), step.overlay()].map(|said| text::line(said).trim().to_owned());
    let said = said.into_iter().find(|said| !said.is_empty())?;
    let cut: String = said.chars().take(MOST).collect();
    let more = if cut.len() < said.len() { "…" } else { "" };
    Some(format!("“{}{more}”", cut.trim_end()))
}

/// The title of a call with a new step's text for its label: `create step “Sale”` for `create step new-1`.
pub(super) fn in_words(title: &str, called: &Called) -> String {
    let Some((before, rest)) = title.split_once(" step ") else { return title.to_owned() };
    let (label, after) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
    called.get(label).map_or_else(|| title.to_owned(), |said| format!("{before} step {said}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_step_is_called_by_its_text() {
        let called = Called::from([("new-1".to_owned(), "“Sale”".to_owned())]);
        assert_eq!(in_words("create step new-1", &called), "create step “Sale”");
        assert_eq!(in_words("update step new-1: answers, video", &called), "update step “Sale”: answers, video");
        assert_eq!(in_words("update step new-10: answers", &called), "update step new-10: answers");
        assert_eq!(in_words("update the project: order", &called), "update the project: order");
    }
}
