//! The videos of the library, or in files, and what is wrong with each.

use std::path::Path;

use color_eyre::eyre::eyre;
use futures_util::StreamExt as _;

use super::line::Line;
use super::report::Report;
use crate::api::ListVideos;
use crate::cli::{Failure, session};
use crate::client::Client;
use crate::domain::VideoId;
use crate::lint::{Films, Library, Limits, Record, Rule};
use crate::runtime::checking::Asking;
use crate::runtime::checking::films::{film, has_captions, loudness, of_file};

/// Videos that are read beside each other.
const BESIDE: usize = 4;

/// Which videos of the library are read.
pub(super) enum Which<'a> {
    All,
    /// Those of a project's steps: their own problems are told too.
    Of(&'a std::collections::HashSet<VideoId>),
}

/// Reads videos of the library, and tells what is wrong with each; what they say of themselves.
pub(super) async fn library(
    (client, asking): (&Client, &Asking),
    which: Which<'_>,
    (limits, deep): (&Limits, bool),
    report: &mut Report,
) -> Result<Films, Failure> {
    let answer = client.call(&ListVideos).await?;
    let mut videos = answer.value.videos;
    let lists_captions = limits.has(Rule::NoCaptions) && has_captions(client, &videos).await;
    if let Which::Of(ids) = which {
        videos.retain(|video| ids.contains(&video.id));
    }
    let mut read = futures_util::stream::iter(videos)
        .map(async |video| {
            let film = film(asking, &video, lists_captions, deep).await;
            (video, film)
        })
        .buffered(BESIDE);
    let (mut library, mut films) = (Library::new(limits.clone()), Films::new());
    while let Some((video, film)) = read.next().await {
        let record = Record::Video { id: video.id.clone(), name: video.name.clone() };
        for problem in library.video(&record, &film, video.video_url.as_deref()) {
            report.take(&Line::of(&problem))?;
        }
        films.insert(video.id, film);
        report.read(1, "videos");
    }
    report.checked(library.tally());
    report.videos(library.videos());
    Ok(films)
}

/// Videos in files, before they are sent.
pub(super) async fn files(paths: &[String], limits: &Limits, report: &mut Report) -> Result<(), Failure> {
    let mut library = Library::new(limits.clone());
    for path in paths {
        let mut film = of_file(Path::new(path)).map_err(|error| Failure::Other(eyre!("{path}: {error}")))?;
        if film.sound == Some(true) {
            film.loudness = loudness(Path::new(path)).await;
        }
        let record = Record::File { path: path.clone() };
        for problem in library.video(&record, &film, None) {
            report.take(&Line::of(&problem))?;
        }
        if film.container.is_none() {
            session::warn(&format!("{path}: couldn't be read as a video"));
            report.odd_file();
        }
    }
    report.checked(library.tally());
    report.videos(library.videos());
    Ok(())
}
