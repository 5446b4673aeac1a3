//! What each tool does: its arguments read as strictly as the service would, its operation called, the service's own answer
//! handed on.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::agent::Agent;
use super::describe;
use super::progress::Progress;
use crate::api::{
    CreateProject, CreateStep, CreateVideo, DeleteAsset, DeleteProject, DeleteStep, DeleteWebhook, GetCaptions,
    GetProject, ListCaptions, NewCaptions, Operation, RemoveCaptions, SearchProducts, SetCaptions, UpdateProject,
    UpdateStep,
};
use crate::cli::{Failure, lint, projects, webhooks};
use crate::domain::{Finding, FromJson, Reader, StoreUrl, WebhookId};
use crate::lint::{Limits, Set};

/// A tool that is called, and where it is told how far that is.
pub(super) struct Called {
    pub(super) tool: Tool,
    pub(super) progress: Progress,
}

pub(super) type Arguments = Map<String, Value>;

/// What a tool is called with, and what comes of it: the service's answer, or a sentence for the agent.
pub(super) type Call = for<'a> fn(&'a Agent, &'a Called, Arguments) -> Calling<'a>;
pub(super) type Calling<'a> = BoxFuture<'a, Result<Value, String>>;

/// Asks for what needs no arguments.
pub(super) fn ask<'a, O: Operation + Default + Send + Sync + 'static>(
    agent: &'a Agent,
    _: &'a Called,
    _: Arguments,
) -> Calling<'a> {
    Box::pin(async move { agent.ask(&O::default()).await })
}

/// Asks with the arguments as they are.
pub(super) fn ask_with<'a, O: Operation + FromJson + Send + Sync + 'static>(
    agent: &'a Agent,
    tool: &'a Called,
    arguments: Arguments,
) -> Calling<'a> {
    Box::pin(async move { agent.ask(&read::<O>(&tool.tool, arguments)?).await })
}

/// Asks for something of one subscription.
pub(super) fn ask_webhook<'a, O: Operation + From<WebhookId> + Send + Sync + 'static>(
    agent: &'a Agent,
    _: &'a Called,
    mut arguments: Arguments,
) -> Calling<'a> {
    Box::pin(async move { agent.ask(&O::from(WebhookId::new(id(&mut arguments, "webhookId")?))).await })
}

/// Declares calls: each with the names that it gives the agent, the tool and the arguments.
macro_rules! calls {
    ($( $name:ident($agent:ident, $tool:ident, $arguments:ident) $body:block )*) => { $(
        pub(super) fn $name<'a>($agent: &'a Agent, $tool: &'a Called, mut $arguments: Arguments) -> Calling<'a> {
            // Not every call needs all three.
            let _ = (&$agent, &$tool, &mut $arguments);
            Box::pin(async move { $body })
        }
    )* };
}

