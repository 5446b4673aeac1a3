//! Project files as agents work with them: read, planned, applied, made projects of. Each answer is for machines.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::titles::Titles;
use super::{copy, opened};
use crate::cli::Failure;
use crate::client::Client;
use crate::domain::ProjectId;
use crate::draft::{Call, Draft, FileFormat, Imported, Plan, ProjectFile};
use crate::runtime::saving::{self, SavingError, Told};

/// Where it is told which request is made: how many were made before it, of how many, and what it is; and at the end that
/// all were.
pub(in crate::cli) type Telling<'a> = &'a mut (dyn FnMut(usize, usize, &str) + Send);

/// A project's graph, as SVG.
pub(in crate::cli) async fn drawn(client: &Client, id: &str) -> Result<String, Failure> {
    let answer = opened::open(client, id).await?;
    let project = &answer.value.project;
    let graph = opened::graph(project, opened::steps(&answer)?);
    Ok(graph.to_svg(project.name.as_deref().unwrap_or(project.id.as_str())))
}

/// A project as a file, in TOML.
pub(in crate::cli) async fn file_of(client: &Client, id: &str) -> Result<Value, Failure> {
    let answer = opened::open(client, id).await?;
    opened::steps(&answer)?;
    let draft = Draft::new("", answer.value.project);
    Ok(json!({ "file": ProjectFile::of(&draft, &saving::library(client).await).write(FileFormat::Toml) }))
}

/// Where a plan is not the one that was shown.
pub(in crate::cli) const ANOTHER_PLAN: &str =
    "nothing was changed: the plan for this file has changed, or this isn't its planHash; run plan_project again";

/// What a plan comes to, for a person who is asked about it.
pub(in crate::cli) struct Meaning {
    /// What the plan is known by.
    pub(in crate::cli) hash: String,
    /// A line a request and a line a change, what is deleted and the project itself first; empty where there is nothing to do.
    pub(in crate::cli) lines: Vec<String>,
    /// What can't be saved, and why.
    pub(in crate::cli) hindrances: Vec<String>,
}

/// What making a project say what a file says comes to.
pub(in crate::cli) async fn meant(client: &Client, id: &str, file: &str) -> Result<Meaning, Failure> {
    let (draft, _) = drafted(client, id, file).await?;
    let mut plan = draft.plan();
    let hash = hash(draft.project_id(), &plan);
    Titles::name(client, &mut plan).await;
    plan.calls.sort_by_key(|planned| match planned.call {
        Call::DeleteStep { .. } => 0,
        Call::CreateProject { .. } | Call::UpdateProject { .. } => 1,
        Call::UpdateStep { .. } => 2,
        Call::CreateStep(_) => 3,
    });
    Ok(Meaning { hash, lines: super::file::written(&plan), hindrances: plan.hindrances })
}

/// What would make a project say what a file says. Changes nothing.
pub(in crate::cli) async fn planned(client: &Client, id: &str, file: &str) -> Result<Value, Failure> {
    let (draft, imported) = drafted(client, id, file).await?;
    let mut plan = draft.plan();
    let hash = hash(draft.project_id(), &plan);
    Titles::name(client, &mut plan).await;
    Ok(json!({ "planHash": hash, "plan": plan, "warnings": imported.warnings }))
}

/// Makes a project say what a file says, where the plan for that is still the one that was shown.
pub(in crate::cli) async fn applied(
    client: &Client,
    id: &str,
    file: &str,
    shown: &str,
    telling: Telling<'_>,
) -> Result<Value, Failure> {
    let (mut draft, imported) = drafted(client, id, file).await?;
    let plan = draft.plan();
    if hash(draft.project_id(), &plan) != shown {
        return Err(Failure::Faulty(ANOTHER_PLAN.to_owned()));
    }
    let made = make(client, &mut draft, telling).await?;
    Ok(json!({ "plan": plan, "warnings": imported.warnings, "made": made }))
}

/// Makes a new project of a file.
pub(in crate::cli) async fn imported(
    client: &Client,
    file: &str,
    name: Option<String>,
    telling: Telling<'_>,
) -> Result<Value, Failure> {
    let mut read = read(file)?;
    if let Some(name) = name {
        read.name = name;
    }
    let (draft, imported) = Draft::of_file("", &read, &saving::library(client).await);
    created(client, draft, &imported, telling).await
}

/// Makes a new project with all steps of another.
pub(in crate::cli) async fn duplicated(
    client: &Client,
    id: &str,
    name: Option<String>,
    telling: Telling<'_>,
) -> Result<Value, Failure> {
    let (draft, imported) = copy(client, id, name).await?;
    created(client, draft, &imported, telling).await
}

/// That a file is one of a project.
pub(in crate::cli) fn check_file(file: &str) -> Result<(), Failure> {
    read(file).map(drop)
}

fn read(file: &str) -> Result<ProjectFile, Failure> {
    ProjectFile::read(file).map_err(|error| Failure::Usage(format!("the file: {error}")))
}

/// What a project is, with what a file says of it.
async fn drafted(client: &Client, id: &str, file: &str) -> Result<(Draft, Imported), Failure> {
    let read = read(file)?;
    let answer = opened::open(client, id).await?;
    opened::steps(&answer)?;
    let mut draft = Draft::new("", answer.value.project);
    let imported = draft.import(&read, &saving::library(client).await);
    Ok((draft, imported))
}

async fn created(
    client: &Client,
    mut draft: Draft,
    imported: &Imported,
    telling: Telling<'_>,
) -> Result<Value, Failure> {
    let made = make(client, &mut draft, telling).await?;
    Ok(json!({ "id": draft.project_id().as_str(), "warnings": imported.warnings, "made": made }))
}

/// Makes the calls of a draft; what they were, in words.
async fn make(client: &Client, draft: &mut Draft, telling: Telling<'_>) -> Result<Vec<String>, Failure> {
    let (mut made, mut asked) = (Vec::new(), 0);
    // An agent has seen the plan: where that is not what is left to do any more, it has to look again.
    let told = |told: Told<'_>| match told {
        Told::Call(call, left) => {
            let title = call.title();
            telling(asked, asked + left, &title);
            asked += 1;
            made.push(title);
        }
        Told::PlayerNotKept => made.push(super::file::PLAYER_NOT_KEPT.to_owned()),
        Told::ProductsHere => made.push(super::file::PRODUCTS_HERE.to_owned()),
        Told::ProductsNotKept => made.push(super::file::PRODUCTS_NOT_KEPT.to_owned()),
        Told::Elsewhere(_) => {}
    };
    let stopped = saving::apply(client, draft, 0, told).await.err();
    let Some(error) = stopped else {
        if asked > 0 {
            telling(asked, asked, "saved");
        }
        return Ok(made);
    };
    if matches!(error, SavingError::Call { .. }) {
        // It is told before it is made.
        made.pop();
    }
    let there = match draft.project_id().as_str() {
        "" => String::new(),
        id => format!("; project {id} is only partly updated"),
    };
    Err(Failure::Faulty(format!("stopped after {} requests, at: {error}{there}", made.len())))
}

/// What tells a plan from every other: it holds what is there as well as what will be.
fn hash(project: &ProjectId, plan: &Plan) -> String {
    let digest: [u8; 32] = Sha256::digest(json!([project.as_str(), plan]).to_string().as_bytes()).into();
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
