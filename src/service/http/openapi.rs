//! `/openapi.json`: what the service answers, as OpenAPI 3.1, made of the types that it reads and writes.

mod beside;
mod conditional;
mod parameters;
mod player;

pub(crate) use player::player_settings;

use axum::response::Response;
use serde_json::{Map, Value, json};

use super::answer;
use super::base_url::BaseUrl;
use super::captions::MOST_LABEL;
use super::oauth::SCOPE;
use super::player::{MOST_AT_ONCE, MOST_NAME, MOST_TEXT};
use crate::api::{
    API_KEY_HEADER, Body, EXTENSIONS, ExchangeKey, OPERATIONS, Operation as _, PROBLEM_TYPE, ProjectChange, Row,
    StepChange, UploadVideo,
};
use crate::domain::Schemas;
use crate::domain::webvtt::MOST_VTT;
use crate::service::checks::{EMAIL, NAME, WEB_ADDRESS, most};

/// `GET /openapi.json`
pub(super) async fn openapi(base: BaseUrl) -> Response {
    answer::json(&document(&base.0))
}

/// The whole description, for a service at this address.
pub(super) fn document(base_url: &str) -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for row in OPERATIONS.into_iter().chain(EXTENSIONS) {
        let operation = operation(&row, &mut schemas);
        if let Some((path, form)) = other_form(&row) {
            let mut alike = operation.clone();
            if let Some(alike) = alike.as_object_mut() {
                alike.insert("operationId".to_owned(), json!(format!("{}{form}", row.name)));
            }
            describe(&mut paths, &path, &row, alike);
        }
        describe(&mut paths, row.path, &row, operation);
    }
    beside::describe(&mut paths, &mut schemas);
    constrain(&mut schemas);
    let mut named = schemas.into_named();
    named.insert("Problem".to_owned(), problem());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Video commerce",
            "version": "1.0.0",
            "description": "Catalogs of connected stores, interactive videos, and webhooks of one workspace. \
                Every path is the same with a slash at its end.",
        },
        "servers": [{ "url": base_url }],
        "tags": [
            { "name": "products", "description": "Products of connected stores" },
            { "name": "stores", "description": "Credentials and who owns them" },
            { "name": "studio", "description": "Projects, steps, folders and webhooks" },
            { "name": "video", "description": "Videos" },
            { "name": "ai-tools", "description": "Assets" },
        ],
        "security": [{ "bearer": [] }, { "oauth": [SCOPE] }],
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": security(base_url),
            "responses": responses(),
        },
    })
}

/// How who asks is known.
fn security(base_url: &str) -> Value {
    json!({
        "bearer": {
            "type": "http", "scheme": "bearer", "description": "An API key of the workspace or an access token",
        },
        "oauth": beside::oauth_scheme(base_url),
        "apiKey": {
            "type": "apiKey", "in": "header", "name": API_KEY_HEADER,
            "description": "An API key, to be exchanged for an access token",
        },
    })
}

/// What any operation may be answered with.
fn responses() -> Value {
    json!({
        "Problem": {
            "description": "What went wrong",
            "headers": request_id(),
            "content": { PROBLEM_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
        },
        "Unauthenticated": {
            "description": "Authentication required",
            "headers": {
                "X-Request-Id": { "schema": { "type": "string" } },
                "WWW-Authenticate": { "required": true, "schema": { "type": "string" } },
            },
            "content": { PROBLEM_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
        },
    })
}

/// The path of an operation with, or without, a slash at its end, where that is described too: of paths that are written
/// with one, and of those that another operation has with one, so that what is described there is all there is.
fn other_form(row: &Row) -> Option<(String, &'static str)> {
    if let Some(bare) = row.path.strip_suffix('/') {
        return Some((bare.to_owned(), "WithoutSlash"));
    }
    let slashed = format!("{}/", row.path);
    OPERATIONS.iter().any(|other| other.path == slashed).then_some((slashed, "WithSlash"))
}

fn describe(paths: &mut Map<String, Value>, path: &str, row: &Row, operation: Value) {
    let methods = paths.entry(path).or_insert_with(|| json!({}));
    if let Some(methods) = methods.as_object_mut() {
        methods.insert(row.method.as_str().to_ascii_lowercase(), operation);
    }
}

fn request_id() -> Value {
    json!({ "X-Request-Id": { "required": true, "schema": { "type": "string" } } })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string" },
            "errors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["pointer", "detail"],
                    "properties": {
                        "pointer": { "type": "string", "description": "JSON Pointer (RFC 6901) into the body" },
                        "detail": { "type": "string" },
                    },
                },
            },
        },
    })
}

