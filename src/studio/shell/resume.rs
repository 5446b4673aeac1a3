//! Where the studio was left, so that it can start there.

use super::model::Model;
use crate::domain::{ProjectId, StoreUrl};
use crate::studio::ground::Screen;
use crate::studio::screens::steps::Place;

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
        screen: model.screens.shown.tab().title().to_owned(),
        store: model.shell.store.clone(),
        row: model.screens.products.list.place.selected,
        outline: model.screens.steps.prefers_outline(),
        places: model.screens.steps.places(),
        project: if model.screens.shown == Screen::Steps {
            model.screens.steps.opened().map(|(id, name)| (id.clone(), Some(name.to_owned())))
        } else {
            model.screens.projects.current().map(|row| (row.project.id.clone(), None))
        },
    }
}
