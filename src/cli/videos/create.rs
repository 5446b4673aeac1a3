//! `cutaway videos create`

use clap::Args;

use crate::api::{CreateVideo, NewVideo};
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session};

/// Register a video by its address.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos create https://cdn.example.com/tour.mp4 --name Tour --poster https://cdn.example.com/tour.jpg
  cutaway videos create --json")]
pub(super) struct Create {
    /// Where the video is; without, an id is reserved for one that comes later
    url: Option<String>,
    /// What it is called
    #[arg(long, value_name = "N", requires = "url")]
    name: Option<String>,
    /// Where its still picture is
    #[arg(long, value_name = "URL", requires = "url")]
    poster: Option<String>,
    #[command(flatten)]
    creation: Creation,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let video = self.url.as_ref().map(|url| NewVideo {
            video_url: url.clone(),
            name: self.name.clone(),
            poster_url: self.poster.clone(),
            ..NewVideo::default()
        });
        let create = CreateVideo { video, ..CreateVideo::default() };
        self.creation
            .run(
                session,
                &create,
                |created| created.id.as_str(),
                |created, given| {
                    vec![
                        ("Id", given.required("id", &created.id)),
                        ("Name", created.name.clone().unwrap_or_default()),
                        ("Created", created.created_at.clone().unwrap_or_default()),
                    ]
                },
            )
            .await
    }
}