fn operation(row: &Row, schemas: &mut Schemas) -> Value {
    let mut responses = json!({
        row.status: {
            "description": "Done",
            "headers": request_id(),
            "content": { "application/json": { "schema": (row.response)(schemas) } },
        },
        "401": { "$ref": "#/components/responses/Unauthenticated" },
        "default": { "$ref": "#/components/responses/Problem" },
    });
    let mut problems = row.problems.to_vec();
    let body = body(row, schemas);
    match row.body {
        Body::None => {}
        Body::Json(_) | Body::MaybeJson(_) => problems.extend(["400", "408", "413", "415"]),
        Body::File => problems.extend(["400", "408", "413", "415", "507"]),
    }
    let parameters = parameters::of(row);
    if !parameters.is_empty() {
        problems.push("404");
    }
    if let Some(responses) = responses.as_object_mut() {
        let problem = json!({ "$ref": "#/components/responses/Problem" });
        responses.extend(problems.into_iter().map(|status| (status.to_owned(), problem.clone())));
    }
    let mut operation =
        json!({ "operationId": row.name, "tags": [row.tag], "summary": row.summary, "responses": responses });
    if let Some(operation) = operation.as_object_mut() {
        if !parameters.is_empty() {
            operation.insert("parameters".to_owned(), Value::Array(parameters));
        }
        if let Some(body) = body {
            operation.insert("requestBody".to_owned(), body);
        }
        if row.is_extension {
            operation.insert("x-extension".to_owned(), json!(true));
        }
        if *row == ExchangeKey::ROW {
            operation.insert("security".to_owned(), json!([{ "apiKey": [] }, { "bearer": [] }]));
        }
    }
    conditional::describe(row, &mut operation);
    operation
}

/// What an operation is asked with.
fn body(row: &Row, schemas: &mut Schemas) -> Option<Value> {
    let (kind, required, schema) = match row.body {
        Body::None => return None,
        Body::Json(schema) => ("application/json", true, schema(schemas)),
        Body::MaybeJson(schema) => ("application/json", false, schema(schemas)),
        Body::File => {
            let part = json!({ UploadVideo::PART: { "type": "string", "format": "binary" } });
            let form = json!({
                "type": "object", "required": [UploadVideo::PART], "additionalProperties": false, "properties": part,
            });
            ("multipart/form-data", true, form)
        }
    };
    Some(json!({ "required": required, "content": { kind: { "schema": schema } } }))
}

/// Objects that may have no members beyond the declared ones, §2.1 to §2.3 and §4.
const CLOSED: [&str; 12] = [
    "Product",
    "Media",
    "Variant",
    "Category",
    "FoundProduct",
    "GetProduct",
    "GetProductMedia",
    "CountProducts",
    "ProductSearch",
    "Include",
    "ProductFilters",
    "InventoryRange",
];

/// Bodies that may carry the workspace key, §5.5.
const KEYED: [&str; 8] = [
    "CreateProject",
    "ProjectChange",
    "DeleteProject",
    "CreateStep",
    "StepChange",
    "DeleteStep",
    "CreateVideo",
    "CreateWebhook",
];

