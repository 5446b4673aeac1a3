//! What a newer reading says of what was not touched.

use std::sync::Arc;

use super::base::Names;
use super::content::{DraftAnswer, Head, OrderEntry, StepContent};
use super::draft::Draft;
use super::refs::Target;

impl Draft {
    /// Answers that are told just as they were sent lead where they were meant to: a step that is deleted here may go by
    /// that name until the service has deleted it.
    pub(super) fn as_meant(&self, names: &Names, mine: &StepContent, theirs: &Arc<StepContent>) -> Arc<StepContent> {
        leading(theirs, |theirs| {
            let mine = mine.answers().iter().find(|mine| mine.key == theirs.key)?;
            self.is_sent_as(names, mine, theirs).then_some(&mine.target)
        })
    }
}

/// Answers of the draft that were not touched lead where they led, also where that step is deleted: what becomes of it is
/// decided for the step, not for each answer.
pub(super) fn as_before(base: &StepContent, mine: &Arc<StepContent>) -> Arc<StepContent> {
    let dangles = |base: &DraftAnswer, mine: &DraftAnswer| matches!(&mine.target, Target::Unresolved(given) if base.given.as_ref() == Some(given));
    leading(mine, |mine| {
        let base = base.answers().iter().find(|base| base.key == mine.key)?;
        dangles(base, mine).then_some(&base.target)
    })
}

/// The same for the service's: whatever is told as before was not touched, also where another step goes by that name now.
pub(super) fn as_told_before(base: &StepContent, theirs: &Arc<StepContent>) -> Arc<StepContent> {
    leading(theirs, |theirs| {
        let base = base.answers().iter().find(|base| base.key == theirs.key)?;
        (base.given.is_some() && base.given == theirs.given).then_some(&base.target)
    })
}

/// The content with answers that lead where they are said to lead instead.
fn leading<'a>(content: &Arc<StepContent>, to: impl Fn(&DraftAnswer) -> Option<&'a Target>) -> Arc<StepContent> {
    let other = |answer: &DraftAnswer| to(answer).filter(|target| **target != answer.target);
    let mut content = content.clone();
    if content.answers().iter().any(|answer| other(answer).is_some()) {
        for answer in Arc::make_mut(&mut content).answers.iter_mut().flatten() {
            if let Some(target) = other(answer) {
                answer.target = target.clone();
            }
        }
    }
    content
}

/// The order with entries that came as they were and lead nowhere now as what they were: what becomes of the step is
/// decided for the step.
pub(super) fn order_as_before(base: &Head, one: &Head) -> Vec<OrderEntry> {
    let before = |entry: &OrderEntry| {
        let known = || base.order().iter().find(|base| base.given.is_some() && base.given == entry.given).cloned();
        entry.step.is_none().then(known).flatten()
    };
    one.order().iter().map(|entry| before(entry).unwrap_or_else(|| entry.clone())).collect()
}
