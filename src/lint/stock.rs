//! What can be bought, and whether it is offered: S01 to S06.

use super::look::{Look, called, counted, of_variant};
use super::rule::Rule;
use crate::domain::{Num, Offer};

impl Look<'_> {
    /// S01 to S06.
    pub(super) fn stock(&mut self) {
        let product = &self.found.product;
        if product.variants.is_empty() {
            self.unknown(Rule::SoldOut);
            self.unknown(Rule::NearlyOut);
            self.unknown(Rule::Oversold);
            let said = match self.found.variants_count.whole() {
                Some(count) if count > 0 => {
                    format!("there should be {}, but the service gives none", counted_number(count, "variant"))
                }
                _ => "it has no variants: nothing can be bought".to_owned(),
            };
            self.tell(Rule::NoVariants, "variants", said);
        } else {
            self.stock_of_variants();
        }
        self.publication();
    }

    fn stock_of_variants(&mut self) {
        let product = &self.found.product;
        match product.is_sold_out() {
            Some(true) => {
                let of = match product.variants.len() {
                    1 => "nothing is left".to_owned(),
                    count => format!("nothing is left of {}", counted(count, "variant")),
                };
                self.tell(Rule::SoldOut, "variants[].inventoryQuantity", format!("it is sold out: {of}"));
            }
            Some(false) => {}
            None => self.unknown(Rule::SoldOut),
        }
        let offers: Vec<Offer> = product.variants.iter().map(Offer::of).collect();
        if offers.contains(&Offer::Unknown) {
            self.unknown(Rule::NearlyOut);
        } else if !offers.contains(&Offer::Unlimited) {
            let left: f64 = offers.iter().map(|offer| if let Offer::Left(left) = offer { *left } else { 0.0 }).sum();
            if left > 0.0 && left < self.limits.nearly_out {
                let sentence = format!("only {} left to buy", Num(left));
                self.tell(Rule::NearlyOut, "variants[].inventoryQuantity", sentence);
            }
        }
        for (at, variant) in product.variants.iter().enumerate() {
            match variant.inventory_quantity {
                None => self.unknown(Rule::Oversold),
                Some(quantity) if quantity.0 < 0.0 => {
                    let sentence = format!("{} has a stock of {quantity}", called(variant, at));
                    self.tell(Rule::Oversold, of_variant(at, "inventoryQuantity"), sentence);
                }
                Some(_) => {}
            }
        }
    }

    fn publication(&mut self) {
        let product = &self.found.product;
        if product.published_at.is_none() {
            self.tell(Rule::Unpublished, "publishedAt", "it is not published");
            return;
        }
        match product.status.as_deref().map(str::trim) {
            None | Some("") => self.unknown(Rule::PublishedNotActive),
            Some(word) if ["draft", "archived"].iter().any(|odd| word.eq_ignore_ascii_case(odd)) => {
                let status = word.to_ascii_lowercase();
                self.tell(Rule::PublishedNotActive, "status", format!("it is published, but its status is {status}"));
            }
            Some(word) if word.eq_ignore_ascii_case("active") => {}
            // The specification lists no words: what another one means nobody knows.
            Some(_) => self.unknown(Rule::PublishedNotActive),
        }
    }
}

fn counted_number(count: i64, what: &str) -> String {
    counted(usize::try_from(count).unwrap_or_default(), what)
}
