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
