//! An upload whose answer was lost arrived all the same: the library is read before anything is sent again.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::api::ListVideos;
use crate::client::{Client, ClientError};
use crate::domain::{Video, VideoId, text};
use crate::uploads::Upload;

/// How far the service's clock may be behind ours, milliseconds.
const CLOCKS_APART: i64 = 2 * 60 * 1000;
/// The names under which services may tell a video's size.
const SIZES: [&str; 5] = ["size", "fileSize", "videoSize", "sizeBytes", "bytes"];
/// So long one reading says for all that begin what was there before them.
const FRESH: Duration = Duration::from_secs(5);

/// What was in the library when it was read last.
#[derive(Debug, Default)]
pub(super) struct Before {
    read: Mutex<Option<(Instant, Arc<Vec<Video>>)>>,
}

impl Before {
    /// The videos that are in the library already and could be mistaken for this upload later.
    ///
    /// # Errors
    /// Where the library can't be read.
    pub(super) async fn known(&self, client: &Client, upload: &Upload) -> Result<Vec<String>, ClientError> {
        let mut read = self.read.lock().await;
        let fresh = read.as_ref().filter(|(at, _)| at.elapsed() < FRESH).map(|(_, videos)| Arc::clone(videos));
        let videos = if let Some(videos) = fresh {
            videos
        } else {
            let videos = Arc::new(client.call(&ListVideos).await?.value.videos);
            *read = Some((Instant::now(), Arc::clone(&videos)));
            videos
        };
        // Those that are older are told by their time.
        let from = Timestamp::now().as_millisecond().saturating_sub(CLOCKS_APART);
        let known = videos.iter().filter(|video| is_called(video, upload) && is_since(video, from));
        Ok(known.map(|video| video.id.as_str().to_owned()).collect())
    }
}

/// The video of the library that an upload has become: of its name, of its size where that is told, registered after its
/// first byte went, not there before, and no other upload's.
///
/// # Errors
/// Where the library can't be read: then it is not known.
pub(super) async fn find(
    client: &Client,
    upload: &Upload,
    begun_ms: i64,
    is_claimed: impl Fn(&VideoId) -> bool,
) -> Result<Option<VideoId>, ClientError> {
    let answer = client.call_for_all(&ListVideos).await?;
    let raw: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let size = upload.file.fingerprint.size;
    let since = begun_ms.saturating_sub(CLOCKS_APART);
    // The newest first: the last attempt is the likeliest.
    for video in answer.value.videos.iter().rev() {
        let was_there = upload.known.iter().any(|known| known == video.id.as_str());
        if !is_called(video, upload) || !is_since(video, since) || was_there || is_claimed(&video.id) {
            continue;
        }
        let told = size_in(&raw, video.id.as_str());
        let known = match (told, video.video_url.as_deref().and_then(|url| Url::parse(url).ok())) {
            (Some(told), _) => Some(told),
            (None, Some(address)) => client.size_at(&address).await,
            (None, None) => None,
        };
        if known.is_none_or(|known| known == size) {
            return Ok(Some(video.id.clone()));
        }
    }
    Ok(None)
}

fn is_called(video: &Video, upload: &Upload) -> bool {
    !video.id.is_empty() && plain(&video.name) == plain(&upload.file.name)
}

fn is_since(video: &Video, ms: i64) -> bool {
    video.created_at.parse::<Timestamp>().is_ok_and(|created| created.as_millisecond() >= ms)
}

/// Whether the videos of two uploads can't be told apart.
pub(super) fn are_alike(one: &Upload, other: &Upload) -> bool {
    one.file.fingerprint.size == other.file.fingerprint.size && plain(&one.file.name) == plain(&other.file.name)
}

/// A name as any service may have kept it: without what can't stand in a header.
fn plain(name: &str) -> String {
    let clean = text::line(name).replace(['"', '\\', '/'], "_");
    clean.trim().to_owned()
}

fn size_in(raw: &Value, id: &str) -> Option<u64> {
    let mut videos = raw.get("videos")?.as_array()?.iter();
    let video = videos.find(|video| video.get("id").and_then(Value::as_str) == Some(id))?;
    SIZES.iter().find_map(|name| video.get(name)?.as_u64())
}
