//! What an agent is given to work with.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// What steps are called that were read, by their IDs: no operation gets one alone.
    pub(super) steps: Mutex<HashMap<String, String>>,
}

/// So many steps are remembered.
const MOST_STEPS: usize = 100_000;

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
                self.remember(&value);
                Ok(value)
            }
            // §4 shows no body for these.
            Err(_) if O::ROW.ignores_body() => Ok(Value::Null),
            Err(what) => Err(Failure::Faulty(format!("couldn't read the response ({}): {what}", answer.status))),
        }
    }

    /// Remembers what the steps of a project are called.
    fn remember(&self, answer: &Value) {
        let Some(steps) = answer.get("steps").and_then(Value::as_array) else { return };
        let Some(project) = answer.get("project").and_then(|project| project.get("name")?.as_str()) else { return };
        let mut known = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + steps.len() > MOST_STEPS {
            known.clear();
        }
        for step in steps {
            if let (Some(id), Some(name)) =
                (step.get("id").and_then(Value::as_str), step.get("name").and_then(Value::as_str))
            {
                known.insert(id.to_owned(), format!("{name} of {project}"));
            }
        }
    }

    /// What a step is called, where its project was read.
    pub(super) fn step(&self, id: &str) -> Option<String> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}
