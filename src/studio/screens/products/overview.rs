//! The Overview tab: what a product is, costs and says.

use serde_json::Value;

use super::detail::{Line, clean, field, when};
use super::row::price;
use crate::domain::Product;
use crate::studio::event::{Moment, Record};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Role, number, piece};

/// More tags than these, in characters, are for the JSON tab.
const MOST_TAGS: usize = 600;

/// What the product costs, with its currency.
#[must_use]
pub fn price_line(product: &Product) -> Option<String> {
    let (low, high) = product.price_range()?;
    let currency = product.currency_code.as_deref().or(product.currency_symbol.as_deref()).unwrap_or_default();
    let amount = if low == high { price(low) } else { format!("{}–{}", price(low), price(high)) };
    Some(clean(&format!("{currency} {amount}")).trim().to_owned())
}

/// The tab's lines.
#[must_use]
pub fn lines(record: &Record, width: u16, now: Moment) -> Vec<Line> {
    let product = &record.product;
    let mut lines = vec![sale(record)];
    if !product.tags.is_empty() {
        let tags: String = product.tags.join("  ").chars().take(MOST_TAGS).collect();
        lines.extend(wrap(&clean(&tags), width).into_iter().map(|line| vec![piece(Role::Accent, line)]));
    }
    lines.push(Vec::new());
    for paragraph in &record.description {
        lines.extend(wrap(paragraph, width).into_iter().map(|line| vec![piece(Role::Text, line)]));
    }
    if !record.description.is_empty() {
        lines.push(Vec::new());
    }
    lines.extend(facts(record, now));
    if !record.findings.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![piece(Role::Warn, "The service sent what its specification does not say:")]);
        lines.extend(record.findings.iter().map(|finding| vec![piece(Role::Warn, format!("  {}", clean(finding)))]));
    }
    lines
}

fn sale(record: &Record) -> Line {
    let product = &record.product;
    let mut parts = Vec::new();
    parts.extend(price_line(product).map(|price| piece(Role::Text, price)));
    if let Some(stock) = product.inventory() {
        let (role, say) = match stock {
            ..=0 => (Role::Error, "sold out".to_owned()),
            stock => (Role::Ok, format!("{} in stock", number(stock))),
        };
        parts.push(piece(role, say));
    }
    if record.raw.get("publishedAt").is_some_and(Value::is_null) {
        parts.push(piece(Role::Warn, "not published"));
    }
    let mut line = Vec::new();
    for part in parts {
        if !line.is_empty() {
            line.push(piece(Role::Faint, " · "));
        }
        line.push(part);
    }
    line
}

fn facts(record: &Record, now: Moment) -> Vec<Line> {
    let product = &record.product;
    // What did not come is shown as missing, what came as null as none: neither is a value.
    let told = |key: &str, value: String| match record.raw.get(key) {
        None => "–".to_owned(),
        Some(Value::Null) => "none".to_owned(),
        Some(_) => value,
    };
    let text = |value: &Option<String>| clean(value.as_deref().unwrap_or_default());
    let category = product.category.as_ref().map(|category| clean(&category.full_name)).unwrap_or_default();
    let version = match record.raw.get("version") {
        Some(Value::Number(_)) => product.version.to_string(),
        _ => "–".to_owned(),
    };
    let published = match &product.published_at {
        Some(at) => when(at, now),
        None if record.raw.get("publishedAt").is_some() => "no".to_owned(),
        None => "–".to_owned(),
    };
    let time = |provider: &Option<String>, own: &str, key: &str| match provider {
        Some(at) => when(at, now),
        None => told(key, when(own, now)),
    };
    vec![
        field("Vendor", told("vendor", text(&product.vendor))),
        field("Type", told("productType", text(&product.product_type))),
        field("Category", told("category", category)),
        field("Status", told("status", text(&product.status))),
        field("Product id", told("externalProductId", clean(product.external_product_id.as_str()))),
        field("Handle", told("handle", clean(&product.handle))),
        field("Address", told("productUrl", clean(&product.product_url))),
        field("Platform", told("platform", clean(&product.platform))),
        field("Version", version),
        field("Published", published),
        field("Created", time(&product.provider_created_at, &product.created_at, "createdAt")),
        field("Updated", time(&product.provider_updated_at, &product.updated_at, "updatedAt")),
        field("Synced", told("updatedAt", when(&product.updated_at, now))),
    ]
}
