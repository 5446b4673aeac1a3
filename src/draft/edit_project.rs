//! Edits of the project itself and of the order of its steps.

use std::collections::{HashMap, HashSet};

use super::content::{Content, OrderEntry};
use super::draft::Draft;
use super::edit::{Bench, Refused, quoted};
use super::refs::StepRef;
use crate::domain::PlayerChange;
use crate::graph::Graph;

impl Draft {
    /// All steps in the author's order: as `stepsOrder` has them, then the others.
    #[must_use]
    pub fn shown_order(&self) -> Vec<StepRef> {
        let told = self.told();
        let graph = Graph::new(&told.steps, &told.order);
        graph.order().iter().filter_map(|index| told.refs.get(*index).copied()).collect()
    }
}

/// The steps of an order that are steps, each once.
fn ordered(content: &Content) -> Vec<StepRef> {
    let mut seen = HashSet::new();
    content.head().order().iter().filter_map(|entry| entry.step).filter(|step| seen.insert(*step)).collect()
}

impl Bench<'_> {
    pub(super) fn move_step(&mut self, step: StepRef, to: usize) -> Result<String, Refused> {
        self.content.step(step).ok_or(Refused::NoStep)?;
        let mut steps = ordered(&self.content);
        if !steps.contains(&step) {
            steps = self.draft.shown_order();
        }
        let to = to.min(steps.len().saturating_sub(1));
        if steps.get(to) != Some(&step) || self.content.head.order().is_empty() {
            steps.retain(|other| *other != step);
            steps.insert(to.min(steps.len()), step);
            self.put_order(&steps);
        }
        Ok(format!("move {} to place {}", self.label(step), to + 1))
    }

    pub(super) fn set_order(&mut self, steps: &[StepRef]) -> Result<String, Refused> {
        if steps.iter().any(|step| self.content.step(*step).is_none()) {
            return Err(Refused::NoStep);
        }
        if ordered(&self.content) != steps {
            self.put_order(steps);
        }
        Ok("order the steps".to_owned())
    }

    pub(super) fn add_missing(&mut self) -> String {
        let present = ordered(&self.content);
        let missing: Vec<_> = self.draft.shown_order().into_iter().filter(|step| !present.contains(step)).collect();
        if !missing.is_empty() {
            let order = self.content.head_mut().order.get_or_insert_default();
            order.extend(missing.into_iter().map(OrderEntry::of));
        }
        "add missing steps to the order".to_owned()
    }

    pub(super) fn drop_alien(&mut self) -> String {
        if self.content.head.order().iter().any(|entry| entry.step.is_none())
            && let Some(order) = &mut self.content.head_mut().order
        {
            order.retain(|entry| entry.step.is_some());
        }
        "remove from the order what is not a step".to_owned()
    }

    pub(super) fn replace_in_order(&mut self, entry: &str, step: StepRef) -> Result<String, Refused> {
        self.content.step(step).ok_or(Refused::NoStep)?;
        if let Some(order) = &mut self.content.head_mut().order {
            order.retain(|other| other.step != Some(step));
            for alien in order.iter_mut().filter(|other| other.step.is_none() && other.given.as_deref() == Some(entry))
            {
                *alien = OrderEntry::of(step);
            }
        }
        Ok(format!("put {} where the order has {}", self.label(step), quoted(entry)))
    }

    /// The order is this; what is no step comes after it.
    fn put_order(&mut self, steps: &[StepRef]) {
        let before = self.content.head_mut().order.take().unwrap_or_default();
        let (known, alien): (Vec<OrderEntry>, Vec<OrderEntry>) =
            before.into_iter().partition(|entry| entry.step.is_some());
        // Of a step that stands there twice the first.
        let mut kept: HashMap<StepRef, OrderEntry> =
            known.into_iter().rev().filter_map(|entry| Some((entry.step?, entry))).collect();
        let spelled = |step: &StepRef| kept.remove(step).unwrap_or_else(|| OrderEntry::of(*step));
        let order = steps.iter().map(spelled).chain(alien).collect();
        self.content.head_mut().order = Some(order);
    }

    pub(super) fn name(&mut self, name: &str) -> Result<String, Refused> {
        if name.trim().is_empty() {
            return Err(Refused::Empty("the project's name"));
        }
        if self.content.head.name() != name {
            self.content.head_mut().name = Some(name.to_owned());
        }
        Ok(format!("rename the project to {}", quoted(name)))
    }

    pub(super) fn folder(&mut self, folder: &str) -> String {
        if self.content.head.folder() != folder {
            self.content.head_mut().folder = Some(folder.to_owned());
        }
        if folder.is_empty() { "move the project out of its folder".to_owned() } else { "move the project".to_owned() }
    }

    pub(super) fn emails(&mut self, emails: &[String]) -> String {
        if self.content.head.emails() != emails {
            self.content.head_mut().emails = Some(emails.to_vec());
        }
        match emails {
            [] => "turn e-mail notifications off".to_owned(),
            emails => format!("notify {} by e-mail", emails.join(", ")),
        }
    }

    pub(super) fn player(&mut self, change: &PlayerChange) -> String {
        let mut settings = self.content.head.player.clone().unwrap_or_default();
        change.make(&mut settings);
        if self.content.head.player.clone().unwrap_or_default() != settings {
            self.content.head_mut().player = Some(settings);
        }
        let names: Vec<&str> = change.members.keys().map(String::as_str).collect();
        format!("change the player: {}", names.join(", "))
    }

    pub(super) fn none_meant(&mut self) -> String {
        let count = self.content.head.meant.len();
        if count > 0 {
            self.content.head_mut().meant.clear();
        }
        if count == 1 { "stop ignoring a problem".to_owned() } else { format!("stop ignoring {count} problems") }
    }

    pub(super) fn meant(&mut self, finding: &str, meant: bool) -> String {
        if self.content.head.meant.contains(finding) != meant {
            let marked = &mut self.content.head_mut().meant;
            if meant {
                marked.insert(finding.to_owned())
            } else {
                marked.remove(finding)
            };
        }
        if meant { "ignore a problem" } else { "stop ignoring a problem" }.to_owned()
    }
}
