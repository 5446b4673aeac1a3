//! `cutaway profiles remove`

use clap::Args;

use super::{config_file, say};
use crate::cli::surroundings::environment;
use crate::cli::{Failure, confirm};
use crate::settings::{CredentialStore, Folders, edit_config, profile_name};

/// Remove a profile and its credential.
#[derive(Debug, Args)]
pub(super) struct Remove {
    /// Its name
    #[arg(value_parser = profile_name)]
    name: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Remove {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        confirm::deletion(&format!("the profile {}", self.name), self.yes)?;
        edit_config(&config_file(&folders)?, |edit| edit.remove_profile(&self.name))?;
        if let Ok(store) = CredentialStore::new(&folders, &environment) {
            store.forget(&self.name)?;
        }
        say(&format!("The profile {} is removed.", self.name))
    }
}
