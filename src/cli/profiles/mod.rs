//! `cutaway profiles`: one file a command.

mod change;
mod list;
mod remove;
mod rename;

use std::io::Write as _;

use clap::{Args, Subcommand};

use super::output::Output;
use super::surroundings::environment;
use super::{Failure, GlobalFlags};
use crate::settings::{CredentialStore, Environment, Folders, edit_config, profile_name};

/// List, add, change and remove profiles.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  cutaway profiles
  cutaway profiles add mine --base-url https://api.example.com --store 'https://mine.example.com=My shop'
  cutaway profiles change shop --live --color red
  cutaway profiles use shop"
)]
pub(super) struct Profiles {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print the profiles as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the profiles
    #[command(after_help = "\
Examples:
  cutaway profiles list
  cutaway profiles list --json")]
    List {
        /// Print the profiles as JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a profile; --base-url and the other global options set its addresses
    #[command(after_help = "\
Examples:
  cutaway profiles add mine --base-url https://api.example.com --store 'https://mine.example.com=My shop'
  cutaway profiles add stage --base-url https://stage.example.com --read-only --default")]
    Add(change::Change),
    /// Change a profile: options set values, empty values remove them
    #[command(after_help = "\
Examples:
  cutaway profiles change shop --live --color red
  cutaway profiles change shop --store 'https://other.example.com=Other' --theme ''")]
    Change(change::Change),
    /// Rename a profile
    Rename(rename::Rename),
    /// Remove a profile and its credential
    #[command(after_help = "\
Examples:
  cutaway profiles remove shop --yes")]
    Remove(remove::Remove),
    /// Make a profile the default
    #[command(after_help = "\
Examples:
  cutaway profiles use shop
  cutaway profiles use local")]
    Use {
        /// The profile's name
        #[arg(value_parser = profile_name)]
        name: String,
    },
}

impl Profiles {
    pub(super) fn run(&self, global: &GlobalFlags) -> Result<(), Failure> {
        match &self.command {
            None => list::run(self.json),
            Some(Command::List { json }) => list::run(*json),
            Some(Command::Add(change)) => change.add(global),
            Some(Command::Change(change)) => change.change(global),
            Some(Command::Rename(rename)) => rename.run(),
            Some(Command::Remove(remove)) => remove.run(),
            Some(Command::Use { name }) => {
                edit_config(&config_file(&Folders::find(&environment()?))?, |edit| edit.set_default(name))?;
                say(&format!("{name} is now the default profile."))
            }
        }
    }
}

fn config_file(folders: &Folders) -> Result<std::path::PathBuf, Failure> {
    folders.config_file().map_err(|error| Failure::Usage(error.to_string()))
}

fn store(folders: &Folders, environment: &Environment) -> Result<CredentialStore, Failure> {
    CredentialStore::new(folders, environment).map_err(|error| Failure::Usage(error.to_string()))
}

fn say(line: &str) -> Result<(), Failure> {
    let mut out = Output::open();
    writeln!(out, "{}", crate::domain::text::line(line))?;
    Ok(out.flush()?)
}
