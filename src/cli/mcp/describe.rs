//! What the arguments of tools are, in words: in their schemas, and in what is said of wrong ones.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::domain::{Fault, Finding, Segment};

/// What members are called, wherever they are, and what they are.
const DESCRIPTIONS: [(&str, &str); 60] = [
    ("analysis", "true for the analysis of each product, or an object with analysisTimeoutMs"),
    ("analysisTimeoutMs", "How long the service may wait for an analysis, in milliseconds, above 0"),
    ("answerTime", "When the answers appear, in seconds from the video's start; 0 shows them immediately"),
    ("answers", "What viewers can choose, in order"),
    ("brandColor", "The color of the player's main buttons, #rrggbb; empty or null clears it, as for every setting"),
    ("category", "Only products in one of these categories: ID, name or full name"),
    ("consentText", "What viewers have to agree to before the form is sent"),
    ("createdAt", "Only products created in this period"),
    ("cursor", "nextCursor of the previous page, with the same search, filters and sort"),
    ("description", "An internal note about the step; viewers don't see it"),
    ("emailNotifications", "E-mail addresses that are notified of the project's visitors"),
    ("embedOrigins", "The origins whose pages may embed the player; an empty list means none"),
    ("endText", "The text of the player's end screen"),
    ("event", "The event that is sent"),
    ("filters", "Conditions that all have to be met"),
    (
        "folder",
        "The folder's ID or name; an unknown name creates a folder, an empty one removes the project from its folder",
    ),
    ("font", "The player's font style"),
    ("fontUrl", "A font file of the player (WOFF2), https"),
    ("formFields", "What the form at the end asks for; an empty list shows no form"),
    ("formText", "The text before the form"),
    ("from", "The earliest date or RFC 3339 time, inclusive"),
    ("include", "What to include with each product"),
    ("inventory", "Only products with this many in stock"),
    ("language", "The project's language, BCP 47"),
    ("limit", "Products per page, 1 to 500"),
    ("logoUrl", "The shop's logo, https"),
    ("max", "The maximum, inclusive"),
    ("media", "true for each product's pictures and videos"),
    ("min", "The minimum, inclusive"),
    ("name", "The name"),
    ("next", "The name or ID of the step that the answer leads to; empty ends the video"),
    ("overlayText", "The text over the video"),
    ("player", "How the player looks and what it asks for; omitted settings stay, null clears one"),
    ("posterUrl", "The address of the picture shown before the video"),
    ("privacyUrl", "The shop's privacy policy, https"),
    ("productId", "The product's ID in its store, externalProductId"),
    ("productName", "Only products with one of these titles"),
    ("productType", "Only products of one of these types"),
    ("products", "The products that the step shows, together; an extension that not every service keeps"),
    ("projectId", "The project's ID, as list_projects returns it"),
    ("publishedOnly", "true for published products only"),
    ("searchTerm", "Words that words of the title or the tags have to begin with; all are required"),
    ("shopText", "The text of the link to the shop"),
    ("shopUrl", "The https address that the end screen links to"),
    ("skipVariantMetafields", "true to leave out the metafields of variants"),
    ("sku", "Only products with a variant of one of these SKUs"),
    ("sortBy", "The field to sort by"),
    ("sortDirection", "The sort direction"),
    ("stepsOrder", "All steps in order, by name or ID; viewers start at the first"),
    ("strict", "true to count published products only"),
    ("tags", "Only products with these tags"),
    ("tagsMatchMode", "Whether a product needs any or all of the tags"),
    ("text", "The text of the answer"),
    ("to", "The latest date or RFC 3339 time, inclusive"),
    ("transparent", "true to let the page around an embedded player show through"),
    ("url", "The http(s) address that events are sent to"),
    ("variantId", "Only products with one of these variants, by externalVariantId"),
    ("variants", "true for each product's variants"),
    ("videoId", "The ID of the step's video, as list_videos returns it; empty removes the video"),
    ("videoUrl", "The address of the video, http(s)"),
];

/// What the members of a product on a step are: elsewhere the same words mean something else.
const OF_STEP_PRODUCTS: [(&str, &str); 4] = [
    ("store", "The address of the product's store"),
    ("productId", "The product's external ID in its store"),
    ("variantId", "The external ID of one of the product's variants; omitted: the product with all of them"),
    ("from", "The second of the video from which the product shows, 0 or more"),
];

