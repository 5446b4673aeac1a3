//! The driver of plans: makes one call, and says what came of it as far as that can be known.

use crate::api::{GetProject, ListProjects, Operation};
use crate::client::{Client, ClientError};
use crate::draft::{Outcome, Request};
use crate::studio::event::{Event, RequestId};
use crate::studio::steps::{self, Ask, Reply};

use super::steps::failure;

/// Asks what making a plan needs.
pub async fn ask(client: Client, request: RequestId, ask: Ask) -> Event {
    let reply = match ask {
        Ask::Call(call, operation) => Reply::Call(call, Box::new(make(&client, *operation).await)),
        Ask::ReadProject(id) => {
            let read = client.call(&GetProject { id }).await;
            Reply::Project(read.map(|answer| Box::new(answer.value.project)).map_err(|error| failure(&error)))
        }
        Ask::ListProjects => {
            let listed = client.call(&ListProjects).await;
            Reply::Projects(listed.map(|answer| answer.value.projects).map_err(|error| failure(&error)))
        }
    };
    Event::Steps(steps::Event::Answered { request, reply: Box::new(reply) })
}

/// Makes a call of a plan.
pub async fn make(client: &Client, request: Request) -> Outcome {
    match request {
        Request::CreateProject(operation) => match client.call(&operation).await {
            Ok(answer) => Outcome::CreatedProject(answer.value.id),
            Err(error) => outcome(&error),
        },
        Request::CreateStep(operation) => match client.call(&operation).await {
            Ok(answer) => Outcome::CreatedStep(answer.value.id, answer.value.name),
            Err(error) => outcome(&error),
        },
        Request::UpdateStep(operation) => done(client, &operation).await,
        Request::DeleteStep(operation) => done(client, &operation).await,
        Request::UpdateProject(operation) => done(client, &operation).await,
    }
}

async fn done<O: Operation>(client: &Client, operation: &O) -> Outcome {
    match client.call(operation).await {
        Ok(_) => Outcome::Done,
        Err(error) => outcome(&error),
    }
}

/// What an error says about whether the call was made.
fn outcome(error: &ClientError) -> Outcome {
    let why = error.to_string();
    match error {
        ClientError::Problem(problem) if problem.status == 404 => Outcome::Gone(why),
        ClientError::Problem(problem) if problem.status < 500 => Outcome::Refused(why),
        ClientError::Broken { .. }
        | ClientError::Silent { .. }
        | ClientError::CutOff { .. }
        | ClientError::TooLong { .. }
        | ClientError::Unreadable { .. }
        | ClientError::Problem(_) => Outcome::Unknown(why),
        ClientError::ReadOnly { .. }
        | ClientError::NoCredential
        | ClientError::InsecureCredential { .. }
        | ClientError::Request(_)
        | ClientError::Unreachable { .. }
        | ClientError::Redirected { .. } => Outcome::Refused(why),
    }
}
