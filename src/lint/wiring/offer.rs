//! A product that steps show, with what follows from it alone.

use std::sync::OnceLock;

use crate::domain::FoundProduct;
use crate::lint::catalog::on_card;
use crate::lint::problem::Problem;
use crate::lint::texts::wrong_address;

/// A product of the catalog as steps link to it. What follows from it alone is worked out once, however many steps show it
/// and however often they are checked.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    found: FoundProduct,
    on_card: OnceLock<Vec<Problem>>,
    address: OnceLock<Option<String>>,
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.found == other.found
    }
}

impl From<FoundProduct> for Offer {
    fn from(found: FoundProduct) -> Self {
        Self { found, ..Self::default() }
    }
}

impl Offer {
    /// The product as it was found.
    #[must_use]
    pub fn found(&self) -> &FoundProduct {
        &self.found
    }

    /// What is wrong with it as the card of a step shows it. Another product helps where this one can't be bought for what it
    /// costs.
    pub fn on_card(&self) -> &[Problem] {
        self.on_card.get_or_init(|| on_card(&self.found))
    }

    /// What is wrong with its address: S29.
    pub(super) fn wrong_address(&self) -> Option<&str> {
        self.address.get_or_init(|| wrong_address(&self.found.product)).as_deref()
    }
}
