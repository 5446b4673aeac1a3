//! `cutaway profiles remove`

use clap::Args;

use super::{say, store};
use crate::cli::surroundings::environment;
use crate::cli::{Failure, confirm, telling};
use crate::runtime::profiles::remove_profile;
use crate::settings::{Folders, profile_name};

/// Remove a profile and its credential.
#[derive(Debug, Args)]
pub(super) struct Remove {
    /// The profile's name
    #[arg(value_parser = profile_name)]
    name: String,
    /// Don't ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Remove {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        confirm::deletion(&format!("the profile {}", self.name), self.yes)?;
        let waiting = telling::WhereItTakesLong::keyring();
        remove_profile(&folders, &store(&folders, &environment)?, &self.name)?;
        drop(waiting);
        say(&format!("Removed profile {}.", self.name))
    }
}
