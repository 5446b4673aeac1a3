//! Which tools there are, each described by the types that its call is made of, and what it does.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::calls::{self, Arguments, Call};
use super::{describe, results, shape};
use crate::api::{
    self, CountProducts, CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep,
    DeleteWebhook, DisableWebhook, EnableWebhook, GetCaptions, GetFunnel, GetProduct, GetProductMedia, GetProject,
    ListCaptions, ListFolders, ListProjects, ListVideos, ListWebhooks, Me, NewProject, NewStep, NewVideo, Operation,
    ProjectChange, RemoveCaptions, RotateWebhookSecret, Row, SearchProducts, SetCaptions, StepChange, UpdateProject,
    UpdateStep, UploadVideo, each_operation,
};
use crate::domain::{FromJson, HasSchema, ProductSearch, Schemas};

/// A tool to be.
pub(super) struct Described {
    name: &'static str,
    about: &'static str,
    /// The operation that it ends in: where that writes, so does the tool.
    pub(super) row: Row,
    pub(super) call: Call,
    /// The schema of what it takes, the id aside.
    takes: Option<fn(&mut Schemas) -> Value>,
    /// What is wrong with that.
    pub(super) fits: fn(&Tool, Arguments) -> Result<(), String>,
    /// The id that it takes beside: its name, and what it is of.
    pub(super) id: Option<(&'static str, &'static str)>,
    /// Whether the agent says how much of the answer it wants.
    pub(super) shaped: bool,
    /// Whether something is lost by it that a change of a record doesn't say.
    loses: bool,
    /// Whether addresses of others are requested for it.
    goes_out: bool,
    /// The texts that some take too: their names, what they are, and whether they must be there.
    pub(super) texts: &'static [(&'static str, &'static str, bool)],
}

/// A tool that ends in the operation `O`.
const fn plain<O: Operation>(name: &'static str, call: Call, about: &'static str) -> Described {
    Described {
        name,
        about,
        row: O::ROW,
        call,
        takes: None,
        fits: |_, _| Ok(()),
        id: None,
        shaped: false,
        loses: false,
        goes_out: false,
        texts: &[],
    }
}

/// The same, with the fields of `T` for arguments.
const fn taking<O: Operation, T: HasSchema + FromJson>(
    name: &'static str,
    call: Call,
    about: &'static str,
) -> Described {
    let fits = |tool: &Tool, arguments| calls::read::<T>(tool, arguments).map(drop);
    Described { takes: Some(T::schema), fits, ..plain::<O>(name, call, about) }
}

impl Described {
    const fn of(self, name: &'static str, about: &'static str) -> Self {
        Self { id: Some((name, about)), ..self }
    }

    const fn shaped(self) -> Self {
        Self { shaped: true, ..self }
    }

    const fn losing(self) -> Self {
        Self { loses: true, ..self }
    }

    const fn going_out(self) -> Self {
        Self { goes_out: true, ..self }
    }

    const fn with(self, texts: &'static [(&'static str, &'static str, bool)]) -> Self {
        Self { texts, ..self }
    }
}

const PROJECT: &str = "The project's ID";
const STEP: &str = "The step's ID";
const VIDEO: &str = "The video's ID, as list_videos returns it";
const LANGUAGE: (&str, &str, bool) = ("language", "The language as a BCP 47 tag: de, pt-BR", true);
const VTT: (&str, &str, bool) = ("vtt", "The captions as WebVTT; the first line is WEBVTT", true);
const LABEL: (&str, &str, bool) = ("label", "What players call them, instead of the language's name", false);
const WEBHOOK: &str = "The webhook's ID, as list_webhooks returns it";
const SINCE: (&str, &str, bool) = ("since", "The first day to count, UTC: 2026-01-31, or 7d for a week ago", false);
const UNTIL: (&str, &str, bool) = ("until", "The last day to count, UTC", false);
const VERSION: (&str, &str, bool) =
    ("version", "Only visits that met this version of the project, by its hash as `versions` lists it", false);
const LINTED: (&str, &str, bool) = ("what", "What to check: products, videos or project; all of it without", false);
const LINTED_PROJECT: (&str, &str, bool) = ("projectId", "The project's ID, where one project is checked", false);
const SETS: (&str, &str, bool) =
    ("sets", "The sets of rules, with commas: shop, video, wiring, feed; all but feed without", false);
const FILE: (&str, &str, bool) = ("file", "The project file, as export_project returns it: TOML or JSON", true);
const NAME: (&str, &str, bool) = ("name", "The name of the new project, instead of the one that it has", false);
const PATH: (&str, &str, bool) =
    ("path", "The file on the machine that the tools run on: MP4, MOV, WebM or Matroska", true);
