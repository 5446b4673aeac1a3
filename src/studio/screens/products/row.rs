//! What a line of the list needs of a product, and no more: there may be a hundred thousand of them.

use super::facets::Facets;
use super::shelf::Shelf;
use crate::domain::{FoundProduct, Num, Product, ProductId, cut, text};
use crate::studio::ground::Moment;
use crate::studio::widgets::time::moment_of;

/// The most of a title that is kept, characters.
const MOST_TITLE: usize = 200;
/// The most of any other text.
const MOST_TEXT: usize = 60;

/// A product as the list shows it. Its texts are harmless already.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which product.
    pub id: ProductId,
    /// Its title.
    pub title: Box<str>,
    /// Who makes it.
    pub vendor: Box<str>,
    /// What kind of thing it is.
    pub kind: Box<str>,
    /// Lowest and highest price, as text.
    pub price: Box<str>,
    /// How many are in stock, where the variants were there to be added up.
    pub stock: Option<i64>,
    /// How it stands in stock.
    pub shelf: Shelf,
    /// When the provider changed it last.
    pub updated: Option<Moment>,
    /// Why nobody sees it in the shop, in a word; empty where it is published.
    pub hidden: &'static str,
    /// Its page in the shop.
    pub address: Box<str>,
    /// What its analysis says, where that was asked for.
    pub facets: Option<Facets>,
    /// The address of its picture; empty where it has none.
    pub picture: Box<str>,
}

impl Row {
    /// The row of a product found.
    #[must_use]
    pub fn of(found: &FoundProduct) -> Self {
        let product = &found.product;
        let updated = product.provider_updated_at.as_deref().unwrap_or(&product.updated_at);
        let price = match (product.price_range(), found.price) {
            (Some((low, high)), _) if low == high => price(low),
            (Some((low, high)), _) => format!("{}–{}", price(low), price(high)),
            (None, Some(lowest)) => price(lowest),
            (None, None) => String::new(),
        };
        let picture = found.image_url.as_ref().or(product.featured_media_preview_url.as_ref());
        Self {
            id: product.external_product_id.clone(),
            title: short(&product.title, MOST_TITLE),
            vendor: short(product.vendor.as_deref().unwrap_or_default(), MOST_TEXT),
            kind: short(product.product_type.as_deref().unwrap_or_default(), MOST_TEXT),
            price: price.into(),
            stock: product.inventory(),
            shelf: Shelf::of_product(product),
            updated: moment_of(updated),
            hidden: hidden(product),
            address: short(&product.product_url, 500),
            facets: Facets::of(found),
            picture: whole(picture.map(String::as_str).unwrap_or_default(), 1_000),
        }
    }
}

/// What keeps a product from being seen in the shop.
fn hidden(product: &Product) -> &'static str {
    match product.status.as_deref().unwrap_or_default().to_lowercase().as_str() {
        "draft" => "draft",
        "archived" => "archived",
        _ if product.published_at.is_none() => "unpublished",
        _ => "",
    }
}

/// An address as it is, for it is asked for and not shown; one that is too long is none.
fn whole(address: &str, most: usize) -> Box<str> {
    if address.len() <= most { address.into() } else { Box::default() }
}

/// A price without needless decimals.
#[must_use]
pub fn price(amount: Num) -> String {
    match amount.whole() {
        Some(whole) => whole.to_string(),
        None => format!("{:.2}", amount.0),
    }
}

fn short(text: &str, most: usize) -> Box<str> {
    text::line(cut(text, most)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Variant;

    #[test]
    fn a_row_is_small_and_harmless() {
        let variant = |price: &str, stock: i64| Variant {
            price: Some(price.into()),
            inventory_quantity: Some(Num::from(stock)),
            ..Variant::default()
        };
        let product = Product {
            title: format!("\u{1b}[2J{}", "x".repeat(100_000)),
            variants: vec![variant("149.00", 3), variant("189.50", -1)],
            ..Product::default()
        };
        let row = Row::of(&FoundProduct { product, ..FoundProduct::default() });
        assert_eq!(row.title.chars().count(), MOST_TITLE);
        assert!(row.title.starts_with("·[2J"));
        assert_eq!((&*row.price, row.stock), ("149–189.50", Some(2)));
    }
}
