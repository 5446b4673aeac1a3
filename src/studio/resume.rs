//! Where the studio was left, so that it can start there.

use super::model::Model;
use super::screens::Screen;
use super::screens::steps::Place;
use crate::domain::{ProjectId, StoreUrl};

/// Where a person was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Left {
    /// The screen's title.
    pub screen: String,
    /// The store.
    pub store: Option<StoreUrl>,
    /// Which row of what was found was selected, from 0.
    pub row: usize,
    /// Whether steps were shown as an outline.
    pub outline: bool,
    /// The selected project: its id, and its name where its steps were open.
    pub project: Option<(ProjectId, Option<String>)>,
    /// Where one was in projects whose steps were open, the last one at the end.
    pub places: Vec<Place>,
}

impl Left {
    /// The screen, where it still is one.
    #[must_use]
    pub(super) fn screen(&self) -> Option<Screen> {
        Screen::ALL.into_iter().find(|screen| screen.title() == self.screen)
    }
}

/// Where the person is now.
#[must_use]
pub fn left(model: &Model) -> Left {
    Left {
        screen: model.screen.tab().title().to_owned(),
        store: model.products.store.clone(),
        row: model.products.list.selected,
        outline: model.steps.prefers_outline(),
        places: model.steps.places(),
        project: if model.screen == Screen::Steps {
            model.steps.opened().map(|(id, name)| (id.clone(), Some(name.to_owned())))
        } else {
            model.projects.current().map(|row| (row.project.id.clone(), None))
        },
    }
}
