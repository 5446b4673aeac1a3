//! What is searched for: the term, the filters and the order.

use crate::domain::{
    Cursor, DateRange, Include, InventoryRange, PageSize, ProductFilters, ProductSearch, SortBy, SortDirection,
    StoreUrl, TagsMatch, text,
};

/// A filter of §4.1, as the panel and the chips name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Field {
    Type,
    Category,
    Tags,
    TagsMatch,
    StockFrom,
    StockTo,
    CreatedFrom,
    CreatedTo,
    ProductIds,
    VariantIds,
    Skus,
    Names,
    Published,
}

impl Field {
    /// Every field, in the order of the panel.
    pub const ALL: [Self; 13] = [
        Self::Type,
        Self::Category,
        Self::Tags,
        Self::TagsMatch,
        Self::StockFrom,
        Self::StockTo,
        Self::CreatedFrom,
        Self::CreatedTo,
        Self::ProductIds,
        Self::VariantIds,
        Self::Skus,
        Self::Names,
        Self::Published,
    ];

    /// Its title in the panel.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Type => "Type",
            Self::Category => "Category",
            Self::Tags => "Tags",
            Self::TagsMatch => "Tags match",
            Self::StockFrom => "Stock from",
            Self::StockTo => "Stock to",
            Self::CreatedFrom => "Created from",
            Self::CreatedTo => "Created to",
            Self::ProductIds => "Product IDs",
            Self::VariantIds => "Variant IDs",
            Self::Skus => "SKUs",
            Self::Names => "Names",
            Self::Published => "Published only",
        }
    }
}

/// A chip: the filters it stands for, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// What is taken away with it.
    pub fields: &'static [Field],
    /// What it says, harmless already.
    pub label: String,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// The term.
    pub term: String,
    /// The filters.
    pub filters: ProductFilters,
    /// Published products only.
    pub published: bool,
    /// The order; none is the service's own.
    pub sort: Option<(SortBy, SortDirection)>,
    /// Which ends of the range of dates, from and to, were typed as how long ago.
    pub ago: [Option<Ago>; 2],
}

/// A date that was typed as so many days ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ago {
    /// The date that it meant.
    pub date: String,
    /// Days.
    pub days: i64,
}

