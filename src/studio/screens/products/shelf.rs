//! How a product or a variant stands in stock, at a glance: by a sign and a colour, and in words.

use crate::domain::{Num, Offer, Product, Variant, sells_beyond_stock};
use crate::studio::widgets::{Ink, Role};

/// Fewer than these are low.
const LOW: i64 = 5;

/// How something stands in stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shelf {
    /// Nobody says.
    #[default]
    Unknown,
    /// There is enough.
    Enough,
    /// There is enough, and it is sold beyond that.
    SellsOn,
    /// There are few.
    Low,
    /// There is some, but not of every variant.
    Partly,
    /// There is none.
    SoldOut,
    /// There is none, and it is sold all the same.
    Oversold,
    /// It is not counted.
    Untracked,
}

impl Shelf {
    /// How a variant stands.
    #[must_use]
    pub fn of_variant(variant: &Variant) -> Self {
        match (variant.inventory_tracked, variant.inventory_quantity.and_then(Num::whole)) {
            (Some(false), _) => Self::Untracked,
            (_, None) => Self::Unknown,
            (_, Some(stock)) => match Self::of_stock(stock, oversells(variant)) {
                // What can't be told is not guessed, here as in the lint and in the player.
                Self::SoldOut if Offer::of(variant) == Offer::Unknown => Self::Unknown,
                shelf => shelf,
            },
        }
    }

    /// How so many stand, of what may be sold beyond stock or not.
    #[must_use]
    pub fn of_stock(stock: i64, oversells: bool) -> Self {
        match (stock, oversells) {
            (..=0, true) => Self::Oversold,
            (..=0, false) => Self::SoldOut,
            (1..LOW, _) => Self::Low,
            (LOW.., true) => Self::SellsOn,
            (LOW.., false) => Self::Enough,
        }
    }

    /// How a product stands: by its sum, and by what all its variants have in common.
    #[must_use]
    pub fn of_product(product: &Product) -> Self {
        let each: Vec<Self> = product.variants.iter().map(Self::of_variant).collect();
        let all = |shelf| !each.is_empty() && each.iter().all(|of| *of == shelf);
        let any = |shelf| each.contains(&shelf);
        match product.inventory() {
            _ if all(Self::Untracked) => Self::Untracked,
            Some(..=0) if any(Self::Oversold) || any(Self::Untracked) => Self::Oversold,
            Some(..=0) if product.is_sold_out() == Some(true) => Self::SoldOut,
            None | Some(..=0) => Self::Unknown,
            Some(..LOW) => Self::Low,
            Some(_) if any(Self::SoldOut) || any(Self::Oversold) => Self::Partly,
            Some(_) if product.variants.iter().all(|of| oversells(of) || Self::of_variant(of) == Self::Untracked) => {
                Self::SellsOn
            }
            Some(_) => Self::Enough,
        }
    }

    /// The sign before the number, for what is drawn later: in ASCII where that is all there is.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Unknown | Self::Enough => "",
            Self::Low => "!",
            Self::Partly => "◐",
            Self::SoldOut => "✗",
            Self::Oversold | Self::SellsOn => "↓",
            Self::Untracked => "∞",
        }
    }

    /// The sign before the number.
    #[must_use]
    pub fn sign(self, ink: Ink) -> &'static str {
        match self {
            Self::Unknown | Self::Enough | Self::Low => self.mark(),
            Self::Partly => ink.sign("◐", "%"),
            Self::SoldOut => ink.sign("✗", "x"),
            Self::Oversold | Self::SellsOn => ink.sign("↓", "v"),
            Self::Untracked => ink.sign("∞", "~"),
        }
    }

    /// How it looks.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::Unknown | Self::Untracked => Role::Faint,
            Self::Enough => Role::Text,
            Self::SellsOn => Role::Accent,
            Self::Low | Self::Partly | Self::Oversold => Role::Warn,
            Self::SoldOut => Role::Error,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Unknown => "stock unknown",
            Self::Enough => "in stock",
            Self::Low => "low",
            Self::Partly => "partly sold out",
            Self::SoldOut => "sold out",
            Self::Oversold => "sold out, sells on",
            Self::SellsOn => "sells beyond stock",
            Self::Untracked => "untracked",
        }
    }
}

/// Whether a variant is sold beyond its stock.
#[must_use]
pub fn oversells(variant: &Variant) -> bool {
    sells_beyond_stock(variant) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(stock: Option<i64>, tracked: Option<bool>, policy: &str) -> Variant {
        Variant {
            inventory_quantity: stock.map(Num::from),
            inventory_tracked: tracked,
            inventory_policy: Some(policy.to_owned()),
            ..Variant::default()
        }
    }

    #[test]
    fn every_way_to_stand_in_stock() {
        let of =
            |variants: &[Variant]| Shelf::of_product(&Product { variants: variants.to_vec(), ..Product::default() });
        let (plenty, none) = (variant(Some(9), Some(true), "deny"), variant(Some(0), Some(true), "deny"));
        let beyond = variant(Some(-3), None, "CONTINUE");
        assert_eq!(of(&[]), Shelf::Unknown);
        assert_eq!(of(std::slice::from_ref(&plenty)), Shelf::Enough);
        assert_eq!(of(&[variant(Some(4), None, "deny")]), Shelf::Low);
        assert_eq!(of(&[plenty.clone(), none.clone()]), Shelf::Partly);
        assert_eq!(of(std::slice::from_ref(&none)), Shelf::SoldOut);
        assert_eq!(of(&[none.clone(), beyond]), Shelf::Oversold);
        assert_eq!(of(&[variant(Some(0), Some(false), "deny")]), Shelf::Untracked);
        assert_eq!(of(&[variant(None, None, "deny")]), Shelf::Unknown);
        for untold in [variant(Some(0), None, "deny"), variant(Some(0), Some(true), "perhaps")] {
            assert_eq!(of(std::slice::from_ref(&untold)), Shelf::Unknown);
            assert_eq!(Shelf::of_variant(&untold), Shelf::Unknown);
        }
        assert_eq!(of(&[variant(Some(9), None, "continue"), variant(Some(1), None, "continue")]), Shelf::SellsOn);
        assert_eq!(of(&[variant(Some(9), None, "continue"), plenty.clone()]), Shelf::Enough);
    }

    #[test]
    fn no_two_ways_look_the_same_without_colours() {
        let all = [Shelf::Low, Shelf::Partly, Shelf::SoldOut, Shelf::Untracked, Shelf::Oversold, Shelf::Enough];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| other.mark() != one.mark() && other.role() != Role::Ok));
        }
    }
}
