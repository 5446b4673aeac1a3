//! The queue: which videos are to be sent, in which order, and how each stands. It changes by [`Entry`]s alone, so that
//! whoever reads the journal comes to the same queue.

use super::entry::Entry;
use super::upload::{State, Taken, Upload, UploadId};
use crate::domain::VideoId;

/// How many are sent at once unless something else is said.
const AT_ONCE: usize = 2;
/// The most that can be sent at once.
pub const MOST_AT_ONCE: usize = 16;

/// The videos of one workspace on their way, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    pub(super) uploads: Vec<Upload>,
    pub(super) next: u64,
    /// What uploads have become, the oldest first; also those that are off the list.
    pub(super) taken: Vec<Taken>,
    /// Bytes a second for all together; none is as fast as it goes.
    pub limit: Option<u64>,
    /// How many are sent at once.
    pub at_once: usize,
    /// Why nothing is sent before a person does something, and what.
    pub halted: Option<String>,
}

impl Default for Queue {
    fn default() -> Self {
        Self { uploads: Vec::new(), next: 1, taken: Vec::new(), limit: None, at_once: AT_ONCE, halted: None }
    }
}

impl Queue {
    /// The uploads, in their order.
    #[must_use]
    pub fn uploads(&self) -> &[Upload] {
        &self.uploads
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: UploadId) -> Option<&Upload> {
        self.uploads.iter().find(|upload| upload.id == id)
    }

    /// The number that the next one gets.
    #[must_use]
    pub fn next_id(&self) -> UploadId {
        UploadId(self.next)
    }

    /// Whether one is to be sent without anyone doing anything.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.uploads.iter().any(|upload| upload.state.is_under_way())
    }

    /// What a process that sends so many of those that are being sent may send of the limit of all, bytes a second.
    #[must_use]
    pub fn share_of_limit(&self, of: usize) -> Option<u64> {
        let sending = self.uploads.iter().filter(|upload| matches!(upload.state, State::Sending { .. })).count();
        // One that begins now is one of them soon.
        let (mine, all) = (of.max(1) as u64, sending.max(of).max(1) as u64);
        self.limit.map(|limit| (limit / all).saturating_mul(mine).max(1))
    }

    /// Those that may be begun now, in their turn. Of those that are sent, the caller knows which it sends itself.
    pub fn ready(&self, now_ms: i64) -> impl Iterator<Item = &Upload> {
        self.uploads.iter().filter(move |upload| match &upload.state {
            State::Waiting => true,
            State::Retrying { again_ms, .. } => *again_ms <= now_ms,
            _ => false,
        })
    }

    /// When the next one that waits for its time may be begun; one whose time has come waits for something else.
    #[must_use]
    pub fn next_time(&self, now_ms: i64) -> Option<i64> {
        let times = self.uploads.iter().filter_map(|upload| match &upload.state {
            State::Retrying { again_ms, .. } if *again_ms > now_ms => Some(*again_ms),
            _ => None,
        });
        times.min()
    }

    /// The videos that are known to be other uploads than this one, also those that are off the list.
    pub fn claimed(&self, by_other_than: UploadId) -> impl Iterator<Item = &str> {
        self.taken.iter().filter(move |taken| taken.by != by_other_than).map(|taken| taken.video.as_str())
    }

    /// The videos that are known to be those of other uploads on the list of which this holds.
    pub fn claimed_by(&self, mut holds: impl FnMut(&Upload) -> bool) -> Vec<&str> {
        let taken = self.taken.iter().filter(|taken| self.get(taken.by).is_some_and(&mut holds));
        taken.map(|taken| taken.video.as_str()).collect()
    }

    /// Whether a video of the library is known to be another upload than this one.
    #[must_use]
    pub fn is_claimed(&self, video: &VideoId, by_other_than: UploadId) -> bool {
        self.claimed(by_other_than).any(|claimed| claimed == video.as_str())
    }

    /// The shortest journal that comes to this queue.
    #[must_use]
    pub fn compacted(&self) -> Vec<Entry> {
        let mut entries = vec![Entry::Numbered { next: self.next }];
        entries.extend(self.limit.map(|limit| Entry::Limited { per_second: Some(limit) }));
        if self.at_once != AT_ONCE {
            entries.push(Entry::AtOnce { count: self.at_once });
        }
        entries.extend(self.halted.clone().map(|why| Entry::Halted { why: Some(why) }));
        if !self.taken.is_empty() {
            entries.push(Entry::Taken { videos: self.taken.clone() });
        }
        entries.extend(self.uploads.iter().map(|upload| Entry::Kept { upload: Box::new(upload.clone()) }));
        entries
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
