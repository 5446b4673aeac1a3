//! §4.1: searching, opening, analyzing and exporting products.

use super::line::{Line, Scope};
use super::word::Word;
use crate::domain::{ProductId, ProductSearch, SortDirection, StoreUrl, TagsMatch};
use crate::studio::screens::products::Export;

/// What is searched for: every filter and the order. What the studio asks for to draw its list (variants, how many a
/// page) changes nothing of what is found, so it is left out.
fn filtered(line: Line, search: &ProductSearch) -> Line {
    let line = match &search.search_term {
        Some(term) => line.operand(term.as_str()),
        None => line,
    };
    let analysis = search.include.as_ref().and_then(|include| include.analysis);
    let mut line = match analysis.map(|analysis| analysis.timeout_ms) {
        Some(Some(ms)) => line.flag("--analysis-timeout-ms", ms.to_string()),
        Some(None) => line.flag("--include", "analysis"),
        None => line,
    };
    if let Some(filters) = &search.filters {
        let lists = [
            ("--type", &filters.product_type),
            ("--category", &filters.category),
            ("--tag", &filters.tags),
            ("--sku", &filters.sku),
            ("--name", &filters.product_name),
            ("--product-id", &filters.product_id),
            ("--variant-id", &filters.variant_id),
        ];
        for (name, values) in lists {
            line = line.flags(name, values.iter().flatten().map(String::as_str));
        }
        if filters.tags_match_mode == Some(TagsMatch::All) {
            line = line.flag("--tags-match", "all");
        } else if filters.tags_match_mode == Some(TagsMatch::Any) {
            line = line.flag("--tags-match", "any");
        }
        let stock = filters.inventory.as_ref();
        line = line.flags("--inventory-min", stock.and_then(|range| range.min).map(|min| min.to_string()));
        line = line.flags("--inventory-max", stock.and_then(|range| range.max).map(|max| max.to_string()));
        let created = filters.created_at.as_ref();
        line = line.flags("--created-from", created.and_then(|range| range.from.as_deref()));
        line = line.flags("--created-to", created.and_then(|range| range.to.as_deref()));
    }
    if let Some(by) = &search.sort_by {
        line = line.flag("--sort", by.as_str());
    }
    if search.sort_direction == Some(SortDirection::Desc) {
        line = line.switch("--desc");
    }
    if search.published_only == Some(true) { line.switch("--published") } else { line }
}

/// A search.
#[must_use]
pub(super) fn search(search: &ProductSearch) -> Line {
    filtered(Line::new(Scope::Store(search.app_url.clone()), &["products", "search"]), search)
}

/// A product that was opened.
#[must_use]
pub(super) fn product(store: &StoreUrl, product: &ProductId) -> Line {
    Line::new(Scope::Store(store.clone()), &["products", "get"]).operand(Word::id(product.as_str()))
}

/// The analysis of a product, which only searches carry.
#[must_use]
pub(super) fn analysis(store: &StoreUrl, product: &ProductId, timeout_ms: u32) -> Line {
    Line::new(Scope::Store(store.clone()), &["products", "search"])
        .flag("--product-id", product.as_str())
        .flag("--analysis-timeout-ms", timeout_ms.to_string())
}

/// An export to a file. Several searches are one by the ids of marked products, in batches.
#[must_use]
pub(super) fn export(export: &Export, file: &str) -> Option<Line> {
    let mut search = export.searches.first()?.clone();
    if let Some(ids) = search.filters.as_mut().and_then(|filters| filters.product_id.as_mut()) {
        let rest = export.searches.iter().skip(1).filter_map(|search| search.filters.as_ref()?.product_id.as_ref());
        ids.extend(rest.flatten().cloned());
    }
    let line = Line::new(Scope::Store(search.app_url.clone()), &["products", "export"]).writing(file);
    let line = filtered(line, &search).flag("--format", export.format.extension());
    Some(if export.format.has_columns() && export.columns != crate::domain::ExportColumn::ALL {
        let columns: Vec<String> = export.columns.iter().map(|column| column.word()).collect();
        line.flag("--columns", columns.join(","))
    } else {
        line
    })
}
