//! Captions of videos: WebVTT, one text a language. §4.5 does not have them; another service answers 404.

use super::operation::{Operation, Payload, encode_segment};
use super::to_json;
use crate::domain::{Num, VideoId};
use crate::shape;

shape! {
    /// Captions of a video in one language.
    pub struct VideoCaptions {
        /// BCP 47; `und` where nobody said.
        language: req String => "language",
        /// What players call them; absent leaves that to the player.
        label: opt String => "label",
        /// Cues.
        cues: req Num => "cues",
        /// Bytes.
        size: req Num => "size",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        /// Where players read them.
        captions_url: req String => "captionsUrl",
        /// The WebVTT itself, where one language was asked for.
        vtt: opt String => "vtt",
    }
}

shape! {
    /// The captions of a video, by language.
    pub struct CaptionsList {
        captions: req Vec<VideoCaptions> => "captions",
    }
}

shape! {
    /// What captions are set with.
    pub struct NewCaptions {
        /// The WebVTT.
        vtt: req String => "vtt",
        /// What players call them.
        label: opt String => "label",
    }
}

shape! {
    /// The answer of remove captions.
    pub struct RemovedCaptions {
        language: req String => "language",
    }
}

/// A path with the video and the language in their places.
fn path_of(path: &str, video: &VideoId, language: &str) -> String {
    path.replace("{id}", &encode_segment(video.as_str())).replace("{language}", &encode_segment(language))
}

/// The id that a path is judged by: neither may be empty or lead elsewhere.
fn id_of<'a>(video: &'a VideoId, language: &str) -> &'a str {
    if ["", ".", ".."].contains(&language) { "" } else { video.as_str() }
}

/// `GET /videos/{id}/captions/{language}`: with their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetCaptions {
    /// Which video.
    pub video: VideoId,
    /// BCP 47.
    pub language: String,
}

impl Operation for GetCaptions {
    type Response = VideoCaptions;

    fn path_id(&self) -> Option<&str> {
        Some(id_of(&self.video, &self.language))
    }
    fn path(&self) -> String {
        path_of(Self::ROW.path, &self.video, &self.language)
    }
}

/// `PUT /videos/{id}/captions/{language}`: sets them, in place of those that were there.
#[derive(Debug, Clone, PartialEq)]
pub struct SetCaptions {
    /// Which video.
    pub video: VideoId,
    /// BCP 47.
    pub language: String,
    /// The WebVTT.
    pub captions: NewCaptions,
}

impl Operation for SetCaptions {
    type Response = VideoCaptions;

    fn path_id(&self) -> Option<&str> {
        Some(id_of(&self.video, &self.language))
    }
    fn path(&self) -> String {
        path_of(Self::ROW.path, &self.video, &self.language)
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.captions))
    }
}

/// `DELETE /videos/{id}/captions/{language}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoveCaptions {
    /// Which video.
    pub video: VideoId,
    /// BCP 47.
    pub language: String,
}

impl Operation for RemoveCaptions {
    type Response = RemovedCaptions;

    fn path_id(&self) -> Option<&str> {
        Some(id_of(&self.video, &self.language))
    }
    fn path(&self) -> String {
        path_of(Self::ROW.path, &self.video, &self.language)
    }
}
