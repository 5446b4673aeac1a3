//! What makes a request safe to repeat and keeps it from writing over another's change, in the description.

use serde_json::{Value, json};

use crate::api::Row;
use crate::service::http::conditions::LONGEST_KEY;

/// Adds headers and refusals to the description of an operation.
pub(super) fn describe(row: &Row, operation: &mut Value) {
    if row.is_created_once {
        parameter(
            operation,
            "Idempotency-Key",
            json!({ "type": "string", "pattern": key_pattern() }),
            "Sent again with this key within 24 hours, the same body creates nothing and is answered as before",
        );
        refusal(operation, "422");
    }
    if row.heeds_if_match {
        parameter(
            operation,
            "If-Match",
            json!({ "type": "string" }),
            "The ETag of the project as it was read: where the project or a step of it was changed since, nothing is done",
        );
        refusal(operation, "412");
    }
    if row.has_tag
        && let Some(headers) = operation.pointer_mut("/responses/200/headers").and_then(Value::as_object_mut)
    {
        let tag = "The state of the project with its steps, for If-Match";
        headers.insert("ETag".to_owned(), json!({ "schema": { "type": "string" }, "description": tag }));
    }
}

/// What a key looks like: whitespace around a field's value is no part of it (RFC 9110 §5.5), nor of its length.
fn key_pattern() -> String {
    format!("^[ \\t]*[!-~]([ -~\\t]{{0,{}}}[!-~])?[ \\t]*$", LONGEST_KEY.saturating_sub(2))
}

fn parameter(operation: &mut Value, name: &str, schema: Value, description: &str) {
    let Some(operation) = operation.as_object_mut() else { return };
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    if let Some(parameters) = parameters.as_array_mut() {
        parameters.push(json!({ "name": name, "in": "header", "schema": schema, "description": description }));
    }
}

fn refusal(operation: &mut Value, status: &str) {
    if let Some(responses) = operation.pointer_mut("/responses").and_then(Value::as_object_mut) {
        responses.insert(status.to_owned(), json!({ "$ref": "#/components/responses/Problem" }));
    }
}
