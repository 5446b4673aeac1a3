//! Where the studio was left, so that it can start there.

use std::collections::BTreeMap;

use super::typing::Typed;
use crate::domain::{ProjectId, StoreUrl};
use crate::studio::ground::{Screen, Spot};
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
    /// Where one was on the screens, by their titles.
    pub spots: BTreeMap<String, Spot>,
    /// Where one was in projects whose steps were open, the last one at the end.
    pub places: Vec<Place>,
    /// What was half typed, where no journal has it.
    pub typing: Option<Typed>,
}

impl Left {
    /// The same in a store that was named: in another one than was left, without what was of that.
    #[must_use]
    pub fn in_store(self, store: &StoreUrl) -> Self {
        if self.store.as_ref().is_some_and(|left| left.is_same(store)) {
            return self;
        }
        let Self { screen, outline, mut spots, places, typing, .. } = self;
        spots.remove(Screen::Products.title());
        Self { screen, outline, spots, places, typing, ..Self::default() }
    }

    /// Where one was on a screen. The files of earlier versions have a row of the Products only.
    #[must_use]
    pub(super) fn spot(&self, screen: Screen) -> Option<Spot> {
        let earlier = || Spot { row: self.row, ..Spot::default() };
        let known = self.spots.get(screen.title()).cloned();
        known.or_else(|| (screen == Screen::Products).then(earlier))
    }

    /// The screen, where it still is one.
    #[must_use]
    pub(super) fn screen(&self) -> Option<Screen> {
        Screen::ALL.into_iter().find(|screen| screen.title() == self.screen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_another_store_all_is_kept_but_what_was_of_the_one_that_was_left() {
        let spot = |row| Spot { row, ..Spot::default() };
        let left = Left {
            screen: "Projects".to_owned(),
            store: Some("https://a.example".into()),
            row: 7,
            outline: true,
            project: Some(("p".into(), Some("Tour".to_owned()))),
            spots: [("Products".to_owned(), spot(7)), ("Videos".to_owned(), spot(3))].into(),
            places: vec![serde_json::from_str(r#"{"project":"p","step":3}"#).unwrap()],
            typing: Some(Typed { screen: "Projects".into(), title: "Name".into(), text: "Half".into() }),
        };
        assert_eq!(left.clone().in_store(&"https://a.example/".into()), left);
        let other =
            Left { store: None, row: 0, project: None, spots: [("Videos".to_owned(), spot(3))].into(), ..left.clone() };
        assert_eq!(left.in_store(&"https://b.example".into()), other);
    }
}
