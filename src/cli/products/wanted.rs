//! What is searched for, as flags: of `products search` and `products export`.

use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use jiff::Timestamp;

use crate::cli::{Failure, dates, names};
use crate::domain::{
    DateRange, Include, IncludeAnalysis, InventoryRange, Num, ProductFilters, ProductSearch, SortBy, SortDirection,
    StoreUrl, TagsMatch,
};

/// What is searched for, one flag per field of §4.1.
#[derive(Debug, Args)]
pub(super) struct Wanted {
    /// Words to search for in titles and tags
    term: Option<String>,
    /// What to include with each product (repeatable)
    #[arg(long, value_name = "PART")]
    include: Vec<Part>,
    /// How long the service may wait for an analysis, in milliseconds; implies --include analysis
    #[arg(long, value_name = "N", value_parser = above_zero, allow_hyphen_values = true)]
    analysis_timeout_ms: Option<f64>,
    /// Only products of this type (repeatable)
    #[arg(long = "type", value_name = "T", add = ArgValueCompleter::new(names::product_types))]
    product_type: Vec<String>,
    /// Only products in this category (repeatable)
    #[arg(long, value_name = "C")]
    category: Vec<String>,
    /// Only products with this tag (repeatable)
    #[arg(long, value_name = "T", add = ArgValueCompleter::new(names::tags))]
    tag: Vec<String>,
    /// Only products with this SKU (repeatable)
    #[arg(long, value_name = "S")]
    sku: Vec<String>,
    /// Only products with this name (repeatable)
    #[arg(long, value_name = "N")]
    name: Vec<String>,
    /// Only the product with this external ID (repeatable)
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(names::products))]
    product_id: Vec<String>,
    /// Only the product of the variant with this external ID (repeatable)
    #[arg(long, value_name = "ID")]
    variant_id: Vec<String>,
    /// Whether a product needs any or all of the tags
    #[arg(long, value_name = "MODE")]
    tags_match: Option<Match>,
    /// Only products with at least N in stock
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true)]
    inventory_min: Option<i64>,
    /// Only products with at most N in stock
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true)]
    inventory_max: Option<i64>,
    /// Only products created then or later: a date, an RFC 3339 time, or how long ago (7d)
    #[arg(long, value_name = "D", value_parser = date)]
    created_from: Option<String>,
    /// Only products created then or earlier: a date, an RFC 3339 time, or how long ago (7d)
    #[arg(long, value_name = "D", value_parser = date)]
    created_to: Option<String>,
    /// Sort by this field
    #[arg(long, value_name = "FIELD", value_parser = sort_by, add = ArgValueCompleter::new(names::sorts))]
    sort: Option<SortBy>,
    /// Sort in descending order: highest or latest first
    #[arg(long)]
    desc: bool,
    /// Only published products
    #[arg(long)]
    published: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Analysis,
    Media,
    Variants,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Match {
    Any,
    All,
}

fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("must be a number greater than 0, found {text}"))
}

/// A whole number that JSON's readers can tell from its neighbors.
fn whole(text: &str) -> Result<i64, String> {
    let number = text.trim().parse::<i64>().ok().filter(|number| number.unsigned_abs() <= 1 << 53);
    number.ok_or_else(|| format!("must be a whole number, found {text}"))
}

fn date(text: &str) -> Result<String, String> {
    dates::date(text, Timestamp::now())
}

fn sort_by(text: &str) -> Result<SortBy, String> {
    SortBy::known(text).ok_or_else(|| {
        let known: Vec<_> = SortBy::ALL.iter().map(SortBy::as_str).collect();
        format!("must be one of {}", known.join(", "))
    })
}

fn some(values: &[String]) -> Option<Vec<String>> {
    (!values.is_empty()).then(|| values.to_vec())
}

impl Wanted {
    /// That nothing is asked for that can't be.
    ///
    /// # Errors
    /// Where the least is above the most.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if let (Some(min), Some(max)) = (self.inventory_min, self.inventory_max)
            && min > max
        {
            return Err(Failure::Usage(format!(
                "--inventory-min {min} is above --inventory-max {max}: nothing can match"
            )));
        }
        if let (Some(from), Some(to)) = (&self.created_from, &self.created_to)
            && dates::begins(from).zip(dates::ends(to)).is_some_and(|(from, to)| from > to)
        {
            return Err(Failure::Usage(format!("--created-from {from} is after --created-to {to}: nothing can match")));
        }
        Ok(())
    }

    /// The request, without how many a page.
    pub(super) fn request(&self, app_url: StoreUrl) -> ProductSearch {
        let asked = |part| self.include.contains(&part);
        let analysis = (asked(Part::Analysis) || self.analysis_timeout_ms.is_some())
            .then_some(IncludeAnalysis { timeout_ms: self.analysis_timeout_ms.map(Num) });
        let include = Include {
            analysis,
            media: asked(Part::Media).then_some(true),
            variants: asked(Part::Variants).then_some(true),
            ..Include::default()
        };
        let inventory = InventoryRange {
            min: self.inventory_min.map(Num::from),
            max: self.inventory_max.map(Num::from),
            ..InventoryRange::default()
        };
        let created_at =
            DateRange { from: self.created_from.clone(), to: self.created_to.clone(), ..DateRange::default() };
        let filters = ProductFilters {
            product_type: some(&self.product_type),
            category: some(&self.category),
            tags: some(&self.tag),
            tags_match_mode: self.tags_match.map(|mode| match mode {
                Match::Any => TagsMatch::Any,
                Match::All => TagsMatch::All,
            }),
            inventory: (inventory != InventoryRange::default()).then_some(inventory),
            product_id: some(&self.product_id),
            variant_id: some(&self.variant_id),
            sku: some(&self.sku),
            product_name: some(&self.name),
            created_at: (created_at != DateRange::default()).then_some(created_at),
            ..ProductFilters::default()
        };
        ProductSearch {
            app_url,
            search_term: self.term.clone(),
            include: (include != Include::default()).then_some(include),
            filters: (!filters.is_empty()).then_some(filters),
            sort_by: self.sort.clone(),
            sort_direction: self.desc.then_some(SortDirection::Desc),
            published_only: self.published.then_some(true),
            ..ProductSearch::default()
        }
    }
}
