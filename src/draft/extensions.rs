//! What became of what was sent and is an extension: the player's settings, and products on steps. A service without
//! these takes them and doesn't keep them.

use super::call::{Call, NewStep};
use crate::domain::Project;

/// How often is looked whether a service keeps what is an extension, before it is said that it doesn't.
const LOOKS: usize = 3;

/// What became of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Extension {
    /// None were sent, or the service has them.
    #[default]
    Kept,
    /// They were sent, and nothing was read since.
    Sent,
    /// They were sent, and the service shows none: kept on this computer.
    Here,
    /// They were sent, and the service shows none, however often it is looked.
    Lost,
}

/// What is known of each since it was sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Extensions {
    settings: Extension,
    products: Extension,
    /// How often was looked for either since they were sent.
    looks: usize,
}

impl Extensions {
    /// Whether it is to be found out what became of one.
    pub(super) fn are_sought(&self) -> bool {
        [self.settings, self.products].contains(&Extension::Sent)
    }

    /// How often was looked for what is still to be found out.
    pub(super) fn looks(&self) -> usize {
        if self.are_sought() { self.looks } else { 0 }
    }

    /// Whether the service took settings of the player and doesn't keep them.
    pub(super) fn loses_player(&self) -> bool {
        self.settings == Extension::Lost
    }

    /// Whether the service took products on steps and doesn't keep them.
    pub(super) fn loses_products(&self) -> bool {
        self.products == Extension::Lost
    }

    /// Whether the service doesn't keep products on steps, and they are kept on this computer.
    pub(super) fn keeps_products_here(&self) -> bool {
        self.products == Extension::Here
    }

    /// Takes a call that the service carried out.
    pub(super) fn sent(&mut self, call: &Call) {
        let extension = match call {
            Call::UpdateProject { change } if change.player.iter().flatten().any(|(_, value)| !value.is_null()) => {
                &mut self.settings
            }
            Call::CreateStep(NewStep { fields, .. }) | Call::UpdateStep { change: fields, .. }
                if fields.products.as_ref().is_some_and(|products| !products.is_empty()) =>
            {
                &mut self.products
            }
            _ => return,
        };
        *extension = Extension::Sent;
        self.looks = 0;
    }

    /// Takes from a reading whether the service keeps what it was sent; whether that was to be found out. A reading may
    /// be late, so that what is missing is said to be lost only once it is missing again, and no more once it is there.
    pub(super) fn find_out(&mut self, theirs: &Project, products_here: bool, is_done: bool) -> bool {
        let was_sought = self.are_sought();
        let shows = theirs.steps.iter().flatten().any(|step| step.products.as_ref().is_some_and(|all| !all.is_empty()));
        let is_last = is_done && was_sought && {
            self.looks += 1;
            self.looks >= LOOKS
        };
        let found = |before: Extension, kept: Option<Extension>| match (before, kept) {
            (Extension::Kept, _) => Extension::Kept,
            (_, Some(kept)) => kept,
            (Extension::Sent, None) if is_last => Extension::Lost,
            (before, None) => before,
        };
        self.settings = found(self.settings, theirs.player.is_some().then_some(Extension::Kept));
        let kept = if products_here { Extension::Here } else { Extension::Kept };
        self.products = found(self.products, shows.then_some(kept));
        was_sought
    }
}
