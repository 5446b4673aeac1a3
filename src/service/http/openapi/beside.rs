//! What the service answers beside §4: the authorization server of §5.3, the player, files.

use serde_json::{Map, Value, json};

use super::request_id;
use crate::api::{BeginVisit, BoughtInVisit, LeftInVisit, ReportVisit};
use crate::domain::{HasSchema, Schemas};
use crate::service::address::OAUTH_METADATA;
use crate::service::http::captions::FILE as CAPTIONS;
use crate::service::http::metrics::METRICS;
use crate::service::http::oauth;

/// A way to answer, and with what.
enum Answer {
    /// A JSON document of this schema.
    Json(&'static str, Value),
    /// A page for a browser.
    Page(&'static str),
    /// A file.
    File(&'static str),
    /// A file of captions.
    Text(&'static str),
    /// Figures for those who watch the service.
    Figures(&'static str),
    /// Nothing but its status and headers.
    Empty(&'static str),
    /// A problem of §7.
    Problem(&'static str),
    /// The error of RFC 6749 §5.2.
    Refused(&'static str),
}

impl Answer {
    fn described(&self) -> (&'static str, Value) {
        let with = |kind: &str, schema: Value| json!({ kind: { "schema": schema } });
        let (status, description, content) = match self {
            Self::Json(status, schema) => (*status, "Done", Some(with("application/json", schema.clone()))),
            Self::Page(status) => {
                (*status, "A page for a browser", Some(with("text/html", json!({ "type": "string" }))))
            }
            Self::File(status) => (*status, "The file, or a part of it", Some(with("video/*", json!({})))),
            Self::Text(status) => (*status, "The captions", Some(with("text/vtt", json!({ "type": "string" })))),
            Self::Figures(status) => {
                let kind = "application/openmetrics-text";
                (*status, "The figures, as OpenMetrics 1.0", Some(with(kind, json!({ "type": "string" }))))
            }
            Self::Empty(status) => (*status, "Done", None),
            Self::Problem(status) => return (*status, json!({ "$ref": "#/components/responses/Problem" })),
            Self::Refused(status) => {
                let error = json!({
                    "type": "object", "required": ["error"],
                    "properties": { "error": { "type": "string" }, "error_description": { "type": "string" } },
                });
                (*status, "No", Some(with("application/json", error)))
            }
        };
        let mut described = json!({ "description": description, "headers": request_id() });
        if let (Some(content), Some(described)) = (content, described.as_object_mut()) {
            described.insert("content".to_owned(), content);
        }
        (status, described)
    }
}

/// One operation beside §4, which anybody may ask, unless it is by key.
struct Beside {
    path: String,
    method: &'static str,
    name: &'static str,
    tag: &'static str,
    summary: &'static str,
    /// Whether it takes a credential.
    by_key: bool,
    /// Parameters of the query: name, whether required.
    query: Vec<(&'static str, bool)>,
    /// The media type and the schema of its body.
    body: Option<(&'static str, bool, Value)>,
    answers: Vec<Answer>,
}

impl Beside {
    fn new(method: &'static str, path: &str, name: &'static str, summary: &'static str) -> Self {
        Self {
            path: path.to_owned(),
            method,
            name,
            tag: "stores",
            summary,
            by_key: false,
            query: Vec::new(),
            body: None,
            answers: Vec::new(),
        }
    }

    fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    fn by_key(self) -> Self {
        Self { by_key: true, ..self }
    }

    fn query(self, query: &[(&'static str, bool)]) -> Self {
        Self { query: query.to_vec(), ..self }
    }

    fn form(self, fields: &[(&str, bool)]) -> Self {
        let properties: Map<String, Value> =
            fields.iter().map(|(name, _)| ((*name).to_owned(), parameter(name))).collect();
        let required: Vec<&str> = fields.iter().filter(|field| field.1).map(|field| field.0).collect();
        // What else comes is passed over, and may come once as well (RFC 6749 §3.1).
        let others = json!({ "type": "string" });
        let schema = json!({
            "type": "object", "required": required, "properties": properties, "additionalProperties": others,
        });
        Self { body: Some(("application/x-www-form-urlencoded", true, schema)), ..self }
    }

    fn json(self, schema: Value) -> Self {
        Self { body: Some(("application/json", false, schema)), ..self }
    }

    /// The same with a body that can't be left out.
    fn with_body(self) -> Self {
        Self { body: self.body.map(|(kind, _, schema)| (kind, true, schema)), ..self }
    }

    fn answers(self, answers: Vec<Answer>) -> Self {
        Self { answers, ..self }
    }

    fn operation(&self) -> Value {
        let named = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let in_path = named.map(|name| (name, "path", true));
        let in_query = self.query.iter().map(|(name, required)| (*name, "query", *required));
        let parameters: Vec<Value> = in_path
            .chain(in_query)
            .map(|(name, place, required)| json!({ "name": name, "in": place, "required": required, "schema": parameter(name) }))
            .collect();
        let mut responses: Map<String, Value> =
            self.answers.iter().map(Answer::described).map(|(status, answer)| (status.to_owned(), answer)).collect();
        responses.insert("default".to_owned(), json!({ "$ref": "#/components/responses/Problem" }));
        let mut operation = json!({ "operationId": self.name, "tags": [self.tag], "summary": self.summary });
        if let Some(operation) = operation.as_object_mut() {
            if !self.by_key {
                operation.insert("security".to_owned(), json!([]));
            }
            if !parameters.is_empty() {
                operation.insert("parameters".to_owned(), Value::Array(parameters));
            }
            if let Some((kind, required, schema)) = &self.body {
                let content = json!({ *kind: { "schema": schema } });
                operation.insert("requestBody".to_owned(), json!({ "required": required, "content": content }));
            }
            operation.insert("responses".to_owned(), Value::Object(responses));
        }
        operation
    }
}

/// What a parameter of these operations has to be.
fn parameter(name: &str) -> Value {
    const MOST: usize = oauth::MOST_CARRIED;
    match name {
        "client_id" => json!({ "type": "string", "enum": [oauth::CLIENT] }),
        "response_type" => json!({ "type": "string", "enum": ["code"] }),
        "code_challenge_method" => json!({ "type": "string", "enum": ["S256"] }),
        // An empty one counts as left out.
        "scope" => json!({ "type": "string", "enum": [oauth::SCOPE, ""] }),
        "grant_type" => json!({ "type": "string", "enum": oauth::GRANTS }),
        "decision" => json!({ "type": "string", "enum": ["approve", "deny"] }),
        // The base64url of 32 bytes: what its last character leaves over is zero.
        "code_challenge" => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$" }),
        "code_verifier" => json!({ "type": "string", "pattern": "^[A-Za-z0-9._~-]{43,128}$" }),
        "redirect_uri" => json!({
            "type": "string", "maxLength": MOST, "description": "A loopback address of any port (RFC 8252 §7.3)",
            "pattern": r"^http://(127\.0\.0\.1|\[::1\])(:[1-9][0-9]{0,3})?/[A-Za-z0-9/_-]*$",
        }),
        "state" => json!({ "type": "string", "maxLength": MOST }),
        "token" | "code" | "device_code" | "refresh_token" => json!({ "type": "string", "minLength": 1 }),
        _ => json!({ "type": "string" }),
    }
}

/// Adds what is beside §4 to the paths.
pub(super) fn describe(paths: &mut Map<String, Value>, schemas: &mut Schemas) {
    let operations = authorization().into_iter().chain(player(schemas)).chain(others());
    for beside in operations {
        let methods = paths.entry(beside.path.as_str()).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(beside.method.to_owned(), beside.operation());
        }
    }
}

/// The security scheme of §5.3 for a service at this address.
pub(super) fn oauth_scheme(base_url: &str) -> Value {
    let at = |path: &str| format!("{base_url}{path}");
    json!({
        "type": "oauth2",
        "description": format!(
            "OAuth 2.0 for the public client `cutaway`, §5.3: an authorization code with PKCE (S256) and a loopback \
             redirect; or a device code (RFC 8628), for which OpenAPI 3.1 has no flow, from {} with the same token \
             address. {} describes it in full (RFC 8414).",
            at(oauth::DEVICE_CODE),
            at(OAUTH_METADATA),
        ),
        "flows": {
            "authorizationCode": {
                "authorizationUrl": at(oauth::AUTHORIZE),
                "tokenUrl": at(oauth::TOKEN),
                "refreshUrl": at(oauth::TOKEN),
                "scopes": { oauth::SCOPE: "Everything in the workspace" },
            },
        },
    })
}

/// The problems that a form may be answered with.
fn form_problems() -> impl Iterator<Item = Answer> {
    ["408", "413", "415"].map(Answer::Problem).into_iter()
}

/// What the page for approving is asked with: a name, and whether it is required.
const ASKED: [(&str, bool); 7] = [
    ("client_id", true),
    ("redirect_uri", true),
    ("response_type", true),
    ("code_challenge", true),
    ("code_challenge_method", true),
    ("scope", false),
    ("state", false),
];

/// The form of the owner's decision.
const DECIDED: [(&str, bool); 3] = [("state_token", true), ("decision", true), ("api_key", false)];

/// The form of the decision about a device.
const OF_DEVICE: [(&str, bool); 4] =
    [("state_token", true), ("decision", true), ("user_code", true), ("api_key", false)];

/// The form that tokens are asked for with.
const GRANTED: [(&str, bool); 8] = [
    ("grant_type", true),
    ("client_id", true),
    ("code", false),
    ("redirect_uri", false),
    ("code_verifier", false),
    ("device_code", false),
    ("refresh_token", false),
    ("scope", false),
];

/// What answers look like: tokens, a code for a device, what the server can do.
fn granted() -> [Value; 3] {
    let tokens = json!({
        "type": "object", "required": ["access_token", "token_type", "expires_in"],
        "properties": {
            "access_token": { "type": "string" }, "token_type": { "type": "string" },
            "expires_in": { "type": "number", "minimum": 0 }, "refresh_token": { "type": "string" }, "scope": { "type": "string" },
        },
    });
    let device = json!({
        "type": "object",
        "required": ["device_code", "user_code", "verification_uri", "expires_in"],
        "properties": {
            "device_code": { "type": "string" }, "user_code": { "type": "string" },
            "verification_uri": { "type": "string" }, "verification_uri_complete": { "type": "string" },
            "expires_in": { "type": "number", "minimum": 0 }, "interval": { "type": "number", "minimum": 0 },
        },
    });
    let metadata = json!({
        "type": "object", "required": ["issuer", "authorization_endpoint", "token_endpoint"],
        "properties": {
            "issuer": { "type": "string" }, "authorization_endpoint": { "type": "string" },
            "token_endpoint": { "type": "string" },
        },
    });
    [tokens, device, metadata]
}

fn authorization() -> Vec<Beside> {
    let pages = |statuses: &[&'static str]| statuses.iter().map(|status| Answer::Page(status)).collect::<Vec<_>>();
    let [tokens, device, metadata] = granted();
    let with_problems = |mut answers: Vec<Answer>| {
        answers.extend(form_problems());
        answers
    };
    let refused = || [Answer::Refused("400"), Answer::Refused("429")];
    vec![
        Beside::new("get", OAUTH_METADATA, "authorizationServer", "What the authorization server can do (RFC 8414)")
            .answers(vec![Answer::Json("200", metadata)]),
        Beside::new("get", oauth::AUTHORIZE, "authorize", "The page on which the owner approves a client")
            .query(&ASKED)
            .answers([pages(&["200", "400", "429"]), vec![Answer::Empty("303")]].concat_all()),
        Beside::new("post", oauth::AUTHORIZE, "decideAuthorize", "The owner's decision on that page")
            .form(&DECIDED)
            .answers(with_problems([pages(&["400", "403", "429"]), vec![Answer::Empty("303")]].concat_all())),
        Beside::new("post", oauth::DEVICE_CODE, "beginDevice", "A device code and the words for it (RFC 8628)")
            .form(&[("client_id", true), ("scope", false)])
            .answers(with_problems([vec![Answer::Json("200", device)], refused().into()].concat_all())),
        Beside::new("get", oauth::DEVICE, "askDevice", "The page on which the owner types the words of a device code")
            .query(&[("user_code", false)])
            .answers(pages(&["200", "400"])),
        Beside::new("post", oauth::DEVICE, "decideDevice", "The owner's decision on that page")
            .form(&OF_DEVICE)
            .answers(with_problems(pages(&["200", "400", "403", "404", "409", "429"]))),
        Beside::new("post", oauth::TOKEN, "token", "Tokens for a code, a device code or a refresh token")
            .form(&GRANTED)
            .answers(with_problems([vec![Answer::Json("200", tokens)], refused().into()].concat_all())),
        Beside::new("post", oauth::REVOKE, "revoke", "Revokes a token and everything approved with it (RFC 7009)")
            .form(&[("token", true), ("client_id", true), ("token_type_hint", false)])
            .answers(with_problems([vec![Answer::Empty("200")], refused().into()].concat_all())),
    ]
}

/// Lists of answers put together.
trait ConcatAll {
    fn concat_all(self) -> Vec<Answer>;
}

impl<const N: usize> ConcatAll for [Vec<Answer>; N] {
    fn concat_all(self) -> Vec<Answer> {
        self.into_iter().flatten().collect()
    }
}

const BUY: &str = "What the shop sold in a visit. Verified with a credential of the workspace, or signed with the secret of \
    its shops as Standard Webhooks has it; else webhooks get `verified: false`";

fn player(schemas: &mut Schemas) -> Vec<Beside> {
    let object = || json!({ "type": "object" });
    let told = |status, schema, more: &[&'static str]| {
        let problems = ["400", "404", "408", "413", "429"].into_iter().chain(more.iter().copied());
        let mut answers = vec![Answer::Json(status, schema)];
        answers.extend(problems.map(Answer::Problem));
        answers
    };
    let yes = |member: &str| json!({ "type": "object", "required": [member], "properties": { member: { "type": "boolean" } } });
    let begun = json!({
        "type": "object",
        "required": ["sessionId", "anonymousId", "eventsUrl", "formUrl", "purchaseUrl"],
        "properties": {
            "sessionId": { "type": "string" }, "anonymousId": { "type": "string" }, "eventsUrl": { "type": "string" },
            "formUrl": { "type": ["string", "null"] }, "purchaseUrl": { "type": "string" },
        },
    });
    let visit = |what: &str| format!("/play/{{publishId}}/visits/{{session}}/{what}");
    let missing = || Answer::Problem("404");
    let reported = json!({
        "type": "object", "required": ["reported"],
        "properties": { "reported": { "type": "boolean" }, "verified": { "type": "boolean" } },
    });
    let shown = json!({
        "type": "object", "required": ["products"],
        "properties": { "products": { "type": "array", "items": { "type": "object" } } },
    });
    let operations = vec![
        Beside::new("get", "/play/{publishId}", "player", "The page that plays a project")
            .answers(vec![Answer::Page("200"), Answer::Page("404")]),
        Beside::new("get", "/play/{publishId}/project", "played", "What that page plays")
            .answers(vec![Answer::Json("200", object()), missing()]),
        Beside::new(
            "get",
            "/play/{publishId}/steps/{step}/products",
            "playedProducts",
            "The products of a step as they are now",
        )
        .answers(vec![Answer::Json("200", shown), missing()]),
        Beside::new("post", "/play/{publishId}/visits", "beginVisit", "A visit begins")
            .json(BeginVisit::schema(schemas))
            .answers(told("201", begun, &[])),
        Beside::new("post", &visit("events"), "reportVisit", "Keeps a visit alive and reports what happened")
            .json(ReportVisit::schema(schemas))
            .answers(told("200", yes("open"), &[])),
        Beside::new("post", &visit("form"), "leaveInVisit", "What a viewer leaves at the end, where they are asked")
            .json(LeftInVisit::schema(schemas))
            .with_body()
            .answers(told("200", yes("collected"), &["409"])),
        Beside::new("post", &visit("purchase"), "buyInVisit", BUY).json(BoughtInVisit::schema(schemas)).answers(told(
            "200",
            reported,
            &["401", "409"],
        )),
    ];
    operations.into_iter().map(|operation| operation.tag("video")).collect()
}

fn others() -> Vec<Beside> {
    let health = json!({
        "type": "object", "required": ["status", "instance"],
        "properties": {
            "status": { "type": "string" }, "instance": { "type": "string" },
            "build": { "type": "object", "description": "Which build this is; only with a credential" },
        },
    });
    vec![
        Beside::new("get", "/healthz", "health", "Whether the service answers")
            .answers(vec![Answer::Json("200", health.clone())]),
        Beside::new(
            "get",
            "/readyz",
            "ready",
            "Whether requests should be sent here: not while it stops or has no database",
        )
        .answers(vec![Answer::Json("200", health), Answer::Problem("503")]),
        Beside::new("get", METRICS, "metrics", "What the process does, for those who watch it")
            .by_key()
            .answers(vec![Answer::Figures("200"), Answer::Problem("401")]),
        Beside::new("get", CAPTIONS, "captionsFile", "The captions of a video as WebVTT, for players")
            .tag("video")
            .answers(vec![Answer::Text("200"), Answer::Empty("304"), Answer::Problem("404")]),
        Beside::new("get", "/videos/files/{id}", "videoFile", "The file of an uploaded video, with ranges")
            .tag("video")
            .answers(vec![
                Answer::File("200"),
                Answer::File("206"),
                Answer::Empty("304"),
                Answer::Problem("404"),
                Answer::Empty("416"),
            ]),
    ]
}
