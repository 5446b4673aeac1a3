//! `cutaway projects delete`

use clap::Args;

use crate::api::DeleteProject;
use crate::cli::{Failure, Session, confirm, writing};

/// Delete a project.
#[derive(Debug, Args)]
pub(super) struct Delete {
    /// The project's id
    id: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print the service's own answer as JSON
    #[arg(long)]
    json: bool,
}

impl Delete {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<DeleteProject>()?;
        confirm::deletion(&format!("project {}", self.id), self.yes)?;
        let delete = DeleteProject { project_id: self.id.as_str().into(), ..DeleteProject::default() };
        writing::write(session, &delete, self.json, |(), _| vec![("Deleted", self.id.clone())]).await
    }
}
