//! The driver of projects: reads them, and writes each thing once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::context::{Answer, Context, Driver};
use super::products::told;
use crate::api::{
    CreateProject, CreatedProject, DeleteProject, GetProject, ListFolders, ListProjects, NewProject, ProjectChange,
    SearchProducts, UpdateProject,
};
use crate::client::{Client, ClientError};
use crate::domain::{Fault, Finding, FoundProduct, ProductId, ProjectId, Step, StoreUrl};
use crate::graph::{self, Graph};
use crate::lint::{self, Reaches, Wired};
use crate::runtime::{failure, saving};
use crate::studio::event::Failure;
use crate::studio::projects::{Effect, Event as Told, FolderName, Listed, Record, Row, Trouble, Write, Written};
use crate::studio::steps::search_for;

/// Products that are asked for at once.
const AT_A_TIME: usize = 100;
/// How long the products of a project are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Carries out what the Projects screen asks for.
#[derive(Default)]
pub struct ProjectsDriver;

impl Driver for ProjectsDriver {
    type Effect = Effect;

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context))
    }
}

async fn answered(effect: Effect, context: Context) -> Option<Told> {
    let client = context.client()?;
    Some(match effect {
        Effect::List { request } => Told::Listed { request, list: list(&client, &context).await },
        Effect::Read { request, project, .. } => Told::Read { request, record: read(&client, project, &context).await },
        Effect::Check { request, record, store } => {
            Told::Checked { request, faults: check_products(&client, record, store, &context).await }
        }
        Effect::Write { request, write } => Told::Written { request, written: send(&client, *write).await },
        Effect::Ask { request, ask } => Told::Answered { request, reply: Box::new(saving::ask(&client, *ask).await) },
    })
}

/// Asks for the projects and the folders. Projects can be shown without folders, not the other way round.
async fn list(client: &Client, context: &Context) -> Result<Listed, Failure> {
    let (projects, folders) = tokio::join!(client.call(&ListProjects), client.call(&ListFolders));
    let projects = projects.map_err(|error| failure(&error))?;
    let mut findings = losses(projects.findings);
    let (folders, folders_problem) = match folders {
        Ok(answer) => {
            findings.extend(losses(answer.findings));
            (answer.value.folders.iter().map(FolderName::of).collect(), None)
        }
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    // Names are made harmless and comparable here, not in the loop: there may be many.
    let rows = context.tasks.block(move || projects.value.projects.into_iter().map(Row::of).collect());
    let rows = rows.await.map_err(|_| Failure::new("Couldn't load the projects."))?;
    Ok(Listed { rows, folders, folders_problem, findings: told(&findings), findings_count: findings.len() })
}

/// What could not be read. Members that no page of the specification shows are no loss: the read records of projects
/// are not shown at all.
fn losses(findings: Vec<Finding>) -> Vec<Finding> {
    findings.into_iter().filter(|finding| !matches!(finding.fault, Fault::Undeclared)).collect()
}

/// Asks for a project with its steps.
async fn read(client: &Client, project: ProjectId, context: &Context) -> Result<Option<Arc<Record>>, Failure> {
    let answer = match client.call(&GetProject { id: project.clone() }).await {
        Err(error) if error.status() == Some(404) => return Ok(None),
        answer => answer.map_err(|error| failure(&error))?,
    };
    let record = context.tasks.block(move || {
        let findings = told(&losses(answer.findings));
        let mut project = named(answer.value.project, project);
        let raw = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        // A step that came as something else than an object would be counted as one.
        if let Some(steps) = &mut project.steps {
            steps.retain(|step| *step != Step::default());
        }
        Record::of(project, raw, findings)
    });
    record.await.map(|record| Some(Arc::new(record))).map_err(|_| Failure::new("Couldn't load the project."))
}

/// The products of a store that the steps of a project show, as Steps looks them up; none where they can't be.
async fn offered(client: &Client, record: &Record, store: &StoreUrl) -> Option<Vec<FoundProduct>> {
    let nodes = record.graph.iter().flat_map(Graph::nodes);
    let links = nodes.flat_map(|node| &node.products).filter(|link| link.store.is_same(store));
    let ids: BTreeSet<&str> = links.map(|link| link.product_id.as_str()).collect();
    let ids: Vec<ProductId> = ids.into_iter().map(ProductId::from).collect();
    let mut found = Vec::new();
    for ids in ids.chunks(AT_A_TIME) {
        found.extend(client.call(&SearchProducts(search_for(store.clone(), "", ids))).await.ok()?.value.products);
    }
    Some(found)
}

/// What is wrong with the products of a project, which Steps shows among its problems; none where that can't be told.
async fn check_products(
    client: &Client,
    record: Arc<Record>,
    store: StoreUrl,
    context: &Context,
) -> Option<Vec<graph::Fault>> {
    let found = tokio::time::timeout(PATIENCE, offered(client, &record, &store)).await.ok()??;
    let check = move || {
        let graph = record.graph.as_ref()?;
        let wired = Wired {
            id: record.project.id.as_str().to_owned(),
            name: record.project.name.clone().unwrap_or_default(),
            graph: Arc::new(graph.clone()),
            reaches: Reaches::of(graph, None),
        };
        Some(lint::offered(&wired, &store, &found))
    };
    context.tasks.block(check).await.ok()?
}

/// A record that does not say its id is that of the project that was asked for.
fn named(mut project: crate::domain::Project, asked: ProjectId) -> crate::domain::Project {
    if project.id.is_empty() {
        project.id = asked;
    }
    project
}

/// Makes one call that changes something.
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
