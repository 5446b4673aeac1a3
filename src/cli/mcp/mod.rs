//! `cutaway mcp`: the operations of §4 as tools of the Model Context Protocol, over standard input and output, for the
//! agents that the spec speaks of. Standard output holds the protocol alone; the log is a file, faults go to standard
//! error.

mod agent;
mod calls;
mod describe;
mod dispatch;
mod shape;
mod tools;
mod wire;

use clap::Args;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt as _};

use super::{Failure, Session};
use agent::Agent;

/// Serve the workspace to AI agents as MCP tools.
#[derive(Debug, Args)]
#[command(after_help = "\
Started by the agent's program; speaks the Model Context Protocol on standard input and output until they close.
With --read-only, and on a live profile unless --profile names it, only tools that change nothing are offered.

Examples:
  cutaway mcp
  cutaway mcp --read-only
  cutaway mcp --profile shop --app-url https://shop.example.com")]
pub(super) struct Mcp {}

impl Mcp {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let connection = session.connect().await?;
        let guarded = session.guards_from_agents();
        if let Some(why) = guarded.as_ref().filter(|_| session.target.read_only.is_none()) {
            crate::cli::session::note(why);
        }
        let agent = Agent {
            tools: tools::offered(connection.store.is_some(), guarded.is_some()),
            client: connection.client,
            store: connection.store,
        };
        let wire::Wire { input, output, written } = wire::open();
        let serving = match Box::pin(agent.serve((input, output))).await {
            Ok(serving) => serving,
            // Whoever ends before it begins has not asked for anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
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

/// An answer that is longer is sent as text alone, bytes.
const LONGEST_TWICE: usize = 2048;

const INSTRUCTIONS: &str = "\
The workspace of an interactive video commerce service. A project is a video that viewers play: it has steps, each \
with a video, a text over it and answers; an answer's `next` is the name or ID of the step it leads to, and an empty \
one ends the video. Products belong to a store and can be searched; `cursor` gets the next page. Plan larger changes: \
export_project, edit the file, plan_project, then apply_project with the plan's hash; import_project creates a project \
from a file. Responses are compact: null and empty members are left out; `fields` selects members, `full` returns \
everything. Run check_project after changing steps. Deletions can't be undone.";

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = page.and_then(|page| page.cursor) {
            let why = format!("{cursor:?} isn't a cursor of this server: all tools are on the first page");
            return Err(ErrorData::invalid_params(why, None));
        }
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    /// Requests that the crate could not read: of a method that it knows, the parameters are wrong.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let needs = match request.method.as_str() {
            "tools/call" => "params with `name`, a string, and `arguments`, an object, if the tool takes any",
            "tools/list" => "no params, or params with `cursor`, a string",
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
        let arguments = request.arguments.unwrap_or_default();
        let called = tokio::select! {
            called = dispatch::call(self, &tool, arguments) => called,
            // An agent that gave up is told nothing more; a dropped call ends its request.
            () = context.ct.cancelled() => Err("canceled".to_owned()),
        };
        let result = match called {
            Ok(value) => {
                let text = value.to_string();
                // What is long is not sent twice: agents read, and pay for, both.
                let once = tools::is_shaped(&tool.name) && text.len() > LONGEST_TWICE;
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                // Structured content has to be an object.
                result.structured_content = Some(value).filter(|value| value.is_object() && !once);
                result
            }
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}