const VIDEO_NAME: (&str, &str, bool) = ("name", "What the video is called, instead of the file's name", false);
const HASH: (&str, &str, bool) = ("planHash", "The planHash that plan_project returned for this file", true);

/// Every tool.
const TOOLS: [Described; 38] = [
    taking::<SearchProducts, ProductSearch>(
        "search_products",
        calls::search_products,
        "Search a store's products by words, type, category, tags, inventory and dates; `cursor` gets the next page.",
    )
    .shaped(),
    taking::<GetProduct, GetProduct>(
        "get_product",
        calls::ask_with::<GetProduct>,
        "Get one product by its external ID, or null.",
    )
    .shaped(),
    taking::<GetProductMedia, GetProductMedia>(
        "list_product_media",
        calls::ask_with::<GetProductMedia>,
        "List the pictures and videos of a product.",
    )
    .shaped(),
    taking::<CountProducts, CountProducts>(
        "count_products",
        calls::ask_with::<CountProducts>,
        "Count a store's products; strict counts published ones only.",
    ),
    plain::<Me>("whoami", calls::ask::<Me>, "Show who is signed in."),
    plain::<ListProjects>(
        "list_projects",
        calls::ask::<ListProjects>,
        "List the workspace's projects, without their steps.",
    )
    .shaped(),
    plain::<GetProject>("get_project", calls::get_project, "Get a project with its steps and answers.")
        .of("projectId", PROJECT)
        .shaped(),
    plain::<GetProject>(
        "check_project",
        calls::check_project,
        "Check a project for problems: answers that lead nowhere, unreachable steps, steps without a video.",
    )
    .of("projectId", PROJECT),
    plain::<GetProject>(
        "export_project",
        calls::export_project,
        "Export a project as a file for editing: TOML, with steps referred to by name.",
    )
    .of("projectId", PROJECT),
    plain::<GetProject>(
        "plan_project",
        calls::plan_project,
        "Plan an update of a project from a file: the requests and what each changes, what can't be saved \
         (hindrances), and the planHash that apply_project needs. Changes nothing.",
    )
    .of("projectId", PROJECT)
    .with(&[FILE]),
    plain::<UpdateProject>(
        "apply_project",
        calls::apply_project,
        "Update a project from a file with the requests that plan_project showed; refused if the plan would be \
         a different one by now. Steps that aren't in the file are deleted. Stops at the first request that fails; plan \
         and apply again to continue.",
    )
    .of("projectId", PROJECT)
    .with(&[FILE, HASH]),
    plain::<CreateProject>(
        "import_project",
        calls::import_project,
        "Create a project with all its steps from a project file; an id in the file is ignored.",
    )
    .with(&[FILE, NAME]),
    plain::<CreateProject>(
        "duplicate_project",
        calls::duplicate_project,
        "Copy a project with all its steps and links.",
    )
    .of("projectId", PROJECT)
    .with(&[NAME]),
    plain::<GetFunnel>(
        "get_funnel",
        calls::get_funnel,
        "Get what viewers did at each step of a project, in numbers: visits that saw it, chose each answer, left, went \
         back, were shown products, and what they bought. low and high bound each share with a probability of 95%. Not \
         every service counts.",
    )
    .of("projectId", PROJECT)
    .with(&[SINCE, UNTIL, VERSION]),
    plain::<SearchProducts>(
        "lint",
        calls::lint,
        "Check the catalog, the videos and the projects for problems, such as a step that shows a product that is sold \
         out. Problems of projects come with their reach, the share of viewers or paths that meet them, the largest \
         first. At most 20 problems of each rule are listed; `rules` counts all of them, and what couldn't be checked.",
    )
    .with(&[LINTED, LINTED_PROJECT, SETS])
    .going_out(),
    plain::<ListFolders>("list_folders", calls::ask::<ListFolders>, "List project folders.").shaped(),
    taking::<CreateProject, NewProject>("create_project", calls::create_project, "Create a project."),
    taking::<UpdateProject, ProjectChange>(
        "update_project",
        calls::update_project,
        "Change a project; omitted fields stay as they are. stepsOrder and emailNotifications replace the current lists.",
    )
    .of("projectId", PROJECT),
    plain::<DeleteProject>("delete_project", calls::delete_project, "Delete a project with its steps. This can't be undone.")
        .of("projectId", PROJECT),
    taking::<CreateStep, NewStep>("create_step", calls::create_step, "Create a step in a project."),
    taking::<UpdateStep, StepChange>(
        "update_step",
        calls::update_step,
        "Change a step; omitted fields stay as they are. answers replaces all answers; an empty videoId removes the video.",
    )
    .of("stepId", STEP),
    plain::<DeleteStep>(
        "delete_step",
        calls::delete_step,
        "Delete a step. Answers that lead to it will lead nowhere. This can't be undone.",
    )
    .of("stepId", STEP),
    plain::<ListVideos>("list_videos", calls::ask::<ListVideos>, "List the videos of the library.").shaped(),
    taking::<CreateVideo, NewVideo>("create_video", calls::create_video, "Add a video by its address."),
    plain::<UploadVideo>(
        "upload_video",
        calls::upload_video,
        "Upload a video file of this machine to the library. It is sent once: if that breaks, look into list_videos before \
         uploading it again.",
    )
    .with(&[PATH, VIDEO_NAME]),
    plain::<CreateVideo>("reserve_video", calls::ask::<CreateVideo>, "Reserve an ID for a video to come."),
    plain::<DeleteAsset>(
        "delete_asset",
        calls::delete_asset,
        "Delete a video from the library; the response names the steps that used it. This can't be undone.",
    )
    .of("videoId", "The video's ID"),
    plain::<ListCaptions>(
        "list_captions",
        calls::list_captions,
        "List the captions of a video by language. Not every service has captions.",
    )
    .of("videoId", VIDEO),
    plain::<GetCaptions>(
        "get_captions",
        calls::get_captions,
        "Get the captions of a video in one language, with their WebVTT.",
    )
    .of("videoId", VIDEO)
    .with(&[LANGUAGE]),
    plain::<SetCaptions>(
        "update_captions",
        calls::update_captions,
        "Set the captions of a video in one language, replacing the existing ones.",
    )
    .of("videoId", VIDEO)
    .with(&[LANGUAGE, VTT, LABEL]),
    plain::<RemoveCaptions>(
        "delete_captions",
        calls::delete_captions,
        "Remove the captions of a video in one language. This can't be undone.",
    )
    .of("videoId", VIDEO)
    .with(&[LANGUAGE]),
    plain::<ListWebhooks>("list_webhooks", calls::ask::<ListWebhooks>, "List webhooks.").shaped(),
    taking::<CreateWebhook, CreateWebhook>(
        "create_webhook",
        calls::ask_with::<CreateWebhook>,
        "Create a webhook: send an event to an address.",
    )
    .going_out(),
    plain::<DeleteWebhook>(
        "delete_webhook",
        calls::delete_webhook,
        "Delete a webhook. This can't be undone. Not every service offers it.",
    )
    .of("webhookId", WEBHOOK),
    plain::<EnableWebhook>(
        "enable_webhook",
        calls::ask_webhook::<EnableWebhook>,
        "Switch on a webhook subscription that was switched off. Only the local workspace and `cutaway serve` offer it.",
    )
    .going_out()
    .of("webhookId", WEBHOOK),
    plain::<RotateWebhookSecret>(
        "rotate_webhook_secret",
        calls::ask_webhook::<RotateWebhookSecret>,
        "Replace the secret that a subscription's deliveries are signed with; the response contains the new one. For a \
         day deliveries are signed with both. Only the local workspace and `cutaway serve` offer it.",
    )
    .losing()
    .of("webhookId", WEBHOOK),
    plain::<DisableWebhook>(
        "disable_webhook",
        calls::ask_webhook::<DisableWebhook>,
        "Switch off a webhook subscription until enable_webhook switches it on; what waits to be delivered is dropped.",
    )
    .losing()
    .of("webhookId", WEBHOOK),
    plain::<Me>("get_store", calls::get_store, "The store that catalog tools use where none is named."),
];

