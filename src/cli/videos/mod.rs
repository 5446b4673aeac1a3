//! `cutaway videos`: one file a command.

mod create;
mod list;

use clap::{Args, Subcommand};

use super::{Failure, Session};

/// The library of videos.
#[derive(Debug, Args)]
pub(super) struct Videos {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the videos
    List(list::List),
    /// Register a video by its address
    Create(create::Create),
}

impl Videos {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::List(command) => command.run(session).await,
            Command::Create(command) => command.run(session).await,
        }
    }
}
