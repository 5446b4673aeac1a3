//! `cutaway serve move`

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::database::of_move;
use super::progress::Bar;
use super::shown::document;
use super::storage::unread;
use super::{ServeError, say, tell};
use crate::service::DatabasePlace;
use crate::service::offline::{self, Kept, MoveProgress, Moving, Way};

/// `cutaway serve move`
#[derive(Debug, Clone, Args)]
pub struct Move {
    /// Move the workspace of the data folder into this empty database; without a URL, into the one of `CUTAWAY_DATABASE_URL`
    #[arg(
        long, value_name = "URL", value_parser = unread, num_args = 0..=1, default_missing_value = "",
        required_unless_present = "from", conflicts_with = "from"
    )]
    to: Option<SecretString>,
    /// Move the workspace of this database into the data folder, which must contain none; without a URL, that of
    /// `CUTAWAY_DATABASE_URL`
    #[arg(long, value_name = "URL", value_parser = unread, num_args = 0..=1, default_missing_value = "")]
    from: Option<SecretString>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Move {
    /// Moves the workspace of a data folder, or into it. `is_given` says that `--database-url` names a database too.
    pub(super) async fn run(&self, kept: &Kept, is_given: bool) -> Result<ExitCode, ServeError> {
        let (flag, url, way) = match (&self.to, &self.from) {
            (Some(url), _) => ("--to", url, Way::ToDatabase),
            (None, Some(url)) => ("--from", url, Way::ToFolder),
            (None, None) => return Err(ServeError::Usage("serve move needs --to or --from".to_owned())),
        };
        let place = database(flag, url, kept, is_given)?;
        if !place.prepares() {
            let why = "a move needs the database itself: leave out prepare=off, and name the server, not the pooler";
            return Err(ServeError::Usage(why.to_owned()));
        }
        let moving = offline::move_workspace(&kept.data, &place, way, progress()).await?;
        if self.json {
            let rows: u64 = moving.moved.tables.iter().map(|table| table.rows).sum();
            document(&serde_json::json!({
                "tables": moving.moved.tables,
                "rows": rows,
                "files": { "count": moving.moved.files.len(), "missing": moving.missing, "folder": moving.files },
            }))?;
        } else {
            show(&moving, way)?;
        }
        about_files(&moving, way);
        Ok(ExitCode::SUCCESS)
    }
}

/// The database that the flag names, else the environment.
fn database(flag: &str, url: &SecretString, kept: &Kept, is_given: bool) -> Result<DatabasePlace, ServeError> {
    if !url.expose_secret().is_empty() {
        if is_given {
            return Err(ServeError::Usage(format!("use {flag} or --database-url, not both")));
        }
        return of_move(flag, url);
    }
    kept.database.clone().ok_or_else(|| ServeError::Usage(format!("{flag} needs a URL, or set CUTAWAY_DATABASE_URL")))
}

/// Rows on a terminal; elsewhere each table that has some, once.
fn progress() -> impl FnMut(MoveProgress) + Send + 'static {
    let (mut bar, is_terminal) = (None, io::stderr().is_terminal());
    move |at: MoveProgress| match at.done {
        Some((table, rows)) if !is_terminal && rows > 0 => {
            tell(&format!("{table}: {rows} row{}", if rows == 1 { "" } else { "s" }));
        }
        // The last table may have no rows: the line ends once.
        Some(_) => {}
        None => bar.get_or_insert_with(|| Bar::of_rows("move", at.rows.1)).show(at.rows.0),
    }
}

fn show(moving: &Moving, way: Way) -> Result<(), ServeError> {
    let rows: u64 = moving.moved.tables.iter().map(|table| table.rows).sum();
    let to = match way {
        Way::ToDatabase => "the database",
        Way::ToFolder => "the data folder",
    };
    let tables = moving.moved.tables.len();
    say(&format!("Moved {rows} rows in {tables} tables to {to}; both sides have the same"))?;
    Ok(())
}

/// Says what is to be done about what isn't in the database.
fn about_files(moving: &Moving, way: Way) {
    let (count, folder) = (moving.moved.files.len(), moving.files.display());
    match way {
        Way::ToDatabase if count > 0 => {
            tell(&format!(
                "Uploaded videos stay in {folder}: serve with the same --data, or copy them to S3 ({count} files)."
            ));
        }
        Way::ToFolder if moving.missing > 0 => tell(&format!(
            "{} of {count} uploaded videos aren't in {folder}: copy them there before you serve the folder.",
            moving.missing
        )),
        _ => {}
    }
    if way == Way::ToDatabase && !moving.staying.is_empty() {
        tell(&format!("The named workspaces stay in the folder: {}.", moving.staying.join(", ")));
    }
}
