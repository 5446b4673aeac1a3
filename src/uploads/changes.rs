//! What an entry of the journal makes of the queue.

use super::destination::Destination;
use super::entry::Entry;
use super::file::VideoFile;
use super::queue::{MOST_AT_ONCE, Queue};
use super::upload::{State, Taken, Upload, UploadId};
use crate::domain::VideoId;

/// How many videos are remembered that uploads have become, the newest: an upload asks for those since it was begun.
const MOST_TAKEN: usize = 1000;

/// An upload as it is when it was added.
fn added(id: UploadId, at_ms: i64, file: &VideoFile, destination: Option<Box<Destination>>) -> Upload {
    Upload {
        id,
        file: file.clone(),
        added_ms: at_ms,
        begun_ms: None,
        known: Vec::new(),
        breaks: 0,
        destination,
        placed: None,
        state: State::Waiting,
    }
}

impl Queue {
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
                    self.uploads.push(added(*id, *at_ms, file, destination.clone()));
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
            Entry::Failed { at_ms, why, fix, .. } if !ended => {
                self.state = State::Failed { why: why.clone(), fix: fix.clone(), at_ms: *at_ms };
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