/// Texts and how many characters they may have.
const LENGTHS: [(&str, &str, usize); 19] = [
    ("NewCaptions", "vtt", MOST_VTT),
    ("NewCaptions", "label", MOST_LABEL),
    ("NewProject", "name", most::NAME),
    ("NewProject", "folder", most::NAME),
    ("NewProject", "emailNotifications/items", most::EMAIL),
    ("ProjectChange", "name", most::NAME),
    ("ProjectChange", "folder", most::NAME),
    ("ProjectChange", "emailNotifications/items", most::EMAIL),
    ("NewStep", "description", most::TEXT),
    ("NewStep", "overlayText", most::TEXT),
    ("StepChange", "description", most::TEXT),
    ("StepChange", "overlayText", most::TEXT),
    ("NewVideo", "name", most::NAME),
    ("NewVideo", "videoUrl", most::ADDRESS),
    ("NewVideo", "posterUrl", most::ADDRESS),
    ("CreateWebhook", "url", most::ADDRESS),
    ("LeftInVisit", "name", MOST_TEXT),
    ("LeftInVisit", "email", MOST_TEXT),
    ("LeftInVisit", "phone", MOST_NAME),
];

/// Lists and how many entries they may have.
const ENTRIES: [(&str, &str, usize); 8] = [
    ("NewProject", "emailNotifications", most::ENTRIES),
    ("ProjectChange", "emailNotifications", most::ENTRIES),
    ("ProjectChange", "stepsOrder", most::STEPS),
    ("NewStep", "answers", most::ENTRIES),
    ("StepChange", "answers", most::ENTRIES),
    ("NewStep", "products", most::PRODUCTS),
    ("StepChange", "products", most::PRODUCTS),
    ("ReportVisit", "events", MOST_AT_ONCE),
];

/// Numbers that are never below zero.
const COUNTS: [(&str, &[&str]); 10] = [
    ("VideoCaptions", &["cues", "size"]),
    ("Delivery", &["attempts"]),
    ("Product", &["version"]),
    ("FoundProduct", &["version", "mediaCount", "variantsCount"]),
    ("Analysis", &["version"]),
    ("AnalysisData", &["confidence"]),
    ("ProductsCount", &["total"]),
    ("ExchangedToken", &["expiresIn", "expires_in"]),
    ("Project", &["stepsCount"]),
    ("VisitEvent", &["number"]),
];

/// Adds what the types do not say: what texts and numbers have to be, and what this service always answers.
fn constrain(schemas: &mut Schemas) {
    constrain_requests(schemas);
    constrain_responses(schemas);
    player::constrain(schemas);
    constrain_extensions(schemas);
}

