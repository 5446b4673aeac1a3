//! What things cost: S07 to S10 of one product, S11 and S12. What a store's products share is in `alike`.

use super::look::{Look, called, number, of_variant, said};
use super::rule::Rule;
use crate::domain::{Num, Product, has_symbol};

/// A price is an outlier at this many times what its kind costs.
const OUTLIER: f64 = 10.0;

/// The same, for prices in whole parts of a coin.
pub(super) const OUTLIER_TIMES: u64 = 10;

/// What multiplying makes of a price is off by less, of one: 10 × 0.07 is above 0.7.
const EXACT: f64 = 1e-12;

/// Two prices nearer than this are one: half of the smallest coin.
const SAME: f64 = 0.005;

/// The readable prices of a product's variants, with their places.
pub(super) fn prices(product: &Product) -> impl Iterator<Item = (usize, f64)> + '_ {
    let read = |(at, variant): (usize, &crate::domain::Variant)| Some((at, number(variant.price.as_deref()?)?));
    product.variants.iter().enumerate().filter_map(read)
}

impl Look<'_> {
    /// S07 to S12, but for what only the store's other products tell.
    pub(super) fn price(&mut self) {
        let product = &self.found.product;
        for (at, variant) in product.variants.iter().enumerate() {
            let price = said(variant.price.as_ref());
            let read = price.and_then(number);
            match (price, read) {
                (None, _) => {
                    let sentence = format!("{} has no price", called(variant, at));
                    self.tell(Rule::PriceMissing, of_variant(at, "price"), sentence);
                }
                (Some(price), None) => {
                    let sentence = format!("the price of {} is not a number: \"{price}\"", called(variant, at));
                    self.tell(Rule::PriceMissing, of_variant(at, "price"), sentence);
                }
                (Some(price), Some(read)) if read <= 0.0 => {
                    let sentence = format!("{} costs {price}", called(variant, at));
                    self.tell(Rule::PriceZero, of_variant(at, "price"), sentence);
                }
                _ => {}
            }
            if read.is_none() {
                self.unknown(Rule::PriceZero);
            }
            self.compare_at(at, read);
        }
        if product.variants.is_empty() {
            let rules = [Rule::PriceMissing, Rule::PriceZero, Rule::CompareAtWrong];
            for rule in rules {
                self.unknown(rule);
            }
        }
        self.outliers();
        self.currency();
        self.price_of_search();
    }

    fn compare_at(&mut self, at: usize, price: Option<f64>) {
        let Some(variant) = self.found.product.variants.get(at) else { return };
        let Some(before) = said(variant.compare_at_price.as_ref()) else { return };
        match (number(before), price) {
            (Some(read), Some(price)) if read <= price => {
                let name = called(variant, at);
                let sentence = format!("{name} was {before} before its discount and is {} now", Num(price));
                self.tell(Rule::CompareAtWrong, of_variant(at, "compareAtPrice"), sentence);
            }
            (Some(_), Some(_)) => {}
            _ => self.unknown(Rule::CompareAtWrong),
        }
    }

    /// Variants that cost ten times what their siblings do.
    fn outliers(&mut self) {
        let product = &self.found.product;
        let mut sorted: Vec<f64> = prices(product).map(|(_, price)| price).filter(|price| *price > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        for (at, price) in prices(product) {
            let Some(median) = median_without(&sorted, price).filter(|median| is_outlier(price, *median)) else {
                continue;
            };
            let Some(variant) = product.variants.get(at) else { continue };
            let sentence = format!(
                "{} costs {}, the product's other variants about {}",
                called(variant, at),
                Num(price),
                Num(median)
            );
            self.tell(Rule::PriceOutlier, of_variant(at, "price"), sentence);
        }
    }

    fn currency(&mut self) {
        let product = &self.found.product;
        match (said(product.currency_code.as_ref()), said(product.currency_symbol.as_ref())) {
            (None, None) => self.tell(Rule::Currency, "currencyCode", "its prices have no currency"),
            (None, Some(symbol)) => {
                let sentence = format!("its prices have no currency code, only the symbol \"{symbol}\"");
                self.tell(Rule::Currency, "currencyCode", sentence);
            }
            (Some(code), Some(symbol)) if has_symbol(code, symbol) == Some(false) => {
                let sentence = format!("its prices are in {code}, but their symbol is \"{symbol}\"");
                self.tell(Rule::Currency, "currencySymbol", sentence);
            }
            // A code alone says everything, and a symbol that isn't known may be one of its own.
            _ => {}
        }
    }

    fn price_of_search(&mut self) {
        let product = &self.found.product;
        let all_read = prices(product).count() == product.variants.len() && !product.variants.is_empty();
        let Some(price) = self.found.price.filter(|_| all_read) else {
            self.unknown(Rule::PriceDisagrees);
            return;
        };
        if !prices(product).any(|(_, own)| (own - price.0).abs() < SAME) {
            self.tell(Rule::PriceDisagrees, "price", format!("searches say {price}, which is no variant's price"));
        }
    }
}

fn is_outlier(price: f64, usual: f64) -> bool {
    price >= OUTLIER * usual * (1.0 - EXACT)
}

/// The median of sorted prices, one of this amount left out.
fn median_without(sorted: &[f64], price: f64) -> Option<f64> {
    let own = sorted.iter().position(|other| other.total_cmp(&price).is_eq())?;
    let others = sorted.len().checked_sub(1).filter(|others| *others > 0)?;
    let nth = |at: usize| sorted.get(if at < own { at } else { at + 1 }).copied();
    let middle = others / 2;
    if others % 2 == 1 { nth(middle) } else { Some(f64::midpoint(nth(middle - 1)?, nth(middle)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_is_an_outlier_however_it_is_multiplied() {
        assert!(is_outlier(0.7, 0.07) && is_outlier(199.9, 19.99) && is_outlier(333.0, 33.3));
        assert!(!is_outlier(0.69, 0.07) && !is_outlier(199.89, 19.99));
    }

    #[test]
    fn the_median_is_that_of_the_others() {
        assert_eq!(median_without(&[10.0], 10.0), None);
        assert_eq!(median_without(&[10.0, 200.0], 200.0), Some(10.0));
        assert_eq!(median_without(&[10.0, 20.0, 200.0], 200.0), Some(15.0));
        assert_eq!(median_without(&[10.0, 20.0, 30.0, 200.0], 20.0), Some(30.0));
    }
}
