//! Whether an upload whose answer was lost arrived all the same: the library is read before anything is sent again.

use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use crate::api::ListVideos;
use crate::client::{Client, ClientError};
use crate::domain::{VideoId, text};
use crate::uploads::Upload;

/// How far the service's clock may be behind ours, milliseconds.
const CLOCKS_APART: i64 = 2 * 60 * 1000;
/// The same where the size says that it is the same file, milliseconds.
const SAME_SIZE_APART: i64 = 24 * 60 * 60 * 1000;
/// The names under which services may tell a video's size.
const SIZES: [&str; 5] = ["size", "fileSize", "videoSize", "sizeBytes", "bytes"];

/// The video of the library that an upload has become: of its name, of its size where that is told, registered after it
/// was begun, and no other upload's.
///
/// # Errors
/// Where the library can't be read: then it is not known.
pub(super) async fn find(
    client: &Client,
    upload: &Upload,
    is_claimed: impl Fn(&VideoId) -> bool,
) -> Result<Option<VideoId>, ClientError> {
    let Some(begun_ms) = upload.begun_ms else { return Ok(None) };
    let answer = client.call(&ListVideos).await?;
    let raw: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let wanted = plain(&upload.file.name);
    let size = upload.file.fingerprint.size;
    // The newest first: the last attempt is the likeliest.
    for video in answer.value.videos.iter().rev() {
        if plain(&video.name) != wanted || video.id.is_empty() || is_claimed(&video.id) {
            continue;
        }
        let created = video.created_at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond);
        let after = |apart: i64| created.is_some_and(|created| created >= begun_ms.saturating_sub(apart));
        if !after(SAME_SIZE_APART) {
            continue;
        }
        let told = size_in(&raw, video.id.as_str());
        let known = match (told, video.video_url.as_deref().and_then(|url| Url::parse(url).ok())) {
            (Some(told), _) => Some(told),
            (None, Some(address)) => client.size_at(&address).await,
            (None, None) => None,
        };
        if known.map_or_else(|| after(CLOCKS_APART), |known| known == size) {
            return Ok(Some(video.id.clone()));
        }
    }
    Ok(None)
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
