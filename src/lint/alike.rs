//! What products of one store share: SKUs, barcodes, titles, currencies, prices of a kind, words. S10 by kind, S11, S14,
//! S16, S28, S31, S32.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::look::{Look, called, of_variant, said};
use super::near::Used;
use super::price::{OUTLIER, prices};
use super::problem::{Problem, Record};
use super::rule::Rule;
use crate::domain::text::fold;
use crate::domain::{Num, Product, StoreUrl};

/// Not more candidates than this are kept of the prices of one kind: outliers are among the highest.
const HIGHEST: usize = 1_000;

/// Fewer prices say nothing of what a kind costs.
const ENOUGH: usize = 100;

/// The prices of one product type.
#[derive(Debug, Default)]
struct Kind {
    all: Vec<f32>,
    /// The highest, with their products and variants.
    highest: Vec<(f32, u32, usize)>,
}

/// What was seen of a store so far. Of a product only its id is kept.
#[derive(Debug, Default)]
pub(super) struct Shared {
    ids: Ids,
    seen: HashSet<u64>,
    skus: HashMap<u64, u32>,
    barcodes: HashMap<u64, u32>,
    titles: HashMap<u64, u32>,
    currencies: BTreeMap<String, Vec<u32>>,
    kinds: BTreeMap<String, Kind>,
    tags: Used,
    types: Used,
    vendors: Used,
}

/// The ids of products, one behind the other.
#[derive(Debug, Default)]
struct Ids {
    text: String,
    ends: Vec<usize>,
}

impl Ids {
    fn add(&mut self, id: &str) -> u32 {
        let at = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.text.push_str(id);
        self.ends.push(self.text.len());
        at
    }

