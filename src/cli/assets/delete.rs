//! `cutaway assets delete`

use clap::Args;

use crate::api::DeleteAsset;
use crate::cli::{Failure, Session, confirm, writing};

/// Delete a video of the library.
#[derive(Debug, Args)]
pub(super) struct Delete {
    /// The video's id
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
        session.may_write::<DeleteAsset>()?;
        confirm::deletion(&format!("video {}", self.id), self.yes)?;
        let delete = DeleteAsset { id: self.id.as_str().into() };
        writing::write(session, &delete, self.json, |deleted, _| {
            vec![("Deleted", self.id.clone()), ("Message", deleted.message.clone())]
        })
        .await
    }
}
