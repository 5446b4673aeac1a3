//! What an agent is given to work with.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::Value;

use super::asking::Asking;
use crate::api::Operation;
use crate::cli::Failure;
use crate::cli::lint::Asking as Addresses;
use crate::client::{Client, json as wire};
use crate::domain::StoreUrl;

/// What an agent is given.
pub(super) struct Agent {
    pub(super) client: Client,
    /// The store of catalog tools that name none.
    pub(super) store: Option<StoreUrl>,
    pub(super) tools: Vec<Tool>,
    /// Who is asked before something is changed.
    pub(super) asking: Option<Asking>,
    /// The state folder: what was kept of services that don't count visits.
    pub(super) state: Option<PathBuf>,
    /// Requests the addresses that records name.
    pub(super) addresses: Arc<Addresses>,
}

impl Agent {
    /// Calls an operation; its answer as it came, or a sentence.
    pub(super) async fn ask<O: Operation>(&self, operation: &O) -> Result<Value, String> {
        self.call(operation).await.map_err(|failure| failure.to_string())
    }

    /// Calls an operation; its answer as it came.
    pub(super) async fn call<O: Operation>(&self, operation: &O) -> Result<Value, Failure> {
        let answer = self.client.call_raw(operation).await?;
        match wire::read(&answer.body) {
            Ok(mut value) => {
                self.client.complete(operation, &mut value).await;
                Ok(value)
            }
            // §4 shows no body for these.
            Err(_) if O::ROW.ignores_body() => Ok(Value::Null),
            Err(what) => Err(Failure::Faulty(format!("couldn't read the response ({}): {what}", answer.status))),
        }
    }
}
