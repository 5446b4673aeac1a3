//! `cutaway videos list`

use std::io::Write as _;

use clap::Args;
use serde_json::Value;

use crate::api::ListVideos;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::Output;
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, times};

/// List videos.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos list
  cutaway videos list --json | jq -r .videos[].name")]
pub(super) struct List {
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        if self.json {
            let answer = client.call_raw(&ListVideos).await?;
            session.keep_names::<ListVideos>(&answer.body);
            return Output::open().document(&answer);
        }
        let answer = client.call(&ListVideos).await?;
        session.keep_names::<ListVideos>(&answer.body);
        let raw = given(&answer);
        let videos = raw.as_ref().and_then(|raw| raw.get("videos")?.as_array());
        // What is no object could not be read and has no row.
        let mut objects = videos.into_iter().flatten().filter(|video: &&Value| video.is_object());
        let rows = answer.value.videos.iter().map(|video| {
            let given = Given(objects.next());
            vec![
                given.required("id", &video.id),
                given.required("name", &video.name),
                times::shown(&given.required("createdAt", &video.created_at)),
                video.video_url.clone().unwrap_or_default(),
                video.poster_url.clone().unwrap_or_default(),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let mut out = Output::open();
        let columns = [left("ID"), words("NAME"), left("CREATED"), left("ADDRESS"), left("POSTER")];
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}