calls! {
    get_project(agent, _tool, arguments) {
        agent.ask(&GetProject { id: id(&mut arguments, "projectId")?.as_str().into() }).await
    }
    check_project(agent, _tool, arguments) {
        projects::checked(&agent.client, &id(&mut arguments, "projectId")?).await.map_err(told)
    }
    export_project(agent, _tool, arguments) {
        Box::pin(projects::file_of(&agent.client, &id(&mut arguments, "projectId")?)).await.map_err(told)
    }
    plan_project(agent, _tool, arguments) {
        let (project, file) = (id(&mut arguments, "projectId")?, id(&mut arguments, "file")?);
        Box::pin(projects::planned(&agent.client, &project, &file)).await.map_err(told)
    }
    apply_project(agent, tool, arguments) {
        let mut id = |member| id(&mut arguments, member);
        let (project, file, hash) = (id("projectId")?, id("file")?, id("planHash")?);
        Box::pin(projects::applied(&agent.client, &project, &file, &hash, &mut steps(tool))).await.map_err(told)
    }
    import_project(agent, tool, arguments) {
        let (file, name) = (id(&mut arguments, "file")?, optional(&mut arguments, "name")?);
        Box::pin(projects::imported(&agent.client, &file, name, &mut steps(tool))).await.map_err(told)
    }
    duplicate_project(agent, tool, arguments) {
        let (project, name) = (id(&mut arguments, "projectId")?, optional(&mut arguments, "name")?);
        Box::pin(projects::duplicated(&agent.client, &project, name, &mut steps(tool))).await.map_err(told)
    }
    get_funnel(agent, _tool, arguments) {
        let project = id(&mut arguments, "projectId")?;
        let (since, until) = (optional(&mut arguments, "since")?, optional(&mut arguments, "until")?);
        let version = optional(&mut arguments, "version")?;
        let days = (since.as_ref(), until.as_ref());
        let counted = projects::counted(&agent.client, agent.state.as_deref(), &project, days, version.as_deref());
        counted.await.map_err(told)
    }
    lint(agent, tool, arguments) {
        let project = optional(&mut arguments, "projectId")?;
        let scope = match (optional(&mut arguments, "what")?.as_deref(), project) {
            (None, None) => lint::Scope::All,
            (Some("products"), None) => lint::Scope::Products,
            (Some("videos"), None) => lint::Scope::Videos,
            (None | Some("project"), Some(id)) => lint::Scope::Project(id),
            (Some("project"), None) => return Err("projectId is required where one project is checked".to_owned()),
            _ => return Err("what must be products, videos or project; projectId goes with project".to_owned()),
        };
        let sets = optional(&mut arguments, "sets")?;
        let named = sets.iter().flat_map(|sets| sets.split(',')).map(|word| {
            let set = Set::by_word(word.trim()).filter(|set| *set != Set::Deep);
            set.ok_or_else(|| format!("sets: {:?} is not one of shop, video, wiring, feed", word.trim()))
        });
        let named: Vec<Set> = named.collect::<Result<_, _>>()?;
        let limits = Limits::default();
        let limits = if named.is_empty() { limits } else { Limits { sets: named, ..limits } };
        let store = arguments.get("appUrl").and_then(Value::as_str).map(StoreUrl::from).or_else(|| agent.store.clone());
        let (client, asking) = (agent.client.clone(), Arc::clone(&agent.addresses));
        let (state, reading) = (agent.state.clone(), tool.progress.of_reading());
        let given_up = CancellationToken::new();
        let guard = given_up.clone().drop_guard();
        // It writes and reads as a command does, which is for one thread.
        let run = tokio::task::spawn_blocking(move || {
            let (store, state) = (store.as_ref(), state.as_deref());
            let place = lint::Place { client: &client, store, stores: None, asking: &asking, state };
            Handle::current().block_on(given_up.run_until_cancelled(lint::document(&place, &scope, &limits, reading)))
        });
        let document = run.await.map_err(|error| error.to_string())?;
        drop(guard);
        document.ok_or_else(|| "canceled".to_owned())?.map_err(told)
    }
    get_store(agent, _tool, _arguments) {
        Ok(json!({ "appUrl": agent.store }))
    }
    search_products(agent, tool, arguments) {
        agent.ask(&SearchProducts(read(&tool.tool, arguments)?)).await
    }
    create_project(agent, tool, arguments) {
        agent.ask(&CreateProject { project: read(&tool.tool, arguments)?, ..CreateProject::default() }).await
    }
    update_project(agent, tool, arguments) {
        let id = id(&mut arguments, "projectId")?.as_str().into();
        agent.ask(&UpdateProject { id, change: read(&tool.tool, arguments)? }).await
    }
    delete_project(agent, _tool, arguments) {
        let project_id = id(&mut arguments, "projectId")?.as_str().into();
        agent.ask(&DeleteProject { project_id, ..DeleteProject::default() }).await
    }
    create_step(agent, tool, arguments) {
        agent.ask(&CreateStep { step: read(&tool.tool, arguments)?, ..CreateStep::default() }).await
    }
    update_step(agent, tool, arguments) {
        let id = id(&mut arguments, "stepId")?.as_str().into();
        agent.ask(&UpdateStep { id, change: read(&tool.tool, arguments)? }).await
    }
    delete_step(agent, _tool, arguments) {
        let step_id = id(&mut arguments, "stepId")?.as_str().into();
        agent.ask(&DeleteStep { step_id, ..DeleteStep::default() }).await
    }
    create_video(agent, tool, arguments) {
        agent.ask(&CreateVideo { video: Some(read(&tool.tool, arguments)?), ..CreateVideo::default() }).await
    }
    delete_asset(agent, _tool, arguments) {
        agent.ask(&DeleteAsset { id: id(&mut arguments, "videoId")?.as_str().into() }).await
    }
    upload_video(agent, tool, arguments) {
        let (path, name) = (id(&mut arguments, "path")?, optional(&mut arguments, "name")?);
        Box::pin(super::upload::upload(agent, &tool.progress, path, name)).await
    }
    list_captions(agent, _tool, arguments) {
        agent.ask(&ListCaptions(id(&mut arguments, "videoId")?.as_str().into())).await
    }
    get_captions(agent, _tool, arguments) {
        let (video, language) = (id(&mut arguments, "videoId")?.as_str().into(), id(&mut arguments, "language")?);
        agent.ask(&GetCaptions { video, language }).await
    }
    update_captions(agent, _tool, arguments) {
        let (video, language) = (id(&mut arguments, "videoId")?.as_str().into(), id(&mut arguments, "language")?);
        let (vtt, label) = (id(&mut arguments, "vtt")?, optional(&mut arguments, "label")?);
        let captions = NewCaptions { vtt, label, ..NewCaptions::default() };
        agent.ask(&SetCaptions { video, language, captions }).await
    }
    delete_captions(agent, _tool, arguments) {
        let (video, language) = (id(&mut arguments, "videoId")?.as_str().into(), id(&mut arguments, "language")?);
        agent.ask(&RemoveCaptions { video, language }).await
    }
    delete_webhook(agent, _tool, arguments) {
        let delete = DeleteWebhook { id: id(&mut arguments, "webhookId")?.as_str().into() };
        match agent.client.call(&delete).await {
            Ok(_) => Ok(json!({ "id": delete.id.as_str() })),
            Err(error) => Err(told(webhooks::explained_deletion(error, &agent.client, &delete.id).await)),
        }
    }
}