/// What texts and numbers have to be.
fn constrain_requests(schemas: &mut Schemas) {
    for name in CLOSED.iter().chain(&["DateRange"]) {
        set(schemas, name, "", "additionalProperties", json!(false));
    }
    for name in KEYED {
        set(schemas, name, "/properties", "appKey", json!({ "type": "string", "description": "The workspace key" }));
    }
    for (name, member) in [("NewProject", "name"), ("ProjectChange", "name"), ("Answer", "text"), ("NewVideo", "name")]
    {
        set(schemas, name, &format!("/properties/{member}"), "pattern", json!(NAME));
    }
    for name in ["NewProject", "ProjectChange"] {
        set(schemas, name, "/properties/folder", "pattern", json!(format!("^$|{NAME}")));
        set(schemas, name, "/properties/emailNotifications/items", "pattern", json!(EMAIL));
    }
    for (name, member) in [("NewVideo", "videoUrl"), ("NewVideo", "posterUrl"), ("CreateWebhook", "url")] {
        set(schemas, name, &format!("/properties/{member}"), "pattern", json!(WEB_ADDRESS));
        set(schemas, name, &format!("/properties/{member}"), "format", json!("uri"));
    }
    for (name, member, length) in LENGTHS {
        set(schemas, name, &format!("/properties/{member}"), "maxLength", json!(length));
    }
    for (name, member, entries) in ENTRIES {
        set(schemas, name, &format!("/properties/{member}"), "maxItems", json!(entries));
    }
    for name in ["StepChange", "Step"] {
        set(schemas, name, "/properties/answerTime", "minimum", json!(0));
    }
    for (name, member) in [("DeleteProject", "projectId"), ("DeleteStep", "stepId")] {
        // It may be in the query instead.
        set(schemas, name, "", "required", json!([]));
        set(schemas, name, &format!("/properties/{member}"), "minLength", json!(1));
    }
    for member in ["from", "to"] {
        let day = json!([{ "format": "date" }, { "format": "date-time" }]);
        let kinds = json!({ "type": ["string", "null"], "anyOf": day });
        set(schemas, "DateRange", "/properties", member, kinds);
    }
    let one_of = |members: &mut dyn Iterator<Item = (&str, Value)>| {
        let some = members.map(|(name, schema)| json!({ "required": [name], "properties": { name: schema } }));
        json!(some.collect::<Vec<_>>())
    };
    for (name, fields) in [("ProjectChange", ProjectChange::FIELDS), ("StepChange", StepChange::FIELDS)] {
        set(schemas, name, "", "anyOf", one_of(&mut fields.iter().map(|field| (field.name, json!({})))));
    }
    // Of a viewer one of the three is kept at least: what is empty, or null, is not there.
    let left = ["name", "email", "phone"].into_iter();
    let seen = json!({ "type": "string", "pattern": NAME });
    set(schemas, "LeftInVisit", "", "anyOf", one_of(&mut left.map(|name| (name, seen.clone()))));
    set(schemas, "LeftInVisit", "/properties/email", "pattern", json!(format!("^$|{EMAIL}")));
}

/// What this service always answers.
fn constrain_responses(schemas: &mut Schemas) {
    for (name, members) in COUNTS {
        for member in members {
            set(schemas, name, &format!("/properties/{member}"), "minimum", json!(0));
        }
    }
    set(schemas, "VisitEvent", "/properties/number", "type", json!("integer"));
    set(schemas, "Delivery", "/properties/attempts", "type", json!("integer"));
    set(schemas, "Delivery", "/properties/state", "enum", json!(["pending", "delivered", "failed", "ended"]));
    let status = json!({ "type": ["integer", "null"], "minimum": 100, "maximum": 599 });
    set(schemas, "Delivery", "/properties", "status", status);
    let until = "Until when earlier secrets sign as well";
    set(schemas, "SecretOfWebhook", "/properties/previousUntil", "description", json!(until));
    set(schemas, "VisitEvent", "/properties/number", "maximum", json!(u32::MAX));
    set(schemas, "ExchangedToken", "", "required", json!(["accessToken", "tokenType", "expiresIn"]));
    set(schemas, "CreatedProject", "", "required", json!(["id", "cutaway"]));
    set(schemas, "CreatedVideo", "", "required", json!(["id", "name", "createdAt"]));
    let project = json!([
        "id",
        "name",
        "appKey",
        "owner",
        "publishId",
        "folder",
        "emailNotifications",
        "stepsOrder",
        "stepsCount",
        "createdAt",
        "updatedAt",
        "cutaway",
    ]);
    set(schemas, "Project", "", "required", project);
    let step = json!([
        "id",
        "name",
        "projectId",
        "description",
        "answers",
        "videoId",
        "overlayText",
        "answerTime",
        "createdAt",
        "updatedAt",
    ]);
    set(schemas, "Step", "", "required", step);
}

