//! Problems as SARIF 2.1.0 (OASIS): what code review tools and dashboards read.

use serde_json::{Value, json};

use super::line::{Line, reach_of, severity};
use crate::graph::Kind;
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
        .chain(Kind::all().map(|kind| {
            json!({
                "id": kind.name(),
                "name": kind.name(),
                "shortDescription": { "text": kind.what() },
                "defaultConfiguration": { "level": level(severity(kind.severity())) },
            })
        }))
        .collect();
    let driver = json!({ "name": "cutaway", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    format!(
        "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"runs\":[{{\
         \"tool\":{{\"driver\":{driver}}},\"results\":["
    )
}

/// One problem.
pub(super) fn result(line: &Line) -> Value {
    let place = match (&line.store, &line.step) {
        (Some(store), _) => format!("{store}#{}/{}", line.id, line.field),
        (None, Some(step)) => format!("{}/{step}/{}", line.id, line.field),
        (None, None) => format!("{}/{}", line.id, line.field),
    };
    let place = place.trim_end_matches('/');
    let name = line.step.as_ref().unwrap_or(&line.id);
    // Members of these are ours: the standard has none for how many meet a problem, nor for a fix that is no edit of a file.
    let mut properties = serde_json::Map::new();
    properties.extend(line.reach.map(|reach| ("reach".to_owned(), reach_of(reach))));
    properties.extend(line.fix.as_ref().map(|fix| ("fix".to_owned(), json!(fix))));
    let more = line.products.more;
    properties.extend((more > 0).then(|| ("moreProducts".to_owned(), json!(more))));
    let named = line.title.as_deref().unwrap_or(&line.id);
    let mut result = json!({
        "ruleId": line.rule,
        "level": level(line.severity),
        "message": { "text": format!("{named}: {}", line.sentence) },
        "locations": [{ "logicalLocations": [{ "fullyQualifiedName": place, "kind": line.kind, "name": name }] }],
        "partialFingerprints": { "cutaway/v1": line.key },
        "properties": properties,
    });
    if let Some(members) = result.as_object_mut().filter(|_| !line.products.is_empty()) {
        members.insert("relatedLocations".to_owned(), related(line));
    }
    result
}

/// The products that a word is about, as places of their own.
fn related(line: &Line) -> Value {
    let store = line.store.as_deref().unwrap_or_default();
    let place = |id: &String| {
        let place = format!("{store}#{id}/{}", line.field);
        json!({
            "message": { "text": format!("product {id}") },
            "logicalLocations": [{ "fullyQualifiedName": place, "kind": "product", "name": id }],
        })
    };
    line.products.listed.iter().map(place).collect()
}

fn level(severity: Severity) -> &'static str {
    severity.word()
}
