//! Where the person is, to be kept for the next start.

use std::collections::BTreeMap;

use super::model::Model;
use super::resume::Left;
use crate::studio::ground::{Screen, Spot};

/// Where the person is on the screens that keep that.
fn spots(model: &Model) -> BTreeMap<String, Spot> {
    let screens = &model.screens;
    [
        (Screen::Products, screens.products.here()),
        (Screen::Projects, screens.projects.here()),
        (Screen::Videos, screens.videos.here()),
        (Screen::Webhooks, screens.webhooks.here()),
        (Screen::Account, screens.account.here()),
    ]
    .into_iter()
    .map(|(screen, spot)| {
        // It may be the address of a person: that is not kept here.
        let search = spot.search.clone().filter(|search| !search.contains('@'));
        (screen.title().to_owned(), Spot { search, ..spot })
    })
    .collect()
}

/// Has the screens begin where the person was on them; the Products only in the store that they were in.
pub(super) fn take_up(model: &mut Model, left: &Left, is_store: bool) {
    let screens = &mut model.screens;
    screens.products.left = left.spot(Screen::Products).filter(|_| is_store);
    screens.projects.left = left.spot(Screen::Projects);
    screens.videos.left = left.spot(Screen::Videos);
    screens.webhooks.left = left.spot(Screen::Webhooks);
    if let Some(spot) = left.spot(Screen::Account) {
        screens.account.take_up(&spot);
    }
}

/// Where the person is now.
#[must_use]
pub fn left(model: &Model) -> Left {
    if let Some(before) = &model.shell.begin.resume {
        // Nothing of it was taken up yet: the service did not answer.
        return Left { screen: model.screens.shown.tab().title().to_owned(), ..before.clone() };
    }
    Left {
        screen: model.screens.shown.tab().title().to_owned(),
        store: model.shell.store.clone(),
        row: model.screens.products.list.found.selected(),
        outline: model.screens.steps.prefers_outline(),
        spots: spots(model),
        places: model.screens.steps.places(),
        typing: model.shell.typing.kept(),
        project: if model.screens.shown == Screen::Steps {
            model.screens.steps.opened().map(|(id, name)| (id.clone(), Some(name.to_owned())))
        } else {
            model.screens.projects.current().map(|row| (row.project.id.clone(), None))
        },
    }
}
