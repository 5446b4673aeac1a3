//! What the questions of this screen are answered with, and its turn.

use super::showing::Showing;
use super::vocabulary::{Effect, Unplayable};
use crate::domain::VideoId;

/// What the questions of this screen are answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The video is kept.
    Keep,
    /// The video is deleted.
    Delete(VideoId),
    /// The address of a video that is registered was typed.
    Address,
    /// The name of the video at this address was typed.
    Name(String),
    /// These videos are shown.
    Show(Showing),
    /// The captions of this video in this language are shown.
    ReadCaptions(VideoId, String),
    /// Captions are added to this video.
    AddCaptions(VideoId),
    /// Captions of this video are removed; which ones is asked.
    PickRemoved(VideoId),
    /// The captions of this video in this language are to be removed; whether they are is asked.
    AskRemove(VideoId, String),
    /// The captions of this video in this language are removed.
    RemoveCaptions(VideoId, String),
    /// The file of captions that is added to this video was typed.
    CaptionsFile(VideoId),
    /// The file that ignored problems are saved to was typed.
    BaselineFile,
    /// What not every browser plays is uploaded all the same.
    UploadAnyway(Box<Unplayable>),
    /// The limit of the rate was typed.
    Limit,
    /// How many are sent at once was typed.
    AtOnce,
    /// The studio is left, and the uploads go on in the background.
    HandOver,
    /// The studio is left once the uploads have arrived.
    Wait,
    /// The studio is left, and the next one goes on with the uploads.
    Stop,
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
