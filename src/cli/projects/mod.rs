//! `cutaway projects`: one file a command.

mod agents;
mod check;
mod create;
mod delete;
mod duplicate;
mod embed;
mod export;
mod file;
mod folders;
mod import;
mod list;
mod opened;
mod plan;
mod player;
mod show;
mod update;

use clap::{Args, Subcommand};

pub(super) use agents::{applied, duplicated, file_of, imported, planned};
pub(super) use check::checked;
use duplicate::copy;

use super::{Failure, Session};

/// Read, change, check and export projects.
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
    /// List the projects
    List(list::List),
    /// Show a project, its steps and their answers
    Show(show::Show),
    /// List the folders of projects
    Folders(folders::Folders),
    /// Look for answers that lead nowhere, steps nobody reaches and the like
    Check(check::Check),
    /// Write a project for other tools, or for proofreading
    Export(export::Export),
    /// Make a new project of a file
    Import(import::Import),
    /// Make a new project with all steps of another, wired alike
    Duplicate(duplicate::Duplicate),
    /// Show what would make a project say what a file says
    Plan(plan::PlanFile),
    /// Make a project say what a file says
    Apply(plan::ApplyFile),
    /// Create a project
    Create(create::Create),
    /// Change a project; what is not given stays as it is
    Update(update::Update),
    /// Show or change how a project's player looks and what it asks
    Player(Box<player::Player>),
    /// Print the HTML that puts a project's player into a page of a shop
    Embed(embed::EmbedProject),
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
            Command::Apply(command) => command.run(session).await,
            Command::Create(command) => command.run(session).await,
            Command::Update(command) => command.run(session).await,
            Command::Player(command) => command.run(session).await,
            Command::Embed(command) => command.run(session).await,
            Command::Delete(command) => command.run(session).await,
        }
    }
}
