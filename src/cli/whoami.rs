//! `cutaway whoami`

use clap::Args;

use super::call::Call;
use super::output::Output;
use super::{Failure, Session, table};
use crate::api::{self, Me, Operation as _};
use crate::domain::wire::Redaction;

/// The commands that end in operations.
pub(super) const CALLS: [Call; 1] = [("whoami", api::Me::ROW)];

/// Show who is signed in.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway whoami
  cutaway whoami --json | jq -r .appKey")]
pub(super) struct Whoami {
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Whoami {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let connection = session.connect().await?;
        if self.json {
            return Output::open().document(&connection.client.call_raw(&Me).await?);
        }
        let user = connection.client.call(&Me).await?.value;
        let target = &session.target;
        let fields = [
            ("User", user.email),
            ("Id", user.id.to_string()),
            ("Profile", target.name().to_owned()),
            ("Service", connection.shown()),
            // An address may have a password in it, or a key.
            ("Store", connection.store.map(|store| Redaction::default().text(store.as_str())).unwrap_or_default()),
            ("Credential", target.credential_source.to_string()),
            ("Read-only", target.read_only.map_or("no".to_owned(), |reason| format!("yes, by {reason}"))),
        ];
        Ok(table::fields(&fields, &mut Output::open())?)
    }
}
