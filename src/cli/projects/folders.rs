//! `cutaway projects folders`

use std::io::Write as _;

use clap::Args;
use serde_json::Value;

use crate::api::ListFolders;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::Output;
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, times};

/// List project folders.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects folders
  cutaway projects folders --json")]
pub(super) struct Folders {
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Folders {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        if self.json {
            let answer = client.call_raw(&ListFolders).await?;
            session.keep_names::<ListFolders>(&answer.body);
            return Output::open().document(&answer);
        }
        let answer = client.call(&ListFolders).await?;
        session.keep_names::<ListFolders>(&answer.body);
        let raw = given(&answer);
        let folders = raw.as_ref().and_then(|raw| raw.get("folders")?.as_array());
        let mut objects = folders.into_iter().flatten().filter(|folder: &&Value| folder.is_object());
        let rows = answer.value.folders.iter().map(|folder| {
            let given = Given(objects.next());
            vec![
                given.required("id", &folder.id),
                given.required("name", &folder.name),
                times::shown(&given.required("createdAt", &folder.created_at)),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let mut out = Output::open();
        table::write(&[left("ID"), words("NAME"), left("CREATED")], &rows, out.width, &mut out)?;
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}
