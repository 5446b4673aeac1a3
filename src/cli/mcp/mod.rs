//! `cutaway mcp`: the operations of §4 as tools of the Model Context Protocol, over standard input and output, for the
//! agents that the spec speaks of. Standard output holds the protocol alone; the log is a file, faults go to standard
//! error.

mod agent;
mod asking;
mod calls;
mod describe;
mod dispatch;
mod progress;
mod prompts;
mod question;
mod resources;
mod results;
mod shape;
mod tools;
mod upload;
mod wire;

use std::sync::{Arc, Mutex};

use clap::Args;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt as _};

use super::lint::Asking as Addresses;
use super::{Failure, Session};
use agent::Agent;
use asking::{Asked, Asking};
use calls::Called;
use progress::Progress;

/// Serve the workspace to AI agents as MCP tools.
#[derive(Debug, Args)]
#[command(after_help = "\
Started by the agent's program; speaks the Model Context Protocol on standard input and output until they close.
With --read-only, only tools that change nothing are offered. On a live profile every change is asked about first, in
the agent's program; one that can't ask can't change anything.

Examples:
  cutaway mcp
  cutaway mcp --read-only
  cutaway mcp --profile shop --app-url https://shop.example.com")]
pub(super) struct Mcp {}

impl Mcp {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let connection = session.connect().await?;
        let asking = session.asks_for_agents().map(Asking::new);
        let addresses = Arc::new(Addresses::of(&connection));
        let agent = Agent {
            addresses,
            steps: Mutex::default(),
            tools: tools::offered(connection.store.is_some(), session.target.read_only.is_some()),
            asking,
            client: connection.client,
            store: connection.store,
            state: session.folders.state().ok().map(std::path::Path::to_path_buf),
        };
        let wire::Wire { input, output, written } = wire::open();
        let serving = match Box::pin(agent.serve((input, output))).await {
            Ok(serving) => serving,
            // Whoever ends before it begins has not asked for anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                let why = "the agent doesn't speak the Model Context Protocol: its first message isn't `initialize`";
                return Err(Failure::Faulty(why.to_owned()));
            }
            Err(error) => {
                return Err(Failure::Faulty(format!("the agent doesn't speak the Model Context Protocol: {error}")));
            }
        };
        serving.waiting().await.map_err(|error| Failure::Other(error.into()))?;
        // What was answered last is written before the process ends.
        written.await.map_err(|error| Failure::Other(error.into()))??;
        Ok(())
    }
}

const INSTRUCTIONS: &str = "\
The workspace of an interactive video commerce service. A project is a video that viewers play: it has steps, each \
with a video, a text over it and answers; an answer's `next` is the name or ID of the step it leads to, and an empty \
one ends the video. Products belong to a store and can be searched; `cursor` gets the next page. Plan larger changes: \
export_project, edit the file, plan_project, then apply_project with the plan's hash; import_project creates a project \
from a file. Responses are compact: null and empty members are left out; `fields` selects members, `full` returns \
everything. Run check_project after changing steps, and lint before publishing. Deletions can't be undone.";

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build())
            .with_server_info(about)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(page)?;
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self, page.and_then(|page| page.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        first_page(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(Box::pin(resources::read(self, &request.uri)).await?.into())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(page)?;
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request.name, request.arguments.as_ref())?.into())
    }

    /// Nothing is completed, and the capabilities don't say that anything is. The crate would answer with an empty list.
    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    /// Requests that the crate could not read: of a method that it knows, the parameters are wrong.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let needs = match request.method.as_str() {
            "tools/call" => "params with `name`, a string, and `arguments`, an object, if the tool takes any",
            "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
                "no params, or params with `cursor`, a string"
            }
            "prompts/get" => {
                "params with `name`, a string, and `arguments`, an object of strings, if the prompt takes any"
            }
            "resources/read" => "params with `uri`, a string",
            "initialize" => "params with `protocolVersion`, a string, and the objects `capabilities` and `clientInfo`",
            "ping" => "no params, or an empty object",
            _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        };
        Err(ErrorData::invalid_params(format!("{} needs {needs}", request.method), None))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&request.name) else {
            let known: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
            let why = format!("there is no tool {:?}; available: {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        };
        if let Err(why) = dispatch::declared(&tool, request.arguments.as_ref()) {
            return Ok(told(Err(why)).into());
        }
        if let Some(asking) = self.asking.as_ref().filter(|_| tools::writes(&tool.name)) {
            match Box::pin(self.asked(asking, &tool, &request, &context)).await {
                Asked::Agreed => {}
                Asked::Ask(question) => return Ok((*question).into()),
                Asked::Refused(why) => return Ok(told(Err(why)).into()),
            }
        }
        let arguments = request.arguments.unwrap_or_default();
        let (progress, telling) = Progress::of(&context);
        let called = Called { tool, progress };
        let answer = tokio::select! {
            answer = dispatch::call(self, &called, arguments) => answer,
            // An agent that gave up is told nothing more; a dropped call ends its request.
            () = context.ct.cancelled() => Err("canceled".to_owned()),
        };
        telling.end(called.progress).await;
        Ok(told(answer).into())
    }
}

impl Agent {
    /// What comes of asking the person whether a tool may be called so.
    async fn asked(
        &self,
        asking: &Asking,
        tool: &Tool,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        if let Some(why) = asking.refusal(context) {
            return Asked::Refused(why);
        }
        let arguments = request.arguments.clone().unwrap_or_default();
        let about = tokio::select! {
            biased;
            () = context.ct.cancelled() => Err("canceled; nothing was changed".to_owned()),
            about = question::about(self, tool, &arguments) => about,
        };
        match about {
            Ok(Some(about)) => asking.ask(request, &about, context).await,
            // It changes nothing.
            Ok(None) => Asked::Agreed,
            Err(why) => Asked::Refused(why),
        }
    }
}

/// An answer as text, for agents that read no more, and as structured content, which the tool's output schema promises.
fn told(answer: Result<serde_json::Value, String>) -> CallToolResult {
    match answer {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(results::structured(value));
            result
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
    }
}

/// All tools, prompts and kinds of addresses are on the first page.
fn first_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        None => Ok(()),
        Some(cursor) => {
            let why = format!("{cursor:?} isn't a cursor of this server: everything is on the first page");
            Err(ErrorData::invalid_params(why, None))
        }
    }
}
