//! Calling a tool: its arguments read as strictly as the service would, its operation called, the service's own answer
//! handed on.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::shape::Shape;
use super::{Agent, describe, tools};
use crate::api::{
    CountProducts, CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep,
    DeleteWebhook, GetProduct, GetProductMedia, GetProject, ListFolders, ListProjects, ListVideos, ListWebhooks, Me,
    NewProject, NewStep, NewVideo, Operation, ProjectChange, SearchProducts, StepChange, UpdateProject, UpdateStep,
};
use crate::cli::{Failure, projects, webhooks};
use crate::client::json as wire;
use crate::domain::{Finding, FromJson, Reader};

pub(super) type Arguments = Map<String, Value>;

/// Calls a tool by its name.
///
/// # Errors
/// A sentence for the agent.
pub(super) async fn call(agent: &Agent, tool: &Tool, mut arguments: Arguments) -> Result<Value, String> {
    declared(tool, &arguments)?;
    if !tools::is_shaped(&tool.name) {
        return answer(agent, tool, arguments).await;
    }
    let shape = Shape::take(&mut arguments)?;
    if &*tool.name == "search_products" {
        include(&shape, &mut arguments);
    }
    shape.of(answer(agent, tool, arguments).await?)
}

/// Includes what members are selected of.
fn include(shape: &Shape, arguments: &mut Arguments) {
    for part in shape.includes(&["media", "variants", "analysis"]) {
        let include = arguments.entry("include").or_insert_with(|| json!({}));
        if let Some(include) = include.as_object_mut() {
            include.entry(part).or_insert(Value::Bool(true));
        }
    }
}

/// The answer as the service gives it.
async fn answer(agent: &Agent, tool: &Tool, mut arguments: Arguments) -> Result<Value, String> {
    let name = &*tool.name;
    if name.ends_with("_product") || name.ends_with("_products") || name == "list_product_media" {
        in_store(agent, &mut arguments);
    }
    let mut id = |member: &str| id(&mut arguments, member);
    let client = &agent.client;
    match name {
        "whoami" => agent.ask(&Me).await,
        "list_projects" => agent.ask(&ListProjects).await,
        "get_project" => {
            let project = id("projectId")?;
            agent.ask(&GetProject { id: project.as_str().into() }).await
        }
        "check_project" => {
            let project = id("projectId")?;
            projects::checked(client, &project).await.map_err(told)
        }
        "export_project" => {
            let project = id("projectId")?;
            Box::pin(projects::file_of(client, &project)).await.map_err(told)
        }
        "plan_project" => {
            let (project, file) = (id("projectId")?, id("file")?);
            Box::pin(projects::planned(client, &project, &file)).await.map_err(told)
        }
        "apply_project" => {
            let (project, file, hash) = (id("projectId")?, id("file")?, id("planHash")?);
            Box::pin(projects::applied(client, &project, &file, &hash)).await.map_err(told)
        }
        "import_project" => {
            let (file, name) = (id("file")?, optional(&mut arguments, "name")?);
            Box::pin(projects::imported(client, &file, name)).await.map_err(told)
        }
        "duplicate_project" => {
            let (project, name) = (id("projectId")?, optional(&mut arguments, "name")?);
            Box::pin(projects::duplicated(client, &project, name)).await.map_err(told)
        }
        "list_folders" => agent.ask(&ListFolders).await,
        "list_videos" => agent.ask(&ListVideos).await,
        "list_webhooks" => agent.ask(&ListWebhooks).await,
        "get_store" => Ok(json!({ "appUrl": agent.store })),
        "search_products" => agent.ask(&SearchProducts(read(tool, arguments)?)).await,
        "get_product" => agent.ask(&read::<GetProduct>(tool, arguments)?).await,
        "list_product_media" => agent.ask(&read::<GetProductMedia>(tool, arguments)?).await,
        "count_products" => agent.ask(&read::<CountProducts>(tool, arguments)?).await,
        "create_project" => {
            let project: NewProject = read(tool, arguments)?;
            agent.ask(&CreateProject { project, ..CreateProject::default() }).await
        }
        "update_project" => {
            let project = id("projectId")?;
            let change: ProjectChange = read(tool, arguments)?;
            agent.ask(&UpdateProject { id: project.as_str().into(), change }).await
        }
        "delete_project" => {
            let project_id = id("projectId")?.as_str().into();
            agent.ask(&DeleteProject { project_id, ..DeleteProject::default() }).await
        }
        "create_step" => {
            let step: NewStep = read(tool, arguments)?;
            agent.ask(&CreateStep { step, ..CreateStep::default() }).await
        }
        "update_step" => {
            let step = id("stepId")?;
            let change: StepChange = read(tool, arguments)?;
            agent.ask(&UpdateStep { id: step.as_str().into(), change }).await
        }
        "delete_step" => {
            let step_id = id("stepId")?.as_str().into();
            agent.ask(&DeleteStep { step_id, ..DeleteStep::default() }).await
        }
        "create_video" => {
            let video: NewVideo = read(tool, arguments)?;
            agent.ask(&CreateVideo { video: Some(video), ..CreateVideo::default() }).await
        }
        "reserve_video" => agent.ask(&CreateVideo::default()).await,
        "delete_asset" => {
            let asset = id("videoId")?;
            agent.ask(&DeleteAsset { id: asset.as_str().into() }).await
        }
        "create_webhook" => agent.ask(&read::<CreateWebhook>(tool, arguments)?).await,
        "delete_webhook" => {
            let delete = DeleteWebhook { id: id("webhookId")?.as_str().into() };
            match client.call(&delete).await {
                Ok(_) => Ok(json!({ "id": delete.id.as_str() })),
                Err(error) => Err(told(webhooks::explained_deletion(error, client, &delete.id).await)),
            }
        }
        other => Err(format!("there is no tool {other:?}")),
    }
}

