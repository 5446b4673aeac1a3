//! `cutaway serve ssh-key`

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::json;

use super::shown::{document, moment};
use super::{ServeError, say, tell};
use crate::cli::output::Output;
use crate::cli::table::{self, MISSING, left, words};
use crate::domain::text;
use crate::service::offline::{self, Kept};
use crate::ssh::keys::{GuestKey, GuestKeys, NewGuestKey};

/// A file longer than this is no public key, bytes.
const LONGEST: u64 = 64 * 1024;

/// What `cutaway serve ssh-key` does.
#[derive(Debug, Clone, Subcommand)]
pub enum SshKeyCommand {
    /// Let a public key in
    ///
    /// Whoever has the private half can open the studio and run data commands with `ssh`, where `cutaway serve --ssh`
    /// listens. They can't run programs, read the host's files or forward ports.
    #[command(after_help = "\
Examples:
  cutaway serve ssh-key add ~/.ssh/id_ed25519.pub --name alice --data ./workspace
  cutaway serve ssh-key add 'ssh-ed25519 AAAAC3… bob@laptop' --read-only --data ./workspace
  cutaway serve ssh-key add carol.pub --workspace training --data ./workspace")]
    Add(AddSshKey),
    /// List the keys: fingerprint, workspace, scope and last use
    #[command(after_help = "\
Examples:
  cutaway serve ssh-key list --data ./workspace
  cutaway serve ssh-key list --json")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; a running server refuses it immediately and ends its sessions
    #[command(after_help = "\
Examples:
  cutaway serve ssh-key revoke alice --data ./workspace
  cutaway serve ssh-key revoke 3f9a0c51d2e7")]
    Revoke {
        /// The key's name or ID; the ID where several keys have the name
        #[arg(value_name = "NAME|ID")]
        key: String,
    },
}

/// `cutaway serve ssh-key add`
#[derive(Debug, Clone, Args)]
pub struct AddSshKey {
    /// The public key: its file, its text as in `ssh-ed25519 AAAA…`, or `-` for standard input
    key: String,
    /// A name to recognize it by [default: the key's comment]
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Open a workspace of this name instead of the folder's own one; it is created when the key first signs in
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Make the key read-only: every change is refused
    #[arg(long)]
    read_only: bool,
}

impl SshKeyCommand {
    /// Runs it on the keys of a data folder or of a database.
    pub(super) async fn run(&self, kept: &Kept) -> Result<ExitCode, ServeError> {
        let keys = match offline::guest_book(kept).await? {
            Some(book) => GuestKeys::in_database(&book),
            None => GuestKeys::of(&kept.data),
        };
        match self {
            Self::Add(AddSshKey { key, name, workspace, read_only }) => {
                if workspace.is_some() && kept.database.is_some() {
                    let why = "a database has one workspace; leave out --workspace, or serve another database";
                    return Err(ServeError::Usage(why.to_owned()));
                }
                let new = NewGuestKey { name: name.clone(), workspace: workspace.clone(), read_only: *read_only };
                let added = keys.add(&given(key)?, new, Timestamp::now().to_string())?;
                note(kept, "ssh-key add", &added).await?;
                say(&format!("Added SSH key {} ({}), {}", added.shown(), added.id, added.fingerprint()))?;
            }
            Self::List { json } => {
                let keys = keys.all()?;
                if *json {
                    document(&json!({ "keys": keys.iter().map(as_json).collect::<Vec<_>>() }))?;
                } else {
                    list(&keys)?;
                }
            }
            Self::Revoke { key } => {
                let revoked = keys.revoke(key)?;
                note(kept, "ssh-key revoke", &revoked).await?;
                say(&format!("Revoked SSH key {} ({})", revoked.shown(), revoked.id))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Tells the audit log who may come in, or may not any more.
async fn note(kept: &Kept, action: &str, key: &GuestKey) -> Result<(), ServeError> {
    let workspace = key.workspace.as_ref().map_or_else(String::new, |name| format!(", workspace {name}"));
    let detail = format!("SSH key {}, {}{workspace}, {}", key.shown(), key.scope(), key.fingerprint());
    Ok(offline::note(kept, action, Some(key.id.clone()), Some(detail)).await?)
}

/// The text of a key that was given as such, as a file's name or on standard input.
fn given(key: &str) -> Result<String, ServeError> {
    let is_key = |kind: &str| key.trim_start().starts_with(kind) && key.trim().contains(' ');
    if ["ssh-", "ecdsa-", "sk-"].into_iter().any(is_key) {
        return Ok(key.to_owned());
    }
    let shown = if key == "-" { "standard input" } else { key };
    let failed = |why: String| ServeError::Usage(format!("{}: {why}", text::line(shown)));
    let input: Box<dyn Read> = match key {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path).map_err(|error| failed(error.to_string()))?),
    };
    let mut content = String::new();
    input.take(LONGEST).read_to_string(&mut content).map_err(|error| failed(error.to_string()))?;
    Ok(content)
}

fn as_json(key: &GuestKey) -> serde_json::Value {
    json!({
        "id": key.id,
        "name": key.name,
        "fingerprint": key.fingerprint(),
        "workspace": key.workspace,
        "scope": key.scope(),
        "createdAt": key.created_at,
        "lastUsedAt": key.last_used_at,
    })
}

fn list(keys: &[GuestKey]) -> Result<(), ServeError> {
    if keys.is_empty() {
        tell("No SSH keys yet. Add one with: cutaway serve ssh-key add FILE.pub --name NAME");
        return Ok(());
    }
    let row = |key: &GuestKey| {
        let or_missing = |text: &Option<String>| text.clone().unwrap_or_else(|| MISSING.to_owned());
        let used = key.last_used_at.as_deref().map_or_else(|| "never".to_owned(), moment);
        vec![
            or_missing(&key.name),
            key.id.clone(),
            or_missing(&key.workspace),
            key.scope().to_owned(),
            used,
            moment(&key.created_at),
            key.fingerprint(),
        ]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    let columns = [
        words("NAME"),
        left("ID"),
        left("WORKSPACE"),
        left("SCOPE"),
        left("LAST USED"),
        left("CREATED"),
        left("FINGERPRINT"),
    ];
    let mut out = Output::open();
    table::write(&columns, &rows, out.width, &mut out)?;
    Ok(out.flush()?)
}