/// What the products of a step are, and which members of a video are extensions.
fn constrain_extensions(schemas: &mut Schemas) {
    for (name, member, about) in [
        ("Step", "products", "the products that the step shows; absent where it shows none"),
        ("NewStep", "products", "the products that the step shows"),
        ("StepChange", "products", "the products that the step shows, in place of those that it showed"),
        ("Video", "captions", "the languages of its captions (BCP 47); absent where it has none"),
        ("Video", "durationMs", "how long it plays, in milliseconds; absent where that is not known"),
        ("Video", "size", "how many bytes its file has; absent where that is not known"),
    ] {
        let place = format!("/properties/{member}");
        set(schemas, name, &place, "description", json!(format!("Extension: {about}")));
        set(schemas, name, &place, "x-extension", json!(true));
    }
    let about = "Extension: a product that a step shows, from this second of its video on";
    set(schemas, "StepProduct", "", "description", json!(about));
    set(schemas, "StepProduct", "/properties/store", "pattern", json!(WEB_ADDRESS));
    set(schemas, "StepProduct", "/properties/store", "format", json!("uri"));
    set(schemas, "StepProduct", "/properties/from", "minimum", json!(0));
    for member in ["productId", "variantId"] {
        set(schemas, "StepProduct", &format!("/properties/{member}"), "pattern", json!(NAME));
        set(schemas, "StepProduct", &format!("/properties/{member}"), "maxLength", json!(most::NAME));
    }
}

/// Sets a member of a place in a named schema, where there is that place.
fn set(schemas: &mut Schemas, name: &str, pointer: &str, member: &str, value: Value) {
    let place = schemas.get_mut(name).and_then(|schema| schema.pointer_mut(pointer));
    if let Some(place) = place.and_then(Value::as_object_mut) {
        place.insert(member.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member that an object has to have is described where that is said.
    fn no_undefined_member(value: &Value, at: &str) {
        match value {
            Value::Object(object) => {
                for name in object.get("required").and_then(Value::as_array).into_iter().flatten() {
                    let name = name.as_str().unwrap();
                    assert!(value["properties"][name].is_object(), "{at}: {name}");
                }
                object.iter().for_each(|(name, value)| no_undefined_member(value, &format!("{at}/{name}")));
            }
            Value::Array(array) => array.iter().for_each(|value| no_undefined_member(value, at)),
            _ => {}
        }
    }

    #[test]
    fn every_operation_is_described() {
        let document = document("http://127.0.0.1:1");
        for row in OPERATIONS.into_iter().chain(EXTENSIONS) {
            let operation = &document["paths"][row.path][row.method.as_str().to_ascii_lowercase()];
            assert_eq!((&operation["operationId"], &operation["tags"][0]), (&json!(row.name), &json!(row.tag)));
            let answer = &operation["responses"][row.status]["content"]["application/json"]["schema"];
            assert!(answer.as_object().is_some_and(|schema| !schema.is_empty()), "{}", row.name);
            assert!(!(row.takes_app_key && operation["requestBody"].is_null()), "{}", row.name);
        }
        let mut ids = std::collections::HashSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{method} {path}");
                assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
            }
        }
        no_undefined_member(&document, "");
        for (name, members) in COUNTS {
            for member in members {
                assert_eq!(
                    document["components"]["schemas"][name]["properties"][member]["minimum"], 0,
                    "{name} {member}"
                );
            }
        }
        let text = document.to_string();
        let named = document["components"]["schemas"].as_object().unwrap();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(named[name].is_object(), "{name}");
        }
        for name in CLOSED.iter().chain(&KEYED) {
            assert!(named.contains_key(*name), "{name}");
        }
        for (name, member, _) in LENGTHS.iter().chain(&ENTRIES) {
            assert!(named[*name].pointer(&format!("/properties/{member}")).is_some(), "{name} {member}");
        }
        let flow = &document["components"]["securitySchemes"]["oauth"]["flows"]["authorizationCode"];
        assert_eq!(flow["tokenUrl"], "http://127.0.0.1:1/oauth/token");
        for path in ["/oauth/token", "/play/{publishId}/visits", "/webhooks/{id}/ping", "/healthz"] {
            assert!(document["paths"][path].is_object(), "{path}");
        }
    }
}
