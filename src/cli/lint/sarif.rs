//! Problems as SARIF 2.1.0 (OASIS): what code review tools and dashboards read.

use serde_json::{Value, json};

use super::line::Line;
use crate::lint::{Rule, Severity};

/// What stands behind the results.
pub(super) const END: &str = "\n]}]}\n";

/// What stands before the results.
pub(super) fn beginning() -> String {
    let rules: Vec<Value> = Rule::all()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "name": rule.name(),
                "shortDescription": { "text": rule.what() },
                "defaultConfiguration": { "level": level(rule.severity()) },
            })
        })
        .collect();
    let driver = json!({ "name": "cutaway", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    format!(
        "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"runs\":[{{\
         \"tool\":{{\"driver\":{driver}}},\"results\":["
    )
}

/// One problem.
pub(super) fn result(line: &Line) -> Value {
    let place = match &line.store {
        Some(store) => format!("{store}#{}/{}", line.id, line.field),
        None => format!("{}/{}", line.id, line.field),
    };
    let named = line.title.as_deref().unwrap_or(&line.id);
    json!({
        "ruleId": line.rule,
        "level": level(line.severity),
        "message": { "text": format!("{named}: {}", line.sentence) },
        "locations": [{ "logicalLocations": [{ "fullyQualifiedName": place, "kind": line.kind, "name": line.id }] }],
        "partialFingerprints": { "cutaway/v1": line.key },
    })
}

fn level(severity: Severity) -> &'static str {
    severity.word()
}
