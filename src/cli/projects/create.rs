//! `cutaway projects create`

use clap::Args;

use crate::api::{CreateProject, NewProject};
use crate::cli::{Failure, Session, writing};

/// Create a project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects create 'Winter gifts'
  cutaway projects create 'Winter gifts' --json | jq -r .id")]
pub(super) struct Create {
    /// What it is called
    name: String,
    /// Print the service's own answer as JSON
    #[arg(long)]
    json: bool,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let project = NewProject { name: self.name.clone(), ..NewProject::default() };
        let create = CreateProject { project, ..CreateProject::default() };
        writing::write(session, &create, self.json, |created, given| {
            let player = created.player().unwrap_or_default().to_owned();
            vec![("Id", given.required("id", &created.id)), ("Player", player)]
        })
        .await
    }
}
