//! What answers and the order mean in what was merged.

use super::base::{Base, Names};
use super::content::{Content, DraftAnswer, OrderEntry};
use super::merger::Merger;
use super::refs::{StepRef, Target};

impl Merger<'_> {
    /// What is meant by a step that is gone leads nowhere; what led nowhere may mean a step that came.
    pub(super) fn settle(&self, merged: &mut Content) {
        let steps: Vec<StepRef> = merged.steps.keys().copied().collect();
        let mut names = Names::of(self.theirs, |step| merged.steps.contains_key(&step));
        for step in steps.iter().copied().filter(|step| self.theirs.step(*step).is_none()) {
            let Some(content) = merged.step(step) else { continue };
            let label = content.label.clone();
            let was = self.draft.base.step(step).is_some();
            if was || names.resolve(&label).is_some() {
                let label = Self::free_label(merged, &names);
                if let Some(content) = merged.step_mut(step) {
                    content.label = label;
                }
            }
            let label = merged.step(step).map(|content| content.label.clone()).unwrap_or_default();
            names.add(step, &label, "");
        }
        for step in steps {
            let Some(content) = merged.step(step) else { continue };
            let stale = |answer: &DraftAnswer| self.renewed(&answer.target, answer.given.as_deref(), &names).is_some();
            if !content.answers().iter().any(stale) {
                continue;
            }
            for answer in merged.step_mut(step).and_then(|content| content.answers.as_mut()).into_iter().flatten() {
                if let Some((target, given)) = self.renewed(&answer.target, answer.given.as_deref(), &names) {
                    answer.target = target;
                    answer.given = given;
                }
            }
        }
        if merged.head.order().iter().any(|entry| Self::renewed_entry(entry, &names).as_ref() != Some(entry)) {
            let order = merged.head.order().iter().filter_map(|entry| Self::renewed_entry(entry, &names)).collect();
            merged.head_mut().order = Some(order);
        }
    }

    fn renewed(&self, target: &Target, given: Option<&str>, names: &Names) -> Option<(Target, Option<String>)> {
        match target {
            Target::Unresolved(text) => {
                let step = names.resolve(text)?;
                Some((Target::Step(step), Some(text.clone())))
            }
            Target::Step(step) if !names.has(*step) => {
                let of = |base: &Base| Names::of(base, |_| true).spell(base, *step, given);
                let spelled = of(&self.draft.base).or_else(|| of(self.theirs)).unwrap_or_else(|| self.label(*step));
                Some((names.target(&spelled), Some(spelled)))
            }
            _ => None,
        }
    }

    fn renewed_entry(entry: &OrderEntry, names: &Names) -> Option<OrderEntry> {
        match (entry.step, &entry.given) {
            (Some(step), _) => names.has(step).then(|| entry.clone()),
            (None, Some(given)) => Some(OrderEntry { step: names.resolve(given), given: Some(given.clone()) }),
            (None, None) => None,
        }
    }

    fn free_label(merged: &Content, names: &Names) -> String {
        let mut labels = (1_usize..).map(|nth| format!("new-{nth}"));
        let free = |label: &String| {
            names.resolve(label).is_none() && merged.steps().all(|(_, content)| content.label != *label)
        };
        labels.find(free).unwrap_or_default()
    }
}
