//! The queue: which videos are to be sent, in which order, and how each stands. It changes by [`Entry`]s alone, so that
//! whoever reads the journal comes to the same queue.

use serde::{Deserialize, Serialize};

use super::destination::{Destination, Placement};
use super::entry::Entry;
use super::file::VideoFile;
use crate::domain::VideoId;

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
        /// What to do.
        mend: String,
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

/// How many videos are remembered that uploads have become, the newest: an upload asks for those since it was begun.
const MOST_TAKEN: usize = 1000;

/// How many are sent at once unless something else is said.
const AT_ONCE: usize = 2;
/// The most that can be sent at once.
pub const MOST_AT_ONCE: usize = 16;

/// The videos of one workspace on their way, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    uploads: Vec<Upload>,
    next: u64,
    /// What uploads have become, the oldest first; also those that are off the list.
    taken: Vec<Taken>,
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

    fn claim(&mut self, by: UploadId, video: &str) {
        if self.taken.iter().any(|taken| taken.by == by && taken.video == video) {
            return;
        }
        if self.taken.len() >= MOST_TAKEN {
            self.taken.remove(0);
        }
        self.taken.push(Taken { by, video: video.to_owned() });
    }

    /// Takes what happened. What can't have happened, as the queue stands, changes nothing: two processes may say
    /// something at the same time, and the first counts.
    pub fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::Added { id, at_ms, file, destination } => {
                if self.get(*id).is_none() {
                    self.uploads.push(Upload {
                        id: *id,
                        file: (**file).clone(),
                        added_ms: *at_ms,
                        begun_ms: None,
                        known: Vec::new(),
                        breaks: 0,
                        destination: destination.clone(),
                        placed: None,
                        state: State::Waiting,
                    });
                }
                self.next = self.next.max(id.0.saturating_add(1));
            }
            Entry::Kept { upload } => {
                self.next = self.next.max(upload.id.0.saturating_add(1));
                if self.get(upload.id).is_none() {
                    self.uploads.push((**upload).clone());
                }
            }
            Entry::Taken { videos } => videos.iter().for_each(|taken| self.claim(taken.by, &taken.video)),
            Entry::Arrived { id, video, found, .. } => {
                // Two that look for themselves at the same time may find the same: it is the first one's, and the other
                // looks again.
                let is_anothers = *found && self.is_claimed(&VideoId::from(video.as_str()), *id);
                if !is_anothers {
                    self.claim(*id, video);
                    self.halted = None;
                }
                let entry = if is_anothers { &Entry::Released { id: *id } } else { entry };
                if let Some(upload) = self.uploads.iter_mut().find(|upload| upload.id == *id) {
                    upload.take(entry);
                }
            }
            Entry::Numbered { next } => self.next = self.next.max(*next),
            Entry::Limited { per_second } => self.limit = *per_second,
            Entry::AtOnce { count } => self.at_once = (*count).clamp(1, MOST_AT_ONCE),
            Entry::Halted { why } => self.halted.clone_from(why),
            Entry::Moved { id, before } => self.put_before(*id, *before),
            Entry::Cleared { ids } => {
                self.uploads.retain(|upload| !(ids.contains(&upload.id) && upload.is_over()));
            }
            Entry::Began { id, .. }
            | Entry::Leaving { id, .. }
            | Entry::Unsent { id }
            | Entry::Broke { id, .. }
            | Entry::Released { id }
            | Entry::Failed { id, .. }
            | Entry::Paused { id }
            | Entry::Resumed { id, .. }
            | Entry::Aimed { id, .. }
            | Entry::Placed { id, .. }
            | Entry::Cancelled { id, .. } => {
                if let Some(upload) = self.uploads.iter_mut().find(|upload| upload.id == *id) {
                    upload.take(entry);
                }
            }
        }
    }

    fn put_before(&mut self, id: UploadId, before: Option<UploadId>) {
        let Some(from) = self.uploads.iter().position(|upload| upload.id == id) else { return };
        if before == Some(id) {
            return;
        }
        let upload = self.uploads.remove(from);
        let to = before.and_then(|before| self.uploads.iter().position(|upload| upload.id == before));
        self.uploads.insert(to.unwrap_or(self.uploads.len()), upload);
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

impl Upload {
    fn forget_leaving(&mut self) {
        self.begun_ms = None;
        self.known.clear();
    }

    fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Placed { how, .. } => {
                // What was settled first counts.
                if self.destination.is_some() {
                    self.placed.get_or_insert(*how);
                }
                return;
            }
            Entry::Aimed { step, label, .. } => {
                if let Some(destination) = &mut self.destination {
                    (destination.step, destination.label) = (step.clone(), label.clone());
                }
                return;
            }
            _ => {}
        }
        // What arrived has arrived, whatever was said meanwhile.
        if matches!(self.state, State::Done { .. }) {
            return;
        }
        let ended = self.state.has_ended();
        match entry {
            Entry::Arrived { at_ms, video, found, .. } => {
                self.state = State::Done { video: video.clone(), at_ms: *at_ms, found: *found };
            }
            Entry::Began { by, .. } if self.state.is_under_way() => self.state = State::Sending { by: *by },
            Entry::Leaving { at_ms, known, .. } if self.begun_ms.is_none() => {
                self.begun_ms = Some(*at_ms);
                self.known.clone_from(known);
            }
            Entry::Unsent { .. } => self.forget_leaving(),
            Entry::Broke { why, again_ms, .. } if self.state.is_under_way() => {
                self.breaks = self.breaks.saturating_add(1);
                self.state = State::Retrying { why: why.clone(), again_ms: *again_ms };
            }
            Entry::Released { .. } if matches!(self.state, State::Sending { .. }) => self.state = State::Waiting,
            Entry::Failed { at_ms, why, mend, .. } if !ended => {
                self.state = State::Failed { why: why.clone(), mend: mend.clone(), at_ms: *at_ms };
            }
            Entry::Paused { .. } if self.state.is_under_way() => self.state = State::Paused,
            Entry::Resumed { file, .. } if !matches!(self.state, State::Sending { .. }) => {
                if let Some(file) = file {
                    if file.fingerprint != self.file.fingerprint {
                        // What was sent before was another file.
                        self.forget_leaving();
                    }
                    self.file = (**file).clone();
                }
                self.breaks = 0;
                self.state = State::Waiting;
            }
            Entry::Cancelled { at_ms, .. } if !ended => self.state = State::Cancelled { at_ms: *at_ms },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::uploads::{FilePath, Fingerprint, StepKey};

    fn file(name: &str) -> Box<VideoFile> {
        Box::new(VideoFile {
            path: FilePath(format!("/clips/{name}").into()),
            name: name.to_owned(),
            fingerprint: Fingerprint { size: 100, modified_ns: Some(1), inode: None },
            content_type: "video/mp4".to_owned(),
            duration_ms: Some(1500),
            picture: Some((16, 9)),
        })
    }

    fn added(id: u64) -> Entry {
        Entry::Added { id: UploadId(id), at_ms: 1, file: file("a.mp4"), destination: None }
    }

    fn added_for(id: u64, label: &str) -> Entry {
        let destination = Destination {
            project: "p".into(),
            project_name: "Gift finder".to_owned(),
            step: StepKey::New("4".to_owned()),
            label: label.to_owned(),
            before: String::new(),
        };
        Entry::Added { id: UploadId(id), at_ms: 1, file: file("a.mp4"), destination: Some(Box::new(destination)) }
    }

    fn queue(entries: &[Entry]) -> Queue {
        let mut queue = Queue::default();
        for entry in entries {
            queue.apply(entry);
        }
        queue
    }

    fn order(queue: &Queue) -> Vec<u64> {
        queue.uploads().iter().map(|upload| upload.id.0).collect()
    }

    fn entries() -> impl Strategy<Value = Entry> {
        let id = || (1..6u64).prop_map(UploadId);
        prop_oneof![
            3 => (1..6u64).prop_map(added),
            2 => (1..6u64).prop_map(|id| added_for(id, "new-1")),
            1 => id().prop_map(|id| Entry::Placed { id, how: Placement::Made }),
            1 => id().prop_map(|id| Entry::Aimed { id, step: StepKey::Id("s".into()), label: "pHB58".into() }),
            2 => (id(), 0..9i64).prop_map(|(id, at_ms)| Entry::Began { id, at_ms, by: 7 }),
            1 => (id(), 0..9i64).prop_map(|(id, at_ms)| Entry::Leaving { id, at_ms, known: vec!["w".into()] }),
            1 => id().prop_map(|id| Entry::Unsent { id }),
            1 => id().prop_map(|id| Entry::Arrived { id, at_ms: 3, video: "v".into(), found: true }),
            1 => (id(), 0..99i64).prop_map(|(id, again_ms)| Entry::Broke { id, why: "line".into(), again_ms }),
            1 => id().prop_map(|id| Entry::Released { id }),
            1 => id().prop_map(|id| Entry::Failed { id, at_ms: 3, why: "413".into(), mend: "smaller".into() }),
            1 => id().prop_map(|id| Entry::Arrived { id, at_ms: 3, video: "v".into(), found: false }),
            1 => id().prop_map(|id| Entry::Paused { id }),
            1 => id().prop_map(|id| Entry::Resumed { id, file: None }),
            1 => id().prop_map(|id| Entry::Cancelled { id, at_ms: 4 }),
            1 => (id(), prop::option::of(id())).prop_map(|(id, before)| Entry::Moved { id, before }),
            1 => prop::collection::vec(id(), 0..3).prop_map(|ids| Entry::Cleared { ids }),
            1 => (0..20usize).prop_map(|count| Entry::AtOnce { count }),
            1 => prop::option::of("[a-c]").prop_map(|why| Entry::Halted { why }),
            1 => prop::option::of(1..9u64).prop_map(|per_second| Entry::Limited { per_second }),
        ]
    }

    proptest! {
        #[test]
        fn a_compacted_journal_comes_to_the_same_queue(entries in prop::collection::vec(entries(), 0..60)) {
            let before = queue(&entries);
            let mut after = Queue::default();
            for entry in before.compacted() {
                let text = serde_json::to_string(&entry).unwrap();
                after.apply(&serde_json::from_str(&text).unwrap());
            }
            prop_assert_eq!(before, after);
        }

        #[test]
        fn numbers_are_given_once_and_what_arrived_stays_arrived(entries in prop::collection::vec(entries(), 0..60)) {
            let mut queue = Queue::default();
            for entry in entries {
                let next = queue.next_id();
                let done: Vec<_> = queue.uploads().iter()
                    .filter(|upload| matches!(upload.state, State::Done { .. })).cloned().collect();
                queue.apply(&entry);
                prop_assert!(queue.next_id() >= next);
                for upload in done {
                    prop_assert!(queue.get(upload.id).is_none_or(|now| now.state == upload.state));
                    prop_assert!(!upload.is_owed() || queue.get(upload.id).is_some());
                }
                let mut ids = order(&queue);
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), queue.uploads().len());
            }
        }
    }

    #[test]
    fn an_upload_waits_is_sent_breaks_and_arrives() {
        let id = UploadId(1);
        let mut queue = queue(&[added(1), added(2)]);
        assert_eq!(queue.ready(0).map(|upload| upload.id.0).collect::<Vec<_>>(), [1, 2]);
        queue.apply(&Entry::Began { id, at_ms: 5, by: 9 });
        assert_eq!(queue.ready(0).count(), 1);
        queue.apply(&Entry::Broke { id, why: "line".into(), again_ms: 50 });
        assert_eq!((queue.ready(49).count(), queue.ready(50).count()), (1, 2));
        assert_eq!((queue.next_time(49), queue.next_time(50)), (Some(50), None));
        queue.apply(&Entry::Leaving { id, at_ms: 55, known: vec!["old".into()] });
        queue.apply(&Entry::Began { id, at_ms: 60, by: 9 });
        queue.apply(&Entry::Leaving { id, at_ms: 60, known: Vec::new() });
        assert_eq!(
            queue.get(id).map(|upload| (upload.begun_ms, &*upload.known)),
            Some((Some(55), &["old".into()][..]))
        );
        queue.apply(&Entry::Arrived { id, at_ms: 70, video: "v".into(), found: false });
        assert_eq!(queue.get(id).unwrap().state.word(), "done");
        assert!(queue.is_claimed(&"v".into(), UploadId(2)) && !queue.is_claimed(&"v".into(), id));
    }

    #[test]
    fn the_limit_of_all_is_shared_by_those_that_send() {
        let mut queue = queue(&[added(1), added(2), added(3), Entry::Limited { per_second: Some(3_000_000) }]);
        assert_eq!(queue.share_of_limit(0), Some(3_000_000));
        for (id, by) in [(1, 7), (2, 7), (3, 8)] {
            queue.apply(&Entry::Began { id: UploadId(id), at_ms: 5, by });
        }
        assert_eq!((queue.share_of_limit(2), queue.share_of_limit(1)), (Some(2_000_000), Some(1_000_000)));
        queue.apply(&Entry::Limited { per_second: None });
        assert_eq!(queue.share_of_limit(1), None);
    }

    #[test]
    fn no_video_is_taken_for_two_uploads_not_even_once_one_is_off_the_list() {
        let (one, two) = (UploadId(1), UploadId(2));
        let found = |id, video: &str| Entry::Arrived { id, at_ms: 7, video: video.into(), found: true };
        let mut queue = queue(&[added(1), added(2)]);
        for id in [one, two] {
            queue.apply(&Entry::Began { id, at_ms: 5, by: 9 });
            queue.apply(&Entry::Leaving { id, at_ms: 5, known: Vec::new() });
        }
        queue.apply(&found(one, "v"));
        queue.apply(&found(two, "v"));
        assert_eq!(queue.get(two).unwrap().state, State::Waiting, "it is looked for again");
        queue.apply(&Entry::Cleared { ids: vec![one] });
        let mut queue = super::tests::queue(&queue.compacted());
        assert_eq!(queue.claimed(two).collect::<Vec<_>>(), ["v"]);
        queue.apply(&found(two, "v"));
        assert_eq!(queue.get(two).unwrap().state, State::Waiting);
        // Another file under the same name has not been sent before.
        assert_eq!(queue.get(two).unwrap().begun_ms, Some(5));
        let mut other = file("a.mp4");
        other.fingerprint.modified_ns = Some(2);
        queue.apply(&Entry::Resumed { id: two, file: Some(other) });
        assert_eq!(queue.get(two).unwrap().begun_ms, None);
    }

    #[test]
    fn what_arrived_while_it_was_cancelled_has_arrived() {
        let id = UploadId(1);
        let queue = queue(&[
            added(1),
            Entry::Began { id, at_ms: 5, by: 9 },
            Entry::Cancelled { id, at_ms: 6 },
            Entry::Arrived { id, at_ms: 7, video: "v".into(), found: false },
        ]);
        assert_eq!(queue.get(id).unwrap().state.word(), "done");
    }

    #[test]
    fn the_order_is_changed_and_only_what_ended_is_cleared() {
        let mut queue = queue(&[added(1), added(2), added(3)]);
        queue.apply(&Entry::Moved { id: UploadId(3), before: Some(UploadId(1)) });
        assert_eq!(order(&queue), [3, 1, 2]);
        queue.apply(&Entry::Moved { id: UploadId(3), before: None });
        queue.apply(&Entry::Moved { id: UploadId(9), before: None });
        assert_eq!(order(&queue), [1, 2, 3]);
        queue.apply(&Entry::Cancelled { id: UploadId(2), at_ms: 4 });
        queue.apply(&Entry::Cleared { ids: vec![UploadId(1), UploadId(2)] });
        assert_eq!(order(&queue), [1, 3]);
    }

    #[test]
    fn what_is_owed_to_a_step_stays_on_the_list_until_that_is_settled_once() {
        let id = UploadId(1);
        let cleared = Entry::Cleared { ids: vec![id] };
        let mut queue = queue(&[added_for(1, "new-1"), Entry::Began { id, at_ms: 5, by: 9 }]);
        assert!(!queue.get(id).unwrap().is_owed(), "it has not arrived");
        queue.apply(&Entry::Aimed { id, step: StepKey::Id("s-4".into()), label: "pHB58".into() });
        queue.apply(&Entry::Arrived { id, at_ms: 7, video: "v".into(), found: false });
        queue.apply(&cleared);
        let owed = queue.get(id).unwrap();
        assert_eq!(owed.waits_for().unwrap().step, StepKey::Id("s-4".into()));
        assert!(owed.is_owed());
        queue.apply(&Entry::Placed { id, how: Placement::Made });
        queue.apply(&Entry::Placed { id, how: Placement::Gone });
        assert_eq!(queue.get(id).unwrap().placed, Some(Placement::Made));
        queue.apply(&cleared);
        assert_eq!(queue.uploads(), []);
    }
}