/// Describes the products on a step.
fn describe_step_products(schema: &mut Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties")
        && OF_STEP_PRODUCTS.iter().all(|(name, _)| properties.contains_key(*name))
    {
        for (name, about) in OF_STEP_PRODUCTS {
            if let Some(member) = properties.get_mut(name).and_then(Value::as_object_mut) {
                member.entry("description").or_insert_with(|| json!(about));
            }
        }
    }
    let parts: &mut dyn Iterator<Item = &mut Value> = match schema {
        Value::Object(object) => &mut object.values_mut(),
        Value::Array(list) => &mut list.iter_mut(),
        _ => return,
    };
    parts.for_each(describe_step_products);
}

/// Describes every member of every object in a schema that nothing was said of.
pub(super) fn describe(schema: &mut Value) {
    describe_step_products(schema);
    each(schema, &mut |name, member| {
        let known = DESCRIPTIONS.iter().find(|(known, _)| *known == name);
        if let (Some((_, about)), Some(member)) = (known, member.as_object_mut()) {
            member.entry("description").or_insert_with(|| json!(about));
        }
    });
}

/// The members that nothing is said of.
#[cfg(test)]
pub(super) fn undescribed(schema: &Value, found: &mut Vec<String>) {
    each(&mut schema.clone(), &mut |name, member| {
        if member.get("description").is_none() {
            found.push(name.to_owned());
        }
    });
}

fn each(schema: &mut Value, visit: &mut dyn FnMut(&str, &mut Value)) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                if let ("properties", Value::Object(properties)) = (key.as_str(), &mut *value) {
                    for (name, member) in properties {
                        visit(name, member);
                        each(member, visit);
                    }
                } else {
                    each(value, visit);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| each(one, visit)),
        _ => {}
    }
}

/// Which tool tells an id or a text that is missing.
pub(super) fn found_by(member: &str) -> &'static str {
    match member {
        "projectId" => ": the project's ID, as list_projects returns it",
        "stepId" => ": the step's ID, as get_project returns it",
        "videoId" => ": the video's ID, as list_videos returns it",
        "webhookId" => ": the webhook's ID, as list_webhooks returns it",
        "path" => ": the path of a file on the machine that the tools run on",
        "file" => ": the project file, as export_project returns it",
        "planHash" => ": the planHash that plan_project returns for this file",
        _ => "",
    }
}

/// What is wrong with an argument, what it is, and which values are allowed.
pub(super) fn explained(tool: &Tool, finding: &Finding) -> String {
    let root = Value::Object((*tool.input_schema).clone());
    let (parent, last) = match finding.at.split_last() {
        Some((last, before)) => (place(&root, before), Some(last)),
        None => (Some(&root), None),
    };
    let member = match (parent, last) {
        (Some(parent), Some(last)) => step(&root, parent, last),
        _ => None,
    };
    let names = |object: Option<&Value>| {
        let properties = object.and_then(|object| object.get("properties")).and_then(Value::as_object);
        properties.map(|properties| properties.keys().cloned().collect::<Vec<_>>().join(", "))
    };
    let hint = match &finding.fault {
        Fault::Undeclared => {
            names(parent.map(|parent| resolved(&root, parent))).map(|names| format!("there are {names}"))
        }
        Fault::UnknownValue(_) => member.and_then(|member| allowed(resolved(&root, member))),
        _ => {
            let resolved = member.map(|member| resolved(&root, member));
            let about = member.and_then(|member| member.get("description")).and_then(Value::as_str).map(str::to_owned);
            resolved.and_then(allowed).or(about)
        }
    };
    hint.map_or_else(|| finding.to_string(), |hint| format!("{finding} ({hint})"))
}

/// The values that a schema lists.
fn allowed(schema: &Value) -> Option<String> {
    let words = schema.get("enum")?.as_array()?;
    Some(format!("allowed: {}", words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")))
}

fn place<'a>(root: &'a Value, at: &[Segment]) -> Option<&'a Value> {
    at.iter().try_fold(root, |schema, segment| step(root, schema, segment))
}

fn step<'a>(root: &'a Value, schema: &'a Value, segment: &Segment) -> Option<&'a Value> {
    let schema = resolved(root, schema);
    match segment {
        Segment::Key(key) => schema.get("properties")?.get(key),
        Segment::Index(_) => schema.get("items"),
    }
}

/// A schema behind its references, and of several the one that is not null.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..8 {
        let named = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
        let next = match (named, schema.get("anyOf").and_then(Value::as_array)) {
            (Some(named), _) => root.get("$defs").and_then(|defs| defs.get(named)),
            (None, Some(several)) => {
                several.iter().find(|one| one.get("type") != Some(&json!("null")) && one.get("const").is_none())
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
