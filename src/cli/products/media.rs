//! `cutaway products media`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use super::show;
use crate::api::GetProductMedia;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session, names};
use crate::domain::{Media, Num};

/// List the pictures and videos of a product.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products media 8123456789012
  cutaway products media 8123456789012 --json | jq -r .[].previewUrl")]
pub(super) struct ListMedia {
    /// The product's external ID
    #[arg(add = ArgValueCompleter::new(names::products))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
    /// Show the pictures in the terminal
    #[arg(long, conflicts_with = "json")]
    show: bool,
}

impl ListMedia {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if self.show {
            show::may_show()?;
        }
        let (connection, app_url) = session.connect_to_store().await?;
        let get = GetProductMedia { app_url, product_id: self.id.as_str().into(), ..GetProductMedia::default() };
        if self.json {
            return Output::open().document(&connection.client.call_raw(&get).await?);
        }
        let answer = connection.client.call(&get).await?;
        if self.show {
            return show::show(session, &connection, &answer.value).await;
        }
        let raw = given(&answer);
        let mut out = Output::open();
        let columns =
            [right("#"), left("ID"), left("TYPE"), left("STATUS"), right("SIZE"), words("ALT"), left("ADDRESS")];
        // What is no object could not be read and has no row.
        let mut objects = raw.iter().filter_map(Value::as_array).flatten().filter(|value| value.is_object());
        let rows: Vec<_> = answer.value.iter().map(|media| row(media, Given(objects.next()))).collect();
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}

fn row(media: &Media, given: Given<'_>) -> Vec<String> {
    let size = match (media.preview_width, media.preview_height) {
        (Some(width), Some(height)) => format!("{width}x{height}"),
        _ => String::new(),
    };
    vec![
        given.nullable("position", media.position.as_ref(), "", Num::to_string),
        given.required("externalMediaId", &media.external_media_id),
        given.required("mediaContentType", &media.media_content_type),
        given.text("status", media.status.as_ref()),
        size,
        given.text("alt", media.alt.as_ref()),
        match &media.video_url {
            Some(url) => url.clone(),
            None => given.text("previewUrl", media.preview_url.as_ref()),
        },
    ]
}
