//! What the world should do. Inert data: a driver in `runtime` carries it out.

use super::event::{Alarm, RequestId};
use crate::domain::{ProductId, ProductSearch, StoreUrl};

/// One thing the world should do.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Connect to the service of the profile.
    Connect,
    /// Ask for a page of products.
    Search {
        /// What the reply is called.
        request: RequestId,
        /// What is asked.
        search: Box<ProductSearch>,
        /// Wait so long first, milliseconds: more is being typed.
        after_ms: u64,
    },
    /// Ask how many products a store has.
    Count {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
    },
    /// Ask for a product's record.
    FetchProduct {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Ask for a product's analysis.
    FetchAnalysis {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// The reply is no longer wanted.
    Cancel(RequestId),
    /// Put text on the terminal's clipboard.
    CopyText(String),
    /// Open an address with what the system has for it.
    OpenAddress(String),
    /// Wake the model.
    Wake {
        /// Why.
        alarm: Alarm,
        /// In so many milliseconds.
        after_ms: u64,
    },
    /// Read a theme.
    ReadTheme(String),
    /// Paint everything again.
    Repaint,
    /// Hand the terminal back to the shell until it is brought back.
    Suspend,
    /// End.
    Quit,
}
