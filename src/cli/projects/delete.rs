//! `cutaway projects delete`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::DeleteProject;
use crate::cli::deleting::Deletion;
use crate::cli::{Failure, Session, names};

/// Delete a project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --yes")]
pub(super) struct Delete {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    #[command(flatten)]
    deletion: Deletion,
}

impl Delete {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let delete = DeleteProject { project_id: self.id.as_str().into(), ..DeleteProject::default() };
        self.deletion
            .run(session, &format!("project {}", self.id), &delete, |(), _| vec![("Deleted", self.id.clone())])
            .await
    }
}
