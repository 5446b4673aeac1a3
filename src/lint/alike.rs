//! What products of one store share: SKUs, barcodes, titles, currencies, prices of a kind, words. S10 by kind, S11, S14,
//! S16, S28, S31, S32.

use std::collections::BTreeMap;

use super::look::{Look, called, of_variant, said};
use super::near::Used;
use super::price::{OUTLIER, prices};
use super::problem::{Problem, Record};
use super::rule::Rule;
use super::seen::{Ids, Seen};
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

/// The currencies of products, in the order in which these came: two bytes each.
#[derive(Debug, Default)]
struct Currencies {
    /// Each with how many products have it.
    known: Vec<(String, u64)>,
    places: BTreeMap<String, u16>,
    /// Places among the known ones, counted from 1; 0 for those without a currency, and those behind the last place.
    of: Vec<u16>,
}

impl Currencies {
    fn add(&mut self, currency: Option<&str>) {
        let place = currency.map_or(0, |currency| self.place(currency.to_ascii_uppercase()));
        let known = usize::from(place).checked_sub(1).and_then(|at| self.known.get_mut(at));
        if let Some((_, products)) = known {
            *products += 1;
        }
        self.of.push(place);
    }

    fn place(&mut self, currency: String) -> u16 {
        if let Some(place) = self.places.get(&currency) {
            return *place;
        }
        let Ok(place) = u16::try_from(self.known.len() + 1) else { return 0 };
        self.known.push((currency.clone(), 0));
        self.places.insert(currency, place);
        place
    }

    /// The one that most products have; of those that are as common the first by the alphabet.
    fn usual(&self) -> Option<&str> {
        let usual = self.known.iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
        usual.map(|(currency, _)| currency.as_str())
    }

    /// The products with another one, by currency and then as they came.
    fn others(&self, usual: &str) -> Vec<(u32, &str)> {
        let other = |(at, place): (usize, &u16)| {
            let (currency, _) = self.known.get(usize::from(*place).checked_sub(1)?)?;
            let at = u32::try_from(at).ok().filter(|_| currency != usual)?;
            Some((at, currency.as_str()))
        };
        let mut others: Vec<_> = self.of.iter().enumerate().filter_map(other).collect();
        others.sort_by_key(|(_, currency)| *currency);
        others
    }
}

/// What was seen of a store so far. Of a product only its id is kept.
#[derive(Debug, Default)]
pub(super) struct Shared {
    ids: Ids,
    seen: Seen,
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
        self.seen.first(product.external_product_id.as_str(), 0).is_none()
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
        others.into_iter().map(told).collect()
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
