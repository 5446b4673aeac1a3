//! What the catalog says of the products that steps show: looked up once for each, and shown wherever a product is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::listing::{ListedVariant, Listing, MOST};
use super::vocabulary::{Effect, Turn};
use crate::domain::{ProductId, StepProduct, StoreUrl, text};
use crate::lint::{Shelf, Stocked};
use crate::studio::ground::Failure;

/// What is said of a product that the store could not be asked for: whether it is there nobody knows.
pub(super) const NOT_LOOKED_UP: &str = "not looked up";

/// What is known of a product.
#[derive(Debug, Clone, PartialEq)]
pub enum Listed {
    /// The catalog has it.
    There(Box<Listing>),
    /// The catalog has no such product.
    Gone,
    /// The service has no such store.
    Elsewhere,
    /// It could not be looked up.
    Unread,
}

/// A product on a step, in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// What it is called, with its variant; its id where nobody knows.
    pub title: String,
    /// What it costs.
    pub price: String,
    /// What is wrong with it, in a few words: sold out, hidden, gone; empty where nothing is known to be.
    pub wrong: &'static str,
}

impl Said {
    /// All of it in one line.
    pub fn line(&self) -> String {
        let parts = [self.title.as_str(), self.price.as_str(), self.wrong];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

/// The products that were looked up.
#[derive(Debug, Clone, Default)]
pub(super) struct Catalog {
    known: HashMap<StoreUrl, HashMap<ProductId, Listed>>,
    /// What is being looked up.
    asked: HashSet<(StoreUrl, ProductId)>,
    /// What is shown and was not looked up yet.
    sought: Vec<(StoreUrl, ProductId)>,
    /// The store that is worked in.
    store: Option<StoreUrl>,
    /// How often what is known here became another.
    version: u64,
}

#[cfg(test)]
thread_local! {
    static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How often a product was looked at by this thread so far.
#[cfg(test)]
pub fn looks() -> u64 {
    LOOKS.get()
}

impl Catalog {
    /// Which state of it this is: what was found in another one may be otherwise now.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether a store is worked in, so that rules over products can be checked.
    pub fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// What is known of a product.
    pub fn get(&self, product: &StepProduct) -> Option<&Listed> {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        self.known.get(&product.store)?.get(&product.product_id)
    }

    /// What the rules over products on steps look at, for the store that is worked in.
    pub fn stock<'a>(&self, links: impl Iterator<Item = &'a StepProduct> + Clone) -> Option<Shelf> {
        let mut stock = Shelf::new(self.store.clone()?, links.clone());
        for link in links {
            let stocked = match self.get(link) {
                Some(Listed::There(listing)) => Stocked::There(Arc::clone(&listing.offer)),
                Some(Listed::Gone) => Stocked::Gone,
                Some(Listed::Elsewhere) => Stocked::Elsewhere,
                Some(Listed::Unread) | None => continue,
            };
            stock.note(link, stocked);
        }
        Some(stock)
    }

    /// What the catalog has of a product of the store that is worked in.
    pub fn listed(&self, product: &StepProduct) -> Option<&Listing> {
        match self.get(product) {
            Some(Listed::There(listing)) if !self.is_of_other_store(product) => Some(listing),
            _ => None,
        }
    }

    /// A product in words.
    pub fn say(&self, product: &StepProduct) -> Said {
        let id = text::line(product.product_id.as_str()).into_owned();
        let listing = match self.get(product) {
            Some(Listed::There(listing)) => listing,
            Some(Listed::Gone) => return Said { title: id, wrong: "gone from the store", ..Said::default() },
            Some(Listed::Elsewhere) => return Said { title: id, wrong: "of another store", ..Said::default() },
            Some(Listed::Unread) => return Said { title: id, wrong: NOT_LOOKED_UP, ..Said::default() },
            None => return Said { title: id, ..Said::default() },
        };
        let hidden = if listing.hidden { "hidden" } else { "" };
        let said = |title, price, sold_out| {
            let wrong = if hidden.is_empty() && sold_out == Some(true) { "sold out" } else { hidden };
            Said { title, price, wrong }
        };
        let Some(wanted) = &product.variant_id else {
            return said(listing.title.clone(), listing.price.clone(), listing.sold_out);
        };
        match listing.variants.iter().find(|variant| variant.id == *wanted) {
            Some(variant) => {
                let title = format!("{}, {}", listing.title, variant.title);
                said(title, variant.price.clone(), variant.sold_out)
            }
            None => Said { wrong: "variant gone", ..said(listing.title.clone(), String::new(), None) },
        }
    }

    /// Whether a product is of another store than the one that is worked in.
    pub fn is_of_other_store(&self, product: &StepProduct) -> bool {
        self.store.as_ref().is_some_and(|store| !store.is_same(&product.store))
    }

    /// What a product is called in the catalog, without its variant.
    pub fn listed_title(&self, product: &StepProduct) -> Option<&str> {
        match self.get(product) {
            Some(Listed::There(listing)) => Some(listing.title.as_str()),
            _ => None,
        }
    }

    /// The variants of a product, where the catalog has several.
    pub fn variants(&self, product: &StepProduct) -> Vec<ListedVariant> {
        match self.get(product) {
            Some(Listed::There(listing)) => listing.variants.clone(),
            _ => Vec::new(),
        }
    }

    /// Notes which products are shown; those that are not known are looked up next.
    pub fn seek<'a>(&mut self, shown: impl Iterator<Item = &'a StepProduct>) {
        for product in shown {
            if self.get(product).is_some() {
                continue;
            }
            let key = (product.store.clone(), product.product_id.clone());
            if self.asked.insert(key.clone()) {
                self.sought.push(key);
            }
        }
    }

    /// Asks for what is to be looked up, store by store.
    pub fn look_up(&mut self, turn: &mut Turn) {
        if turn.context.store.is_some() && self.store != turn.context.store {
            self.store.clone_from(&turn.context.store);
            self.version += 1;
        }
        if !turn.context.connected {
            return;
        }
        let mut by_store: HashMap<StoreUrl, Vec<ProductId>> = HashMap::new();
        for (store, product) in self.sought.drain(..) {
            by_store.entry(store).or_default().push(product);
        }
        for (store, products) in by_store {
            for products in products.chunks(MOST) {
                let request = turn.next_id();
                turn.ask(Effect::LookUp { request, store: store.clone(), products: products.to_vec() });
            }
        }
    }

    /// Whether some products are being looked up, or are about to be.
    pub fn is_looking_up(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Takes what came of looking products up.
    pub fn take(&mut self, store: &StoreUrl, asked: Vec<ProductId>, found: Result<Vec<Listing>, Failure>) {
        let failed =
            if found.as_ref().is_err_and(|failure| failure.missing) { Listed::Elsewhere } else { Listed::Unread };
        let mut found: Option<HashMap<ProductId, Listing>> =
            found.ok().map(|found| found.into_iter().map(|one| (one.id.clone(), one)).collect());
        self.version += 1;
        let known = self.known.entry(store.clone()).or_default();
        for product in asked {
            let listed = match found.as_mut().map(|found| found.remove(&product)) {
                Some(Some(listing)) => Listed::There(Box::new(listing)),
                Some(None) => Listed::Gone,
                None => failed.clone(),
            };
            let key = (store.clone(), product);
            self.asked.remove(&key);
            known.insert(key.1, listed);
        }
    }

    /// Takes what a search found.
    pub fn note(&mut self, store: &StoreUrl, found: &[Listing]) {
        self.version += 1;
        let known = self.known.entry(store.clone()).or_default();
        known.extend(found.iter().map(|one| (one.id.clone(), Listed::There(Box::new(one.clone())))));
    }

    /// Forgets what is known, so that it is looked up again.
    pub fn forget(&mut self) {
        *self = Self { version: self.version + 1, ..Self::default() };
    }
}
