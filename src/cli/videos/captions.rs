//! `cutaway videos captions`, and the captions that `videos upload` brings along.

use std::io::Write as _;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;

use crate::api::{GetCaptions, ListCaptions, RemoveCaptions, SetCaptions};
use crate::cli::deleting::Deletion;
use crate::cli::findings::{Given, Unread};
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session, names, session, streams, times};
use crate::client::{Client, ClientError};
use crate::domain::VideoId;
use crate::domain::webvtt::language_tag;
use crate::runtime::caption_file::{CaptionFile, ReadCaptions};

/// List, add, print and remove the captions of a video (local workspace and `serve` only).
///
/// Captions are WebVTT files, one a language. Players offer them and show a transcript.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos captions list 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d
  cutaway videos captions add 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d tour.de.vtt en=tour.vtt
  cutaway videos captions remove 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d de --yes")]
pub(super) struct CaptionsOf {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the captions of a video
    #[command(after_help = "Examples:\n  cutaway videos captions list 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d")]
    List(List),
    /// Add captions to a video, or replace those of the same language
    #[command(after_help = "\
Examples:
  cutaway videos captions add 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d tour.de.vtt
  cutaway videos captions add 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d pt-BR=tour.vtt --label Português")]
    Add(Add),
    /// Print the WebVTT of captions
    #[command(
        after_help = "Examples:\n  cutaway videos captions show 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d de > tour.de.vtt"
    )]
    Show(Show),
    /// Remove the captions of a video in one language
    #[command(after_help = "Examples:\n  cutaway videos captions remove 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d de --yes")]
    Remove(Remove),
}

#[derive(Debug, Args)]
struct List {
    /// The video's ID
    #[arg(add = ArgValueCompleter::new(names::videos))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Add {
    /// The video's ID
    #[arg(add = ArgValueCompleter::new(names::videos))]
    id: String,
    /// WebVTT files; the language is that of LANGUAGE=FILE, or of a name like tour.de.vtt
    #[arg(required = true, value_name = "FILE")]
    files: Vec<CaptionFile>,
    /// What players call them; for one file only
    #[arg(long, value_name = "L")]
    label: Option<String>,
    /// Print the service's responses as JSON, one per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Show {
    /// The video's ID
    #[arg(add = ArgValueCompleter::new(names::videos))]
    id: String,
    /// The language, such as de or pt-BR
    #[arg(value_parser = language)]
    language: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Remove {
    /// The video's ID
    #[arg(add = ArgValueCompleter::new(names::videos))]
    id: String,
    /// The language, such as de or pt-BR
    #[arg(value_parser = language)]
    language: String,
    #[command(flatten)]
    deletion: Deletion,
}

fn language(text: &str) -> Result<String, String> {
    language_tag(text).ok_or_else(|| "must be a language tag, such as de or pt-BR".to_owned())
}

impl CaptionsOf {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::List(list) => list.run(session).await,
            Command::Add(add) => add.run(session).await,
            Command::Show(show) => show.run(session).await,
            Command::Remove(remove) => remove.run(session).await,
        }
    }
}

/// Says what it means that a service knows nothing of captions.
fn explained(error: ClientError) -> Failure {
    match error.status() {
        Some(404) => Failure::Explained {
            what: format!("{error} (only the local workspace and `cutaway serve` have captions)"),
            error: Box::new(error),
        },
        _ => error.into(),
    }
}

impl List {
    async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let list = ListCaptions(VideoId::new(self.id.as_str()));
        if self.json {
            return Output::open().document(&client.call_raw(&list).await.map_err(explained)?);
        }
        let answer = client.call(&list).await.map_err(explained)?;
        let rows = answer.value.captions.iter().map(|captions| {
            vec![
                captions.language.clone(),
                captions.label.clone().unwrap_or_default(),
                captions.cues.to_string(),
                captions.size.to_string(),
                times::shown(&captions.updated_at),
                captions.captions_url.clone(),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let columns =
            [left("LANGUAGE"), words("LABEL"), right("CUES"), right("BYTES"), left("UPDATED"), left("ADDRESS")];
        let mut out = Output::open();
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        Unread::tell_of(&answer);
        Ok(())
    }
}

impl Add {
    async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<SetCaptions>()?;
        if self.label.is_some() && self.files.len() > 1 {
            return Err(Failure::Usage("--label is for one file: add one at a time".to_owned()));
        }
        // All are read before the first is sent.
        let read = read(&self.files)?;
        distinct(&read)?;
        let client = session.connect().await?.client;
        for captions in read {
            let set = captions.set(VideoId::new(self.id.as_str()), self.label.clone());
            if self.json {
                Output::open().document(&client.call_raw(&set).await.map_err(explained)?)?;
                continue;
            }
            let answer = client.call(&set).await.map_err(explained)?;
            let mut out = Output::open();
            let language = set.language.clone();
            table::fields(&[("Language", language), ("Cues", answer.value.cues.to_string())], &mut out)?;
            out.flush()?;
        }
        Ok(())
    }
}

impl Show {
    async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let get = GetCaptions { video: VideoId::new(self.id.as_str()), language: self.language.clone() };
        if self.json {
            return Output::open().document(&client.call_raw(&get).await.map_err(explained)?);
        }
        let answer = client.call(&get).await.map_err(explained)?;
        let mut out = Output::open();
        for line in answer.value.vtt.unwrap_or_default().lines() {
            // To a terminal a text of the service never goes as it is.
            let line = if out.width.is_some() { crate::domain::text::line(line) } else { line.into() };
            writeln!(out, "{line}")?;
        }
        Ok(out.flush()?)
    }
}

impl Remove {
    async fn run(&self, session: &Session) -> Result<(), Failure> {
        let remove = RemoveCaptions { video: VideoId::new(self.id.as_str()), language: self.language.clone() };
        let what = format!("the captions {} of video {}", self.language, self.id);
        self.deletion.run(session, &what, &remove, |_, _: Given<'_>| vec![("Removed", self.language.clone())]).await
    }
}

/// Reads files of captions; says it of those whose language nobody named.
///
/// # Errors
/// Of the first that is no WebVTT.
pub(super) fn read(files: &[CaptionFile]) -> Result<Vec<ReadCaptions>, Failure> {
    if !files.is_empty() {
        streams::is_at_home("reading caption files")?;
    }
    let read: Vec<ReadCaptions> =
        files.iter().map(CaptionFile::read).collect::<Result<_, _>>().map_err(Failure::Usage)?;
    for unnamed in read.iter().filter(|captions| captions.is_unnamed()) {
        let (file, kept) = (unnamed.path.display(), unnamed.language());
        session::warn(&format!("{file}: no language is named, so it is kept as {kept}; en={file} names one"));
    }
    Ok(read)
}

/// Adds captions to a video that has arrived.
///
/// # Errors
/// Where the service refuses.
pub(super) async fn add(client: &Client, video: &str, captions: &ReadCaptions) -> Result<(), Failure> {
    client.call(&captions.set(VideoId::new(video), None)).await.map(drop).map_err(explained)
}

/// That no two of a video's captions are of one language.
///
/// # Errors
/// A sentence that names both files.
pub(super) fn distinct(read: &[ReadCaptions]) -> Result<(), Failure> {
    for (at, one) in read.iter().enumerate() {
        if let Some(other) = read.iter().skip(at + 1).find(|other| other.language() == one.language()) {
            let (language, one, other) = (one.language(), one.path.display(), other.path.display());
            return Err(Failure::Usage(format!(
                "{one} and {other} are both {language}: name the languages, as de={other}"
            )));
        }
    }
    Ok(())
}
