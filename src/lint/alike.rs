//! What products of one store share: SKUs, barcodes, titles, currencies, prices of a kind, words. S10 by kind, S11, S14,
//! S16, S28, S31, S32.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::look::{Look, called, of_variant, said};
use super::near::Used;
use super::price::{OUTLIER, prices};
use super::problem::{Problem, Record};
use super::rule::Rule;
use super::seen::{Ids, Known, Seen};
use crate::domain::text::fold;
use crate::domain::{Num, Product, StoreUrl};

/// Not more candidates than this are kept of the prices of one kind: outliers are among the highest.
const HIGHEST: usize = 1_000;

/// Fewer prices say nothing of what a kind costs.
const ENOUGH: usize = 100;

/// From so many different prices of one kind on, others are counted with those that are nearly the same.
const EXACT: usize = 10_000;

/// The bits of a price that are then left out: what remains tells a five-hundredth.
const ROUGH: u32 = (1 << 14) - 1;

/// More currencies than there are.
const CURRENCIES: usize = 1_000;

/// The prices of one product type.
#[derive(Debug, Default)]
struct Kind {
    /// How many there are of each price, by its bits, which are in the order of prices above 0.
    counts: BTreeMap<u32, u32>,
    all: usize,
    /// The highest, with their products and variants.
    highest: Vec<(f32, u32, usize)>,
}

/// The currencies of products.
#[derive(Debug, Default)]
struct Currencies {
    /// Of each the products that have it, by the order in which they came: a bit for each product, or less.
    of: BTreeMap<String, RoaringBitmap>,
    /// How many products came.
    products: u32,
}

impl Currencies {
    fn add(&mut self, currency: Option<&str>) {
        let at = self.products;
        self.products = at.saturating_add(1);
        let Some(currency) = currency.map(str::to_ascii_uppercase) else { return };
        if self.of.len() < CURRENCIES || self.of.contains_key(&currency) {
            self.of.entry(currency).or_default().insert(at);
        }
    }

    /// The one that most products have; of those that are as common the first by the alphabet.
    fn usual(&self) -> Option<&str> {
        let usual = self.of.iter().max_by(|one, other| one.1.len().cmp(&other.1.len()).then(other.0.cmp(one.0)));
        usual.map(|(currency, _)| currency.as_str())
    }

    /// The products with another one, by currency and then as they came.
    fn others(&self, usual: &str) -> impl Iterator<Item = (u32, &str)> {
        let others = self.of.iter().filter(move |(currency, _)| *currency != usual);
        others.flat_map(|(currency, products)| products.iter().map(move |at| (at, currency.as_str())))
    }
}

/// What was seen of a store so far. Of a product only its id is kept.
#[derive(Debug, Default)]
pub(super) struct Shared {
    ids: Ids,
    known: Known,
    skus: Seen,
    barcodes: Seen,
    titles: Seen,
    currencies: Currencies,
    kinds: BTreeMap<String, Kind>,
    tags: Used,
    types: Used,
    vendors: Used,
}

impl Shared {
    /// Whether a product comes for the first time: some services repeat one on the next page.
    pub(super) fn is_new(&mut self, product: &Product) -> bool {
        self.known.is_new(product.external_product_id.as_str())
    }

    /// Takes a product in, and tells what it shares with those before it.
    pub(super) fn add(&mut self, look: &mut Look<'_>) {
        let product = &look.found.product;
        let at = self.ids.add(product.external_product_id.as_str());
        self.codes(at, look);
        let title = fold(product.title.trim());
        if !title.is_empty()
            && let Some(other) = self.titles.first(&title, at)
        {
            look.tell(Rule::Title, "title", format!("{} has the same title", self.product(other)));
        }
        self.currencies.add(said(product.currency_code.as_ref()));
        if let Some(kind) = said(product.product_type.as_ref()) {
            if !self.types.add(kind) {
                look.unknown(Rule::KindNear);
            }
            let known = self.kinds.entry(kind.to_owned()).or_default();
            for (variant, price) in prices(product).filter(|(_, price)| *price > 0.0) {
                known.add(price, at, variant);
            }
        }
        for tag in &product.tags {
            if !self.tags.add(tag) {
                look.unknown(Rule::TagNear);
            }
        }
        if let Some(vendor) = said(product.vendor.as_ref())
            && !self.vendors.add(vendor)
        {
            look.unknown(Rule::KindNear);
        }
    }

