//! The project of a draft as the service would return it if it had the edits already.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::along::Along;
use super::base::Names;
use super::content::{Content, DraftAnswer, OrderEntry, StepContent};
use super::draft::Draft;
use super::refs::{AnswerRef, StepRef, Target};
use crate::domain::{Answer, Num, PlayerSettings, Project, Step, StepName, StepProduct};

/// The steps of a draft as the service would tell them. A step that was not edited is not copied.
#[derive(Debug)]
pub struct Told<'a> {
    /// What each step is meant by.
    pub refs: Vec<StepRef>,
    /// The steps themselves, in the same order.
    pub steps: Vec<Cow<'a, Step>>,
    /// The author's order of them.
    pub order: Vec<String>,
}

impl Draft {
    /// All steps by their references: those of the service in its order, then the new ones. [`Self::steps`] has the same
    /// order.
    #[must_use]
    pub fn refs(&self) -> Vec<StepRef> {
        self.contents().map(|(step, _)| step).collect()
    }

    /// What is in the steps, in the order of [`Self::refs`].
    fn contents(&self) -> impl Iterator<Item = (StepRef, &Arc<StepContent>)> {
        let mut now = Along::new(&self.now.steps);
        let told = self.base.sequence().iter().filter_map(move |step| Some((*step, now.get(*step)?)));
        let mut known = Along::new(&self.base.content().steps);
        let new = self.now.steps.iter().filter(move |(step, _)| known.get(**step).is_none());
        told.chain(new.map(|(step, content)| (*step, content)))
    }

