//! What a product can be found by.

use sha2::{Digest as _, Sha256};

use crate::domain::Product;
use crate::domain::text::{fold, found_by, words};

/// A kind of term that many products share; each term has a bitmap of its products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// A folded word of the title.
    TitleWord,
    /// A folded word of a tag.
    TagWord,
    /// A whole tag.
    Tag,
    /// The product type.
    Type,
    /// The category's gid, full name or name.
    Category,
    /// The empty term: published products.
    Published,
}

impl Field {
    /// Its number in the database.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::TitleWord => 1,
            Self::TagWord => 2,
            Self::Tag => 3,
            Self::Type => 4,
            Self::Category => 5,
            Self::Published => 6,
        }
    }
}

/// A kind of name that hardly two products share: kept as a list of hashes, which a bitmap each would outweigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A variant's stock keeping unit.
    Sku,
    /// A variant's external id.
    Variant,
    /// The folded title.
    Title,
}

impl Name {
    /// Its number in the database.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::Sku => 1,
            Self::Variant => 2,
            Self::Title => 3,
        }
    }

    /// The first 64 bits of the SHA-256 of a name: of a million products two share one by chance once in 10^7 stores.
    #[must_use]
    pub fn hash(text: &str) -> i64 {
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let mut first = [0; 8];
        first.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        i64::from_be_bytes(first)
    }
}

/// Everything that a product can be found by, beside its id and its sort keys. Each once, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Its shared terms.
    pub shared: Vec<(Field, String)>,
    /// The hashes of its names.
    pub names: Vec<(Name, i64)>,
}

impl Terms {
    /// The terms of a product.
    #[must_use]
    pub fn of(product: &Product) -> Self {
        Self::by(product, found_by)
    }

    /// The terms that a product had before scripts without spaces were cut up.
    #[must_use]
    pub fn of_whole_words(product: &Product) -> Self {
        Self::by(product, |folded| words(folded).collect())
    }

    fn by(product: &Product, cut: fn(&str) -> Vec<&str>) -> Self {
        let mut shared = Vec::with_capacity(24);
        let title = fold(&product.title);
        shared.extend(cut(&title).into_iter().map(|word| (Field::TitleWord, word.to_owned())));
        for tag in &product.tags {
            let folded = fold(tag);
            shared.extend(cut(&folded).into_iter().map(|word| (Field::TagWord, word.to_owned())));
            shared.push((Field::Tag, tag.clone()));
        }
        shared.extend(product.product_type.clone().map(|kind| (Field::Type, kind)));
        if let Some(category) = &product.category {
            let names = [&category.gid, &category.full_name, &category.name];
            shared.extend(names.map(|name| (Field::Category, name.clone())));
        }
        if product.published_at.is_some() {
            shared.push((Field::Published, String::new()));
        }
        shared.sort_unstable();
        shared.dedup();

        let mut names = vec![(Name::Title, Name::hash(&title))];
        for variant in &product.variants {
            names.push((Name::Variant, Name::hash(variant.external_variant_id.as_str())));
            names.extend(variant.sku.as_deref().map(|sku| (Name::Sku, Name::hash(sku))));
        }
        names.sort_unstable();
        names.dedup();
        Self { shared, names }
    }
}
