//! `cutaway serve grant`

use std::io::Write as _;
use std::process::ExitCode;

use clap::Subcommand;

use super::shown::{document, moment};
use super::{ServeError, say, tell};
use crate::cli::output::Output;
use crate::cli::table::{self, MISSING, left, words};
use crate::service::offline::{self, GrantRecord, Kept};

/// What `cutaway serve grant` does.
#[derive(Debug, Clone, Subcommand)]
pub enum GrantCommand {
    /// List active sign-ins
    #[command(after_help = "\
Examples:
  cutaway serve grant list --data ./workspace
  cutaway serve grant list --json")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Revoke a sign-in; a running service refuses its tokens immediately
    #[command(after_help = "\
Examples:
  cutaway serve grant revoke 0b6f2a3e-5d0c-4d43-9a58-0c8f2f1d7e11")]
    Revoke {
        /// The sign-in's ID
        id: String,
    },
}

impl GrantCommand {
    /// Runs it on the grants of a data folder.
    pub(super) async fn run(&self, data: &Kept) -> Result<ExitCode, ServeError> {
        match self {
            Self::List { json } => {
                let grants = offline::grants(data).await?;
                if *json { document(&serde_json::json!({ "grants": grants }))? } else { list(&grants)? }
            }
            Self::Revoke { id } => {
                let grant = offline::revoke_grant(data, id).await?;
                say(&format!("Revoked sign-in {}", grant.id))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(grants: &[GrantRecord]) -> Result<(), ServeError> {
    if grants.is_empty() {
        tell("No sign-ins. One appears here when somebody signs in with: cutaway login");
        return Ok(());
    }
    let row = |grant: &GrantRecord| {
        let signed_in = match grant.flow.as_deref() {
            Some("device_code") => "with a code",
            Some("authorization_code") => "in a browser",
            _ => MISSING,
        };
        let key = grant.key_name.as_ref().or(grant.key_id.as_ref()).map_or(MISSING, String::as_str);
        let used = grant.last_used_at.as_deref().map_or_else(|| "never".to_owned(), moment);
        vec![
            grant.id.clone(),
            signed_in.to_owned(),
            grant.scope.to_owned(),
            key.to_owned(),
            moment(&grant.expires_at),
            used,
            moment(&grant.created_at),
        ]
    };
    let rows: Vec<_> = grants.iter().map(row).collect();
    let columns = [
        left("ID"),
        left("SIGNED IN"),
        left("SCOPE"),
        words("APPROVED WITH"),
        left("EXPIRES"),
        left("LAST USED"),
        left("CREATED"),
    ];
    let mut out = Output::open();
    table::write(&columns, &rows, out.width, &mut out)?;
    Ok(out.flush()?)
}
