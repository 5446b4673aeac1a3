//! `cutaway steps`: one file a command.

mod content;
mod create;
mod delete;
mod update;

use clap::{Args, Subcommand};

use super::{Failure, Session};

/// Create, change and delete the steps of projects.
#[derive(Debug, Args)]
pub(super) struct Steps {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a step in a project
    Create(create::Create),
    /// Change a step; what is not given stays as it is
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
