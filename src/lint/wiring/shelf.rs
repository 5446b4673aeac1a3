//! The products that steps link to, as the catalog has them now.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::offer::Offer;
use crate::domain::{FoundProduct, Product, ProductId, StepProduct, StoreUrl, Variant};

/// What the catalog says of a product that a step links to.
#[derive(Debug, Clone, PartialEq)]
pub enum Stocked {
    /// This is it, with its variants and pictures.
    There(Arc<Offer>),
    /// There is none of this id.
    Gone,
    /// The service has no such store.
    Elsewhere,
    /// It couldn't be asked for, or not yet.
    Unknown,
}

impl Stocked {
    /// A product as `getProduct` answers, or its null.
    #[must_use]
    pub fn of(product: Option<Product>) -> Self {
        product.map_or(Self::Gone, |product| {
            // It has no count beside its pictures, so that none of them may as well have been left out.
            let pictures = u32::try_from(product.media.len()).unwrap_or(u32::MAX).max(1);
            let media_count = crate::domain::Num(f64::from(pictures));
            Self::There(Arc::new(FoundProduct { product, media_count, ..FoundProduct::default() }.into()))
        })
    }
}

/// The products that the steps of some projects link to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shelf {
    store: StoreUrl,
    /// All stores of the workspace, where that is known.
    stores: Option<Vec<StoreUrl>>,
    products: HashMap<ProductId, Stocked>,
    /// Those of other stores, which are looked up there one by one.
    others: HashMap<(StoreUrl, ProductId), Stocked>,
}

impl Shelf {
    /// For links to products of this store, whose catalog is read, and of others.
    #[must_use]
    pub fn new<'a>(store: StoreUrl, links: impl IntoIterator<Item = &'a StepProduct>) -> Self {
        let (mut products, mut others) = (HashMap::new(), HashMap::new());
        for link in links {
            if link.store.is_same(&store) {
                products.insert(link.product_id.clone(), Stocked::Unknown);
            } else {
                others.insert((link.store.clone(), link.product_id.clone()), Stocked::Unknown);
            }
        }
        Self { store, stores: None, products, others }
    }

    /// The same in a workspace that has these stores and no others.
    #[must_use]
    pub fn among(self, stores: &[StoreUrl]) -> Self {
        Self { stores: Some(stores.to_vec()), ..self }
    }

    /// Whether a link is to a store that the workspace doesn't have. Where its stores are not known, the service says so when
    /// it is asked.
    #[must_use]
    pub fn is_elsewhere(&self, link: &StepProduct) -> bool {
        self.is_foreign(&link.store) || self.get(link) == Some(&Stocked::Elsewhere)
    }

    fn is_foreign(&self, store: &StoreUrl) -> bool {
        let has = |stores: &Vec<StoreUrl>| stores.iter().any(|known| store.is_same(known));
        !store.is_same(&self.store) && self.stores.as_ref().is_some_and(|stores| !has(stores))
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &StoreUrl {
        &self.store
    }

    /// Takes a product of the catalog, where a step links to it.
    pub fn take(&mut self, found: &FoundProduct) {
        if let Some(known) = self.products.get_mut(&found.product.external_product_id) {
            *known = Stocked::There(Arc::new(found.clone().into()));
        }
    }

    /// Notes what is known of a linked product, of whichever store.
    pub fn note(&mut self, link: &StepProduct, stocked: Stocked) {
        if link.store.is_same(&self.store) {
            self.put(link.product_id.clone(), stocked);
        } else {
            self.put_elsewhere((link.store.clone(), link.product_id.clone()), stocked);
        }
    }

    /// Whether a step links to this product, and it is not known as it is now.
    #[must_use]
    pub fn is_news(&self, found: &FoundProduct) -> bool {
        match self.products.get(&found.product.external_product_id) {
            Some(Stocked::There(known)) => known.found() != found,
            known => known.is_some(),
        }
    }

    /// Notes what the catalog says of one.
    pub fn put(&mut self, id: ProductId, stocked: Stocked) {
        self.products.insert(id, stocked);
    }

    /// Takes over what another one knows of the same products.
    pub fn keep(&mut self, other: &Self) {
        for (id, stocked) in &mut self.products {
            if let Some(known) = other.products.get(id) {
                stocked.clone_from(known);
            }
        }
        for (id, stocked) in &mut self.others {
            if let Some(known) = other.others.get(id) {
                stocked.clone_from(known);
            }
        }
    }

    /// The products that nothing is known of yet.
    #[must_use]
    pub fn missing(&self) -> Vec<ProductId> {
        let unknown = self.products.iter().filter(|(_, stocked)| **stocked == Stocked::Unknown);
        let mut missing: Vec<ProductId> = unknown.map(|(id, _)| id.clone()).collect();
        missing.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        missing
    }

    /// The products of other stores of the workspace that nothing is known of yet. Where its stores are not known, any store
    /// may be one of them.
    #[must_use]
    pub fn missing_elsewhere(&self) -> Vec<(StoreUrl, ProductId)> {
        let unknown = self.others.iter().filter(|(_, stocked)| **stocked == Stocked::Unknown);
        let unknown =
            unknown.map(|(of, _)| of).filter(|(store, _)| !self.is_foreign(store) && !store.as_str().trim().is_empty());
        sorted(unknown.cloned().collect())
    }

    /// Notes what another store says of one.
    pub fn put_elsewhere(&mut self, of: (StoreUrl, ProductId), stocked: Stocked) {
        self.others.insert(of, stocked);
    }

    /// The products that are looked up in other stores.
    #[must_use]
    pub fn elsewhere(&self) -> Vec<(StoreUrl, ProductId)> {
        let known =
            self.others.keys().filter(|(store, _)| !self.is_foreign(store) && !store.as_str().trim().is_empty());
        sorted(known.cloned().collect())
    }

    /// What is known of a linked product.
    #[must_use]
    pub fn get(&self, link: &StepProduct) -> Option<&Stocked> {
        if link.store.is_same(&self.store) {
            return self.products.get(&link.product_id);
        }
        self.others.get(&(link.store.clone(), link.product_id.clone()))
    }

    /// Its ids.
    #[must_use]
    pub fn ids(&self) -> HashSet<&str> {
        self.products.keys().map(ProductId::as_str).collect()
    }
}

fn sorted(mut of: Vec<(StoreUrl, ProductId)>) -> Vec<(StoreUrl, ProductId)> {
    of.sort_by(|(a_store, a), (b_store, b)| (a_store.as_str(), a.as_str()).cmp(&(b_store.as_str(), b.as_str())));
    of
}

/// The variants that a link means: one, or all; none where the one is gone.
pub(super) fn meant<'p>(link: &StepProduct, product: &'p Product) -> Vec<&'p Variant> {
    let is_meant =
        |variant: &&Variant| link.variant_id.as_ref().is_none_or(|meant| *meant == variant.external_variant_id);
    product.variants.iter().filter(is_meant).collect()
}
