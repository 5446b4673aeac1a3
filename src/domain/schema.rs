//! The JSON Schema (2020-12) of what §2 and §4 declare, from the same declarations that read and write it.

use serde_json::{Map, Value, json};

use super::num::Num;

/// Schemas that have a name, as the components of an interface description.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schemas {
    named: Map<String, Value>,
}

/// Where named schemas are referred to.
const PLACE: &str = "#/components/schemas/";

impl Schemas {
    /// A reference to a named schema, which is made where it is not there yet.
    pub fn named(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.reserve(name) {
            let schema = make(self);
            self.named.insert(name.to_owned(), schema);
        }
        reference(name)
    }

    /// Keeps a place for one that isn't there yet, before it is made, so that one that names itself ends.
    fn reserve(&mut self, name: &str) -> bool {
        let is_new = !self.named.contains_key(name);
        if is_new {
            self.named.insert(name.to_owned(), Value::Null);
        }
        is_new
    }

    /// A named schema, to be made stricter.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.named.get_mut(name)
    }

    /// All of them.
    #[must_use]
    pub fn into_named(self) -> Map<String, Value> {
        self.named
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{PLACE}{name}") })
}

/// A type whose JSON form has a schema.
pub trait HasSchema {
    /// Its schema; named ones are put among `schemas` and referred to.
    fn schema(schemas: &mut Schemas) -> Value;
}

/// The schema of an object with these members: name, whether required, whether it may be null, schema.
#[must_use]
pub fn object(members: Vec<(&'static str, bool, bool, Value)>) -> Value {
    let required: Vec<&str> = members.iter().filter(|member| member.1).map(|member| member.0).collect();
    let properties: Map<String, Value> = members
        .into_iter()
        .map(|(name, _, null, schema)| (name.to_owned(), if null { nullable(schema) } else { schema }))
        .collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if let (Some(object), false) = (object.as_object_mut(), required.is_empty()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

/// The same or null.
fn nullable(mut schema: Value) -> Value {
    match schema.get("type").filter(|_| schema.get("enum").is_none()) {
        Some(Value::String(kind)) => {
            let kinds = json!([kind, "null"]);
            if let Some(object) = schema.as_object_mut() {
                object.insert("type".to_owned(), kinds);
            }
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

macro_rules! plain {
    ($( $type:ty => $kind:literal ),* $(,)?) => { $(
        impl HasSchema for $type {
            fn schema(_: &mut Schemas) -> Value {
                json!({ "type": $kind })
            }
        }
    )* };
}

plain! { String => "string", bool => "boolean", Num => "number", Map<String, Value> => "object" }

impl HasSchema for Value {
    fn schema(_: &mut Schemas) -> Value {
        json!({})
    }
}

impl<T: HasSchema> HasSchema for Vec<T> {
    fn schema(schemas: &mut Schemas) -> Value {
        json!({ "type": "array", "items": T::schema(schemas) })
    }
}
