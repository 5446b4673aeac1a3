//! `cutaway assets`: one file a command.

mod delete;

use clap::{Args, Subcommand};

use super::{Failure, Session};

/// What the library keeps.
#[derive(Debug, Args)]
pub(super) struct Assets {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Delete a video of the library
    Delete(delete::Delete),
}

impl Assets {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::Delete(command) => command.run(session).await,
        }
    }
}
