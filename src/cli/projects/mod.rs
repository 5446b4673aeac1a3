//! `cutaway projects`: one file a command.

mod agents;
pub(in crate::cli) mod check;
mod create;
mod delete;
mod duplicate;
mod embed;
mod export;
mod file;
mod folders;
mod funnel;
mod import;
mod list;
mod opened;
mod plan;
mod player;
mod progress;
mod show;
mod titles;
mod update;

use clap::{Args, Subcommand};

pub(super) use agents::{ANOTHER_PLAN, applied, check_file, drawn, duplicated, file_of, imported, meant, planned};
pub(super) use check::checked;
use duplicate::copy;
pub(super) use funnel::counted;

use super::call::Call;
use super::{Failure, Session};
use crate::api::{self, Operation as _};

/// The commands that end in operations.
pub(super) const CALLS: [Call; 7] = [
    ("projects list", api::ListProjects::ROW),
    ("projects show", api::GetProject::ROW),
    ("projects folders", api::ListFolders::ROW),
    ("projects create", api::CreateProject::ROW),
    ("projects update", api::UpdateProject::ROW),
    ("projects delete", api::DeleteProject::ROW),
    ("projects funnel", api::GetFunnel::ROW),
];

/// Show, edit, check, export and import projects.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects list
  cutaway projects check 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b tour.md")]
pub(super) struct Projects {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List projects
    List(list::List),
    /// Show a project with its steps and answers
    Show(show::Show),
    /// List project folders
    Folders(folders::Folders),
    /// Check a project for problems: answers that lead nowhere, unreachable steps and so on
    Check(check::Check),
    /// Export a project for other tools or for proofreading
    Export(export::Export),
    /// Create a project from a file
    Import(import::Import),
    /// Copy a project with all its steps and links
    Duplicate(duplicate::Duplicate),
    /// Show what `apply` would change, without changing anything
    Plan(plan::PlanFile),
    /// Update a project from a file
    Apply(plan::ApplyFile),
    /// Create a project
    Create(create::Create),
    /// Change a project's name, folder, e-mail notifications or step order
    Update(update::Update),
    /// Show or change how a project's player looks and what it asks
    Player(Box<player::Player>),
    /// Print the HTML that puts a project's player into a page of a shop
    Embed(embed::EmbedProject),
    /// Show what viewers did at each step: seen, chosen, left, went back, bought
    Funnel(funnel::Funnel),
    /// Delete a project
    Delete(delete::Delete),
}

impl Projects {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::List(command) => command.run(session).await,
            Command::Show(command) => command.run(session).await,
            Command::Folders(command) => command.run(session).await,
            Command::Check(command) => command.run(session).await,
            Command::Export(command) => command.run(session).await,
            Command::Import(command) => command.run(session).await,
            Command::Duplicate(command) => command.run(session).await,
            Command::Plan(command) => command.run(session).await,
            Command::Apply(command) => Box::pin(command.run(session)).await,
            Command::Create(command) => command.run(session).await,
            Command::Update(command) => command.run(session).await,
            Command::Player(command) => command.run(session).await,
            Command::Embed(command) => command.run(session).await,
            Command::Funnel(command) => command.run(session).await,
            Command::Delete(command) => command.run(session).await,
        }
    }
}
