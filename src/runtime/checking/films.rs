//! What videos say of themselves, of the library or in files, read as far as their rules need it.

use std::ffi::OsString;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tempfile::NamedTempFile;
use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

use super::Asking;
use crate::api::ListCaptions;
use crate::client::Client;
use crate::domain::Video;
use crate::lint::{Film, Reading};

/// A larger video is not read to its end, bytes.
const LARGEST: u64 = 2 << 30;

/// A larger one is not listened to, bytes: it is copied for that.
const LARGEST_HEARD: u64 = 512 << 20;

/// How long listening to one may take.
const LISTENING: Duration = Duration::from_secs(120);

/// How much is hashed at once, bytes.
const CHUNK: u64 = 4 << 20;

/// What a video of the library says, in its list and in its file.
pub async fn film(asking: &Asking, video: &Video, lists_captions: bool, deep: bool) -> Film {
    let url = video.video_url.as_deref().and_then(|url| Url::parse(url).ok());
    let mut film = match &url {
        Some(url) => over_http(asking, url, deep).await,
        None => Film::default(),
    };
    #[expect(clippy::cast_precision_loss, reason = "no video runs for 2^52 milliseconds")]
    let listed = video.duration_ms().filter(|ms| *ms > 0).map(|ms| ms as f64 / 1000.0);
    film.seconds = film.seconds.or(listed);
    film.bytes = film.bytes.or(video.size());
    film.captions = captions(video, lists_captions);
    film
}

/// Whether the service has captions at all: it lists some, or is asked for those of one video. They are an extension.
pub async fn has_captions(client: &Client, videos: &[Video]) -> bool {
    let Some(first) = videos.first() else { return false };
    if videos.iter().any(|video| video.captions.is_some()) {
        return true;
    }
    client.call(&ListCaptions(first.id.clone())).await.is_ok_and(|answer| answer.findings.is_empty())
}

/// Whether a video has captions. Nothing where the service doesn't say: one that has captions leaves the
/// field out of a video without any, and another one may have no such field.
fn captions(video: &Video, lists_captions: bool) -> Option<bool> {
    video.captions.as_ref().map(|languages| !languages.is_empty()).or(lists_captions.then_some(false))
}

async fn over_http(asking: &Asking, url: &Url, deep: bool) -> Film {
    let mut reading = Reading::default();
    while let Some(part) = reading.wants() {
        match asking.part(url, part.from, part.length).await {
            Some((bytes, size)) => reading.take(&bytes, size),
            None => break,
        }
    }
    let mut film = reading.end();
    if deep {
        let is_heard = film.sound == Some(true) && film.bytes.is_some_and(|size| size <= LARGEST_HEARD);
        // What listens is given a file of this machine, and no address: it would follow those anywhere.
        let mut copy = if is_heard { NamedTempFile::new().ok() } else { None };
        film.hash = hash(asking, url, film.bytes, &mut copy).await;
        if let Some(copy) = copy.filter(|_| film.hash.is_some()) {
            film.loudness = loudness(copy.path()).await;
        }
    }
    film
}

/// The BLAKE3 of a whole video, part by part. It is copied on the way; the copy is given up where there is no room for it.
async fn hash(asking: &Asking, url: &Url, size: Option<u64>, copy: &mut Option<NamedTempFile>) -> Option<[u8; 32]> {
    let size = size.filter(|size| *size <= LARGEST)?;
    let mut hasher = blake3::Hasher::new();
    let mut at = 0;
    while at < size {
        let (bytes, _) = asking.part(url, at, CHUNK.min(size - at)).await?;
        hasher.update(&bytes);
        if copy.as_mut().is_some_and(|copy| copy.write_all(&bytes).is_err()) {
            *copy = None;
        }
        at += u64::try_from(bytes.len()).ok().filter(|got| *got > 0)?;
    }
    Some(*hasher.finalize().as_bytes())
}

/// How loud a video in a file is, LUFS, where ffmpeg is there to listen. Only files of MP4 and `WebM` are opened, and none
/// that they name.
pub async fn loudness(path: &Path) -> Option<f64> {
    let mut input = OsString::from("file:");
    input.push(path);
    let mut command = Command::new("ffmpeg");
    command.args([
        "-hide_banner",
        "-nostdin",
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        "mov,matroska",
        "-i",
    ]);
    command.arg(input);
    command.args(["-map", "0:a:0", "-af", "ebur128", "-f", "null", "-"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = timeout(LISTENING, command.output()).await.ok()?.ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    // The summary comes last: `I: -23.0 LUFS`.
    let line = said.lines().rev().map(str::trim).find(|line| line.starts_with("I:") && line.ends_with("LUFS"))?;
    line.trim_start_matches("I:").trim_end_matches("LUFS").trim().parse().ok()
}

/// What the index of a file says.
///
/// # Errors
/// Where the file can't be read.
pub fn index(path: &Path) -> io::Result<Film> {
    index_of(&mut std::fs::File::open(path)?)
}

fn index_of(input: &mut std::fs::File) -> io::Result<Film> {
    let size = input.metadata()?.len();
    let mut reading = Reading::default();
    while let Some(part) = reading.wants() {
        input.seek(SeekFrom::Start(part.from))?;
        let mut bytes = Vec::new();
        (&mut *input).take(part.length).read_to_end(&mut bytes)?;
        reading.take(&bytes, Some(size));
    }
    Ok(reading.end())
}

/// What a file says, and what stands beside it.
///
/// # Errors
/// Where the file can't be read.
pub fn of_file(path: &Path) -> io::Result<Film> {
    let mut input = std::fs::File::open(path)?;
    let mut film = index_of(&mut input)?;
    input.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(&mut input)?;
    film.hash = Some(*hasher.finalize().as_bytes());
    film.captions = Some(path.with_extension("vtt").exists());
    Ok(film)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_lists_no_captions_says_nothing_of_them() {
        let with = |languages: Option<Vec<&str>>| {
            let captions = languages.map(|all| all.into_iter().map(str::to_owned).collect());
            Video { captions, ..Video::default() }
        };
        assert_eq!((captions(&with(None), false), captions(&with(None), true)), (None, Some(false)));
        assert_eq!(captions(&with(Some(Vec::new())), false), Some(false));
        assert_eq!(captions(&with(Some(vec!["de"])), true), Some(true));
    }
}
