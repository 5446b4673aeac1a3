//! What the names of a project's steps mean, kept up to date while steps come one by one: a thousand steps are not looked
//! through again for each one that is created.

use std::collections::HashSet;

use super::base::Names;
use super::content::{Content, Head, StepContent};
use super::refs::{StepRef, Target};
use crate::domain::{Step, StepId, StepName};

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
        let mut index = Self { names, open: HashSet::new() };
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
