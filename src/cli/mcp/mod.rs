//! `cutaway mcp`: the operations of §4 as tools of the Model Context Protocol, over standard input and output, for the
//! agents that the spec speaks of. Standard output holds the protocol alone; the log is a file, faults go to standard
//! error.

mod calls;
mod tools;

use clap::Args;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt as _};

use super::{Failure, Session};
use crate::client::Client;
use crate::domain::StoreUrl;

/// Serve the workspace's operations as tools to an agent.
#[derive(Debug, Args)]
#[command(after_help = "\
The agent's program starts it; it speaks the Model Context Protocol on standard input and output until that ends.
With --read-only only tools that change nothing are offered.

Examples:
  cutaway mcp
  cutaway mcp --read-only
  cutaway mcp --profile shop --app-url https://shop.example.com")]
pub(super) struct Mcp {}

impl Mcp {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let connection = session.connect().await?;
        let agent = Agent {
            tools: tools::offered(connection.store.is_some(), session.target.read_only.is_some()),
            client: connection.client,
            store: connection.store,
        };
        let serving = match Box::pin(agent.serve(rmcp::transport::stdio())).await {
            Ok(serving) => serving,
            // Whoever ends before it begins has not asked for anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Failure::Faulty(format!("the agent does not speak the protocol: {error}"))),
        };
        serving.waiting().await.map_err(|error| Failure::Other(error.into()))?;
        Ok(())
    }
}

/// What an agent is given.
struct Agent {
    client: Client,
    /// The store of catalog tools that name none.
    store: Option<StoreUrl>,
    tools: Vec<Tool>,
}

const INSTRUCTIONS: &str = "\
The workspace of an interactive video commerce service. A project is a video that viewers walk through: it has steps, \
each with a video, a text over it and answers; an answer's `next` is the name or id of the step it leads to, and an \
empty one ends the video. Products belong to a store and can be searched; pages go on with `cursor`. Larger changes \
are planned: export_project, edit the file, plan_project, then apply_project with the plan's hash; import_project makes \
a new project of a file. Run check_project after changing steps. Deletions can't be taken back.";

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
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
            return Err(ErrorData::invalid_params(format!("there is no tool {:?} here", request.name), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let called = tokio::select! {
            called = calls::call(self, &tool, arguments) => called,
            // An agent that gave up is told nothing more; a dropped call ends its request.
            () = context.ct.cancelled() => Err("cancelled".to_owned()),
        };
        let result = match called {
            Ok(value) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
                // Structured content has to be an object.
                result.structured_content = Some(value).filter(serde_json::Value::is_object);
                result
            }
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}
