//! The difference between two contents, as it is kept: whole steps, so that undoing needs no rules of its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::content::{Content, Head, StepContent};
use super::refs::StepRef;

/// What becomes of a content.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Change {
    head: Option<Arc<Head>>,
    steps: Vec<(StepRef, Option<Arc<StepContent>>)>,
}

/// The same as it stands in a journal.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<Head>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<(StepRef, Option<StepContent>)>,
}

impl From<Written> for Change {
    fn from(written: Written) -> Self {
        let steps = written.steps.into_iter().map(|(step, content)| (step, content.map(Arc::new))).collect();
        Self { head: written.head.map(Arc::new), steps }
    }
}

impl From<Change> for Written {
    fn from(change: Change) -> Self {
        let plain = |content: Arc<StepContent>| Arc::unwrap_or_clone(content);
        let steps = change.steps.into_iter().map(|(step, content)| (step, content.map(plain))).collect();
        Self { head: change.head.map(Arc::unwrap_or_clone), steps }
    }
}

impl Change {
    /// What makes `before` to `after`.
    #[must_use]
    pub fn between(before: &Content, after: &Content) -> Self {
        let head = (!Arc::ptr_eq(&before.head, &after.head) && before.head != after.head).then(|| after.head.clone());
        let gone = before.steps.keys().filter(|step| !after.steps.contains_key(step)).map(|step| (*step, None));
        let changed = after.steps.iter().filter(|(step, content)| {
            before.steps.get(step).is_none_or(|old| !Arc::ptr_eq(old, content) && old != *content)
        });
        let steps = gone.chain(changed.map(|(step, content)| (*step, Some(content.clone())))).collect();
        Self { head, steps }
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.steps.is_empty()
    }

    /// What it makes of a step, where it makes something of it.
    #[must_use]
    pub fn step(&self, step: StepRef) -> Option<&StepContent> {
        self.steps.iter().find(|(other, _)| *other == step)?.1.as_deref()
    }

    /// Makes the change, and says what takes it back.
    pub fn make(&self, content: &mut Content) -> Self {
        let head = self.head.clone().map(|head| std::mem::replace(&mut content.head, head));
        let mut steps = Vec::with_capacity(self.steps.len());
        for (step, after) in &self.steps {
            let before = match after {
                Some(after) => {
                    let mut after = after.clone();
                    if after.products.is_none() {
                        let shown = content.steps.get(step).and_then(|was| was.products.clone());
                        Arc::make_mut(&mut after).products = Some(shown.unwrap_or_default());
                    }
                    content.steps.insert(*step, after)
                }
                None => content.steps.remove(step),
            };
            steps.push((*step, before));
        }
        steps.reverse();
        Self { head, steps }
    }
}
