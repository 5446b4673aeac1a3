//! Where the studio was left, so that it can start there.

use super::typing::Typed;
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
    /// What was half typed, where no journal has it.
    pub typing: Option<Typed>,
}

impl Left {
    /// The screen, where it still is one.
    #[must_use]
    pub(super) fn screen(&self) -> Option<Screen> {
        Screen::ALL.into_iter().find(|screen| screen.title() == self.screen)
    }
}
