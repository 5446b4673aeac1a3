//! Videos and assets, §4.5.

use super::operation::{Operation, Payload};
use crate::domain::{Video, VideoId};
use crate::shape;

shape! {
    /// `POST /videos/video`: registers a video by its address; without one, reserves an id.
    pub struct CreateVideo {
        video: opt NewVideo => "video",
    }
}

shape! {
    /// What a video is registered with (the spec shows no body).
    pub struct NewVideo {
        video_url: req String => "videoUrl",
        name: opt String => "name",
        poster_url: opt String => "posterUrl",
    }
}

shape! {
    /// The answer of create video and of upload.
    pub struct CreatedVideo {
        id: req VideoId => "id",
        name: opt String => "name",
        created_at: opt String => "createdAt",
    }
}

/// `POST {upload_url}/videos`: the file travels in the part [`UploadVideo::PART`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UploadVideo;

impl UploadVideo {
    /// The part that carries the file, §4.5.
    pub const PART: &'static str = "videoBlob";
}

impl Operation for UploadVideo {
    type Response = CreatedVideo;

    fn payload(&self) -> Payload {
        Payload::Multipart
    }
}

shape! {
    /// The answer of list videos.
    pub struct VideoList {
        videos: req Vec<Video> => "videos",
    }
}

/// `DELETE /partners/assets/{id}`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteAsset {
    /// Which one.
    pub id: VideoId,
}

shape! {
    /// The answer of delete asset.
    pub struct DeletedAsset {
        message: req String => "message",
    }
}

impl Operation for DeleteAsset {
    type Response = DeletedAsset;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
}
