//! What the names of a project's steps mean, kept up to date while steps come one by one: a thousand steps are not looked
//! through again for each one that is created.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::content::{Content, Head, StepContent};
use super::refs::{StepRef, Target};
use super::work;
use crate::domain::{Step, StepId, StepName};

/// Some steps by their names and ids.
#[derive(Debug, Clone, Default)]
struct Known {
    by_name: HashMap<String, StepRef>,
    by_id: HashMap<String, StepRef>,
    twice: HashSet<String>,
    all: HashSet<StepRef>,
}

/// Which step a name or an id means. A name goes before an id, the first of two steps before the second.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// The steps that came first. Shared: a draft has those of its base, however often it asks.
    first: Arc<Known>,
    /// Those that came after them.
    then: Known,
}

impl Names {
    pub fn add(&mut self, step: StepRef, name: &str, id: &str) {
        work::visit();
        self.then.all.insert(step);
        if !name.is_empty() {
            if self.parts().any(|part| part.by_name.contains_key(name)) {
                self.then.twice.insert(name.to_owned());
            }
            self.then.by_name.entry(name.to_owned()).or_insert(step);
        }
        if !id.is_empty() {
            self.then.by_id.entry(id.to_owned()).or_insert(step);
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Known> {
        [self.first.as_ref(), &self.then].into_iter()
    }

    pub fn resolve(&self, text: &str) -> Option<StepRef> {
        let by_name = self.parts().find_map(|part| part.by_name.get(text));
        by_name.or_else(|| self.parts().find_map(|part| part.by_id.get(text))).copied()
    }

    /// Whether the step is among them, whatever it is called.
    pub fn has(&self, step: StepRef) -> bool {
        self.parts().any(|part| part.all.contains(&step))
    }

    /// Whether the text is the name of more than one step.
    pub fn is_ambiguous(&self, text: &str) -> bool {
        self.parts().any(|part| part.twice.contains(text))
    }

    /// Whether both have the same steps, and mean the same by every text.
    #[cfg(test)]
    pub fn says_the_same(&self, other: &Self) -> bool {
        let texts = |names: &Self| -> HashSet<String> {
            names.parts().flat_map(|part| part.by_name.keys().chain(part.by_id.keys()).cloned()).collect()
        };
        let all = |names: &Self| -> HashSet<StepRef> { names.parts().flat_map(|part| part.all.clone()).collect() };
        let means = |text: &String| self.resolve(text) == other.resolve(text);
        let is_sure = |text: &String| self.is_ambiguous(text) == other.is_ambiguous(text);
        all(self) == all(other)
            && texts(self) == texts(other)
            && texts(self).iter().all(|text| means(text) && is_sure(text))
    }

    /// The same, cheap to clone as long as nothing is added.
    fn shared(self) -> Self {
        if self.first.all.is_empty() { Self { first: Arc::new(self.then), then: Known::default() } } else { self }
    }

    pub fn target(&self, next: &str) -> Target {
        match self.resolve(next) {
            _ if next.is_empty() => Target::End,
            Some(step) => Target::Step(step),
            None => Target::Unresolved(next.to_owned()),
        }
    }
}

/// The names of all steps, and the texts that mean none of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    names: Names,
    /// What answers and the order name though no step is called so; perhaps also what they named once.
    open: HashSet<String>,
}

/// It follows from the steps, so it makes no difference between two projects.
impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Index {
    /// The names of the steps, and what a content leaves open.
    pub fn new(names: Names, content: &Content) -> Self {
        let mut index = Self { names: names.shared(), open: HashSet::new() };
        content.steps().for_each(|(_, step)| index.note_open(step));
        index.note_open_order(content.head());
        index
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Takes a new step, if nothing that is there already means another step because of it.
    pub fn takes(&mut self, step: StepRef, raw: &Step) -> bool {
        let name = raw.name.as_ref().map_or("", StepName::as_str);
        let id = raw.id.as_ref().map_or("", StepId::as_str);
        let is_new = |text: &str| text.is_empty() || (self.names.resolve(text).is_none() && !self.open.contains(text));
        let takes = is_new(name) && is_new(id);
        if takes {
            self.names.add(step, name, id);
        }
        takes
    }

    /// Remembers which names a step's answers lead to in vain.
    pub fn note_open(&mut self, step: &StepContent) {
        let open = step.answers().iter().filter_map(|answer| match &answer.target {
            Target::Unresolved(given) => Some(given.clone()),
            _ => None,
        });
        self.open.extend(open);
    }

    /// Remembers which entries of the order are no step's.
    pub fn note_open_order(&mut self, head: &Head) {
        let open = head.order().iter().filter(|entry| entry.step.is_none());
        self.open.extend(open.filter_map(|entry| entry.given.clone()));
    }
}
