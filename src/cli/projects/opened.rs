//! A project with its steps, as `show`, `check` and `export` need it.

use serde_json::Value;

use crate::api::{GetProject, OpenedProject};
use crate::cli::Failure;
use crate::cli::output::unreadable;
use crate::client::{Answer, Client, json};
use crate::domain::{Project, Step};
use crate::graph::Graph;

/// Reads a project.
pub(super) async fn open(client: &Client, id: &str) -> Result<Answer<OpenedProject>, Failure> {
    let mut answer = client.call(&GetProject { id: id.into() }).await?;
    if json::read(&answer.body).is_ok_and(|body| is_null(&body)) {
        return Err(not_found(id));
    }
    // It is the project that was asked for, whatever the service says of its id.
    answer.value.project.id = id.into();
    Ok(answer)
}

/// Whether a service said in this way that there is no such project.
pub(super) fn is_null(body: &Value) -> bool {
    body.get("project").is_some_and(Value::is_null)
}

/// There is no such project.
pub(super) fn not_found(id: &str) -> Failure {
    Failure::NotFound(format!("there is no project {id:?}"))
}

/// Its steps. A service that tells none has not said that there are none.
pub(super) fn steps(answer: &Answer<OpenedProject>) -> Result<&[Step], Failure> {
    let steps = answer.value.project.steps.as_deref();
    steps.ok_or_else(|| unreadable(answer, "it contains no steps".to_owned()))
}

/// What leads where.
pub(super) fn graph(project: &Project, steps: &[Step]) -> Graph {
    Graph::new(steps, project.steps_order.as_deref().unwrap_or_default())
}
