//! The steps of a project being put in another order.

use std::sync::Arc;

use super::vocabulary::Record;
use crate::domain::{ProjectId, StepId, StepName, text};
use crate::studio::widgets::Select;

/// A step in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What it is called, harmless.
    pub name: String,
    /// What it says, harmless.
    pub about: String,
    /// Whether the order named it before.
    pub ordered: bool,
    /// How the order spells it.
    entry: String,
}

/// The list of steps while it is put in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordering {
    /// Whose steps.
    pub project: ProjectId,
    /// What the project is called, harmless.
    pub called: String,
    /// The steps.
    pub places: Select<Place>,
    /// How many entries of the order name no step: they go when it is saved.
    pub alien: usize,
    /// Whether Esc was pressed once on an order that is not saved.
    pub leaving: bool,
    before: Vec<String>,
}

impl Ordering {
    /// The steps of a project in their order; none where the service did not tell them.
    #[must_use]
    pub fn of(record: &Arc<Record>, called: &str) -> Option<Self> {
        let graph = record.graph.as_ref()?;
        let given = record.project.steps_order.as_deref().unwrap_or_default();
        let place = |index: &usize| {
            let step = record.steps().get(*index)?;
            let node = graph.node(*index)?;
            let known = given.iter().find(|entry| graph.find(entry) == Some(*index));
            let name = step.name.as_ref().map(StepName::as_str).filter(|name| graph.find(name) == Some(*index));
            let entry = known.map(String::as_str).or(name).or(step.id.as_ref().map(StepId::as_str))?;
            let about = if node.overlay.trim().is_empty() { &node.description } else { &node.overlay };
            Some(Place {
                name: text::line(&node.name).into_owned(),
                about: text::line(about).into_owned(),
                ordered: graph.is_ordered(*index),
                entry: entry.to_owned(),
            })
        };
        let places: Vec<Place> = graph.order().iter().filter_map(place).collect();
        Some(Self {
            project: record.project.id.clone(),
            called: called.to_owned(),
            places: places.into(),
            alien: graph.alien().len(),
            leaving: false,
            before: given.to_vec(),
        })
    }

    /// The order as it is now; none where nothing changed.
    #[must_use]
    pub fn changed(&self) -> Option<Vec<String>> {
        let order: Vec<String> = self.places.rows().iter().map(|place| place.entry.clone()).collect();
        (order != self.before).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Project, Step};

    #[test]
    fn steps_are_moved_and_spelled_as_they_were() {
        let step = |id: &str, name: &str| Step { id: Some(id.into()), name: Some(name.into()), ..Step::default() };
        let project = Project {
            steps_order: Some(vec!["2".into(), "aaaaa".into(), "gone".into()]),
            steps: Some(vec![step("1", "aaaaa"), step("2", "bbbbb"), step("3", "ccccc")]),
            ..Project::default()
        };
        let record = Arc::new(Record::of(project, serde_json::Value::Null, Vec::new()));
        let mut ordering = Ordering::of(&record, "Quiz").unwrap();
        assert_eq!((ordering.alien, ordering.places.rows()[2].ordered), (1, false));
        ordering.places.shift(1);
        ordering.places.shift(1);
        ordering.places.shift(1);
        assert_eq!(ordering.changed().unwrap(), ["aaaaa", "ccccc", "2"]);
        ordering.places.step(-9);
        ordering.places.shift(-1);
        assert_eq!(ordering.places.selected(), 0);
    }

    #[test]
    fn an_order_that_is_the_same_changes_nothing() {
        let project = Project {
            steps_order: Some(vec!["a".into()]),
            steps: Some(vec![Step { name: Some("a".into()), ..Step::default() }]),
            ..Project::default()
        };
        let record = Arc::new(Record::of(project, serde_json::Value::Null, Vec::new()));
        let mut ordering = Ordering::of(&record, "Quiz").unwrap();
        ordering.places.shift(1);
        assert_eq!(ordering.changed(), None);
        let unread = Arc::new(Record::of(Project::default(), serde_json::Value::Null, Vec::new()));
        assert_eq!(Ordering::of(&unread, "Quiz"), None);
    }
}
