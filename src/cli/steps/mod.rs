//! `cutaway steps`: one file a command.

mod content;
mod create;
mod delete;
mod update;

use clap::{Args, Subcommand};

use super::call::Call;
use super::{Failure, Session};
use crate::api::{self, Operation as _};

/// The commands that end in operations.
pub(super) const CALLS: [Call; 3] = [
    ("steps create", api::CreateStep::ROW),
    ("steps update", api::UpdateStep::ROW),
    ("steps delete", api::DeleteStep::ROW),
];

/// Create, edit and delete steps.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --overlay-text 'Who is it for?'
  cutaway steps update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --overlay-text 'For whom?'")]
pub(super) struct Steps {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a step in a project
    Create(create::Create),
    /// Change a step; what isn't given stays as it is
    Update(update::Update),
    /// Delete a step
    Delete(delete::Delete),
}

impl Steps {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::Create(command) => command.run(session).await,
            Command::Update(command) => command.run(session).await,
            Command::Delete(command) => command.run(session).await,
        }
    }
}
