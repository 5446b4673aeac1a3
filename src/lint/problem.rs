//! A problem: which rule, of which record, in which field, and what is so.

use super::rule::{Rule, Severity};
use crate::domain::StoreUrl;

/// What a problem is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A product, by its external id.
    Product {
        /// The store it is sold in.
        store: StoreUrl,
        /// `externalProductId`.
        id: String,
        /// Its title, where it is at hand: rules over the whole store keep ids only.
        title: Option<String>,
    },
    /// A word that products of a store share: a tag, a product type, a vendor.
    Word {
        /// The store.
        store: StoreUrl,
        /// The word, as it is written.
        word: String,
    },
}

impl Record {
    /// What kind of record it is, in documents.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Product { .. } => "product",
            Self::Word { .. } => "word",
        }
    }

    /// The id, or the word itself.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Product { id, .. } => id,
            Self::Word { word, .. } => word,
        }
    }

    /// The store it is of.
    #[must_use]
    pub fn store(&self) -> &StoreUrl {
        match self {
            Self::Product { store, .. } | Self::Word { store, .. } => store,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Product { title, .. } => title.as_deref(),
            Self::Word { word, .. } => Some(word),
        }
    }
}

/// One problem. Its texts hold what a service said: to be cleaned before they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule that found it.
    pub rule: Rule,
    /// What it is about.
    pub record: Record,
    /// The field, with the place in lists: `variants[2].price`.
    pub field: String,
    /// What is so, as a sentence without its full stop.
    pub sentence: String,
}

impl Problem {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// What it is known by from one run to the next: rule, store, record and field. What the field holds is no part of it.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {} {} {}", self.rule.id(), self.record.store(), self.record.id(), self.field)
    }
}
