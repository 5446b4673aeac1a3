//! `videos upload -`: a video that comes by a pipe. It is put down whole first, as its service wants to know how long it is,
//! and sent then; the file is gone with the command, also where that is killed.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use tempfile::NamedTempFile;

use crate::cli::creating::print_id;
use crate::cli::output::Output;
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, streams};
use crate::client::{FileToSend, Progress, RateLimit, json};
use crate::domain::text;
use crate::runtime::uploads::look;
use crate::uploads::{Limit, VideoFile, bytes};

/// What stands for standard input.
pub(super) const INPUT: &str = "-";

/// The folder in the state folder where such videos are put down.
const FOLDER: &str = "incoming";

/// How the answer is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    Json,
    Id,
    Table,
}

/// Uploads what comes by standard input as a video of this name.
/// `any_format`: also one that not every browser plays.
pub(super) async fn upload(
    session: &Session,
    name: &str,
    (limit, any_format): (Option<Limit>, bool),
    shown: Shown,
) -> Result<(), Failure> {
    if streams::is_typed() {
        return Err(Failure::Usage("standard input is a terminal; pipe a file in or name one".to_owned()));
    }
    let folder = session.folders.state().map_err(|error| not_put_down(&io::Error::other(error)))?.join(FOLDER);
    let kept = put_down(&folder, streams::most_upload())?;
    let wrong = |error: String| Failure::Usage(format!("{name}: {error}"));
    let VideoFile { path, fingerprint, content_type, .. } =
        look(kept.path()).map_err(|error| wrong(error.to_string()))?;
    if !any_format {
        super::playable::playable(kept.path()).map_err(wrong)?;
    }
    let size = fingerprint.size;
    let rate = RateLimit::default();
    rate.set(limit.and_then(|limit| limit.0));
    let file = FileToSend {
        path: path.0,
        fingerprint,
        name: name.to_owned(),
        content_type,
        key: None,
        progress: Arc::new(Progress::default()),
        limit: Arc::new(rate),
    };
    let answer = session.connect().await?.client.upload(&file).await.map_err(|failed| failed.error)?;
    let id = answer.value.id.as_str();
    match shown {
        Shown::Id => print_id(id),
        Shown::Json => {
            let mut out = Output::open();
            let body = json::document(&answer.body).map(str::to_owned);
            let body = body.unwrap_or_else(|_| serde_json::json!({ "id": id }).to_string());
            json::escape_for_terminal(&body, &mut out)?;
            out.write_all(b"\n")?;
            Ok(out.flush()?)
        }
        Shown::Table => {
            let mut out = Output::open();
            let rows = [vec![id.to_owned(), name.to_owned(), bytes(size)]];
            table::write(&[left("ID"), words("NAME"), left("SIZE")], &rows, out.width, &mut out)?;
            Ok(out.flush()?)
        }
    }
}

/// Puts standard input down in a file of this folder, which is held as long as it is needed.
fn put_down(folder: &Path, most: Option<u64>) -> Result<NamedTempFile, Failure> {
    fs::create_dir_all(folder).map_err(|error| not_put_down(&error))?;
    remove_left_over(folder);
    let mut kept = held(folder).map_err(|error| not_put_down(&error))?;
    let broken = |error: io::Error| Failure::Faulty(format!("the video didn't arrive whole: {error}"));
    let most = most.unwrap_or(u64::MAX - 1);
    let copied = io::copy(&mut streams::input().take(most + 1), &mut kept).map_err(broken)?;
    if copied > most {
        return Err(Failure::Usage(format!("a video must not be larger than {} here", bytes(most))));
    }
    kept.flush().map_err(broken)?;
    Ok(kept)
}

/// A file in this folder that no other command removes.
fn held(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let kept = tempfile::Builder::new().prefix("video-").tempfile_in(folder)?;
        kept.as_file().lock()?;
        // Another command may have taken it for a left one before it was held.
        if kept.path().try_exists()? {
            return Ok(kept);
        }
    }
}

fn not_put_down(error: &io::Error) -> Failure {
    Failure::Faulty(text::line(&format!("couldn't store the video before it is uploaded: {error}")).into())
}

/// Removes what commands left that were killed: nobody holds it.
fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
