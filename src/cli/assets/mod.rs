//! `cutaway assets`: one file a command.

mod delete;

use clap::{Args, Subcommand};

use super::call::Call;
use super::{Failure, Session};
use crate::api::{self, Operation as _};

/// The commands that end in operations.
pub(super) const CALLS: [Call; 1] = [("assets delete", api::DeleteAsset::ROW)];

/// Delete files of the video library.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway assets delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d --yes")]
pub(super) struct Assets {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Delete a video from the library
    Delete(delete::Delete),
}

impl Assets {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::Delete(command) => command.run(session).await,
        }
    }
}
