//! One video on its way, and how it stands.

use serde::{Deserialize, Serialize};

use super::destination::{Destination, Placement};
use super::file::VideoFile;

/// The number of an upload in its workspace's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UploadId(pub u64);

impl std::fmt::Display for UploadId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// How an upload stands. Times are milliseconds since 1970 (UTC).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// Its turn will come.
    Waiting,
    /// A process sends it.
    Sending {
        /// The process.
        by: u32,
    },
    /// Not to be sent for now.
    Paused,
    /// It broke and will be begun again.
    Retrying {
        /// Why.
        why: String,
        /// When.
        again_ms: i64,
    },
    /// It arrived.
    Done {
        /// What the service calls the video.
        video: String,
        /// When.
        at_ms: i64,
        /// Whether it was found in the library, the answer having been lost.
        found: bool,
    },
    /// It will not arrive by itself.
    Failed {
        /// Why.
        why: String,
        /// What to do; under the name that it had first in journals.
        #[serde(rename = "mend")]
        fix: String,
        /// When.
        at_ms: i64,
    },
    /// Not to be sent.
    Cancelled {
        /// When.
        at_ms: i64,
    },
}

impl State {
    /// One word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending { .. } => "sending",
            Self::Paused => "paused",
            Self::Retrying { .. } => "retrying",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// Whether nothing more comes of it by itself or by resuming.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Failed { .. } | Self::Cancelled { .. })
    }

    /// Whether it will be sent without anyone doing anything.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        matches!(self, Self::Waiting | Self::Sending { .. } | Self::Retrying { .. })
    }
}

/// One video on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Its number.
    pub id: UploadId,
    /// The file.
    pub file: VideoFile,
    /// When it was added.
    pub added_ms: i64,
    /// When its first byte was about to go: from then on it may be in the library.
    pub begun_ms: Option<i64>,
    /// The videos of its name that were in the library before that, and are as new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// How often in a row it broke.
    pub breaks: u32,
    /// The step that it is for, where it is for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Box<Destination>>,
    /// What became of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placement>,
    /// How it stands.
    #[serde(flatten)]
    pub state: State,
}

impl Upload {
    /// The step that it is for, as long as it is not settled what becomes of that.
    #[must_use]
    pub fn waits_for(&self) -> Option<&Destination> {
        self.destination.as_deref().filter(|_| self.placed.is_none())
    }

    /// The video that it has become, once it has arrived.
    #[must_use]
    pub fn video(&self) -> Option<&str> {
        match &self.state {
            State::Done { video, .. } => Some(video),
            _ => None,
        }
    }

    /// Whether it has arrived and its step does not have it yet: it stays on the list until that is settled.
    #[must_use]
    pub fn is_owed(&self) -> bool {
        self.video().is_some() && self.waits_for().is_some()
    }

    /// Whether it can be taken off the list.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.has_ended() && !self.is_owed()
    }
}

/// A video that an upload has become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The upload.
    pub by: UploadId,
    /// What the service calls the video.
    pub video: String,
}
