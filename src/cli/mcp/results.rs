//! What tools give back, as JSON Schema: an outline that holds for whatever services send. Members may be missing, null, or
//! others than these; below a few levels nothing is said.

use serde_json::{Map, Value, json};

use crate::api::Row;
use crate::domain::Schemas;

/// Levels that an outline has.
const DEEP: usize = 3;

/// Under what a list stands in structured content, which has to be an object.
const ITEMS: &str = "items";

/// The schema of what a tool gives back.
pub(super) fn schema(tool: &str, row: &Row) -> Map<String, Value> {
    let own = own().into_iter().find(|(name, _)| *name == tool);
    let outline = own.map_or_else(|| of_response(row), |(_, shape)| of_shape(&shape));
    let list = outline.get(ITEMS).is_some();
    let outline = if list { json!({ "properties": { ITEMS: outline } }) } else { outline };
    let mut object = match outline {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.insert("type".to_owned(), json!("object"));
    object
}

/// What the tools give that hand on more, or less, than an operation's answer: their members, each with its kind.
pub(super) fn own() -> [(&'static str, Value); 10] {
    let call = json!({ "title": "string", "call": {}, "differences": [{ "kind": "string", "field": "string" }] });
    let plan = json!({ "calls": [call], "hindrances": ["string"] });
    let created = json!({ "id": "string", "warnings": ["string"], "made": ["string"] });
    let problem = json!({
        "kind": "string", "severity": "string", "step": "string", "answer": "string", "value": "string",
        "sentence": "string", "path": [{ "step": "string", "answer": "string" }], "fix": "string",
    });
    let linted = json!({
        "rule": "string", "name": "string", "set": "string", "severity": "string", "sentence": "string",
        "field": "string", "record": { "kind": "string", "id": "string", "title": "string", "store": "string" },
        "reach": { "share": "number", "of": "string" },
    });
    let rule = json!({
        "id": "string", "name": "string", "severity": "string", "what": "string", "checked": "number",
        "unchecked": "number", "problems": "number",
    });
    [
        // The second list is the first one by older names.
        ("check_project", json!({ "problems": [problem], "faults": [{}] })),
        ("export_project", json!({ "file": "string" })),
        ("plan_project", json!({ "planHash": "string", "plan": plan, "warnings": ["string"] })),
        ("apply_project", json!({ "plan": plan, "warnings": ["string"], "made": ["string"] })),
        ("import_project", created.clone()),
        ("duplicate_project", created),
        ("get_store", json!({ "appUrl": "string" })),
        (
            "lint",
            json!({
                "problems": [linted], "rules": [rule], "products": "number", "videos": "number", "errors": "number",
                "warnings": "number", "notes": "number", "ignored": "number",
            }),
        ),
        ("delete_webhook", json!({ "id": "string" })),
        ("upload_video", json!({ "id": "string", "name": "string", "createdAt": "string" })),
    ]
}

/// The outline of members that are named with their kinds.
fn of_shape(shape: &Value) -> Value {
    match shape {
        Value::Object(members) => {
            let properties = members.iter().map(|(name, member)| (name.clone(), of_shape(member)));
            json!({ "type": ["object", "null"], "properties": properties.collect::<Map<_, _>>() })
        }
        Value::Array(items) => {
            json!({ "type": ["array", "null"], "items": items.first().map_or_else(|| json!({}), of_shape) })
        }
        kind => json!({ "type": [kind, "null"] }),
    }
}

fn of_response(row: &Row) -> Value {
    let mut schemas = Schemas::default();
    let root = (row.response)(&mut schemas);
    let named = schemas.into_named();
    outline(&root, &named, DEEP)
}

/// A schema that lets everything through but a member of another kind.
fn outline(schema: &Value, named: &Map<String, Value>, deep: usize) -> Value {
    let schema = resolved(schema, named);
    let Some(kind) = kind(schema).filter(|_| deep > 0) else { return json!({}) };
    let mut outline = Map::new();
    outline.insert("type".to_owned(), json!([kind, "null"]));
    match kind {
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let members = members.map(|(name, member)| (name.clone(), self::outline(member, named, deep - 1)));
            outline.insert("properties".to_owned(), Value::Object(members.collect()));
        }
        "array" => {
            let items = schema.get("items").map_or_else(|| json!({}), |items| self::outline(items, named, deep));
            outline.insert(ITEMS.to_owned(), items);
        }
        _ => {}
    }
    Value::Object(outline)
}

/// The one kind that a schema has, null aside; none where it has several.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ => None,
    }
}

/// A schema behind its references, and of two the one that is not null.
fn resolved<'a>(schema: &'a Value, named: &'a Map<String, Value>) -> &'a Value {
    let mut schema = schema;
    for _ in 0..8 {
        let to = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.rsplit('/').next());
        let several = schema.get("anyOf").and_then(Value::as_array);
        let next = match (to, several) {
            (Some(to), _) => named.get(to),
            (None, Some(several)) => {
                let mut several = several.iter().filter(|one| one.get("type") != Some(&json!("null")));
                several.next().filter(|_| several.next().is_none())
            }
            (None, None) => None,
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// An answer as structured content: an object.
pub(super) fn structured(answer: Value) -> Value {
    match answer {
        Value::Object(_) => answer,
        Value::Null => json!({}),
        list => json!({ ITEMS: list }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Operation as _, SearchProducts};

    #[test]
    fn what_services_leave_out_or_send_otherwise_is_let_through() {
        let schema = schema("search_products", &SearchProducts::ROW);
        let products = &schema["properties"]["products"];
        assert_eq!(products["type"], json!(["array", "null"]));
        assert_eq!(products["items"]["properties"]["title"]["type"], json!(["string", "null"]));
        assert_eq!(structured(json!([1])), json!({ "items": [1] }));
        assert_eq!((structured(Value::Null), structured(json!({ "a": 1 }))), (json!({}), json!({ "a": 1 })));
    }
}
