//! `cutaway steps delete`

use clap::Args;

use crate::api::DeleteStep;
use crate::cli::{Failure, Session, confirm, writing};

/// Delete a step.
#[derive(Debug, Args)]
pub(super) struct Delete {
    /// The step's id
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
        session.may_write::<DeleteStep>()?;
        confirm::deletion(&format!("step {}", self.id), self.yes)?;
        let delete = DeleteStep { step_id: self.id.as_str().into(), ..DeleteStep::default() };
        writing::write(session, &delete, self.json, |(), _| vec![("Deleted", self.id.clone())]).await
    }
}
