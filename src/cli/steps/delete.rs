//! `cutaway steps delete`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::DeleteStep;
use crate::cli::deleting::Deletion;
use crate::cli::{Failure, Session, names};

/// Delete a step.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway steps delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --yes")]
pub(super) struct Delete {
    /// The step's ID
    #[arg(add = ArgValueCompleter::new(names::steps))]
    id: String,
    #[command(flatten)]
    deletion: Deletion,
}

impl Delete {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let delete = DeleteStep { step_id: self.id.as_str().into(), ..DeleteStep::default() };
        self.deletion
            .run(session, &format!("step {}", self.id), &delete, |(), _| vec![("Deleted", self.id.clone())])
            .await
    }
}
