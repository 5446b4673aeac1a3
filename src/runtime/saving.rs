//! Saving drafts: the calls of a plan, one by one, through the client. A creation is never asked for twice, and what others
//! changed is never written over.

use std::time::Duration;

use thiserror::Error;

use super::failure;
use crate::api::{CreateProject, CreateStep, GetProject, ListFolders, ListProjects, ListVideos, Operation as _};
use crate::client::{Answer, Client, ClientError, Conditions, new_key};
use crate::domain::{Fault, Finding, Project, ProjectId, Segment, StepId, StepName};
use crate::draft::{Applying, Call, Draft, Library, Next, Outcome, Reading, Request, Seen, SendOptions, Stranger};
use crate::studio::{Ask, Reply};

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
    /// Somebody else changed the project meanwhile. Nothing of it was written over.
    #[error("someone else changed the project meanwhile: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// What the service says of the project is not what it should be.
    #[error("couldn't read the project before the next request: {0}")]
    Flawed(String),
    /// The answer of a creation was lost, and the service has something that may be what was created, or not.
    #[error(
        "the response to a creation was lost, and the service now has {}, which may be what was created or somebody \
         else's: check it, and delete or adopt it before you continue", .0.join(" and ")
    )]
    Unclear(Vec<String>),
    /// The answer of a creation was lost and the service doesn't show what was created. It may be about to, and isn't
    /// known to make it once only where it is sent again.
    #[error(
        "the response to a creation was lost ({0}), and the service doesn't show it yet; it was not sent again, because this \
         service isn't known to recognize a repeated request: check the service in a minute, then run this again if \
         it's still missing"
    )]
    NotShown(String),
    /// The service does not do what it says it does.
    #[error("{0}: the service reported success, but nothing changed")]
    Endless(String),
}

/// Makes one call and says what it came to.
pub async fn send(client: &Client, request: &Request, options: SendOptions) -> (Outcome, Option<ClientError>) {
    let creates = matches!(request, Request::CreateProject(_) | Request::CreateStep(_));
    // Sent again without a condition it would write over what was changed since the project was read.
    let once = !creates && options.tag.is_none();
    let conditions = Conditions { key: options.key, if_match: options.tag, once };
    let done = |answer: Answer<_>| answer.etag.map_or(Outcome::Done, Outcome::Tagged);
    let answer = match request {
        Request::CreateProject(create) => {
            let project = client.call_under(create, conditions).await;
            project.map(|told| doubted(&told, &["id"]).unwrap_or(Outcome::CreatedProject(told.value.id)))
        }
        Request::CreateStep(create) => {
            let made = client.call_under(create, conditions).await;
            made.map(|told| {
                let step = || Outcome::CreatedStep(told.value.id.clone(), told.value.name.clone());
                doubted(&told, &["id", "name"]).unwrap_or_else(step)
            })
        }
        Request::UpdateStep(update) => client.call_under(update, conditions).await.map(done),
        Request::DeleteStep(delete) => client.call_under(delete, conditions).await.map(|_| Outcome::Done),
        Request::UpdateProject(update) => client.call_under(update, conditions).await.map(done),
    };
    match answer {
        Ok(outcome) => (outcome, None),
        Err(error) => (outcome(&error, creates), Some(error)),
    }
}

/// What an id or a name of another type comes to: nothing that is certain. What was created is looked for, as where there
/// was no answer, so that nothing is kept under an id that the service does not know.
fn doubted<T>(answer: &Answer<T>, members: &[&str]) -> Option<Outcome> {
    let odd = answer.findings.iter().find(|finding| {
        let names_it = matches!(finding.at.last(), Some(Segment::Key(key)) if members.contains(&key.as_str()));
        names_it && matches!(finding.fault, Fault::Mistyped { .. })
    })?;
    Some(Outcome::Unknown(format!("in the response, {odd}")))
}

/// Asks what saving a draft call by call needs.
pub async fn ask(client: &Client, ask: Ask) -> Reply {
    match ask {
        Ask::Call(call, request, options) => match send(client, &request, options).await {
            (_, Some(error)) if error.status() == Some(401) => Reply::Unauthorized(call, error.to_string()),
            (outcome, _) => Reply::Call(call, Box::new(outcome)),
        },
        Ask::ReadProject { id, after } => {
            wait(after).await;
            Reply::Project(read(client, &id).await.map(Box::new).map_err(|error| failure(&error)))
        }
        Ask::ListProjects { after } => {
            wait(after).await;
            Reply::Projects(projects(client).await.map_err(|error| failure(&error)))
        }
        Ask::FindOutKeys => Reply::Keys(heeds_keys(client).await),
    }
}

