//! Products as rows of a table for spreadsheets.

use super::product::FoundProduct;

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ExportColumn {
    Id,
    Title,
    Vendor,
    Type,
    Category,
    Tags,
    Status,
    LowestPrice,
    HighestPrice,
    Currency,
    Stock,
    Variants,
    Skus,
    Published,
    Created,
    Updated,
    Address,
    Picture,
}

impl ExportColumn {
    /// Every column, in the order of the file.
    pub const ALL: [Self; 18] = [
        Self::Id,
        Self::Title,
        Self::Vendor,
        Self::Type,
        Self::Category,
        Self::Tags,
        Self::Status,
        Self::LowestPrice,
        Self::HighestPrice,
        Self::Currency,
        Self::Stock,
        Self::Variants,
        Self::Skus,
        Self::Published,
        Self::Created,
        Self::Updated,
        Self::Address,
        Self::Picture,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Title => "title",
            Self::Vendor => "vendor",
            Self::Type => "type",
            Self::Category => "category",
            Self::Tags => "tags",
            Self::Status => "status",
            Self::LowestPrice => "lowest price",
            Self::HighestPrice => "highest price",
            Self::Currency => "currency",
            Self::Stock => "stock",
            Self::Variants => "variants",
            Self::Skus => "SKUs",
            Self::Published => "published",
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Address => "address",
            Self::Picture => "picture",
        }
    }

    /// Its heading as one word, for the command line.
    #[must_use]
    pub fn word(self) -> String {
        self.title().to_lowercase().replace(' ', "-")
    }

    /// The column of such a word.
    #[must_use]
    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.word() == word)
    }

    /// Whether it tells of a product's variants: without them there is nothing to tell.
    #[must_use]
    pub fn needs_variants(self) -> bool {
        matches!(self, Self::LowestPrice | Self::HighestPrice | Self::Stock | Self::Skus)
    }

    /// Its cell for a product, as a spreadsheet may be given it.
    #[must_use]
    pub fn cell(self, found: &FoundProduct) -> String {
        let product = &found.product;
        let text = |value: &Option<String>| safe(value.as_deref().unwrap_or_default());
        let price = |end: fn((super::Num, super::Num)) -> super::Num| {
            product.price_range().map(|range| end(range).to_string()).unwrap_or_default()
        };
        match self {
            Self::Id => safe(product.external_product_id.as_str()),
            Self::Title => safe(&product.title),
            Self::Vendor => text(&product.vendor),
            Self::Type => text(&product.product_type),
            Self::Category => safe(product.category.as_ref().map_or("", |category| &category.full_name)),
            Self::Tags => safe(&product.tags.join(", ")),
            Self::Status => text(&product.status),
            Self::LowestPrice => price(|(low, _)| low),
            Self::HighestPrice => price(|(_, high)| high),
            Self::Currency => text(&product.currency_code),
            Self::Stock => product.inventory().map(|stock| stock.to_string()).unwrap_or_default(),
            Self::Variants => found.variants_count.to_string(),
            Self::Skus => {
                let skus: Vec<&str> = product.variants.iter().filter_map(|variant| variant.sku.as_deref()).collect();
                safe(&skus.join(", "))
            }
            Self::Published => text(&product.published_at),
            Self::Created => safe(product.provider_created_at.as_deref().unwrap_or(&product.created_at)),
            Self::Updated => safe(product.provider_updated_at.as_deref().unwrap_or(&product.updated_at)),
            Self::Address => safe(&product.product_url),
            Self::Picture => text(&found.image_url),
        }
    }
}

/// A text that a spreadsheet takes for text: one that begins like a formula, also in the wide signs that some take for the
/// same, gets an apostrophe before it.
#[must_use]
pub fn safe(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text() {
        assert_eq!(["=1+1", "+1", "-x", "@a", "a=b", ""].map(safe), ["'=1+1", "'+1", "'-x", "'@a", "a=b", ""]);
        assert_eq!(["\t=1", "\r=1", "\n=1", "＝1"].map(safe), ["'\t=1", "'\r=1", "'\n=1", "'＝1"]);
    }

    #[test]
    fn no_column_lets_a_formula_through() {
        use super::super::{Category, Variant};
        let text = || "=HYPERLINK(\"http://a.example\")".to_owned();
        let mut found = FoundProduct { image_url: Some(text()), ..FoundProduct::default() };
        let product = &mut found.product;
        product.external_product_id = text().as_str().into();
        (product.title, product.product_url) = (text(), text());
        (product.created_at, product.updated_at) = (text(), text());
        (product.vendor, product.product_type, product.status) = (Some(text()), Some(text()), Some(text()));
        (product.currency_code, product.published_at) = (Some(text()), Some(text()));
        product.tags = vec![text()];
        product.category = Some(Category { full_name: text(), ..Category::default() });
        product.variants = vec![Variant { sku: Some(text()), price: Some(text()), ..Variant::default() }];
        for column in ExportColumn::ALL {
            assert!(!column.cell(&found).starts_with('='), "{column:?}");
        }
    }
}
