//! The products of steps in project files, from version 2 of the format on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Num, StepProduct};

/// A product that a step of a project file shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileProduct {
    /// The address of its store.
    #[schemars(length(min = 1))]
    pub store: String,
    /// The product as its platform knows it.
    #[schemars(length(min = 1))]
    pub product_id: String,
    /// The variant that is meant; without one the product with all its variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<String>,
    /// Seconds from the video's start from which it shows; without it from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub from: Option<f64>,
}

impl FileProduct {
    pub(super) fn of(product: &StepProduct) -> Self {
        Self {
            store: product.store.as_str().to_owned(),
            product_id: product.product_id.as_str().to_owned(),
            variant_id: product.variant_id.as_ref().map(|variant| variant.as_str().to_owned()),
            from: product.from.map(|seconds| seconds.0),
        }
    }

    /// What is wrong with it, where something is.
    pub(super) fn fault(&self) -> Option<&'static str> {
        match () {
            () if self.store.is_empty() => Some("has no store"),
            () if self.product_id.is_empty() => Some("has no productId"),
            () if self.from.is_some_and(|from| !from.is_finite() || from < 0.0) => {
                Some("shows from a time that is no number of seconds, 0 or more")
            }
            () => None,
        }
    }

    /// The product, with what the draft knows of it and a file doesn't say.
    pub(super) fn read(&self, before: &[StepProduct]) -> StepProduct {
        let product = StepProduct {
            store: self.store.as_str().into(),
            product_id: self.product_id.as_str().into(),
            variant_id: self.variant_id.as_deref().map(Into::into),
            from: self.from.map(Num),
            ..StepProduct::default()
        };
        let known = before.iter().find(|known| known.is_same(&product));
        StepProduct { extra: known.map(|known| known.extra.clone()).unwrap_or_default(), ..product }
    }

    /// What a file says of a step's products, as one text that only the same products have.
    pub(super) fn said(products: &[Self]) -> String {
        products.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>().join("\n")
    }
}

/// The first version of the format that has products.
pub(super) const WITH_PRODUCTS: u32 = 2;
