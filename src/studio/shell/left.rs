//! Where the person is, to be kept for the next start.

use super::model::Model;
use super::resume::Left;
use crate::studio::ground::Screen;

/// Where the person is now.
#[must_use]
pub fn left(model: &Model) -> Left {
    Left {
        screen: model.screens.shown.tab().title().to_owned(),
        store: model.shell.store.clone(),
        row: model.screens.products.list.found.selected(),
        outline: model.screens.steps.prefers_outline(),
        places: model.screens.steps.places(),
        typing: model.shell.typing.kept(),
        project: if model.screens.shown == Screen::Steps {
            model.screens.steps.opened().map(|(id, name)| (id.clone(), Some(name.to_owned())))
        } else {
            model.screens.projects.current().map(|row| (row.project.id.clone(), None))
        },
    }
}