/// What a failure says of whether it was done.
#[must_use]
pub fn outcome(error: &ClientError, creates: bool) -> Outcome {
    let why = error.to_string();
    match error {
        ClientError::Problem(problem) => match problem.status {
            404 => Outcome::Gone(why),
            412 => Outcome::Changed(why),
            // A gateway that gives up, and a service that breaks, may do so after it was done.
            408 | 500.. if creates => Outcome::Unknown(why),
            429 | 502 | 503 | 504 => Outcome::Busy { why, after: problem.retry_after.unwrap_or_default() },
            400 | 413 | 415 | 422 => Outcome::Invalid(why),
            _ => Outcome::Refused(why),
        },
        ClientError::Broken { .. }
        | ClientError::Silent { .. }
        | ClientError::CutOff { .. }
        | ClientError::TooLong { .. }
        | ClientError::Unreadable { .. } => Outcome::Unknown(why),
        ClientError::Unreachable { .. } | ClientError::Renewed => Outcome::Busy { why, after: Duration::ZERO },
        ClientError::ReadOnly { .. }
        | ClientError::NotWanted { .. }
        | ClientError::SignedOut(_)
        | ClientError::NoCredential
        | ClientError::InsecureCredential { .. }
        | ClientError::Request(_)
        | ClientError::Id(_)
        | ClientError::File(_)
        | ClientError::Redirected { .. }
        | ClientError::RedirectedElsewhere { .. } => Outcome::Refused(why),
    }
}

/// Reads a project. It is the one that was asked for, whatever the service says of its id.
///
/// # Errors
/// As the client's.
pub async fn read(client: &Client, project: &ProjectId) -> Result<Reading, ClientError> {
    let answer = client.call(&GetProject { id: project.clone() }).await?;
    let flaw = answer.findings.iter().find(|finding| is_flaw(finding));
    Ok(Reading {
        flaw: flaw.map(|finding| format!("{} {}", finding.path(), finding.fault)),
        project: Project { id: project.clone(), ..answer.value.project },
        tag: answer.etag,
        products_here: answer.products_here,
    })
}

/// What a draft is compared with: of another type it says nothing, and not that it is empty.
const COMPARED: [&str; 12] = [
    "project",
    "steps",
    "id",
    "name",
    "description",
    "overlayText",
    "videoId",
    "answers",
    "text",
    "stepsOrder",
    "emailNotifications",
    "folder",
];

fn is_flaw(finding: &Finding) -> bool {
    let keys: Vec<&str> = finding
        .at
        .iter()
        .filter_map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            Segment::Index(_) => None,
        })
        .collect();
    match &finding.fault {
        // Some services say so of what is empty.
        Fault::Mistyped { found: "null", .. } => false,
        Fault::Mistyped { .. } => {
            keys != ["project", "id"] && keys.last().is_none_or(|key| COMPARED.contains(key) || *key == "next")
        }
        Fault::Missing => keys == ["project"],
        _ => false,
    }
}

/// Whether the service is known to make a creation that is sent twice under one key once only.
pub async fn heeds_keys(client: &Client) -> bool {
    client.heeds_keys(&[CreateProject::ROW, CreateStep::ROW]).await
}

/// Lists the projects, for who creates one that is not among them.
///
/// # Errors
/// As [`Client::call_for_all`].
pub async fn projects(client: &Client) -> Result<Vec<Project>, ClientError> {
    Ok(client.call_for_all(&ListProjects).await?.value.projects)
}

/// The workspace's videos and folders, as far as they can be told.
pub async fn library(client: &Client) -> Library {
    let (videos, folders) = tokio::join!(client.call(&ListVideos), client.call(&ListFolders));
    Library {
        videos: videos.ok().map(|answer| answer.value.videos),
        folders: folders.ok().map(|answer| answer.value.folders),
    }
}

