//! Schemas of what is written in no type of its own.

use serde_json::{Value, json};

use crate::domain::{HasSchema, Schemas};

/// The answer of a deletion: the id of what was deleted. No client reads it.
pub(super) struct Deleted;

impl HasSchema for Deleted {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } })
    }
}

/// A body that says nothing but the workspace key, where it says that.
pub(super) fn only_app_key(_: &mut Schemas) -> Value {
    json!({ "type": "object", "properties": { "appKey": { "type": "string" } } })
}
