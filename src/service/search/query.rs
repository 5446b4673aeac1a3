//! A search of §4.1, understood: what has to hold, in which order, from where.

use super::moment::{End, end_of_range};
use super::terms::{Field, Name};
use crate::domain::text::{fold, looked_for};
use crate::domain::{
    DateRange, Fault, Finding, Num, ProductFilters, ProductSearch, Segment, SortBy, SortDirection, TagsMatch,
};

/// An inclusive range of whole numbers.
pub type Range = (i64, i64);

/// What a search wants of the products of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Beginnings of words that title or tags have to have, folded.
    pub words: Vec<String>,
    /// Of each list one term has to be there.
    pub any_of: Vec<(Field, Vec<String>)>,
    /// Of each list one name has to be there, as hashes.
    pub named: Vec<(Name, Vec<i64>)>,
    /// The external ids, one of which it has to have.
    pub external: Option<Vec<String>>,
    /// The inventory.
    pub inventory: Option<Range>,
    /// When it was created, microseconds since 1970.
    pub created: Option<Range>,
    /// The order.
    pub order: Order,
}

/// The order of a search. Products without the key come last, equal ones by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By id.
    #[default]
    Id,
    /// By a key.
    By {
        /// The key.
        key: Key,
        /// Whether the greatest comes first.
        down: bool,
    },
}

/// What products can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// `inventoryQuantity`
    Inventory,
    /// `providerCreatedAt`
    ProviderCreated,
    /// `providerUpdatedAt`
    ProviderUpdated,
}

impl Query {
    /// Understands a search.
    ///
    /// # Errors
    /// Every field that is of the right type and still means nothing.
    pub fn of(search: &ProductSearch) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        let none = ProductFilters::default();
        let filters = search.filters.as_ref().unwrap_or(&none);
        let query = Self {
            words: search.search_term.as_deref().map(beginnings).unwrap_or_default(),
            any_of: any_of(filters, search.published_only == Some(true)),
            named: [
                (Name::Sku, hashes(filters.sku.as_deref(), str::to_owned)),
                (Name::Variant, hashes(filters.variant_id.as_deref(), str::to_owned)),
                (Name::Title, hashes(filters.product_name.as_deref(), fold)),
            ]
            .into_iter()
            .filter_map(|(name, hashes)| Some((name, hashes?)))
            .collect(),
            external: filters.product_id.as_deref().and_then(distinct),
            inventory: filters.inventory.as_ref().and_then(|range| whole_range(range.min, range.max)),
            created: filters.created_at.as_ref().and_then(|range| moments(range, &mut findings)),
            order: order(search),
        };
        if findings.is_empty() { Ok(query) } else { Err(findings) }
    }

    /// Whether anything but ranges is asked for.
    #[must_use]
    pub fn has_terms(&self) -> bool {
        !(self.words.is_empty() && self.any_of.is_empty() && self.named.is_empty() && self.external.is_none())
    }
}

/// The folded words of a search, each once.
fn beginnings(term: &str) -> Vec<String> {
    let folded = fold(term);
    let mut all: Vec<String> = looked_for(&folded).into_iter().map(str::to_owned).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn any_of(filters: &ProductFilters, published_only: bool) -> Vec<(Field, Vec<String>)> {
    let mut lists = Vec::new();
    let mut add = |field, values: Option<&[String]>| lists.extend(values.and_then(distinct).map(|list| (field, list)));
    add(Field::Type, filters.product_type.as_deref());
    add(Field::Category, filters.category.as_deref());
    if filters.tags_match_mode == Some(TagsMatch::All) {
        for tag in filters.tags.as_deref().and_then(distinct).unwrap_or_default() {
            add(Field::Tag, Some(&[tag]));
        }
    } else {
        add(Field::Tag, filters.tags.as_deref());
    }
    if published_only {
        add(Field::Published, Some(&[String::new()]));
    }
    lists
}

/// Each value once, in order; `None` where nothing is listed, which filters nothing.
fn distinct(values: &[String]) -> Option<Vec<String>> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    (!values.is_empty()).then_some(values)
}

fn hashes(values: Option<&[String]>, form: impl Fn(&str) -> String) -> Option<Vec<i64>> {
    let mut hashes: Vec<i64> = values?.iter().map(|value| Name::hash(&form(value))).collect();
    hashes.sort_unstable();
    hashes.dedup();
    (!hashes.is_empty()).then_some(hashes)
}

#[allow(clippy::cast_possible_truncation)] // `as` saturates, and beyond the range of i64 every inventory is on one side
fn whole_range(min: Option<Num>, max: Option<Num>) -> Option<Range> {
    if min.is_none() && max.is_none() {
        return None;
    }
    Some((min.map_or(i64::MIN, |min| min.0.ceil() as i64), max.map_or(i64::MAX, |max| max.0.floor() as i64)))
}

fn moments(range: &DateRange, findings: &mut Vec<Finding>) -> Option<Range> {
    let mut read = |text: &Option<String>, end, key: &str, open| match text {
        None => open,
        Some(text) => end_of_range(text, end).unwrap_or_else(|| {
            let at = ["filters", "createdAt", key].map(|key| Segment::Key(key.to_owned())).to_vec();
            let why = format!("must be a date (2026-11-20) or an RFC 3339 time, found {text:?}");
            findings.push(Finding { at, fault: Fault::Invalid(why) });
            open
        }),
    };
    let from = read(&range.from, End::From, "from", i64::MIN);
    let to = read(&range.to, End::To, "to", i64::MAX);
    (range.from.is_some() || range.to.is_some()).then_some((from, to))
}

fn order(search: &ProductSearch) -> Order {
    let key = match search.sort_by {
        Some(SortBy::InventoryQuantity) => Key::Inventory,
        Some(SortBy::ProviderCreatedAt) => Key::ProviderCreated,
        Some(SortBy::ProviderUpdatedAt) => Key::ProviderUpdated,
        None | Some(SortBy::Other(_)) => return Order::Id,
    };
    Order::By { key, down: search.sort_direction == Some(SortDirection::Desc) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_told_once() {
        assert_eq!(beginnings("Søcks wool, WOOL"), ["socks", "wool"]);
        assert_eq!(beginnings(" ,. "), [] as [&str; 0]);
    }

    #[test]
    fn empty_lists_filter_nothing() {
        let filters = ProductFilters { tags: Some(Vec::new()), sku: Some(Vec::new()), ..ProductFilters::default() };
        let search = ProductSearch { filters: Some(filters), ..ProductSearch::default() };
        assert_eq!(Query::of(&search), Ok(Query::default()));
    }
}
