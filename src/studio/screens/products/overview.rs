//! The Overview tab: what a product is, costs and says.

use serde_json::Value;

use super::lines::{Line, clean, field};
use super::row::price;
use super::shelf::Shelf;
use super::vocabulary::Record;
use crate::domain::Product;
use crate::studio::ground::Clock;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::time::when;
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
pub fn lines(record: &Record, width: u16, picture: Option<(u16, u16)>, clock: Clock<'_>) -> Vec<Line> {
    let product = &record.product;
    let mut flow = Flow::new(width, picture);
    flow.line(sale(record));
    if !product.tags.is_empty() {
        let tags: String = crate::domain::drawn(&product.tags.join("  ")).chars().take(MOST_TAGS).collect();
        flow.text(Role::Accent, &clean(&tags));
    }
    flow.line(Vec::new());
    for paragraph in &record.description {
        flow.text(Role::Text, paragraph);
    }
    if !record.description.is_empty() {
        flow.line(Vec::new());
    }
    for fact in facts(record, clock) {
        flow.line(fact);
    }
    let mut lines = flow.done();
    if !record.findings.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![piece(Role::Warn, "Doesn't match the API specification:")]);
        lines.extend(record.findings.iter().map(|finding| vec![piece(Role::Warn, format!("  {}", clean(finding)))]));
    }
    lines
}

/// Lines that flow around a picture in the upper left.
struct Flow {
    lines: Vec<Line>,
    width: u16,
    /// Columns and rows that the picture takes.
    picture: (u16, u16),
}

impl Flow {
    fn new(width: u16, picture: Option<(u16, u16)>) -> Self {
        Self { lines: Vec::new(), width, picture: picture.map_or((0, 0), |(across, down)| (across + 2, down + 1)) }
    }

    /// How many lines beside the picture are left.
    fn beside(&self) -> usize {
        usize::from(self.picture.1).saturating_sub(self.lines.len())
    }

    fn line(&mut self, mut line: Line) {
        if self.beside() > 0 {
            line.insert(0, piece(Role::Text, " ".repeat(usize::from(self.picture.0))));
        }
        self.lines.push(line);
    }

    fn text(&mut self, role: Role, text: &str) {
        let beside = self.beside();
        let mut rest = text.to_owned();
        if beside > 0 {
            let mut narrow = wrap(text, self.width.saturating_sub(self.picture.0));
            let under = narrow.split_off(beside.min(narrow.len()));
            for line in narrow {
                self.line(vec![piece(role, line)]);
            }
            if under.is_empty() {
                return;
            }
            rest = under.join(" ");
        }
        for line in wrap(&rest, self.width) {
            self.line(vec![piece(role, line)]);
        }
    }

    fn done(mut self) -> Vec<Line> {
        while self.beside() > 1 {
            self.lines.push(Vec::new());
        }
        self.lines
    }
}

fn sale(record: &Record) -> Line {
    let product = &record.product;
    let mut parts = Vec::new();
    parts.extend(price_line(product).map(|price| piece(Role::Text, price)));
    let shelf = Shelf::of_product(product);
    match product.inventory() {
        Some(stock @ 1..) if shelf != Shelf::Untracked => {
            parts.push(piece(Role::Ok, format!("{} in stock", number(stock))));
            if matches!(shelf, Shelf::Low | Shelf::Partly) {
                parts.push(piece(Role::Warn, shelf.words()));
            }
        }
        Some(_) => parts.push(piece(shelf.role(), shelf.words())),
        None => {}
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

fn facts(record: &Record, clock: Clock<'_>) -> Vec<Line> {
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
        Some(at) => when(at, clock),
        None if record.raw.get("publishedAt").is_some() => "no".to_owned(),
        None => "–".to_owned(),
    };
    let time = |provider: &Option<String>, own: &str, key: &str| match provider {
        Some(at) => when(at, clock),
        None => told(key, when(own, clock)),
    };
    vec![
        field("Vendor", told("vendor", text(&product.vendor))),
        field("Type", told("productType", text(&product.product_type))),
        field("Category", told("category", category)),
        field("Status", told("status", text(&product.status))),
        field("Product ID", told("externalProductId", clean(product.external_product_id.as_str()))),
        field("Handle", told("handle", clean(&product.handle))),
        field("Address", told("productUrl", clean(&product.product_url))),
        field("Platform", told("platform", clean(&product.platform))),
        field("Version", version),
        field("Published", published),
        field("Created", time(&product.provider_created_at, &product.created_at, "createdAt")),
        field("Updated", time(&product.provider_updated_at, &product.updated_at, "updatedAt")),
        field("Synced", told("updatedAt", when(&product.updated_at, clock))),
    ]
}
