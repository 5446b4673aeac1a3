//! The products on a step as viewers see them: by what the catalog says now.

use serde::Serialize;

use super::db::{self, Connection, OptionalExtension as _};
use super::{Store, StoreError, documents, stores};
use crate::domain::{Num, Product, Reader, StepProduct, Variant, are_sold_out};

/// A product as its viewers see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayedProduct {
    /// Its id in its store, and that of the variant where the step has one; they are reported with what happens to it.
    pub id: String,
    /// Seconds of the video from which it shows.
    pub from_seconds: Num,
    /// What it is called; with the variant's title where the step has one.
    pub title: String,
    /// Its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The price, as the catalog writes it; the lowest of all variants where the step has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// Whether other variants cost more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_from: bool,
    /// ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Whether none can be bought; what can't be told is not sold out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sold_out: bool,
    /// The shop's page of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The products on a step of a project, by the step's name; nothing where there is no such step.
const LINKS: &str = "SELECT project.workspace, step.products FROM step JOIN project ON project.number = step.project
    WHERE project.publish_id = ?1 AND step.name = ?2";

/// The lowest price of these, and whether another is higher.
fn lowest<'a>(variants: &[&'a Variant]) -> (Option<&'a str>, bool) {
    let amount = |price: &str| price.parse::<f64>().ok().filter(|amount| amount.is_finite());
    let prices = variants.iter().filter_map(|variant| variant.price.as_deref());
    let mut prices: Vec<(f64, &str)> = prices.filter_map(|price| Some((amount(price)?, price))).collect();
    prices.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let highest = prices.last().map(|(amount, _)| *amount);
    let is_from = prices.first().is_some_and(|(amount, _)| highest.is_some_and(|highest| highest > *amount));
    (prices.first().map(|(_, price)| *price), is_from)
}

/// A product of the catalog as a step shows it; nothing where it is hidden, or its variant is gone.
fn played(link: &StepProduct, product: &Product) -> Option<PlayedProduct> {
    product.published_at.as_ref()?;
    let wanted = link.variant_id.as_ref();
    let is_wanted = |variant: &&Variant| wanted.is_none_or(|wanted| variant.external_variant_id == *wanted);
    let variants: Vec<&Variant> = product.variants.iter().filter(is_wanted).collect();
    if wanted.is_some() && variants.is_empty() {
        return None;
    }
    let variant = wanted.and(variants.first());
    let (price, is_from) = lowest(&variants);
    let named = variant.and_then(|variant| variant.title.as_deref()).filter(|title| !title.trim().is_empty());
    let title = named.map_or_else(|| product.title.clone(), |named| format!("{}, {named}", product.title));
    let web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
    let mut id = link.product_id.as_str().to_owned();
    if let Some(wanted) = wanted {
        id.extend([" ", wanted.as_str()]);
    }
    Some(PlayedProduct {
        id,
        from_seconds: link.from.unwrap_or(Num(0.0)),
        title,
        picture: product.featured_media_preview_url.clone().filter(|url| web(url)),
        price: price.map(str::to_owned),
        is_from,
        currency: product.currency_code.clone(),
        sold_out: are_sold_out(variants.iter().copied()) == Some(true),
        url: Some(product.product_url.clone()).filter(|url| web(url)),
    })
}

fn of_step(
    connection: &Connection,
    publish_id: &str,
    step: &str,
    base_url: &str,
) -> Result<Option<Vec<PlayedProduct>>, StoreError> {
    let read = |row: &db::Row<'_>| Ok((row.get::<i64>(0)?, row.get::<String>(1)?));
    let found = connection.prepare_cached(LINKS)?.query_row([publish_id, step], read).optional()?;
    let Some((workspace, links)) = found else { return Ok(None) };
    let links: Vec<StepProduct> = Reader::read(&serde_json::from_str(&links)?).0;
    let mut shown = Vec::with_capacity(links.len());
    for link in &links {
        let Some(store) = stores::find(connection, workspace, &link.store)? else { continue };
        let product = documents::product_of(connection, store.id, link.product_id.as_str(), base_url)?;
        shown.extend(product.as_ref().and_then(|product| played(link, product)));
    }
    Ok(Some(shown))
}

impl Store {
    /// What viewers see of the products on a step: those that the catalog has and does not hide. Nothing where there is no
    /// such step.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn played_products(
        &self,
        publish_id: String,
        step: String,
        base_url: String,
    ) -> Result<Option<Vec<PlayedProduct>>, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                of_step(&transaction, &publish_id, &step, &base_url)
            })
            .await
    }
}