    /// All steps as the service would tell them if it had them already. A new one has a name nothing else has.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        self.told().steps.into_iter().map(Cow::into_owned).collect()
    }

    /// All steps, and their order, as the service would tell them.
    #[must_use]
    pub fn told(&self) -> Told<'_> {
        let names = self.names();
        let mut read = self.base.along();
        let mut told = Told { refs: Vec::new(), steps: Vec::new(), order: self.order_by(&names) };
        for (step, content) in self.contents() {
            told.refs.push(step);
            told.steps.push(
                read.if_same(step, content)
                    .map_or_else(|| Cow::Owned(self.step_as_told(step, content, &names)), Cow::Borrowed),
            );
        }
        told
    }

    /// The order of the steps as the service would tell it.
    #[must_use]
    pub fn steps_order(&self) -> Vec<String> {
        self.order_by(&self.names())
    }

    fn order_by(&self, names: &Names) -> Vec<String> {
        let spell = |entry: &OrderEntry| match entry.step {
            Some(step) => self.spell(names, step, entry.given.as_deref()),
            None => entry.given.clone().unwrap_or_default(),
        };
        // An order that is not sent stays spelled as the service has it.
        let (known, wanted) = (self.base.content().head(), self.now.head());
        let head = if known.same_order(wanted) { known } else { wanted };
        head.order().iter().map(spell).collect()
    }

    /// The project as the service would tell it, with its steps.
    #[must_use]
    pub fn project(&self) -> Project {
        let (mut project, head) = (self.base.head().clone(), self.now.head());
        let before = self.base.content().head();
        if head.name() != before.name() {
            project.name.clone_from(&head.name);
        }
        if head.folder() != before.folder() {
            project.folder = head.folder.as_deref().filter(|folder| !folder.is_empty()).map(Into::into);
        }
        if head.emails() != before.emails() {
            project.email_notifications.clone_from(&head.emails);
        }
        if !head.same_player(before) {
            project.player = head.player.as_ref().map(PlayerSettings::of);
        }
        if head.order.is_some() {
            project.steps_order = Some(self.steps_order());
        }
        let steps = self.steps();
        project.steps = (self.base.told_steps() || !steps.is_empty()).then_some(steps);
        project
    }

    /// An answer by its step and its place there.
    #[must_use]
    pub fn answer_at(&self, step: StepRef, port: usize) -> Option<AnswerRef> {
        Some(self.now.step(step)?.answers().get(port)?.key)
    }

    /// What a step is called: its name, else its id, else its number; a new one by its name for the time being.
    #[must_use]
    pub fn label(&self, step: StepRef) -> String {
        let known = [self.base.name(step), self.base.step_id(step)].into_iter().find(|text| !text.is_empty());
        let own = || self.now.step(step).map(|content| content.label.as_str()).filter(|label| !label.is_empty());
        if let Some(known) = known.or_else(own) {
            return known.to_owned();
        }
        let at = self.refs().iter().position(|other| *other == step).unwrap_or_default();
        format!("step {}", at + 1)
    }

    /// The step of a name or an id, as `next` would find it.
    #[must_use]
    pub fn find(&self, name_or_id: &str) -> Option<StepRef> {
        self.names().resolve(name_or_id)
    }

    /// The names of the steps there are now.
    pub(super) fn names(&self) -> Names {
        let known = self.base.names_in(&self.now);
        let mut names = known.unwrap_or_else(|| Names::of(&self.base, |step| self.now.steps.contains_key(&step)));
        for (step, content) in self.now.steps().filter(|(step, _)| self.base.step(*step).is_none()) {
            names.add(step, &content.label, "");
        }
        names
    }

    /// Whether what is kept of the names of steps is what would be found again.
    #[cfg(test)]
    pub(super) fn knows_its_names(&self) -> bool {
        let mut again = Names::of(&self.base, |step| self.now.steps.contains_key(&step));
        for (step, content) in self.now.steps().filter(|(step, _)| self.base.step(*step).is_none()) {
            again.add(step, &content.label, "");
        }
        self.base.knows_its_names() && self.names().says_the_same(&again)
    }

    fn spell(&self, names: &Names, step: StepRef, given: Option<&str>) -> String {
        names.spell(&self.base, step, given).unwrap_or_else(|| self.label(step))
    }

    /// `next` as the service would tell it.
    pub(super) fn told_next(&self, names: &Names, answer: &DraftAnswer) -> Option<String> {
        match &answer.target {
            Target::End => answer.given.clone().filter(String::is_empty),
            Target::Unresolved(given) => Some(given.clone()),
            Target::Step(step) => Some(self.spell(names, *step, answer.given.as_deref())),
        }
    }

    /// Whether an answer was sent to lead where one of a reading leads. What it means may differ for a while: a step that is
    /// deleted here goes by its name until the service has deleted it.
    pub(super) fn is_sent_as(&self, names: &Names, mine: &DraftAnswer, theirs: &DraftAnswer) -> bool {
        self.told_next(names, mine).unwrap_or_default() == theirs.given.as_deref().unwrap_or_default()
    }

    fn step_as_told(&self, step: StepRef, content: &StepContent, names: &Names) -> Step {
        let answers = || {
            let list = content.answers.as_ref()?;
            let told = |answer: &DraftAnswer| Answer {
                text: answer.text.clone(),
                next: self.told_next(names, answer),
                extra: answer.extra.clone(),
            };
            Some(list.iter().map(told).collect::<Vec<_>>())
        };
        let Some(raw) = self.base.step(step) else {
            return Step {
                name: Some(StepName::new(content.label.as_str())),
                description: content.description.clone(),
                overlay_text: content.overlay.clone(),
                video_id: content.video.clone(),
                answer_time: content.answer_time.map(Num),
                answers: answers(),
                products: told_products(content),
                ..Step::default()
            };
        };
        Step {
            description: content.description.clone(),
            overlay_text: content.overlay.clone(),
            video_id: content.video.clone(),
            answer_time: content.answer_time.map(Num),
            answers: answers(),
            products: told_products(content),
            ..raw.clone()
        }
    }

    /// A name for a step that the service has not named: one that nothing means yet.
    pub(super) fn fresh_label(&self, content: &Content) -> String {
        let mut taken: HashSet<&str> = HashSet::new();
        for step in self.base.sequence() {
            taken.insert(self.base.name(*step));
            taken.insert(self.base.step_id(*step));
        }
        for (_, step) in content.steps() {
            taken.insert(&step.label);
            for answer in step.answers() {
                taken.extend(answer.given.as_deref());
                if let Target::Unresolved(given) = &answer.target {
                    taken.insert(given);
                }
            }
        }
        taken.extend(content.head.order().iter().filter_map(|entry| entry.given.as_deref()));
        let mut labels = (1_usize..).map(|nth| format!("new-{nth}"));
        labels.find(|label| !taken.contains(label.as_str())).unwrap_or_default()
    }
}

/// The products of a step as the service tells them: it leaves the field out where there are none.
fn told_products(content: &StepContent) -> Option<Vec<StepProduct>> {
    content.products.clone().filter(|products| !products.is_empty())
}
