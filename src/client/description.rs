//! What a service says of itself in its OpenAPI description, where it has one at `/openapi.json` (contract, section 2).

use serde_json::Value;

use super::envelope::Envelope;
use super::{Client, json};
use crate::api::{IDEMPOTENCY_KEY, ListFolders, Operation as _, Row};

/// The request for the description. The specification has none, so it stands in no table of operations: whatever comes
/// of it, nothing is taken for granted.
const DESCRIPTION: Row = Row {
    name: "getDescription",
    summary: "Get the description of the service",
    path: "/openapi.json",
    ..ListFolders::ROW
};

impl Client {
    /// Whether the service says that it heeds the `Idempotency-Key` of these operations: what is sent twice under one key
    /// is made once. Of a service that can't be asked, or says nothing, that is not known, so it is taken not to.
    pub async fn heeds_keys(&self, rows: &[Row]) -> bool {
        let Ok(answer) = self.sender.call(Envelope::bare(DESCRIPTION)).await else { return false };
        let Ok(described) = json::read(&answer.body) else { return false };
        rows.iter().all(|row| declares_key(&described, row))
    }
}

/// Whether the description declares the key as a header of the operation, there or for all operations of the path.
fn declares_key(described: &Value, row: &Row) -> bool {
    let plain = |path: &str| path.trim_end_matches('/').to_owned();
    let paths = described["paths"].as_object().into_iter().flatten();
    let of_path = paths.filter(|(path, _)| plain(path) == plain(row.path)).map(|(_, path)| path);
    let method = row.method.as_str().to_ascii_lowercase();
    of_path.filter_map(|path| Some((path, path.get(&method).filter(|method| method.is_object())?))).any(
        |(path, method)| {
            let declared = [path.get("parameters"), method.get("parameters")].into_iter().flatten();
            declared.filter_map(Value::as_array).flatten().any(|parameter| is_key(described, parameter))
        },
    )
}

fn is_key(described: &Value, parameter: &Value) -> bool {
    let named = parameter["$ref"].as_str().and_then(|named| described.pointer(named.strip_prefix('#')?));
    let parameter = named.unwrap_or(parameter);
    let name = parameter["name"].as_str().unwrap_or_default();
    parameter["in"] == "header" && name.eq_ignore_ascii_case(IDEMPOTENCY_KEY)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::CreateStep;

    #[test]
    fn only_a_declared_header_of_the_operation_counts() {
        let key = json!({ "name": "Idempotency-Key", "in": "header" });
        let declares = |described: Value| declares_key(&described, &CreateStep::ROW);
        assert!(declares(json!({ "paths": { "/projects/steps": { "post": { "parameters": [key] } } } })));
        assert!(declares(json!({ "paths": { "/projects/steps/": { "parameters": [key], "post": {} } } })));
        let named = json!([{ "$ref": "#/components/parameters/Key" }]);
        assert!(declares(json!({
            "paths": { "/projects/steps": { "post": { "parameters": named } } },
            "components": { "parameters": { "Key": { "name": "idempotency-key", "in": "header" } } },
        })));
        for other in [
            json!(null),
            json!([]),
            json!({ "paths": [] }),
            json!({ "paths": { "/projects": { "post": { "parameters": [key] } } } }),
            json!({ "paths": { "/projects/steps": { "put": { "parameters": [key] } } } }),
            json!({ "paths": { "/projects/steps": { "put": {}, "parameters": [key] } } }),
            json!({ "paths": { "/projects/steps": { "post": { "parameters": [{ "name": "Idempotency-Key", "in": "query" }] } } } }),
            json!({ "paths": { "/projects/steps": { "post": { "parameters": named } } } }),
            json!({ "paths": { "/projects/steps": { "post": { "parameters": { "a": key } } } } }),
        ] {
            assert!(!declares(other.clone()), "{other}");
        }
    }
}