/// Tells the requests that a project is saved by, one after the other.
fn steps(called: &Called) -> impl FnMut(usize, usize, &str) + '_ {
    |done, of, what| {
        // Neither comes near what a number of 53 bits can't hold.
        #[allow(clippy::cast_precision_loss)]
        called.progress.tell(done as f64, Some(of as f64), what);
    }
}

/// The id that a tool takes beside its fields.
pub(super) fn id(arguments: &mut Arguments, member: &str) -> Result<String, String> {
    match arguments.shift_remove(member) {
        Some(Value::String(id)) if !id.trim().is_empty() => Ok(id),
        Some(_) => Err(format!("{member} must be a text that is not empty{}", describe::found_by(member))),
        None => Err(format!("{member} is required and missing{}", describe::found_by(member))),
    }
}

/// A text that a tool takes where it is given.
pub(super) fn optional(arguments: &mut Arguments, member: &str) -> Result<Option<String>, String> {
    if arguments.contains_key(member) { id(arguments, member).map(Some) } else { Ok(None) }
}

/// A failure as a sentence.
#[expect(clippy::needless_pass_by_value, reason = "it is handed on")]
fn told(failure: Failure) -> String {
    failure.to_string()
}

/// Arguments as they are declared; nothing else is passed on.
pub(super) fn read<T: FromJson>(tool: &Tool, arguments: Arguments) -> Result<T, String> {
    let (read, findings): (T, Vec<Finding>) = Reader::read(&Value::Object(arguments));
    if findings.is_empty() {
        return Ok(read);
    }
    let named: Vec<String> = findings.iter().map(|finding| describe::explained(tool, finding)).collect();
    Err(format!("the arguments are wrong: {}", named.join("; ")))
}