/// Operations that no tool offers.
const WITHOUT_TOOL: [Row; 6] = [
    // The client exchanges keys.
    api::ExchangeKey::ROW,
    // Another way to do what get_project does.
    api::GetProjectByPost::ROW,
    // A secret is for people and receivers.
    api::GetWebhookSecret::ROW,
    // How deliveries fare is for whoever runs the receiver.
    api::ListDeliveries::ROW,
    api::PingWebhook::ROW,
    api::Redeliver::ROW,
];

/// Does not compile where an operation has no tool and does not stand in [`WITHOUT_TOOL`].
macro_rules! offered {
    ($( $operation:ident )*) => { $(
        const _: () = assert!(
            is_among(&TOOLS, &WITHOUT_TOOL, &api::$operation::ROW),
            concat!(stringify!($operation), " has no tool: add one to TOOLS, or name the operation in WITHOUT_TOOL"),
        );
    )* };
}
each_operation!(offered);

const fn is_among(mut tools: &[Described], mut without: &[Row], row: &Row) -> bool {
    while let [tool, rest @ ..] = tools {
        if tool.row.is(row) {
            return true;
        }
        tools = rest;
    }
    while let [other, rest @ ..] = without {
        if other.is(row) {
            return true;
        }
        without = rest;
    }
    false
}

/// The tool of this name.
pub(super) fn named(name: &str) -> Option<&'static Described> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Whether a tool changes something.
pub(super) fn writes(name: &str) -> bool {
    named(name).is_none_or(|tool| tool.row.writes)
}

