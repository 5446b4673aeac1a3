//! `cutaway profiles rename`

use clap::Args;

use super::{say, store};
use crate::cli::surroundings::environment;
use crate::cli::{Failure, telling};
use crate::runtime::renaming::{RenameError, rename_profile};
use crate::settings::{Folders, profile_name};

/// Rename a profile, with its credential and its uploads.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutaway profiles rename shop stall")]
pub(super) struct Rename {
    /// The profile's name
    #[arg(value_parser = profile_name)]
    name: String,
    /// The new name
    #[arg(value_parser = profile_name)]
    new: String,
}

impl Rename {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        let store = store(&folders, &environment)?;
        let waiting = telling::WhereItTakesLong::keyring();
        rename_profile(&folders, &store, &self.name, &self.new).map_err(|error| match error {
            RenameError::Config(error) => error.into(),
            RenameError::Credentials(error) => error.into(),
            error => Failure::Faulty(error.to_string()),
        })?;
        drop(waiting);
        say(&format!("Renamed profile {} to {}.", self.name, self.new))
    }
}