/// Names the store where the agent did not.
fn in_store(agent: &Agent, arguments: &mut Arguments) {
    if let Some(store) = &agent.store {
        arguments.entry("appUrl").or_insert_with(|| json!(store.as_str()));
    }
}

/// The id that a tool takes beside its fields.
fn id(arguments: &mut Arguments, member: &str) -> Result<String, String> {
    match arguments.shift_remove(member) {
        Some(Value::String(id)) if !id.trim().is_empty() => Ok(id),
        Some(_) => Err(format!("{member} must be a text that is not empty{}", describe::found_by(member))),
        None => Err(format!("{member} is required and missing{}", describe::found_by(member))),
    }
}

/// A text that a tool takes where it is given.
fn optional(arguments: &mut Arguments, member: &str) -> Result<Option<String>, String> {
    if arguments.contains_key(member) { id(arguments, member).map(Some) } else { Ok(None) }
}

/// A failure as a sentence.
#[expect(clippy::needless_pass_by_value, reason = "it is handed on")]
fn told(failure: Failure) -> String {
    failure.to_string()
}

/// Arguments as they are declared; nothing else is passed on.
fn read<T: FromJson>(tool: &Tool, arguments: Arguments) -> Result<T, String> {
    let (read, findings): (T, Vec<Finding>) = Reader::read(&Value::Object(arguments));
    if findings.is_empty() {
        return Ok(read);
    }
    let named: Vec<String> = findings.iter().map(|finding| describe::explained(tool, finding)).collect();
    Err(format!("the arguments are wrong: {}", named.join("; ")))
}

/// That a tool declares all that it was given, as its schema says (`additionalProperties: false`). What is inside of
/// them is held where they are read.
fn declared(tool: &Tool, arguments: &Arguments) -> Result<(), String> {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let known = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    match arguments.keys().find(|name| !known(name)) {
        None => Ok(()),
        Some(other) => {
            let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let known = if known.is_empty() { "no arguments".to_owned() } else { known.join(", ") };
            Err(format!("the arguments are wrong: {other} is not a declared property; {} takes {known}", tool.name))
        }
    }
}

impl Agent {
    /// Calls an operation; its answer as it came.
    async fn ask<O: Operation>(&self, operation: &O) -> Result<Value, String> {
        let answer = self.client.call_raw(operation).await.map_err(|error| error.to_string())?;
        match wire::read(&answer.body) {
            Ok(value) => Ok(value),
            // §4 shows no body for these.
            Err(_) if O::ROW.ignores_body() => Ok(Value::Null),
            Err(what) => Err(format!("the answer ({}) can't be read: {what}", answer.status)),
        }
    }
}
