//! How much of an answer an agent gets: everything that it reads it pays for, so that answers are compact unless it asks
//! for all, and it may say which members it wants.

use serde_json::{Map, Value, json};

use super::calls::Arguments;

/// The two parameters that say so, with their schemas.
pub(super) const FIELDS: &str = "fields";
pub(super) const FULL: &str = "full";

/// The parameters of a tool whose answer has a shape.
pub(super) fn parameters() -> [(&'static str, Value); 2] {
    [
        (
            FIELDS,
            json!({
                "type": "array", "items": { "type": "string" },
                "description": "Only these members of each item, such as title or variants.price; the usual ones if omitted",
            }),
        ),
        (
            FULL,
            json!({
                "type": "boolean",
                "description": "The service's whole response; otherwise null and empty members are left out, and of \
                    products all but the main ones",
            }),
        ),
    ]
}

/// What of each product is given unless something else is asked for. Media, variants and the analysis come where
/// `include` asks for them.
const OF_PRODUCT: [&str; 12] = [
    "externalProductId",
    "title",
    "productType",
    "vendor",
    "status",
    "tags",
    "publishedAt",
    "currencyCode",
    "productUrl",
    "mediaCount",
    "variantsCount",
    "analysisStatus",
];
const OF_VARIANT: [&str; 6] = ["externalVariantId", "title", "sku", "price", "compareAtPrice", "inventoryQuantity"];
const OF_MEDIUM: [&str; 5] = ["externalMediaId", "mediaContentType", "previewUrl", "videoUrl", "alt"];

/// What an agent wants of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    fields: Vec<String>,
    full: bool,
}

impl Shape {
    /// Takes it out of the arguments of a tool.
    ///
    /// # Errors
    /// A sentence for the agent.
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, String> {
        let full = match arguments.shift_remove(FULL) {
            None => false,
            Some(Value::Bool(full)) => full,
            Some(_) => return Err(format!("the arguments are wrong: {FULL} must be true or false")),
        };
        let names = |list: Vec<Value>| list.into_iter().map(|name| name.as_str().map(str::to_owned)).collect();
        let fields: Option<Vec<String>> = match arguments.shift_remove(FIELDS) {
            None => Some(Vec::new()),
            Some(Value::Array(list)) => names(list),
            Some(_) => None,
        };
        let fields = fields.filter(|fields| fields.iter().all(|field| !field.is_empty()));
        let fields = fields.ok_or_else(|| {
            format!(
                "the arguments are wrong: {FIELDS} must be an array of names, such as [\"title\", \"variants.price\"]"
            )
        })?;
        Ok(Self { fields, full })
    }

    /// Whether members are asked for that the service sends only where they are included.
    pub(super) fn includes<'a>(&self, parts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let heads: Vec<String> =
            self.fields.iter().map(|field| field.split('.').next().unwrap_or_default().to_owned()).collect();
        parts.iter().copied().filter(move |part| heads.iter().any(|head| head == part))
    }

    /// The answer so.
    ///
    /// # Errors
    /// Where no item has any of the members that were asked for: which there are.
    pub(super) fn of(&self, answer: Value) -> Result<Value, String> {
        if self.fields.is_empty() {
            return Ok(if self.full { answer } else { each(answer, &|item| compact(item)) });
        }
        let paths: Vec<Vec<&str>> = self.fields.iter().map(|field| field.split('.').collect()).collect();
        let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
        let known = names(&answer);
        let selected = each(answer, &|item| select(item, &paths));
        let missing = |path: &&&[&str]| path.first().is_none_or(|head| !known.iter().any(|name| name == head));
        if !known.is_empty() && paths.iter().all(|path| missing(&path)) {
            return Err(format!("no item has any of {}; available: {}", self.fields.join(", "), known.join(", ")));
        }
        Ok(selected)
    }
}

/// Changes every item of an answer: of a list, of the lists and objects in an object.
fn each(answer: Value, change: &dyn Fn(Value) -> Value) -> Value {
    let item = |item: Value| if item.is_object() { change(item) } else { item };
    match answer {
        Value::Array(items) => Value::Array(items.into_iter().map(item).collect()),
        Value::Object(object) => {
            let member = |(name, value): (String, Value)| {
                let value = match value {
                    Value::Array(items) => Value::Array(items.into_iter().map(item).collect()),
                    other => item(other),
                };
                (name, value)
            };
            Value::Object(object.into_iter().map(member).collect())
        }
        other => other,
    }
}

