//! What the driver of a queue is told and asked, and what is seen of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::guard::Guard;
use crate::domain::VideoId;
use crate::uploads::{Destination, Entry, Overview, UploadId, VideoFile};

/// How a queue is driven.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these are sent; none is all of them.
    pub only: Option<Vec<UploadId>>,
    /// Bytes a second, in place of the queue's own limit.
    pub limit: Option<u64>,
    /// After this long without a byte more on its way it is left for another time; none is as the queue has it.
    pub patience: Option<Duration>,
    /// Says whether the profile still allows it.
    pub guard: Option<Guard>,
}

/// What the driver is asked for.
#[derive(Debug)]
pub enum Ask {
    /// Queue these files, for a step where one is named; the answer is their numbers, or why they could not be kept.
    Add(Vec<VideoFile>, Option<Box<Destination>>, oneshot::Sender<Result<Vec<UploadId>, String>>),
    /// Write these down: pauses, cancellations, places, limits.
    Note(Vec<Entry>),
    /// Send these again, looked at again.
    Resume(Vec<UploadId>),
    /// Look at what others wrote.
    Look,
    /// The journal was written, by whomever.
    Changed,
}

/// Why nothing more is sent from here for now; what is left stays in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// Why, for people.
    pub why: String,
    /// The exit code of a command that waited for it.
    pub code: u8,
}

/// What is seen of a driven queue.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The queue.
    pub overview: Overview,
    /// Those that arrived from here: the video of each, and what the service answered where it did.
    pub arrived: Arc<HashMap<UploadId, (VideoId, Option<Bytes>)>>,
    /// The exit codes of those that failed here.
    pub codes: Arc<HashMap<UploadId, u8>>,
    /// Why nothing more is sent from here.
    pub stopped: Option<Stopped>,
}
