//! Beginning what may be begun.

use std::sync::Arc;

use tokio::time::Instant;

use super::asked::Stopped;
use super::driver::{Driver, Sending, not_kept, now_ms};
use super::{library, sender};
use crate::client::Progress;
use crate::domain::VideoId;
use crate::uploads::{Entry, Speed, State, Upload, UploadId};

impl Driver {
    pub(super) fn begin_what_may(&mut self) {
        // Of what all together may send, others send their share.
        let limit = self.options.limit.or_else(|| self.journal.queue().share_of_limit(self.sending.len()));
        self.limit.set(limit);
        self.heed_the_profile();
        if self.stopped.is_some() {
            return;
        }
        loop {
            let queue = self.journal.queue();
            let busy = queue.uploads().iter().filter(|upload| matches!(upload.state, State::Sending { .. })).count();
            if busy >= queue.at_once || self.client.is_read_only() {
                return;
            }
            let wanted = |id: &UploadId| self.options.only.as_ref().is_none_or(|only| only.contains(id));
            let ready: Vec<UploadId> = queue.ready(now_ms()).map(|upload| upload.id).filter(wanted).collect();
            // What another process is about to send is left to it.
            if !ready.into_iter().any(|id| self.begin(id)) {
                return;
            }
        }
    }

    /// Stops what waits once the profile is read-only, and goes on with it once it is not any more. What is being sent
    /// is sent to its end: half of it would be nothing, and all of it may have arrived.
    fn heed_the_profile(&mut self) {
        let Some(guard) = self.options.guard.as_mut().filter(|_| self.journal.queue().is_under_way()) else { return };
        if !guard.is_read_only() {
            if self.held_back.take().is_some() {
                self.go_on();
            }
        } else if self.stopped.is_none() {
            let why =
                format!("the profile {} is read-only now; what is not sent yet stays in the queue", guard.profile());
            self.held_back = Some(why.clone());
            self.stopped = Some(Stopped { why, code: 7 });
        }
    }

    /// Begins one; whether that changed anything.
    fn begin(&mut self, id: UploadId) -> bool {
        if self.is_ours(id) {
            return false;
        }
        let Ok(Some(mut held)) = self.journal.folder().hold(id) else { return false };
        if self.journal.refresh().is_err() {
            return false;
        }
        let Some(before) = self.journal.queue().get(id).cloned() else { return true };
        if !before.state.is_under_way() {
            return true;
        }
        // Whose video it is that arrives meanwhile is known once the other has its answer.
        if before.begun_ms.is_some() && self.has_twin_on_its_way(&before) {
            return false;
        }
        let by = std::process::id();
        // On the disk before the first byte is sent: whoever comes after looks for it in the library.
        let began = self.journal.append(&[Entry::Began { id, at_ms: now_ms(), by }]);
        let is_kept = began.is_ok();
        if let Err(error) = &began
            && self.options.patience.is_some()
        {
            let why = not_kept(error);
            self.fail(id, why, "free some space on the disk of the state folder, then try again".to_owned(), None);
        }
        self.note_fault(began);
        if !is_kept || self.journal.queue().get(id).is_none_or(|upload| upload.state != (State::Sending { by })) {
            return is_kept;
        }
        held.note(0);
        let is_first = before.begun_ms.is_none();
        let claimed = self.journal.queue().claimed(id).map(VideoId::from).collect();
        let looked = sender::look_for(self.client.clone(), before, claimed, Arc::clone(&self.before));
        let task = self.tasks.spawn(async move { (id, looked.await) });
        let progress = Arc::new(Progress::default());
        let now = Instant::now();
        if self.sending.is_empty() && self.broke.is_none() {
            self.got_on = now;
        }
        let sending = Sending { task, progress, speed: Speed::default(), held, is_first, moved: (now, 0) };
        self.sending.insert(id, sending);
        true
    }

    /// Whether one is being sent whose video could be mistaken for this one's.
    pub(super) fn has_twin_on_its_way(&self, upload: &Upload) -> bool {
        let on_their_way = |other: &&Upload| matches!(other.state, State::Sending { .. }) && other.id != upload.id;
        let mut others = self.journal.queue().uploads().iter().filter(on_their_way);
        others.any(|other| library::are_alike(other, upload))
    }

    /// Sends one that is not in the library.
    pub(super) fn send(&mut self, id: UploadId, known: Vec<String>, mut sending: Sending) {
        if self.stopped.is_some() {
            self.keep(Entry::Released { id }, Some(sending.held));
            return;
        }
        if sending.is_first {
            // On the disk before the first byte goes: what comes into the library after this may be it.
            let noted = self.journal.append(&[Entry::Leaving { id, at_ms: now_ms(), known }]);
            let is_noted = noted.is_ok();
            self.note_fault(noted);
            if !is_noted {
                self.keep(Entry::Released { id }, Some(sending.held));
                return;
            }
        }
        let Some(upload) = self.journal.queue().get(id).cloned() else { return };
        if upload.state != (State::Sending { by: std::process::id() }) {
            return;
        }
        // One that was taken for a twin's may be what the service kept under this one's key: then it needs another key.
        let is_twin = |other: &Upload| other.id != id && library::are_alike(other, &upload);
        let key = sender::key(&upload, &self.journal.queue().claimed_by(is_twin));
        let sent =
            sender::send(self.client.clone(), upload, key, Arc::clone(&sending.progress), Arc::clone(&self.limit));
        sending.task = self.tasks.spawn(async move { (id, sent.await) });
        self.sending.insert(id, sending);
    }
}
