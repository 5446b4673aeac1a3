//! What products of one store share: SKUs, barcodes, titles, currencies, prices of a kind, words. S10 by kind, S11, S14,
//! S16, S28, S31, S32.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::look::{Look, called, of_variant, said};
use super::near::Used;
use super::price::{OUTLIER_TIMES, prices};
use super::problem::{Affected, Problem, Record};
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

/// The bits of a price that are then kept: they tell a five-hundredth.
const KEPT_BITS: u32 = 10;

/// The smallest parts of a coin that any currency has.
const PARTS: f64 = 1_000.0;

/// More currencies than there are.
const CURRENCIES: usize = 1_000;

/// The prices of one product type.
#[derive(Debug, Default)]
struct Kind {
    /// How many there are of each price, in thousandths: as wholes they are compared as they are written.
    counts: BTreeMap<u64, u32>,
    all: usize,
    /// The highest, with their products and variants.
    highest: Vec<(u64, u32, u32)>,
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
            if !self.types.add(kind, at) {
                look.unknown(Rule::KindNear);
            }
            let known = self.kinds.entry(kind.to_owned()).or_default();
            for (variant, price) in prices(product).filter(|(_, price)| *price > 0.0) {
                known.add(price, at, variant);
            }
        }
        for tag in &product.tags {
            if !self.tags.add(tag, at) {
                look.unknown(Rule::TagNear);
            }
        }
        if let Some(vendor) = said(product.vendor.as_ref())
            && !self.vendors.add(vendor, at)
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
                let listed: Vec<String> = near.products.iter().filter_map(|at| self.ids.get(*at)).collect();
                let more = near.uses.saturating_sub(u64::try_from(listed.len()).unwrap_or_default());
                problems.push(Problem::new(rule, record, field, sentence).of_products(Affected { listed, more }));
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
            let least = usual.saturating_mul(OUTLIER_TIMES);
            let usual = amount(usual);
            kind.highest.retain(|(price, ..)| *price >= least);
            kind.highest.sort_by_key(|(_, product, variant)| (*product, *variant));
            for (price, product, variant) in &kind.highest {
                let sentence = format!("a variant costs {}, 99 of 100 {name} at most {usual}", amount(*price));
                let record = self.record(store, *product);
                let field = of_variant(usize::try_from(*variant).unwrap_or_default(), "price");
                problems.push(Problem::new(Rule::PriceOutlier, record, field, sentence));
            }
            let more = kind.from(least).saturating_sub(kind.highest.len());
            if more > 0 && kind.highest.len() >= HIGHEST {
                let sentence =
                    format!("{more} more variants cost ten times what 99 of 100 {name} do, {usual}, or more");
                let record = Record::Word { store: store.clone(), word: name.clone() };
                problems.push(Problem::new(Rule::PriceOutlier, record, "variants[].price", sentence));
            }
        }
        problems
    }
}

impl Kind {
    fn add(&mut self, price: f64, product: u32, variant: usize) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "above 0, and what is larger is cut"
        )]
        let price = (price * PARTS).round() as u64;
        let is_exact = self.counts.len() < EXACT || self.counts.contains_key(&price);
        // Upwards, so that what is said of it stays true.
        *self.counts.entry(if is_exact { price } else { rough(price) }).or_default() += 1;
        self.all += 1;
        self.highest.push((price, product, u32::try_from(variant).unwrap_or(u32::MAX)));
        if self.highest.len() >= 2 * HIGHEST {
            self.highest.sort_by_key(|(price, ..)| std::cmp::Reverse(*price));
            self.highest.truncate(HIGHEST);
        }
    }

    /// What 99 of 100 cost at most; nothing where there are too few to tell.
    fn high(&self) -> Option<u64> {
        if self.all < ENOUGH {
            return None;
        }
        let above = self.all / 100;
        let mut passed = 0;
        self.counts.iter().rev().find_map(|(price, count)| {
            passed += usize::try_from(*count).unwrap_or(usize::MAX);
            (passed > above).then_some(*price)
        })
    }

    /// How many prices are this high or higher.
    fn from(&self, least: u64) -> usize {
        self.counts.range(least..).map(|(_, count)| usize::try_from(*count).unwrap_or(usize::MAX)).sum()
    }
}

/// A price with all but its first bits set.
fn rough(price: u64) -> u64 {
    let left_out = (u64::BITS - price.leading_zeros()).saturating_sub(KEPT_BITS);
    price | ((1 << left_out) - 1)
}

/// A price in its currency.
fn amount(parts: u64) -> Num {
    #[expect(clippy::cast_precision_loss, reason = "no price has 2^52 parts")]
    Num(parts as f64 / PARTS)
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
        let high = amount(kind.high().unwrap()).0;
        assert!((990.0..993.0).contains(&high), "{high}");
        assert!(kind.counts.len() < 2 * EXACT && kind.highest.capacity() < 4 * HIGHEST, "{}", kind.counts.len());
    }

    #[test]
    fn ten_times_is_ten_times_as_it_is_written() {
        for (usual, high) in [(19.99, 199.9), (0.07, 0.7), (0.1, 1.0), (49_999.99, 499_999.9), (33.3, 333.0)] {
            let outliers = |high: f64| {
                let mut kind = Kind::default();
                (0..300).for_each(|at| kind.add(usual, at, 0));
                kind.add(high, 300, 0);
                kind.from(kind.high().unwrap() * OUTLIER_TIMES)
            };
            assert_eq!((outliers(high), outliers(high - 0.01)), (1, 0), "{usual}");
        }
    }

    #[test]
    fn no_outlier_is_left_out_without_a_word() {
        let mut shared = Shared::default();
        let kind = shared.kinds.entry("Socks".to_owned()).or_default();
        let many = 3 * u32::try_from(HIGHEST).unwrap();
        for at in 0..400_000_u32 {
            kind.add(if at < many { 500.0 } else { 20.0 }, at, 0);
        }
        let problems = shared.outliers(&StoreUrl::from("https://shop.example"));
        let (told, more): (Vec<_>, Vec<_>) =
            problems.iter().partition(|problem| matches!(problem.record, Record::Product { .. }));
        assert_eq!(more.len(), 1);
        let more = more[0];
        assert!(told.len() >= HIGHEST, "{}", told.len());
        let left = 3 * HIGHEST - told.len();
        assert!(more.sentence.starts_with(&format!("{left} more variants")), "{}", more.sentence);
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
