//! What stands in the path and in the query of an operation.

use serde_json::{Value, json};

use crate::api::{InQuery, Row};

/// What a parameter of a query has to be.
fn asked_in(kind: InQuery) -> Value {
    match kind {
        InQuery::Day => json!({
            "anyOf": [
                { "type": "string", "format": "date" },
                { "type": "string", "format": "date-time" },
                // As if it were left out.
                { "type": "string", "maxLength": 0 },
            ],
        }),
    }
}

/// The ids in an operation's path, and the one that may stand in its query.
pub(super) fn of(row: &Row) -> Vec<Value> {
    let in_path = row.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let in_path =
        in_path.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let in_query = row.id_in_query.map(|name| {
        json!({
            "name": name, "in": "query", "schema": { "type": "string", "minLength": 1 },
            "description": "In the query, in the body, or alike in both",
        })
    });
    let asked = row.query.iter().map(
        |(name, kind, about)| json!({ "name": name, "in": "query", "schema": asked_in(*kind), "description": about }),
    );
    in_path.chain(in_query).chain(asked).collect()
}
