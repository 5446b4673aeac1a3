//! ffmpeg, where there is one: takes one picture out of a video. What it is given may be anything, so it may read that
//! one file and nothing else, and has little time and little room.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

use super::fetch::MOST_BYTES;
use crate::domain::text::is_hostile;
use crate::runtime::host::children::{Most, limited};
use crate::studio::films::FilmFacts;
use crate::studio::pictures::PictureFault;

/// A picture that takes longer to make is not made.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longer edge of a picture that is taken out, pixels.
const EDGE: u32 = 1_280;
/// A film whose pictures have more pixels than these is not opened.
const MOST_PIXELS: u32 = 40_000_000;
/// The most that it may ask of the system at once, bytes.
const MOST_MEMORY: u32 = 512 << 20;
/// What it may use of the system; the memory holds its libraries, too.
const MOST: Most = Most { seconds: 15, memory: 2 << 30, file: 16 << 20 };
/// So much of what it says is listened to, bytes.
const MOST_WORDS: u64 = 64 * 1024;
/// Forms of files that are a film by themselves: none that names other files.
const FORMS: &str = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,flv,asf,ogg,mpegvideo";

/// A picture out of a film.
#[derive(Debug)]
pub struct Shot {
    /// The picture, a PNG.
    pub bytes: Vec<u8>,
    /// What was learned about the film beside it.
    pub facts: FilmFacts,
}

/// Takes the picture of a moment out of a file of this media type, microseconds from the start; past the last one, the last one.
///
/// # Errors
/// Where there is none, or it can't be had.
pub async fn shot(program: &Path, file: &Path, kind: &str, at_us: u64) -> Result<Shot, PictureFault> {
    let given = Given::of(file)?;
    let file = given.path();
    let found = run(program, &arguments((file, kind), at_us, "")).await?;
    if !found.bytes.is_empty() {
        return Ok(found);
    }
    let before = if at_us == 0 { return Err(missing(&found)) } else { at_us.saturating_sub(1_000_000) };
    // The sound goes on longer than the pictures, mostly: the last picture of the second before.
    let last = run(program, &arguments((file, kind), before, ",reverse")).await?;
    if last.bytes.is_empty() { Err(missing(&last)) } else { Ok(last) }
}

/// A film that could be opened has no picture there; else it could not be.
fn missing(found: &Shot) -> PictureFault {
    if found.facts == FilmFacts::default() { PictureFault::Unreadable } else { PictureFault::NoFrame }
}

/// What there is to know about a film.
pub async fn facts(program: &Path, file: &Path, kind: &str) -> FilmFacts {
    let Ok(given) = Given::of(file) else { return FilmFacts::default() };
    // Without an output it says what it sees and ends.
    run(program, &input((given.path(), kind), None)).await.map(|found| found.facts).unwrap_or_default()
}

/// The file as it is named to ffmpeg, which says names again, and what it says is read: one with characters that steer
/// terminals gets another name for as long as this lives.
struct Given<'f> {
    file: &'f Path,
    link: Option<(TempDir, PathBuf)>,
}

impl<'f> Given<'f> {
    fn of(file: &'f Path) -> Result<Self, PictureFault> {
        if !file.to_string_lossy().chars().any(is_hostile) {
            return Ok(Self { file, link: None });
        }
        let not_kept = |error: io::Error| PictureFault::NotKept(error.to_string());
        let folder = tempfile::tempdir().map_err(not_kept)?;
        let name = folder.path().join("film");
        #[cfg(unix)]
        std::os::unix::fs::symlink(std::path::absolute(file).map_err(not_kept)?, &name).map_err(not_kept)?;
        Ok(Self { file, link: Some((folder, name)) })
    }

    fn path(&self) -> &Path {
        self.link.as_ref().map_or(self.file, |(_, name)| name)
    }
}

fn input((file, kind): (&Path, &str), at_us: Option<u64>) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        ["-nostdin", "-hide_banner", "-loglevel", "info", "-nostats", "-filter_threads", "1"].map(Into::into).to_vec();
    words.extend(["-max_alloc".into(), MOST_MEMORY.to_string().into()]);
    words.extend(["-threads", "1", "-protocol_whitelist", "file", "-format_whitelist", FORMS].map(Into::into));
    words.extend(["-max_pixels".into(), MOST_PIXELS.to_string().into()]);
    if let Some(us) = at_us {
        words.extend(["-ss".into(), format!("{us}us").into()]);
    }
    // What it is was seen by its content; ffmpeg goes by its name, too.
    words.extend(form(kind).into_iter().flat_map(|form| ["-f", form]).map(Into::into));
    // Whatever the file is called, this is neither an option nor another protocol.
    let mut name = OsString::from("file:");
    name.push(file);
    words.extend(["-i".into(), name]);
    words
}

/// What ffmpeg calls the form of a file of this media type.
fn form(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "video/mp4" | "video/quicktime" | "video/x-m4v" | "video/3gpp" => "mov",
        "video/webm" | "video/x-matroska" => "matroska",
        "video/x-msvideo" => "avi",
        "video/x-flv" => "flv",
        "video/x-ms-wmv" => "asf",
        _ => return None,
    })
}

