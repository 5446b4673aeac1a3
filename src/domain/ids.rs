//! Identifiers: what looks alike on the wire is told apart in the code.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::{FromJson, Reader};
use super::schema::{HasSchema, Schemas};

macro_rules! identifier {
    ($( $(#[$meta:meta])* $name:ident ),* $(,)?) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether it is the empty text.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl HasSchema for $name {
            fn schema(schemas: &mut Schemas) -> Value {
                String::schema(schemas)
            }
        }

        impl FromJson for $name {
            const TYPE: &'static str = "a string";
            fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
                String::from_json(value, reader).map(Self)
            }
            fn rescue(value: &Value) -> Option<Self> {
                String::rescue(value).map(Self)
            }
        }
    )* };
}

identifier! {
    /// A store's address, `appUrl` in §2.1: names the store in every catalog operation.
    StoreUrl,
    /// A product as its platform knows it, `externalProductId` in §2.1 and `productId` in §4.1.
    ProductId,
    /// A variant as its platform knows it, `externalVariantId` in §2.3.
    VariantId,
    /// A project, §2.7 (UUID).
    ProjectId,
    /// A step, §2.8 (UUID).
    StepId,
    /// A step's short key inside its project, §2.8.
    StepName,
    /// A video, §2.10 (UUID); an asset by the same id, §2.12.
    VideoId,
    /// A folder of projects, §2.9.
    FolderId,
    /// A webhook subscription, §2.6 (UUID).
    WebhookId,
    /// A user or owner, §2.11 (UUID).
    UserId,
    /// Where the next page of a search begins, §4.1. Opaque.
    Cursor,
}