/// The tools for a target: those that change something only where that is allowed. `store`: whether one is known, so
/// that it need not be named.
pub(super) fn offered(store: bool, read_only: bool) -> Vec<Tool> {
    TOOLS.iter().filter(|tool| !(read_only && tool.row.writes)).map(|tool| tool.tool(store)).collect()
}

impl Described {
    fn tool(&self, store: bool) -> Tool {
        let mut annotations = ToolAnnotations::with_title(self.name.replace('_', " "));
        annotations.read_only_hint = Some(!self.row.writes);
        annotations.destructive_hint = Some(self.row.writes && (self.loses || self.row.ignores_body()));
        annotations.idempotent_hint = Some(self.row.idempotent);
        annotations.open_world_hint = Some(self.goes_out);
        Tool::new(self.name, self.about, Arc::new(self.schema(store)))
            .with_raw_output_schema(Arc::new(results::schema(self.name, &self.row)))
            .with_annotations(annotations)
    }

    /// The schema of the arguments, whole in itself.
    fn schema(&self, store: bool) -> Map<String, Value> {
        let mut schemas = Schemas::default();
        let root = self.takes.map(|takes| takes(&mut schemas));
        let mut named = schemas.into_named();
        let own = root.as_ref().and_then(|root| root.get("$ref")?.as_str()?.rsplit('/').next());
        let own = own.and_then(|name| named.shift_remove(name));
        let mut object = match own {
            Some(Value::Object(object)) => object,
            _ => Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))]),
        };
        let mut required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
            if let Some((name, about)) = self.id {
                properties.insert(name.to_owned(), json!({ "type": "string", "description": about }));
                required.push(json!(name));
            }
            for (name, about, needed) in self.texts {
                properties.insert((*name).to_owned(), json!({ "type": "string", "description": about }));
                required.extend(needed.then(|| json!(name)));
            }
            if self.shaped {
                properties.extend(shape::parameters().map(|(name, schema)| (name.to_owned(), schema)));
            }
            if let Some(member) = properties.get_mut("appUrl") {
                *member =
                    json!({ "type": "string", "description": "The store's address; the workspace's own without" });
                required.retain(|name| !(store && name == "appUrl"));
            }
        }
        object.insert("additionalProperties".to_owned(), json!(false));
        object.insert("required".to_owned(), Value::Array(required));
        if !named.is_empty() {
            object.insert("$defs".to_owned(), Value::Object(named));
        }
        let mut whole = Value::Object(object);
        refer(&mut whole);
        describe::describe(&mut whole);
        match whole {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }
}

/// Makes references lead into the schema itself.
fn refer(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("$ref", Value::String(to)) => *to = to.replace("#/components/schemas/", "#/$defs/"),
                    (_, value) => refer(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(refer),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a schema says of each list what is in it.
    fn is_told(schema: &Value) -> bool {
        let is_list = schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!("array")));
        let members = schema["properties"].as_object().into_iter().flat_map(Map::values);
        (!is_list || schema["items"].is_object()) && members.chain(schema.get("items")).all(is_told)
    }

    #[test]
    fn every_tool_says_what_it_gives() {
        for tool in offered(true, false) {
            let schema = Value::Object((*tool.output_schema.clone().unwrap()).clone());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert!(schema["properties"].as_object().is_some_and(|members| !members.is_empty()), "{}", tool.name);
            let text = schema.to_string();
            assert!(!text.contains("$ref") && !text.contains("required"), "{}: {text}", tool.name);
            assert!(text.len() < 8 * 1024, "{}: agents read it: {} bytes", tool.name, text.len());
            assert!(is_told(&schema), "{}: {text}", tool.name);
        }
        assert!(results::own().iter().all(|(name, _)| named(name).is_some()));
    }

    #[test]
    fn every_schema_is_whole() {
        let tools = offered(true, false);
        for tool in &tools {
            let mut bare = Vec::new();
            describe::undescribed(&Value::Object((*tool.input_schema).clone()), &mut bare);
            assert!(bare.is_empty(), "{}: say in describe.rs what these are: {bare:?}", tool.name);
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let text = schema.to_string();
            assert!(!text.contains("components"), "{text}");
            for part in text.split("#/$defs/").skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(schema["$defs"][name].is_object(), "{} lacks {name}", tool.name);
            }
        }
        let required = |store: bool| offered(store, true)[0].input_schema["required"].clone();
        assert_eq!((required(true), required(false)), (json!([]), json!(["appUrl"])));
        assert!(offered(true, true).iter().all(|tool| tool.annotations.as_ref().unwrap().read_only_hint == Some(true)));
        assert!(offered(true, true).len() > 8 && tools.len() > offered(true, true).len() + 8);
    }
}
