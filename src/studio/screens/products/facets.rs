//! What the analysis says of a product in the list (§2.5).

use crate::domain::{AnalysisData, AnalysisStatus, FoundProduct, cut, text};

/// The analysis of a product, as far as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facets {
    /// It is not there yet.
    Pending,
    /// Gender, type, age, price range.
    Known(Box<[Box<str>; 4]>),
}

/// The facets by name, in the order of the columns.
pub const NAMES: [&str; 4] = ["Gender", "Type", "Age", "Price range"];

impl Facets {
    /// The facets of a product found, where its analysis was asked for.
    #[must_use]
    pub fn of(found: &FoundProduct) -> Option<Self> {
        match (&found.analysis, &found.analysis_status) {
            (Some(analysis), _) => Some(Self::read(&analysis.data)),
            (None, Some(AnalysisStatus::Pending)) => Some(Self::Pending),
            (None, _) => None,
        }
    }

    fn read(data: &AnalysisData) -> Self {
        let words = [
            data.gender_appropriateness.as_str(),
            data.product_type.as_str(),
            data.age_group.as_str(),
            data.price_range.as_str(),
        ];
        Self::Known(Box::new(words.map(|word| cut(&text::line(word), 16).into())))
    }

    /// A facet, in the order of `NAMES`.
    #[must_use]
    pub fn word(&self, facet: usize) -> &str {
        match self {
            Self::Pending => "…",
            Self::Known(words) => words.get(facet).map_or("", |word| word),
        }
    }
}
