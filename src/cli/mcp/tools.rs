//! Which tools there are, each described by the types that its call is made of.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::{describe, shape};
use crate::api::{
    CountProducts, CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep,
    DeleteWebhook, GetProduct, GetProductMedia, GetProject, ListFolders, ListProjects, ListVideos, ListWebhooks, Me,
    NewProject, NewStep, NewVideo, Operation, ProjectChange, Row, SearchProducts, StepChange, UpdateProject,
    UpdateStep,
};
use crate::domain::{HasSchema, ProductSearch, Schemas};

/// A tool to be.
struct Described {
    name: &'static str,
    about: &'static str,
    row: Row,
    /// The schema of what it takes, the id aside.
    takes: Option<fn(&mut Schemas) -> Value>,
    /// The id that it takes beside: its name, and what it is of.
    id: Option<(&'static str, &'static str)>,
    /// Whether the agent says how much of the answer it wants.
    shaped: bool,
    /// The texts that some take too: their names, what they are, and whether they must be there.
    texts: &'static [(&'static str, &'static str, bool)],
}

const fn plain(name: &'static str, about: &'static str, row: Row) -> Described {
    Described { name, about, row, takes: None, id: None, shaped: false, texts: &[] }
}

const fn taking<T: HasSchema>(name: &'static str, about: &'static str, row: Row) -> Described {
    Described { takes: Some(T::schema), ..plain(name, about, row) }
}

impl Described {
    const fn of(self, name: &'static str, about: &'static str) -> Self {
        Self { id: Some((name, about)), ..self }
    }

    const fn shaped(self) -> Self {
        Self { shaped: true, ..self }
    }

    const fn with(self, texts: &'static [(&'static str, &'static str, bool)]) -> Self {
        Self { texts, ..self }
    }
}

const PROJECT: &str = "The project's id";
const STEP: &str = "The step's id";
const FILE: (&str, &str, bool) = ("file", "The project file, as export_project gives it: TOML or JSON", true);
const NAME: (&str, &str, bool) = ("name", "What the new project is called, in place of the name that it has", false);
const HASH: (&str, &str, bool) = ("planHash", "The planHash that plan_project told for this file", true);

/// Every tool.
const TOOLS: [Described; 28] = [
    taking::<ProductSearch>(
        "search_products",
        "Search a store's products by words, type, category, tags, inventory, dates; pages go on with `cursor`.",
        SearchProducts::ROW,
    )
    .shaped(),
    taking::<GetProduct>("get_product", "One product by its external id, or null.", GetProduct::ROW).shaped(),
    taking::<GetProductMedia>("list_product_media", "Pictures and videos of a product.", GetProductMedia::ROW).shaped(),
    taking::<CountProducts>(
        "count_products",
        "How many products a store has; strict: published ones.",
        CountProducts::ROW,
    ),
    plain("whoami", "Who the credential belongs to.", Me::ROW),
    plain("list_projects", "The projects of the workspace, without their steps.", ListProjects::ROW).shaped(),
    plain("get_project", "A project with its steps and their answers.", GetProject::ROW)
        .of("projectId", PROJECT)
        .shaped(),
    plain(
        "check_project",
        "What is wrong with a project's steps: answers that lead nowhere, steps nobody reaches, steps without a video.",
        GetProject::ROW,
    )
    .of("projectId", PROJECT),
    plain("export_project", "A project as a file to be edited: TOML, with steps called by name.", GetProject::ROW)
        .of("projectId", PROJECT),
    plain(
        "plan_project",
        "The calls that would make a project say what a file says, with what each changes, what can't be saved \
         (hindrances), and the planHash that apply_project wants. Changes nothing.",
        GetProject::ROW,
    )
    .of("projectId", PROJECT)
    .with(&[FILE]),
    plain(
        "apply_project",
        "Make a project say what a file says, by the calls that plan_project showed; refused where the plan would be \
         another one by now. Steps that the file lacks are deleted. Stops at the first call that fails; planned and \
         applied again it goes on with the rest.",
        UpdateProject::ROW,
    )
    .of("projectId", PROJECT)
    .with(&[FILE, HASH]),
    plain(
        "import_project",
        "Make a new project, with all its steps, of a project file; an id in the file is not looked at.",
        CreateProject::ROW,
    )
    .with(&[FILE, NAME]),
    plain("duplicate_project", "Make a new project with all steps of another, wired alike.", CreateProject::ROW)
        .of("projectId", PROJECT)
        .with(&[NAME]),
    plain("list_folders", "The folders of projects.", ListFolders::ROW).shaped(),
    taking::<NewProject>("create_project", "Create a project.", CreateProject::ROW),
    taking::<ProjectChange>(
        "update_project",
        "Change a project; what is left out stays. stepsOrder and emailNotifications replace the lists that are there.",
        UpdateProject::ROW,
    )
    .of("projectId", PROJECT),
    plain("delete_project", "Delete a project with its steps, for good.", DeleteProject::ROW).of("projectId", PROJECT),
    taking::<NewStep>("create_step", "Create a step in a project.", CreateStep::ROW),
    taking::<StepChange>(
        "update_step",
        "Change a step; what is left out stays. answers replaces all answers; an empty videoId takes the video away.",
        UpdateStep::ROW,
    )
    .of("stepId", STEP),
    plain("delete_step", "Delete a step, for good. Answers that led to it lead nowhere then.", DeleteStep::ROW)
        .of("stepId", STEP),
    plain("list_videos", "The videos of the library.", ListVideos::ROW).shaped(),
    taking::<NewVideo>("create_video", "Register a video by its address.", CreateVideo::ROW),
    plain("reserve_video", "Reserve the id of a video that comes later.", CreateVideo::ROW),
    plain(
        "delete_asset",
        "Delete a video of the library, for good; the answer names the steps that used it.",
        DeleteAsset::ROW,
    )
    .of("videoId", "The video's id"),
    plain("list_webhooks", "The webhook subscriptions.", ListWebhooks::ROW).shaped(),
    taking::<CreateWebhook>("create_webhook", "Subscribe an address to an event.", CreateWebhook::ROW),
    plain(
        "delete_webhook",
        "Delete a webhook subscription, for good. Not every service offers it.",
        DeleteWebhook::ROW,
    )
    .of("webhookId", "The subscription's id"),
    plain("get_store", "The store that catalog tools use where none is named.", Me::ROW),
];

/// Whether the agent says how much of a tool's answer it wants.
pub(super) fn is_shaped(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name && tool.shaped)
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
        annotations.destructive_hint = Some(self.row.writes && self.row.ignores_body());
        annotations.idempotent_hint = Some(self.row.idempotent);
        annotations.open_world_hint = Some(false);
        Tool::new(self.name, self.about, Arc::new(self.schema(store))).with_annotations(annotations)
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

    #[test]
    fn every_operation_has_a_tool_and_every_schema_is_whole() {
        let tools = offered(true, false);
        for row in crate::api::OPERATIONS {
            // A file does not travel in an argument; keys are exchanged by the client; two ways read a project.
            if !["uploadVideo", "authenticateCliApiKey", "getProjectByPost"].contains(&row.name) {
                assert!(TOOLS.iter().any(|tool| tool.row.name == row.name), "{}", row.name);
            }
        }
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
