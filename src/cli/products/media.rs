//! `cutaway products media`

use std::io::Write as _;

use clap::Args;

use crate::api::GetProductMedia;
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session};
use crate::domain::{Media, Num};

/// List the pictures and videos of a product.
#[derive(Debug, Args)]
pub(super) struct ListMedia {
    /// The product's external id
    id: String,
    /// Print the service's own answer as JSON
    #[arg(long)]
    json: bool,
}

impl ListMedia {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let (connection, app_url) = session.connect_to_store().await?;
        let get = GetProductMedia { app_url, product_id: self.id.as_str().into(), ..GetProductMedia::default() };
        if self.json {
            return Output::open().document(&connection.client.call_raw(&get).await?);
        }
        let media = connection.client.call(&get).await?.value;
        let mut out = Output::open();
        let columns =
            [right("#"), left("ID"), left("TYPE"), left("STATUS"), right("SIZE"), words("ALT"), left("ADDRESS")];
        let rows: Vec<_> = media.iter().map(row).collect();
        table::write(&columns, &rows, out.width, &mut out)?;
        Ok(out.flush()?)
    }
}

fn row(media: &Media) -> Vec<String> {
    let number = |number: Option<Num>| number.map(|number| number.to_string()).unwrap_or_default();
    let size = match (media.preview_width, media.preview_height) {
        (Some(width), Some(height)) => format!("{width}x{height}"),
        _ => String::new(),
    };
    vec![
        number(media.position),
        media.external_media_id.clone(),
        media.media_content_type.clone(),
        media.status.clone().unwrap_or_default(),
        size,
        media.alt.clone().unwrap_or_default(),
        media.video_url.clone().or_else(|| media.preview_url.clone()).unwrap_or_default(),
    ]
}
