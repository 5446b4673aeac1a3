//! What all commands that delete something do alike.

use clap::Args;

use super::findings::Given;
use super::{Failure, Session, confirm, writing};
use crate::api::Operation;

/// The flags of a deletion.
#[derive(Debug, Args)]
pub(super) struct Deletion {
    /// Don't ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Deletion {
    /// Deletes `what` (`project 1`) once that is allowed and meant.
    ///
    /// # Errors
    /// Where the target is read-only, nobody says yes, or the call fails.
    pub(super) async fn run<O: Operation>(
        &self,
        session: &Session,
        what: &str,
        delete: &O,
        shown: impl FnOnce(&O::Response, Given<'_>) -> Vec<(&'static str, String)>,
    ) -> Result<(), Failure> {
        session.may_write::<O>()?;
        confirm::deletion(what, self.yes)?;
        writing::write(session, delete, self.json, shown).await
    }
}