    fn codes(&mut self, at: u32, look: &mut Look<'_>) {
        let product = &look.found.product;
        for (nth, variant) in product.variants.iter().enumerate() {
            if let Some(sku) = said(variant.sku.as_ref())
                && let Some(other) = self.skus.first(&fold(sku), at)
            {
                let whose = if other == at { "another variant of the product".to_owned() } else { self.product(other) };
                let sentence = format!("{} has the SKU {sku}, and so has {whose}", called(variant, nth));
                look.tell(Rule::SkuTwice, of_variant(nth, "sku"), sentence);
            }
            if let Some(barcode) = said(variant.barcode.as_ref())
                && let Some(other) = self.barcodes.first(barcode, at).filter(|other| *other != at)
            {
                let whose = self.product(other);
                let sentence = format!("{} has the barcode {barcode}, and so has {whose}", called(variant, nth));
                look.tell(Rule::BarcodeTwice, of_variant(nth, "barcode"), sentence);
            }
        }
    }

    /// The words for another product.
    fn product(&self, at: u32) -> String {
        self.ids.get(at).map_or_else(|| "another product".to_owned(), |id| format!("product {id}"))
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
        Record::Product { store: store.clone(), id: self.ids.get(at).unwrap_or_default(), title: None }
    }

    fn mixed_currencies(&self, store: &StoreUrl) -> Vec<Problem> {
        let Some(usual) = self.currencies.usual() else { return Vec::new() };
        let others = self.currencies.others(usual);
        let told = |(at, currency): (u32, &str)| {
            let sentence = format!("its prices are in {currency}, most of the store's in {usual}");
            Problem::new(Rule::Currency, self.record(store, at), "currencyCode", sentence)
        };
        others.map(told).collect()
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
        let bits = price.to_bits();
        let is_exact = self.counts.len() < EXACT || self.counts.contains_key(&bits);
        // Upwards, so that what is said of it stays true.
        *self.counts.entry(if is_exact { bits } else { bits | ROUGH }).or_default() += 1;
        self.all += 1;
        self.highest.push((price, product, variant));
        if self.highest.len() >= 2 * HIGHEST {
            self.highest.sort_by(|one, other| other.0.total_cmp(&one.0));
            self.highest.truncate(HIGHEST);
        }
    }

    /// What 99 of 100 cost at most; nothing where there are too few to tell.
    fn high(&self) -> Option<f32> {
        if self.all < ENOUGH {
            return None;
        }
        let above = self.all / 100;
        let mut passed = 0;
        self.counts.iter().rev().find_map(|(bits, count)| {
            passed += usize::try_from(*count).unwrap_or(usize::MAX);
            (passed > above).then(|| f32::from_bits(*bits))
        })
    }
}

fn uses(count: u64) -> String {
    if count == 1 { "1 product".to_owned() } else { format!("{count} products") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_of_a_kind_take_no_more_memory_however_many_there_are() {
        let mut kind = Kind::default();
        for at in 0..300_000_u32 {
            // From 1 to 1,000, no two alike.
            kind.add(1.0 + f64::from(at) * 999.0 / 300_000.0, at, 0);
        }
        let high = f64::from(kind.high().unwrap());
        assert!((990.0..993.0).contains(&high), "{high}");
        assert!(kind.counts.len() < 2 * EXACT && kind.highest.capacity() < 4 * HIGHEST, "{}", kind.counts.len());
    }

    #[test]
    fn the_currency_of_most_is_usual_and_the_others_are_told() {
        let mut currencies = Currencies::default();
        for currency in [Some("nok"), None, Some("EUR"), Some("NOK"), Some("eur"), Some("SEK")] {
            currencies.add(currency);
        }
        assert_eq!(currencies.usual(), Some("EUR"), "the first by the alphabet");
        currencies.add(Some("NOK"));
        let usual = currencies.usual().unwrap();
        assert_eq!(
            (usual, currencies.others(usual).collect::<Vec<_>>()),
            ("NOK", vec![(2, "EUR"), (4, "EUR"), (5, "SEK")])
        );
        for at in 0..1_000_000_u32 {
            currencies.add(Some(if at % 1_000 == 0 { "NOK" } else { "EUR" }));
        }
        let bytes: usize = currencies.of.values().map(RoaringBitmap::serialized_size).sum();
        assert!(bytes < 300_000, "{bytes}");
    }
}
