//! The driver of projects: reads them, and writes each thing once.

use std::sync::Arc;

use serde_json::Value;

use super::context::{Context, Driver};
use super::products::told;
use crate::api::{
    CreateProject, CreatedProject, DeleteProject, GetProject, ListFolders, ListProjects, NewProject, ProjectChange,
    UpdateProject,
};
use crate::client::{Client, ClientError};
use crate::domain::{Fault, Finding, ProjectId, Step};
use crate::runtime::{failure, saving};
use crate::studio::event::{Event, Failure, RequestId};
use crate::studio::projects::{Effect, Event as Told, FolderName, Listed, Record, Row, Trouble, Write, Written};

/// Carries out what the Projects screen asks for.
#[derive(Default)]
pub struct ProjectsDriver;

impl Driver for ProjectsDriver {
    type Effect = Effect;

    fn carry_out(&mut self, effect: Effect, context: &Context) {
        let lost = Failure::new(context.why_unanswered());
        match effect {
            Effect::List { request } => {
                let gone = Event::Projects(Told::Listed { request, list: Err(lost) });
                context.ask(request, 0, gone, |client| list(client, request));
            }
            Effect::Read { request, project, after_ms } => {
                let gone = Event::Projects(Told::Read { request, record: Err(lost) });
                context.ask(request, after_ms, gone, |client| read(client, request, project));
            }
            Effect::Write { request, write: asked } => {
                let trouble = Trouble { failure: lost, unknown: context.client().is_some(), gone: false };
                let gone = Event::Projects(Told::Written { request, written: Err(trouble) });
                context.ask(request, 0, gone, |client| write(client, request, *asked));
            }
            Effect::Ask { request, ask } => {
                let of = move |reply| Event::Projects(Told::Answered { request, reply: Box::new(reply) });
                let gone = of(context.unanswered(&ask));
                context.ask(request, 0, gone, async move |client| of(saving::ask(&client, *ask).await));
            }
        }
    }
}

/// Asks for the projects and the folders. Projects can be shown without folders, not the other way round.
async fn list(client: Client, request: RequestId) -> Event {
    let (projects, folders) = tokio::join!(client.call(&ListProjects), client.call(&ListFolders));
    let list = match (projects, folders) {
        (Ok(projects), folders) => {
            let mut findings = losses(projects.findings);
            let (folders, folders_problem) = match folders {
                Ok(answer) => {
                    findings.extend(losses(answer.findings));
                    (answer.value.folders.iter().map(FolderName::of).collect(), None)
                }
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            // Names are made harmless and comparable here, not in the loop: there may be many.
            let rows = tokio::task::spawn_blocking(move || projects.value.projects.into_iter().map(Row::of).collect());
            let listed = |rows| Listed {
                rows,
                folders,
                folders_problem,
                findings: told(&findings),
                findings_count: findings.len(),
            };
            rows.await.map(listed).map_err(|_| Failure::new("Couldn't load the projects."))
        }
        (Err(error), _) => Err(failure(&error)),
    };
    Event::Projects(Told::Listed { request, list })
}

/// What could not be read. Members that no page of the specification shows are no loss: the read records of projects
/// are not shown at all.
fn losses(findings: Vec<Finding>) -> Vec<Finding> {
    findings.into_iter().filter(|finding| !matches!(finding.fault, Fault::Undeclared)).collect()
}

/// Asks for a project with its steps.
async fn read(client: Client, request: RequestId, project: ProjectId) -> Event {
    let record = match client.call(&GetProject { id: project.clone() }).await {
        Ok(answer) => {
            let findings = told(&losses(answer.findings));
            let (mut project, body) = (named(answer.value.project, project), answer.body);
            let record = tokio::task::spawn_blocking(move || {
                let raw = serde_json::from_slice::<Value>(&body).unwrap_or_default();
                // A step that came as something else than an object would be counted as one.
                if let Some(steps) = &mut project.steps {
                    steps.retain(|step| *step != Step::default());
                }
                Arc::new(Record::of(project, raw, findings))
            });
            record.await.map(Some).map_err(|_| Failure::new("Couldn't load the project."))
        }
        Err(error) if error.status() == Some(404) => Ok(None),
        Err(error) => Err(failure(&error)),
    };
    Event::Projects(Told::Read { request, record })
}

/// A record that does not say its id is that of the project that was asked for.
fn named(mut project: crate::domain::Project, asked: ProjectId) -> crate::domain::Project {
    if project.id.is_empty() {
        project.id = asked;
    }
    project
}

/// Makes one call that changes something.
async fn write(client: Client, request: RequestId, write: Write) -> Event {
    let written = send(&client, write).await;
    Event::Projects(Told::Written { request, written })
}

async fn send(client: &Client, write: Write) -> Result<Written, Trouble> {
    match write {
        Write::Create(name) => {
            let project = NewProject { name, ..NewProject::default() };
            let answer = client.call(&CreateProject { project, ..CreateProject::default() }).await.map_err(trouble)?;
            let CreatedProject { id, .. } = answer.value;
            if id.is_empty() { Err(without_id("project")) } else { Ok(Written::Project(id)) }
        }
        Write::Change(id, change) => {
            let change = ProjectChange {
                name: change.name,
                email_notifications: change.emails,
                steps_order: change.order,
                folder: change.folder,
                player: change.player,
                ..ProjectChange::default()
            };
            client.call(&UpdateProject { id, change }).await.map_err(trouble)?;
            Ok(Written::Done)
        }
        Write::Delete(project_id) => {
            client.call(&DeleteProject { project_id, ..DeleteProject::default() }).await.map_err(trouble)?;
            Ok(Written::Done)
        }
    }
}

fn without_id(what: &str) -> Trouble {
    let failure = Failure::new(format!("the service created the {what} but sent no ID"));
    Trouble { failure, unknown: true, gone: false }
}

/// Why a write is not known to be done, and whether it may have been.
fn trouble(error: ClientError) -> Trouble {
    let unknown = match &error {
        ClientError::Broken { .. }
        | ClientError::Silent { .. }
        | ClientError::CutOff { .. }
        | ClientError::TooLong { .. }
        | ClientError::Unreadable { .. } => true,
        ClientError::Problem(problem) => problem.status >= 500,
        _ => false,
    };
    let gone = error.status() == Some(404);
    Trouble { failure: failure(&error), unknown, gone }
}
