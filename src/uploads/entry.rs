//! What the journal of the queue keeps: one entry a line.

use serde::{Deserialize, Serialize};

use super::destination::{Destination, Placement, StepKey};
use super::file::VideoFile;
use super::upload::{Taken, Upload, UploadId};
use crate::domain::VideoId;

/// Something that happened to the queue. Times are milliseconds since 1970 (UTC).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Entry {
    /// A file was put at the end.
    Added {
        /// Its number.
        id: UploadId,
        /// When.
        at_ms: i64,
        /// The file.
        file: Box<VideoFile>,
        /// The step that it is for, where it is for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        destination: Option<Box<Destination>>,
    },
    /// A process began to send it.
    Began {
        /// Which one.
        id: UploadId,
        /// When.
        at_ms: i64,
        /// The process.
        by: u32,
    },
    /// Its first byte is about to go: from here on it may be in the library, whatever comes of it.
    Leaving {
        /// Which one.
        id: UploadId,
        /// When.
        at_ms: i64,
        /// The videos of its name that are as new and were in the library before: it is none of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        known: Vec<String>,
    },
    /// No byte of it had gone after all.
    Unsent {
        /// Which one.
        id: UploadId,
    },
    /// It broke and will be begun again.
    Broke {
        /// Which one.
        id: UploadId,
        /// Why.
        why: String,
        /// When it may be begun again.
        again_ms: i64,
    },
    /// The process that sent it stopped doing so, for another to go on.
    Released {
        /// Which one.
        id: UploadId,
    },
    /// It will not arrive by itself.
    Failed {
        /// Which one.
        id: UploadId,
        /// When.
        at_ms: i64,
        /// Why.
        why: String,
        /// What to do; under the name that it had first in journals.
        #[serde(rename = "mend")]
        fix: String,
    },
    /// It arrived.
    Arrived {
        /// Which one.
        id: UploadId,
        /// When.
        at_ms: i64,
        /// What the service calls the video.
        video: String,
        /// Whether it was found in the library, the answer having been lost.
        found: bool,
    },
    /// It is not to be sent for now.
    Paused {
        /// Which one.
        id: UploadId,
    },
    /// It is to be sent again: after a pause, a failure, or at once in place of later.
    Resumed {
        /// Which one.
        id: UploadId,
        /// The file as it is now, where it was looked at again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<Box<VideoFile>>,
    },
    /// It is not to be sent.
    Cancelled {
        /// Which one.
        id: UploadId,
        /// When.
        at_ms: i64,
    },
    /// It changed its place: it stands before this one now, or at the end.
    Moved {
        /// Which one.
        id: UploadId,
        /// Before which.
        before: Option<UploadId>,
    },
    /// These were taken off the list.
    Cleared {
        /// Which ones; only those that have ended go, and of which nothing is owed to a step.
        ids: Vec<UploadId>,
    },
    /// All together may send so many bytes a second.
    Limited {
        /// The limit; none is as fast as it goes.
        per_second: Option<u64>,
    },
    /// So many are sent at once.
    AtOnce {
        /// How many.
        count: usize,
    },
    /// Nothing is sent before a person does something; or it goes on.
    Halted {
        /// Why, and what to do; none when it goes on.
        why: Option<String>,
    },
    /// The step that it is for is known by something else now: the service has it.
    Aimed {
        /// Which one.
        id: UploadId,
        /// The step.
        step: StepKey,
        /// What the step is called.
        label: String,
    },
    /// What became of it, where it is for a step, is settled.
    Placed {
        /// Which one.
        id: UploadId,
        /// What became of it.
        how: Placement,
    },
    /// Where a compacted journal begins: the number of the next upload.
    Numbered {
        /// The number.
        next: u64,
    },
    /// What uploads had become when the journal was compacted, also those that were taken off the list.
    Taken {
        /// The videos.
        videos: Vec<Taken>,
    },
    /// One upload as it stood when the journal was compacted.
    Kept {
        /// The upload.
        upload: Box<Upload>,
    },
}

impl Entry {
    /// That it arrived as this video.
    #[must_use]
    pub fn arrived(id: UploadId, at_ms: i64, video: &VideoId, found: bool) -> Self {
        Self::Arrived { id, at_ms, video: video.as_str().to_owned(), found }
    }
}
