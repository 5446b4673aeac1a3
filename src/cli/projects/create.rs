//! `cutaway projects create`

use clap::Args;

use crate::api::{CreateProject, NewProject};
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session};

/// Create a project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects create 'Winter gifts'
  cutaway projects create 'Winter gifts' --id-only")]
pub(super) struct Create {
    /// The name
    name: String,
    #[command(flatten)]
    creation: Creation,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let project = NewProject { name: self.name.clone(), ..NewProject::default() };
        let create = CreateProject { project, ..CreateProject::default() };
        self.creation
            .run(
                session,
                &create,
                |created| created.id.as_str(),
                |created, given| {
                    let player = created.player().unwrap_or_default().to_owned();
                    vec![("Id", given.required("id", &created.id)), ("Player", player)]
                },
            )
            .await
    }
}