/// What somebody hears of while a plan is made.
#[derive(Debug)]
pub enum Told<'a> {
    /// This call is about to be made; so many are left, it among them.
    Call(&'a Call, usize),
    /// Somebody else changed this meanwhile; it is kept, and the rest is planned again.
    Elsewhere(&'a [String]),
    /// Everything was made, and the service doesn't keep the player's settings.
    PlayerNotKept,
    /// Everything was made, and the service doesn't keep the products that steps show.
    ProductsNotKept,
    /// The same, and they are kept on this computer.
    ProductsHere,
}

/// Makes the service say what the draft says, call by call. Where somebody else changes the project meanwhile, what they
/// did is kept and the rest planned again, at most `replans` times.
///
/// # Errors
/// At the first call that fails, and where somebody else changed the same, or changed something too often. What was done
/// is kept in the draft; called again it goes on with the rest.
pub async fn apply(
    client: &Client,
    draft: &mut Draft,
    mut replans: usize,
    mut told: impl FnMut(Told<'_>),
) -> Result<(), SavingError> {
    let mut applying = Applying::new(new_key());
    let mut last: Option<Call> = None;
    loop {
        let seen = match applying.next(draft) {
            Next::Nothing => {
                let lacking = [
                    (applying.loses_player(), Told::PlayerNotKept),
                    (applying.loses_products(), Told::ProductsNotKept),
                    (applying.keeps_products_here(), Told::ProductsHere),
                ];
                lacking.into_iter().filter_map(|(lacks, what)| lacks.then_some(what)).for_each(told);
                return Ok(());
            }
            Next::ListProjects { after } => {
                wait(after).await;
                applying.listed(draft, &projects(client).await?).1
            }
            Next::FindOutKeys => {
                applying.know_keys(heeds_keys(client).await);
                Seen::Same
            }
            Next::ReadProject { after } => {
                wait(after).await;
                let reading = read(client, draft.project_id()).await?;
                applying.read(draft, reading).1
            }
            Next::Call(call, options) => {
                if last.as_ref() == Some(&call) && !call.creates() {
                    return Err(SavingError::Endless(call.title()));
                }
                told(Told::Call(&call, applying.left()));
                let is_new = make(client, draft, &mut applying, &call, options).await?;
                last = is_new.then_some(*call);
                continue;
            }
        };
        match seen {
            Seen::Same => {}
            Seen::Flawed(flaw) => return Err(SavingError::Flawed(flaw)),
            Seen::Unclear(strangers) => return Err(unclear(draft, &strangers)),
            Seen::Changed(merge) => {
                if replans == 0 || !merge.conflicts.is_empty() {
                    return Err(SavingError::Changed(merge.changes()));
                }
                replans -= 1;
                told(Told::Elsewhere(&merge.elsewhere));
                let _ = draft.rebase(&merge);
                last = None;
            }
        }
    }
}

/// Makes one call. Whether it changed what is known to be done: one that doesn't and is due again is due for ever.
async fn make(
    client: &Client,
    draft: &mut Draft,
    applying: &mut Applying,
    call: &Call,
    options: SendOptions,
) -> Result<bool, SavingError> {
    let Some(request) = call.request(draft.project_id()) else { return Err(SavingError::Endless(call.title())) };
    let _ = applying.sending(draft, call, &options);
    let (outcome, error) = send(client, &request, options).await;
    match applying.answered(draft, call, outcome) {
        Ok(record) => Ok(record.is_some()),
        Err(stopped) => {
            let error = error.unwrap_or(ClientError::Request(stopped.why));
            Err(SavingError::Call { title: call.title(), error })
        }
    }
}

/// Why it is not gone on with where the answer to a creation was lost.
fn unclear(draft: &Draft, strangers: &[Stranger]) -> SavingError {
    if strangers.is_empty() {
        return SavingError::NotShown(draft.unanswered().unwrap_or_default());
    }
    SavingError::Unclear(strangers.iter().map(named).collect())
}

async fn wait(after: Duration) {
    if !after.is_zero() {
        tokio::time::sleep(after).await;
    }
}

/// Something that nobody knows, in words.
#[must_use]
pub fn named(stranger: &Stranger) -> String {
    match stranger {
        Stranger::Step(step) => {
            let name = step.name.as_ref().map(StepName::as_str).filter(|name| !name.is_empty());
            let id = step.id.as_ref().map_or("", StepId::as_str);
            let said = step.overlay_text.as_deref().or(step.description.as_deref()).unwrap_or_default();
            format!("the step {} ({said:?})", name.unwrap_or(id))
        }
        Stranger::Project(project) => {
            format!("the project {} ({:?})", project.id, project.name.as_deref().unwrap_or_default())
        }
    }
}
