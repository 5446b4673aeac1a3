//! What is read before it is checked.

use crate::api::ProductSold;
use crate::domain::FoundProduct;
use crate::graph::Fault;
use crate::lint::{Named, Sellers, Shelf, Wired};

/// A project that was read, and what its check found.
pub(super) struct Opened {
    pub(super) wired: Wired,
    pub(super) faults: Vec<Fault>,
    /// What verified orders of its viewers had in them.
    pub(super) sold: Vec<ProductSold>,
}

/// What the rules over projects want of the catalog.
pub(super) struct Catalog {
    pub(super) shelf: Shelf,
    pub(super) named: Named,
    pub(super) sellers: Sellers,
    /// Whether all of it was read.
    pub(super) is_read: bool,
}

impl Catalog {
    /// Takes the next product.
    pub(super) fn take(&mut self, found: &FoundProduct) {
        self.shelf.take(found);
        self.named.take(found);
        self.sellers.take(found);
    }
}