impl Query {
    /// Whether it finds every product of the store.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.term.trim().is_empty() && self.asked().is_empty() && !self.published
    }

    /// The filters as they are asked for: how tags match matters only where there are tags.
    #[must_use]
    pub fn asked(&self) -> ProductFilters {
        let mut filters = self.filters.clone();
        if filters.tags.is_none() {
            filters.tags_match_mode = None;
        }
        filters
    }

    /// The request for a page.
    #[must_use]
    pub fn request(&self, store: &StoreUrl, cursor: Option<Cursor>, limit: PageSize) -> ProductSearch {
        let term = self.term.trim();
        ProductSearch {
            app_url: store.clone(),
            limit: Some(limit),
            cursor,
            search_term: (!term.is_empty()).then(|| term.to_owned()),
            // The list shows prices and stock, which stand in the variants.
            include: Some(Include { variants: Some(true), ..Include::default() }),
            filters: Some(self.asked()).filter(|filters| !filters.is_empty()),
            sort_by: self.sort.as_ref().map(|(by, _)| by.clone()),
            sort_direction: self.sort.as_ref().map(|(_, direction)| direction.clone()),
            published_only: self.published.then_some(true),
            ..ProductSearch::default()
        }
    }

    /// The filters in use, as chips.
    #[must_use]
    pub fn chips(&self) -> Vec<Chip> {
        type Chosen<'a> = (&'static [Field], &'static str, &'a Option<Vec<String>>);
        let mut chips = Vec::new();
        let mut add = |fields: &'static [Field], label: String| {
            chips.push(Chip { fields, label: text::line(&label).into_owned() });
        };
        let f = &self.filters;
        let lists: [Chosen; 7] = [
            (&[Field::Type], "type", &f.product_type),
            (&[Field::Category], "category", &f.category),
            (&[Field::Tags, Field::TagsMatch], "tags", &f.tags),
            (&[Field::ProductIds], "id", &f.product_id),
            (&[Field::VariantIds], "variant", &f.variant_id),
            (&[Field::Skus], "sku", &f.sku),
            (&[Field::Names], "name", &f.product_name),
        ];
        for (fields, word, values) in lists {
            let Some(values) = values else { continue };
            let how = match (word, &f.tags_match_mode) {
                ("tags", Some(TagsMatch::All)) => "tags all",
                ("tags", _) if values.len() > 1 => "tags any",
                _ => word,
            };
            add(fields, format!("{how}: {}", values.join(", ")));
        }
        if let Some(range) = &f.inventory {
            let label = span("stock", range.min.map(|n| n.to_string()), range.max.map(|n| n.to_string()));
            add(&[Field::StockFrom, Field::StockTo], label);
        }
        if let Some(range) = &f.created_at {
            add(&[Field::CreatedFrom, Field::CreatedTo], span("created", range.from.clone(), range.to.clone()));
        }
        if self.published {
            add(&[Field::Published], "published".to_owned());
        }
        chips
    }

    /// Takes a filter away.
    pub fn remove(&mut self, field: Field) {
        let f = &mut self.filters;
        match field {
            Field::Type => f.product_type = None,
            Field::Category => f.category = None,
            Field::Tags => f.tags = None,
            Field::TagsMatch => f.tags_match_mode = None,
            Field::StockFrom => self.set_stock(None, true),
            Field::StockTo => self.set_stock(None, false),
            Field::CreatedFrom => self.set_created(None, true),
            Field::CreatedTo => self.set_created(None, false),
            Field::ProductIds => f.product_id = None,
            Field::VariantIds => f.variant_id = None,
            Field::Skus => f.sku = None,
            Field::Names => f.product_name = None,
            Field::Published => self.published = false,
        }
    }

    /// The list behind a field that holds one.
    pub fn list_mut(&mut self, field: Field) -> Option<&mut Option<Vec<String>>> {
        let f = &mut self.filters;
        Some(match field {
            Field::Type => &mut f.product_type,
            Field::Category => &mut f.category,
            Field::Tags => &mut f.tags,
            Field::ProductIds => &mut f.product_id,
            Field::VariantIds => &mut f.variant_id,
            Field::Skus => &mut f.sku,
            Field::Names => &mut f.product_name,
            _ => return None,
        })
    }

    /// One end of the stock range.
    pub fn set_stock(&mut self, value: Option<i64>, lower: bool) {
        let mut range = self.filters.inventory.take().unwrap_or_default();
        let end = if lower { &mut range.min } else { &mut range.max };
        *end = value.map(Into::into);
        self.filters.inventory = (range != InventoryRange::default()).then_some(range);
    }

    /// One end of the range of dates.
    pub fn set_created(&mut self, value: Option<String>, lower: bool) {
        let mut range = self.filters.created_at.take().unwrap_or_default();
        let [from, to] = &mut self.ago;
        let (end, ago) = if lower { (&mut range.from, from) } else { (&mut range.to, to) };
        (*end, *ago) = (value, None);
        self.filters.created_at = (range != DateRange::default()).then_some(range);
    }
}

fn span(word: &str, from: Option<String>, to: Option<String>) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("{word}: {from} to {to}"),
        (Some(from), None) => format!("{word}: from {from}"),
        (None, Some(to)) => format!("{word}: to {to}"),
        (None, None) => word.to_owned(),
    }
}

/// The values of a typed list: set apart by commas; one with a comma stands in quotes.
#[must_use]
pub fn typed_list(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            c => values.last_mut().into_iter().for_each(|value| value.push(c)),
        }
    }
    values.into_iter().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
}

/// The typed form of a list.
#[must_use]
pub fn as_typed(values: &[String]) -> String {
    let quoted = |value: &String| if value.contains(',') { format!("\"{value}\"") } else { value.clone() };
    values.iter().map(quoted).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        let values = vec!["a".to_owned(), "b, c".to_owned()];
        assert_eq!(typed_list(&as_typed(&values)), values);
        assert_eq!(typed_list(" , ,"), [] as [&str; 0]);
    }

    #[test]
    fn every_filter_has_a_chip_that_takes_it_away() {
        let mut query = Query::default();
        for field in
            [Field::Type, Field::Category, Field::Tags, Field::ProductIds, Field::VariantIds, Field::Skus, Field::Names]
        {
            *query.list_mut(field).unwrap() = Some(vec!["x".into(), "y".into()]);
        }
        query.filters.tags_match_mode = Some(TagsMatch::All);
        query.set_stock(Some(1), true);
        query.set_stock(Some(9), false);
        query.set_created(Some("2026-01-01".into()), true);
        query.published = true;
        let chips = query.chips();
        let labels: Vec<&str> = chips.iter().map(|chip| chip.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "type: x, y",
                "category: x, y",
                "tags all: x, y",
                "id: x, y",
                "variant: x, y",
                "sku: x, y",
                "name: x, y",
                "stock: 1 to 9",
                "created: from 2026-01-01",
                "published",
            ]
        );
        for field in chips.iter().flat_map(|chip| chip.fields) {
            query.remove(*field);
        }
        assert!(query.is_all());
    }
}