/// The names of the members that items have.
fn names(answer: &Value) -> Vec<String> {
    let found = std::cell::RefCell::new(Vec::<String>::new());
    each(answer.clone(), &|item| {
        let mut found = found.borrow_mut();
        for name in item.as_object().into_iter().flat_map(Map::keys) {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        Value::Null
    });
    found.into_inner()
}

/// An item without what says nothing; a product with its main members.
fn compact(item: Value) -> Value {
    let Value::Object(object) = item else { return item };
    let is_product = object.contains_key("externalProductId") && object.contains_key("handle");
    let kept = object.into_iter().filter_map(|(name, value)| {
        let of_it = |names: &[&str], list: Value| each(list, &|one| main(one, names));
        let value = match name.as_str() {
            "variants" if is_product => of_it(&OF_VARIANT, value),
            "media" if is_product => of_it(&OF_MEDIUM, value),
            "analysis" => value,
            name if is_product && !OF_PRODUCT.contains(&name) => return None,
            _ => value,
        };
        (!says_nothing(&value)).then_some((name, value))
    });
    Value::Object(kept.collect())
}

/// The main members of an object, without what says nothing.
fn main(value: Value, names: &[&str]) -> Value {
    let Value::Object(object) = value else { return value };
    Value::Object(
        object.into_iter().filter(|(name, value)| names.contains(&name.as_str()) && !says_nothing(value)).collect(),
    )
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The members of a value at these paths.
fn select(value: Value, paths: &[&[&str]]) -> Value {
    // A path that ends here wants all of it.
    if paths.iter().any(|path| path.is_empty()) {
        return value;
    }
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(|item| select(item, paths)).collect()),
        Value::Object(object) => {
            let kept = object.into_iter().filter_map(|(name, value)| {
                let inner =
                    |path: &&[&str]| path.split_first().filter(|(head, _)| **head == name).map(|(_, rest)| rest.len());
                let deeper: Vec<&[&str]> = paths
                    .iter()
                    .filter_map(|path| inner(path).and_then(|rest| path.get(path.len() - rest..)))
                    .collect();
                (!deeper.is_empty()).then(|| (name.clone(), select(value, &deeper)))
            });
            Value::Object(kept.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(arguments: Value) -> Result<Shape, String> {
        Shape::take(&mut arguments.as_object().unwrap().clone())
    }

    #[test]
    fn answers_are_compact_unless_all_is_asked_for() {
        let product = json!({
            "id": 1, "externalProductId": "7", "handle": "sock", "title": "Sock", "description": "long", "vendor": null,
            "tags": [], "media": [], "variants": [{ "id": 1, "price": "5", "sku": "", "title": "S" }],
        });
        let page = json!({ "products": [product], "nextCursor": null, "hasMore": false });
        let of = |arguments: Value| shape(arguments).unwrap().of(page.clone());
        let compact =
            json!({ "externalProductId": "7", "title": "Sock", "variants": [{ "price": "5", "title": "S" }] });
        assert_eq!(of(json!({})).unwrap(), json!({ "products": [compact], "nextCursor": null, "hasMore": false }));
        assert_eq!(of(json!({ "full": true })).unwrap(), page);
        let wanted = of(json!({ "fields": ["description", "variants.price", "tags"] })).unwrap();
        let selected = json!({ "description": "long", "tags": [], "variants": [{ "price": "5" }] });
        assert_eq!(wanted["products"], json!([selected]));
        let refused = of(json!({ "fields": ["colour"] })).unwrap_err();
        assert!(refused.contains("colour") && refused.contains("externalProductId"), "{refused}");
        let steps = json!({ "project": { "id": "p", "folder": "" }, "steps": [{ "name": "a", "videoId": null }] });
        let compact = shape(json!({})).unwrap().of(steps).unwrap();
        assert_eq!(compact, json!({ "project": { "id": "p" }, "steps": [{ "name": "a" }] }));
        for wrong in [json!({ "fields": "title" }), json!({ "fields": [1] }), json!({ "full": "yes" })] {
            assert!(shape(wrong).is_err());
        }
        let shape = shape(json!({ "fields": ["variants.price", "title"] })).unwrap();
        assert_eq!(shape.includes(&["media", "variants"]).collect::<Vec<_>>(), ["variants"]);
    }
}
