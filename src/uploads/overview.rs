//! The queue as it is seen: how each upload stands, how far it is and how fast it goes, and the sum of all.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::queue::Queue;
use super::speed::time_left;
use super::upload::{State, Upload, UploadId};
use crate::domain::VideoId;

/// How far an upload that is being sent has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Course {
    /// Bytes on their way.
    pub sent: u64,
    /// Bytes a second, smoothed, once that is known.
    pub per_second: Option<u64>,
}

/// The queue as it is seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    /// The queue.
    pub queue: Arc<Queue>,
    /// Those that are being sent.
    pub courses: BTreeMap<UploadId, Course>,
    /// Whether a background part sends what is queued.
    pub elsewhere: bool,
    /// Why the queue can't be kept, where it can't: a full disk, mostly.
    pub fault: Option<String>,
    /// How long videos play that were uploaded from here, milliseconds.
    pub lengths: Arc<HashMap<VideoId, u64>>,
}

/// The sum of the uploads on the list that were not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// How many arrived.
    pub done: usize,
    /// How many failed.
    pub failed: usize,
    /// How many are under way or will be.
    pub under_way: usize,
    /// How many are paused.
    pub paused: usize,
    /// Bytes that arrived or are on their way.
    pub sent: u64,
    /// Bytes of all of them.
    pub size: u64,
    /// Bytes a second of all together.
    pub per_second: u64,
}

impl Sum {
    /// How many there are that arrived or may arrive.
    #[must_use]
    pub fn count(&self) -> usize {
        self.done + self.under_way + self.paused
    }

    /// From 0 to 100, where something is under way.
    #[must_use]
    pub fn percent(&self) -> Option<u8> {
        let share = (u128::from(self.sent) * 100).checked_div(u128::from(self.size))?;
        (self.under_way > 0).then(|| u8::try_from(share.min(100)).unwrap_or(100))
    }

    /// How long it will take.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        time_left(self.size.saturating_sub(self.sent), self.per_second)
    }
}

impl Overview {
    /// How far an upload is.
    #[must_use]
    pub fn course(&self, upload: &Upload) -> Course {
        match upload.state {
            State::Done { .. } => Course { sent: upload.file.fingerprint.size, per_second: None },
            State::Sending { .. } => self.courses.get(&upload.id).copied().unwrap_or_default(),
            _ => Course::default(),
        }
    }

    /// The sum.
    #[must_use]
    pub fn sum(&self) -> Sum {
        let mut sum = Sum::default();
        for upload in self.queue.uploads() {
            match &upload.state {
                State::Done { .. } => sum.done += 1,
                State::Paused => sum.paused += 1,
                State::Waiting | State::Sending { .. } | State::Retrying { .. } => sum.under_way += 1,
                State::Failed { .. } => {
                    sum.failed += 1;
                    continue;
                }
                State::Cancelled { .. } => continue,
            }
            let course = self.course(upload);
            sum.sent = sum.sent.saturating_add(course.sent.min(upload.file.fingerprint.size));
            sum.size = sum.size.saturating_add(upload.file.fingerprint.size);
            sum.per_second = sum.per_second.saturating_add(course.per_second.unwrap_or_default());
        }
        sum
    }
}