    fn get(&self, at: u32) -> &str {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let from = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.ends.get(at).and_then(|to| self.text.get(from..*to)).unwrap_or_default()
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Shared {
    /// Whether a product comes for the first time: some services repeat one on the next page.
    pub(super) fn is_new(&mut self, product: &Product) -> bool {
        self.seen.insert(hash(product.external_product_id.as_str()))
    }

    /// Takes a product in, and tells what it shares with those before it.
    pub(super) fn add(&mut self, look: &mut Look<'_>) {
        let product = &look.found.product;
        let at = self.ids.add(product.external_product_id.as_str());
        self.codes(at, look);
        let title = fold(product.title.trim());
        if !title.is_empty() {
            match self.titles.entry(hash(&title)) {
                Entry::Vacant(new) => drop(new.insert(at)),
                Entry::Occupied(other) => {
                    let sentence = format!("product {} has the same title", self.ids.get(*other.get()));
                    look.tell(Rule::Title, "title", sentence);
                }
            }
        }
        if let Some(currency) = said(product.currency_code.as_ref()) {
            self.currencies.entry(currency.to_ascii_uppercase()).or_default().push(at);
        }
        if let Some(kind) = said(product.product_type.as_ref()) {
            self.types.add(kind);
            let known = self.kinds.entry(kind.to_owned()).or_default();
            for (variant, price) in prices(product).filter(|(_, price)| *price > 0.0) {
                known.add(price, at, variant);
            }
        }
        product.tags.iter().for_each(|tag| self.tags.add(tag));
        if let Some(vendor) = said(product.vendor.as_ref()) {
            self.vendors.add(vendor);
        }
    }

    fn codes(&mut self, at: u32, look: &mut Look<'_>) {
        let product = &look.found.product;
        for (nth, variant) in product.variants.iter().enumerate() {
            if let Some(sku) = said(variant.sku.as_ref()) {
                match self.skus.entry(hash(&fold(sku))) {
                    Entry::Vacant(new) => drop(new.insert(at)),
                    Entry::Occupied(other) => {
                        let whose = match *other.get() {
                            other if other == at => "another variant of the product".to_owned(),
                            other => format!("product {}", self.ids.get(other)),
                        };
                        let sentence = format!("{} has the SKU {sku}, and so has {whose}", called(variant, nth));
                        look.tell(Rule::SkuTwice, of_variant(nth, "sku"), sentence);
                    }
                }
            }
            if let Some(barcode) = said(variant.barcode.as_ref()) {
                match self.barcodes.entry(hash(barcode)) {
                    Entry::Vacant(new) => drop(new.insert(at)),
                    Entry::Occupied(other) if *other.get() == at => {}
                    Entry::Occupied(other) => {
                        let whose = self.ids.get(*other.get());
                        let sentence =
                            format!("{} has the barcode {barcode}, and so has product {whose}", called(variant, nth));
                        look.tell(Rule::BarcodeTwice, of_variant(nth, "barcode"), sentence);
                    }
                }
            }
        }
    }

    /// What only the whole store tells.
    pub(super) fn end(&mut self, store: &StoreUrl) -> Vec<Problem> {
        let mut problems = self.mixed_currencies(store);
        problems.extend(self.outliers(store));
        let words = [
            (Rule::TagNear, "tags", "tag", &self.tags),
            (Rule::KindNear, "productType", "product type", &self.types),
            (Rule::KindNear, "vendor", "vendor", &self.vendors),
        ];
        for (rule, field, what, used) in words {
            for near in used.near() {
                let sentence = format!(
                    "the {what} \"{}\" ({}) is spelled almost like \"{}\" ({})",
                    near.word,
                    uses(near.uses),
                    near.like,
                    uses(near.like_uses)
                );
                let record = Record::Word { store: store.clone(), word: near.word };
                problems.push(Problem::new(rule, record, field, sentence));
            }
        }
        problems
    }

    fn record(&self, store: &StoreUrl, at: u32) -> Record {
        Record::Product { store: store.clone(), id: self.ids.get(at).to_owned(), title: None }
    }

    fn mixed_currencies(&self, store: &StoreUrl) -> Vec<Problem> {
        let Some((usual, _)) = self.currencies.iter().rev().max_by_key(|(_, products)| products.len()) else {
            return Vec::new();
        };
        let others = self.currencies.iter().filter(|(currency, _)| *currency != usual);
        let told = |(currency, products): (&String, &Vec<u32>)| -> Vec<Problem> {
            let one = |at: &u32| {
                let sentence = format!("its prices are in {currency}, most of the store's in {usual}");
                Problem::new(Rule::Currency, self.record(store, *at), "currencyCode", sentence)
            };
            products.iter().map(one).collect()
        };
        others.flat_map(told).collect()
    }

    fn outliers(&mut self, store: &StoreUrl) -> Vec<Problem> {
        let mut kinds = std::mem::take(&mut self.kinds);
        let mut problems = Vec::new();
        for (name, kind) in &mut kinds {
            let Some(usual) = kind.high() else { continue };
            kind.highest.sort_by_key(|(_, product, variant)| (*product, *variant));
            for (price, product, variant) in
                kind.highest.iter().filter(|(price, ..)| f64::from(*price) >= OUTLIER * f64::from(usual))
            {
                let (price, usual) = (Num(f64::from(*price)), Num(f64::from(usual)));
                let sentence = format!("a variant costs {price}, 99 of 100 {name} at most {usual}");
                let record = self.record(store, *product);
                problems.push(Problem::new(Rule::PriceOutlier, record, of_variant(*variant, "price"), sentence));
            }
        }
        problems
    }
}

impl Kind {
    fn add(&mut self, price: f64, product: u32, variant: usize) {
        #[allow(clippy::cast_possible_truncation)] // A factor of ten is looked for.
        let price = price as f32;
        self.all.push(price);
        self.highest.push((price, product, variant));
        if self.highest.len() >= 2 * HIGHEST {
            self.highest.sort_by(|one, other| other.0.total_cmp(&one.0));
            self.highest.truncate(HIGHEST);
        }
    }

    /// What 99 of 100 cost at most; nothing where there are too few to tell.
    fn high(&mut self) -> Option<f32> {
        let count = self.all.len();
        if count < ENOUGH {
            return None;
        }
        let at = count - 1 - count / 100;
        let (_, high, _) = self.all.select_nth_unstable_by(at, f32::total_cmp);
        Some(*high)
    }
}

fn uses(count: u64) -> String {
    if count == 1 { "1 product".to_owned() } else { format!("{count} products") }
}
