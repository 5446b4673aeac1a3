//! Whether something can be bought: one meaning for the lint, the player and the studio.

use super::num::Num;
use super::product::{Product, Variant};

/// Whether a variant can be bought, §2.3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offer {
    /// However many: it isn't counted, or may be oversold.
    Unlimited,
    /// So many; zero where none is left.
    Left(f64),
    /// It can't be told: a field is missing, or its word is none that is known.
    Unknown,
}

impl Offer {
    /// Whether a variant can be bought.
    #[must_use]
    pub fn of(variant: &Variant) -> Self {
        match (variant.inventory_tracked, variant.inventory_quantity) {
            (Some(false), _) => Self::Unlimited,
            (Some(true), Some(Num(quantity))) => match sells_beyond_stock(variant) {
                Some(true) => Self::Unlimited,
                _ if quantity > 0.0 => Self::Left(quantity),
                Some(false) => Self::Left(0.0),
                None => Self::Unknown,
            },
            (Some(true), None) if sells_beyond_stock(variant) == Some(true) => Self::Unlimited,
            _ => Self::Unknown,
        }
    }

    fn can_be_bought(self) -> bool {
        self == Self::Unlimited || matches!(self, Self::Left(left) if left > 0.0)
    }
}

/// Whether a variant may be sold when nothing is left; nothing where the word is none that is known.
#[must_use]
pub fn sells_beyond_stock(variant: &Variant) -> Option<bool> {
    let word = variant.inventory_policy.as_deref()?.trim();
    if word.eq_ignore_ascii_case("continue") { Some(true) } else { word.eq_ignore_ascii_case("deny").then_some(false) }
}

/// Whether none of these variants can be bought; nothing where that can't be told, or there are none.
#[must_use]
pub fn are_sold_out<'a>(variants: impl IntoIterator<Item = &'a Variant>) -> Option<bool> {
    let offers: Vec<Offer> = variants.into_iter().map(Offer::of).collect();
    if offers.iter().any(|offer| offer.can_be_bought()) {
        return Some(false);
    }
    (!offers.is_empty() && !offers.contains(&Offer::Unknown)).then_some(true)
}

impl Product {
    /// Whether no variant can be bought; nothing where it can't be told.
    #[must_use]
    pub fn is_sold_out(&self) -> Option<bool> {
        are_sold_out(&self.variants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sold_out_is_what_is_known_to_be() {
        let variant = |tracked: Option<bool>, left: Option<f64>, policy: Option<&str>| Variant {
            inventory_tracked: tracked,
            inventory_quantity: left.map(Num),
            inventory_policy: policy.map(str::to_owned),
            ..Variant::default()
        };
        let out = variant(Some(true), Some(0.0), Some("deny"));
        for (variants, expected) in [
            (vec![out.clone()], Some(true)),
            (vec![variant(Some(true), Some(-2.0), Some(" DENY "))], Some(true)),
            (vec![out.clone(), variant(Some(true), Some(1.0), None)], Some(false)),
            (vec![out.clone(), variant(Some(true), None, Some("CONTINUE"))], Some(false)),
            (vec![variant(Some(false), Some(0.0), None)], Some(false)),
            // What can't be told is not guessed.
            (vec![variant(None, Some(0.0), Some("deny"))], None),
            (vec![variant(Some(true), Some(0.0), Some("perhaps"))], None),
            (vec![out, variant(Some(true), None, Some("deny"))], None),
            (Vec::new(), None),
        ] {
            assert_eq!(are_sold_out(&variants), expected, "{variants:?}");
        }
    }
}
