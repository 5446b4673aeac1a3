//! `cutaway assets delete`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::DeleteAsset;
use crate::cli::deleting::Deletion;
use crate::cli::{Failure, Session, names};

/// Delete a video from the library.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway assets delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d --yes")]
pub(super) struct Delete {
    /// The video's ID
    #[arg(add = ArgValueCompleter::new(names::videos))]
    id: String,
    #[command(flatten)]
    deletion: Deletion,
}

impl Delete {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let delete = DeleteAsset { id: self.id.as_str().into() };
        self.deletion
            .run(session, &format!("video {}", self.id), &delete, |deleted, _| {
                vec![("Deleted", self.id.clone()), ("Message", deleted.message.clone())]
            })
            .await
    }
}
