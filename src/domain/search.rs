//! What can be asked of the catalog, §4.1.

use serde::Serialize;
use serde_json::{Value, json};

use super::ids::{Cursor, StoreUrl};
use super::num::Num;
use super::read::{Fault, FromJson, Members, Reader, type_of};
use super::schema::{HasSchema, Schemas};
use crate::{shape, words};

shape! {
    /// The request of searchProductsCursor, §4.1.
    pub struct ProductSearch {
        app_url: req StoreUrl => "appUrl",
        limit: opt PageSize => "limit",
        cursor: opt Cursor => "cursor",
        search_term: optnull String => "searchTerm",
        include: opt Include => "include",
        filters: opt ProductFilters => "filters",
        sort_by: optnull SortBy => "sortBy",
        sort_direction: opt SortDirection => "sortDirection",
        published_only: opt bool => "publishedOnly",
    }
}

shape! {
    /// What a page is to carry beside the products themselves, §4.1.
    pub struct Include {
        analysis: opt IncludeAnalysis => "analysis",
        media: opt bool => "media",
        variants: opt bool => "variants",
    }
}

shape! {
    /// The filters of a search, §4.1. All of them have to hold.
    pub struct ProductFilters {
        product_type: optnull Vec<String> => "productType",
        category: optnull Vec<String> => "category",
        tags: optnull Vec<String> => "tags",
        tags_match_mode: opt TagsMatch => "tagsMatchMode",
        inventory: optnull InventoryRange => "inventory",
        product_id: optnull Vec<String> => "productId",
        variant_id: optnull Vec<String> => "variantId",
        sku: optnull Vec<String> => "sku",
        product_name: optnull Vec<String> => "productName",
        created_at: optnull DateRange => "createdAt",
    }
}

shape! {
    /// How many are in stock, both ends included, §4.1.
    pub struct InventoryRange {
        min: optnull Num => "min",
        max: optnull Num => "max",
    }
}

shape! {
    /// When a product was created, both ends included, §4.1. Dates or RFC 3339 times.
    pub struct DateRange {
        from: optnull String => "from",
        to: optnull String => "to",
    }
}

words! {
    /// Whether one tag is enough or all are needed, §4.1.
    pub enum TagsMatch { Any => "any", All => "all" }
}

words! {
    /// What a search is sorted by, §4.1.
    pub enum SortBy {
        InventoryQuantity => "inventoryQuantity",
        ProviderCreatedAt => "providerCreatedAt",
        ProviderUpdatedAt => "providerUpdatedAt",
    }
}

words! {
    /// The direction of a sort, §4.1. Products without a value come last both ways.
    pub enum SortDirection { Asc => "asc", Desc => "desc" }
}

/// Products a page, 1 to 500, §8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageSize(u16);

impl PageSize {
    /// The largest page, §8.
    pub const MOST: Self = Self(500);

    /// A page of so many products.
    ///
    /// # Errors
    /// Where it is not 1 to 500: a sentence that says so.
    pub fn new(products: i64) -> Result<Self, String> {
        match u16::try_from(products) {
            Ok(size @ 1..=500) => Ok(Self(size)),
            _ => Err(format!("must be a whole number from 1 to 500, found {products}")),
        }
    }

    /// How many products.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self(30)
    }
}

impl Serialize for PageSize {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.0)
    }
}

impl HasSchema for PageSize {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": Self::MOST.get(), "default": Self::default().get() })
    }
}

impl FromJson for PageSize {
    const TYPE: &'static str = "a number";
    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
        let number = Num(value.as_f64()?);
        let size = number
            .whole()
            .map_or_else(|| Err(format!("must be a whole number from 1 to 500, found {number}")), Self::new);
        Some(size.unwrap_or_else(|why| {
            reader.note(Fault::Invalid(why));
            Self::default()
        }))
    }
}

/// `include.analysis` of §4.1: `true`, or an object, which may have a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IncludeAnalysis {
    /// How long the service may wait for an analysis, milliseconds, above 0 (§8).
    pub timeout_ms: Option<Num>,
}

impl Serialize for IncludeAnalysis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.timeout_ms {
            None => serializer.serialize_bool(true),
            Some(limit) => serializer.collect_map([("analysisTimeoutMs", limit)]),
        }
    }
}

impl HasSchema for IncludeAnalysis {
    fn schema(_: &mut Schemas) -> Value {
        let limited = json!({
            "type": "object",
            "properties": { "analysisTimeoutMs": { "type": "number", "exclusiveMinimum": 0 } },
            "additionalProperties": false,
        });
        json!({ "anyOf": [{ "const": true }, limited] })
    }
}

impl FromJson for IncludeAnalysis {
    const TYPE: &'static str = "true or an object with analysisTimeoutMs";
    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Bool(true) => Some(Self::default()),
            Value::Object(_) => {
                let mut members = Members::of(value)?;
                let timeout_ms: Option<Num> = reader.optional(&mut members, "analysisTimeoutMs");
                if let Some(limit) = timeout_ms.filter(|limit| limit.0 <= 0.0)
                    && value.get("analysisTimeoutMs").is_some_and(Value::is_number)
                {
                    reader.enter("analysisTimeoutMs", |reader| {
                        reader.note(Fault::Invalid(format!("must be greater than 0, found {limit}")));
                    });
                }
                reader.undeclared(members);
                Some(Self { timeout_ms })
            }
            _ => {
                reader.note(Fault::Mistyped { expected: Self::TYPE, found: type_of(value) });
                Some(Self::default())
            }
        }
    }
}

impl ProductFilters {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