fn arguments(file: (&Path, &str), at_us: u64, more: &str) -> Vec<OsString> {
    let mut words = input(file, Some(at_us));
    let filter = format!(
        "scale=w=iw*sar:h=ih,setsar=1,scale=w='min({EDGE},iw)':h='min({EDGE},ih)':force_original_aspect_ratio=decrease{more}"
    );
    // No cover: the film itself.
    words.extend(["-map", "0:V:0", "-an", "-sn", "-dn", "-vf"].map(Into::into));
    words.push(filter.into());
    words.extend(["-threads", "1", "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "pipe:1"].map(Into::into));
    words
}

async fn run(program: &Path, arguments: &[OsString]) -> Result<Shot, PictureFault> {
    if !program.is_file() {
        return Err(PictureFault::NoFfmpeg);
    }
    let mut command = limited(program, arguments, MOST);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // No wish for a log file of its own.
    command.env_remove("FFREPORT").env("AV_LOG_FORCE_NOCOLOR", "1");
    let mut process = command.spawn().map_err(|error| {
        tracing::warn!(%error, "ffmpeg does not start");
        PictureFault::NoFfmpeg
    })?;
    let (Some(out), Some(said)) = (process.stdout.take(), process.stderr.take()) else {
        return Err(PictureFault::Unreadable);
    };
    let both = async { tokio::join!(picture(out), words(said), process.wait()) };
    let Ok((bytes, words, _)) = timeout(PATIENCE, both).await else {
        return Err(PictureFault::SlowToMake);
    };
    Ok(Shot { bytes: bytes?, facts: read_facts(&words) })
}

/// What it writes, if that is not too much: then nobody listens any more, and it ends by that.
async fn picture(out: impl AsyncRead + Unpin) -> Result<Vec<u8>, PictureFault> {
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    out.take(most + 1).read_to_end(&mut bytes).await.map_err(|_| PictureFault::Unreadable)?;
    if bytes.len() > MOST_BYTES { Err(PictureFault::TooManyBytes) } else { Ok(bytes) }
}

/// What it says: the beginning. The rest is read so that it does not wait for a reader.
async fn words(mut said: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    let _ = (&mut said).take(MOST_WORDS).read_to_end(&mut bytes).await;
    let _ = tokio::io::copy(&mut said, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads duration and frame rate out of what it says about the film it was given.
fn read_facts(words: &str) -> FilmFacts {
    let mut facts = FilmFacts::default();
    for line in words.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("Duration: ")
            && facts.duration_us.is_none()
        {
            facts.duration_us = rest.split(',').next().and_then(microseconds);
        } else if line.starts_with("Stream #0") && line.contains(" Video: ") && facts.frame_us.is_none() {
            let rate = line.split(',').find_map(|part| part.trim().strip_suffix(" fps")?.trim().parse::<f64>().ok());
            facts.frame_us = rate.and_then(frame);
        }
    }
    facts
}

/// `00:01:02.50` in microseconds.
fn microseconds(clock: &str) -> Option<u64> {
    let mut sum = 0f64;
    for part in clock.trim().split(':') {
        sum = sum * 60.0 + part.parse::<f64>().ok().filter(|part| (0.0..1e6).contains(part))?;
    }
    whole(sum * 1e6)
}

/// How long one picture stays at so many a second; less rather than more, or steps would leave pictures out.
fn frame(rate: f64) -> Option<u64> {
    (0.01..=1000.0).contains(&rate).then(|| whole(1e6 / rate)).flatten()
}

fn whole(us: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10^15")]
    (0.0..1e15).contains(&us).then_some(us as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_is_read_as_far_as_it_can_be() {
        let said = "Input #0, mov,mp4,m4a, from 'file:/a: Duration: 9':\n  Metadata:\n    title : Duration: x\n  \
                    Duration: 00:01:02.50, start: 0.000000, bitrate: 7 kb/s\n  Stream #0:0[0x1](und): Video: h264 \
                    (High), yuv420p(progressive), 64x48, 2 kb/s, 29.97 fps, 29.97 tbr (default)\n";
        let facts = read_facts(said);
        assert_eq!(facts, FilmFacts { duration_us: Some(62_500_000), frame_us: Some(33_366) });
        for odd in ["", "Duration: N/A, x", "Duration: -1:2", "Stream #0:0: Video: h264, 0 fps", "\0\u{1b}[2J"] {
            assert_eq!(read_facts(odd), FilmFacts::default(), "{odd}");
        }
    }

    #[test]
    fn a_name_is_never_an_option_or_another_protocol() {
        for name in ["/-version", "/http:/x.example/a.mp4", "/concat:a|b"] {
            let words = input((Path::new(name), "video/mp4"), Some(0));
            assert_eq!(words.last().unwrap().to_str().unwrap(), format!("file:{name}"));
        }
    }
}
