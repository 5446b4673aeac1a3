//! What the store was seen to hold: the values that filters can choose from.

use std::collections::BTreeMap;

use super::query::Field;
use crate::domain::{FoundProduct, text};

/// Values seen in one page, for three fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    types: BTreeMap<String, u32>,
    categories: BTreeMap<String, u32>,
    tags: BTreeMap<String, u32>,
}

/// More values than these are typed, not chosen.
const MOST: usize = 5_000;

impl Seen {
    /// Notes what a product holds.
    pub fn note(&mut self, found: &FoundProduct) {
        let product = &found.product;
        count(&mut self.types, product.product_type.as_deref());
        count(&mut self.categories, product.category.as_ref().map(|category| category.full_name.as_str()));
        for tag in &product.tags {
            count(&mut self.tags, Some(tag));
        }
    }

    /// Takes in what another has seen.
    pub fn merge(&mut self, other: &Self) {
        for (into, from) in
            [(&mut self.types, &other.types), (&mut self.categories, &other.categories), (&mut self.tags, &other.tags)]
        {
            for (value, times) in from {
                if into.len() < MOST || into.contains_key(value) {
                    let seen = into.entry(value.clone()).or_default();
                    *seen = (*seen).max(*times);
                }
            }
        }
    }

    /// The values of a field, sorted as people do, and how often they were seen at most in one page.
    #[must_use]
    pub fn values(&self, field: Field) -> Vec<(String, u32)> {
        let map = match field {
            Field::Type => &self.types,
            Field::Category => &self.categories,
            Field::Tags => &self.tags,
            _ => return Vec::new(),
        };
        let mut values: Vec<(String, u32)> = map.iter().map(|(value, times)| (value.clone(), *times)).collect();
        values.sort_by_cached_key(|(value, _)| text::natural(value));
        values
    }
}

fn count(map: &mut BTreeMap<String, u32>, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty() && value.len() <= 300) {
        if let Some(times) = map.get_mut(value) {
            *times += 1;
        } else if map.len() < MOST {
            map.insert(value.to_owned(), 1);
        }
    }
}
