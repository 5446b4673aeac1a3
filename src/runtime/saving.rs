//! Saving drafts: the calls of a plan, one by one, through the client. A creation is never asked for twice.

use thiserror::Error;

use crate::api::{GetProject, ListFolders, ListProjects, ListVideos};
use crate::client::{Client, ClientError};
use crate::domain::{Project, ProjectId};
use crate::draft::{Call, Draft, Library, Next, Outcome, Request};

/// Why saving stopped. What was done is done, and the rest is still in the draft.
#[derive(Debug, Error)]
pub enum SavingError {
    /// A call failed.
    #[error("{title}: {error}")]
    Call {
        /// The call, in words.
        title: String,
        /// Why it failed.
        error: ClientError,
    },
    /// The service could not be read.
    #[error(transparent)]
    Read(#[from] ClientError),
    /// The service does not do what it says it does.
    #[error("{0}: the service said that it was done, and asks for it again")]
    Endless(String),
}

/// Makes one call and says what it came to.
pub async fn send(client: &Client, request: &Request) -> (Outcome, Option<ClientError>) {
    let creates = matches!(request, Request::CreateProject(_) | Request::CreateStep(_));
    let answer = match request {
        Request::CreateProject(create) => {
            client.call(create).await.map(|answer| Outcome::CreatedProject(answer.value.id))
        }
        Request::CreateStep(create) => {
            client.call(create).await.map(|answer| Outcome::CreatedStep(answer.value.id, answer.value.name))
        }
        Request::UpdateStep(update) => client.call(update).await.map(|_| Outcome::Done),
        Request::DeleteStep(delete) => client.call(delete).await.map(|_| Outcome::Done),
        Request::UpdateProject(update) => client.call(update).await.map(|_| Outcome::Done),
    };
    match answer {
        Ok(outcome) => (outcome, None),
        Err(error) => (outcome(&error, creates), Some(error)),
    }
}

/// What a failure says of whether it was done.
#[must_use]
pub fn outcome(error: &ClientError, creates: bool) -> Outcome {
    let why = error.to_string();
    match error {
        ClientError::Problem(problem) => match problem.status {
            404 => Outcome::Gone(why),
            // A gateway that gives up, and a service that breaks, may do so after it was done.
            408 | 500.. if creates => Outcome::Unknown(why),
            _ => Outcome::Refused(why),
        },
        ClientError::Broken { .. }
        | ClientError::Silent { .. }
        | ClientError::CutOff { .. }
        | ClientError::TooLong { .. }
        | ClientError::Unreadable { .. } => Outcome::Unknown(why),
        ClientError::ReadOnly { .. }
        | ClientError::NotWanted { .. }
        | ClientError::SignedOut(_)
        | ClientError::NoCredential
        | ClientError::InsecureCredential { .. }
        | ClientError::Request(_)
        | ClientError::Id(_)
        | ClientError::File(_)
        | ClientError::Unreachable { .. }
        | ClientError::Redirected { .. }
        | ClientError::RedirectedElsewhere { .. } => Outcome::Refused(why),
    }
}

/// Reads a project.
///
/// # Errors
/// As the client's.
pub async fn read(client: &Client, project: &ProjectId) -> Result<Project, ClientError> {
    Ok(client.call(&GetProject { id: project.clone() }).await?.value.project)
}

/// Lists the projects.
///
/// # Errors
/// As the client's.
pub async fn projects(client: &Client) -> Result<Vec<Project>, ClientError> {
    Ok(client.call(&ListProjects).await?.value.projects)
}

/// The workspace's videos and folders, as far as they can be told.
pub async fn library(client: &Client) -> Library {
    let (videos, folders) = tokio::join!(client.call(&ListVideos), client.call(&ListFolders));
    Library {
        videos: videos.ok().map(|answer| answer.value.videos),
        folders: folders.ok().map(|answer| answer.value.folders),
    }
}

/// Makes the service say what the draft says, call by call. `told` hears of every call before it is made.
///
/// # Errors
/// At the first call that fails. What was done is kept in the draft; called again it goes on with the rest.
pub async fn apply(client: &Client, draft: &mut Draft, mut told: impl FnMut(&Call)) -> Result<(), SavingError> {
    let mut last: Option<Call> = None;
    loop {
        match draft.next() {
            Next::Nothing => return Ok(()),
            Next::ListProjects => {
                let _ = draft.settle_project(&projects(client).await?);
            }
            Next::ReadProject => {
                let _ = draft.settle(&read(client, draft.project_id()).await?);
            }
            Next::Call(call) => {
                let title = call.title();
                if last.as_ref() == Some(&call) && !call.creates() {
                    return Err(SavingError::Endless(title));
                }
                told(&call);
                let before = match &*call {
                    Call::CreateProject { .. } => projects(client).await?,
                    _ => Vec::new(),
                };
                let Some(request) = call.request(draft.project_id()) else {
                    return Err(SavingError::Endless(title));
                };
                let _ = draft.sending(&call, &before);
                let (outcome, error) = send(client, &request).await;
                if let Err(stopped) = draft.answered(&call, outcome) {
                    let error = error.unwrap_or(ClientError::Request(stopped.why));
                    return Err(SavingError::Call { title, error });
                }
                last = Some(*call);
            }
        }
    }
}
