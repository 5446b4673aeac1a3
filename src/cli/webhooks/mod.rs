//! `cutaway webhooks`: one file a command.

mod secret;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Failure;

/// `cutaway webhooks`
#[derive(Debug, Args)]
pub(super) struct Webhooks {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print what a subscription's deliveries are signed with (local workspace and `serve` only)
    Secret(secret::Secret),
}

impl Webhooks {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        match &self.command {
            Command::Secret(command) => command.run(),
        }
    }
}
