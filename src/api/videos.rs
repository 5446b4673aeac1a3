//! Videos and assets, §4.5.

use serde_json::Value;

use super::operation::{Host, Method, Operation, Payload, Row};
use super::to_json;
use crate::domain::{Finding, Reader, Video, VideoId};
use crate::shape;

const fn row(name: &'static str, method: Method, path: &'static str) -> Row {
    let reads = matches!(method, Method::Get);
    Row {
        name,
        tag: "video",
        method,
        path,
        host: Host::Base,
        writes: !reads,
        idempotent: !matches!(method, Method::Post),
        takes_app_key: false,
    }
}

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

impl Operation for CreateVideo {
    const ROW: Row = Row { takes_app_key: true, ..row("createVideo", Method::Post, "/videos/video") };
    type Response = CreatedVideo;

    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(body: &Value) -> (CreatedVideo, Vec<Finding>) {
        Reader::read(body)
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
    const ROW: Row = Row { host: Host::Upload, ..row("uploadVideo", Method::Post, "/videos") };
    type Response = CreatedVideo;

    fn payload(&self) -> Payload {
        Payload::Multipart
    }
    fn read(body: &Value) -> (CreatedVideo, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `GET /videos/videos`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListVideos;

shape! {
    /// The answer of list videos.
    pub struct VideoList {
        videos: req Vec<Video> => "videos",
    }
}

impl Operation for ListVideos {
    const ROW: Row = row("listVideos", Method::Get, "/videos/videos");
    type Response = VideoList;

    fn read(body: &Value) -> (VideoList, Vec<Finding>) {
        Reader::read(body)
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
    const ROW: Row = Row { tag: "ai-tools", ..row("deleteAsset", Method::Delete, "/partners/assets/{id}") };
    type Response = DeletedAsset;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn read(body: &Value) -> (DeletedAsset, Vec<Finding>) {
        Reader::read(body)
    }
}
