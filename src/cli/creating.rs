//! What all commands that create something do alike.

use std::io::Write as _;

use clap::Args;

use super::findings::Given;
use super::output::Output;
use super::{Failure, Session, writing};
use crate::api::Operation;
use crate::client::ClientError;
use crate::domain::text;

/// How the answer of a creation is shown.
#[derive(Debug, Args)]
pub(super) struct Creation {
    /// Print the service's response as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print only the new ID, for scripts
    #[arg(long, conflicts_with = "json")]
    pub(super) id_only: bool,
}

impl Creation {
    /// Creates something and shows what came of it.
    ///
    /// # Errors
    /// Where the target is read-only, or the call fails; with `--id-only` also where the answer told no id.
    pub(super) async fn run<O: Operation>(
        &self,
        session: &Session,
        create: &O,
        id: impl FnOnce(&O::Response) -> &str,
        shown: impl FnOnce(&O::Response, Given<'_>) -> Vec<(&'static str, String)>,
    ) -> Result<(), Failure> {
        if !self.id_only {
            return writing::write(session, create, self.json, shown).await;
        }
        session.may_write::<O>()?;
        let answer = session.connect().await?.client.call(create).await?;
        writing::note_products(&answer);
        match id(&answer.value) {
            "" => Err(Failure::Client(ClientError::Unreadable {
                status: answer.status,
                what: "it was created, but the response contains no ID".to_owned(),
                request_id: answer.request_id.clone(),
            })),
            id => print_id(id),
        }
    }
}

/// Prints an id on a line of its own.
///
/// # Errors
/// Where it can't be printed as it is: a script would go on with another one.
pub(super) fn print_id(id: &str) -> Result<(), Failure> {
    let shown = text::line(id);
    if shown != id {
        let what = format!(
            "it was created, but its ID contains characters that can't be printed: {shown}; --json prints it as it is"
        );
        return Err(Failure::Faulty(what));
    }
    let mut out = Output::open();
    writeln!(out, "{id}")?;
    Ok(out.flush()?)
}
