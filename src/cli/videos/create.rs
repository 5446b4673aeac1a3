//! `cutaway videos create`

use std::path::Path;

use clap::Args;

use crate::api::{CreateVideo, NewVideo};
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session, input, session, times};

/// Add a video by its address.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos create https://cdn.example.com/tour.mp4 --name Tour --poster https://cdn.example.com/tour.jpg
  cutaway videos create --json
  printf '%s\\n' https://cdn.example.com/a.mp4 https://cdn.example.com/b.mp4 | cutaway videos create - --id-only")]
pub(super) struct Create {
    /// The video's address; without one, an ID is reserved for a video to come; - reads addresses from standard input, one
    /// per line
    url: Option<String>,
    /// The name
    #[arg(long, value_name = "N", requires = "url")]
    name: Option<String>,
    /// The address of a still picture
    #[arg(long, value_name = "URL", requires = "url")]
    poster: Option<String>,
    #[command(flatten)]
    creation: Creation,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if self.url.as_deref() != Some("-") {
            return self.create(session, self.url.as_deref()).await;
        }
        if self.name.is_some() || self.poster.is_some() {
            return Err(Failure::Usage("--name and --poster need the address of one video".to_owned()));
        }
        session.may_write::<CreateVideo>()?;
        let list = input::read(Path::new("-"))?;
        let urls: Vec<&str> = list.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if urls.is_empty() {
            return Err(Failure::Usage("standard input contains no address".to_owned()));
        }
        for (done, url) in urls.iter().enumerate() {
            if let Err(failure) = self.create(session, Some(url)).await {
                session::warn(&format!("{done} of {} are registered; not {url}", urls.len()));
                return Err(failure);
            }
        }
        Ok(())
    }

    async fn create(&self, session: &Session, url: Option<&str>) -> Result<(), Failure> {
        let video = url.map(|url| NewVideo {
            video_url: url.to_owned(),
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
                        ("Created", times::shown(created.created_at.as_deref().unwrap_or_default())),
                    ]
                },
            )
            .await
    }
}
