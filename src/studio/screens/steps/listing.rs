//! A product of the catalog as steps show it, and the search that finds it.

use std::sync::Arc;

use crate::domain::{
    FoundProduct, Include, Num, PageSize, ProductFilters, ProductId, ProductSearch, StoreUrl, Variant, VariantId,
    are_sold_out, text,
};
use crate::lint::Offer;

/// The most products that are asked for by one request.
pub(super) const MOST: usize = 100;
/// The most characters of a title that are kept.
const LONGEST: usize = 120;

/// A product as it is shown on steps; its texts are harmless already.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// Which product, of which store.
    pub id: ProductId,
    /// What it is called.
    pub title: String,
    /// Its lowest price with the currency, and a plus where others cost more; empty where there is none.
    pub price: String,
    /// Whether none can be bought; none where that can't be told.
    pub sold_out: Option<bool>,
    /// Whether the shop doesn't show it.
    pub hidden: bool,
    /// Its variants, where there are several.
    pub variants: Vec<ListedVariant>,
    /// The product as it was found: what rules over it look at.
    pub offer: Arc<Offer>,
}

/// A variant as it is shown on steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListedVariant {
    /// Which one.
    pub id: VariantId,
    /// What it is called.
    pub title: String,
    /// What it costs, with the currency.
    pub price: String,
    /// Whether it can't be bought.
    pub sold_out: Option<bool>,
}

impl Listing {
    /// What is shown of a product that was found.
    #[must_use]
    pub fn of(found: &FoundProduct) -> Self {
        let product = &found.product;
        let line = |said: &str| text::line(&said.chars().take(LONGEST).collect::<String>()).into_owned();
        let currency = product.currency_code.as_deref().map(line).unwrap_or_default();
        let priced = |amount: Num| format!("{:.2} {currency}", amount.0).trim_end().to_owned();
        let price = match (product.price_range(), found.price) {
            (Some((low, high)), _) if low == high => priced(low),
            (Some((low, _)), _) => format!("{}+", priced(low)),
            (None, lowest) => lowest.map(priced).unwrap_or_default(),
        };
        let variant = |variant: &Variant| ListedVariant {
            id: variant.external_variant_id.clone(),
            title: variant
                .title
                .as_deref()
                .map(line)
                .filter(|title| !title.trim().is_empty())
                .unwrap_or_else(|| line(variant.external_variant_id.as_str())),
            price: variant
                .price
                .as_deref()
                .and_then(|price| price.parse().ok())
                .map(Num)
                .map(priced)
                .unwrap_or_default(),
            sold_out: are_sold_out([variant]),
        };
        Self {
            id: product.external_product_id.clone(),
            title: line(&product.title),
            price,
            sold_out: product.is_sold_out(),
            hidden: product.published_at.is_none(),
            variants: product.variants.iter().map(variant).collect(),
            offer: Arc::new(found.clone().into()),
        }
    }
}

/// The search that finds products by words, or these products.
#[must_use]
pub fn search_for(store: StoreUrl, words: &str, products: &[ProductId]) -> ProductSearch {
    let ids = (!products.is_empty()).then(|| products.iter().map(|id| id.as_str().to_owned()).collect());
    ProductSearch {
        app_url: store,
        limit: PageSize::new(i64::try_from(MOST).unwrap_or(i64::MAX)).ok(),
        search_term: Some(words.trim().to_owned()).filter(|words| !words.is_empty()),
        include: Some(Include { variants: Some(true), ..Include::default() }),
        filters: ids.map(|ids| ProductFilters { product_id: Some(ids), ..ProductFilters::default() }),
        ..ProductSearch::default()
    }
}
