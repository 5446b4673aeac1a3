//! What comes of what was begun: arrived, broken, given up.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::asked::Stopped;
use super::driver::{Driver, now_ms};
use super::folder::Held;
use super::sender::{Came, trouble};
use crate::client::ClientError;
use crate::domain::VideoId;
use crate::uploads::{Entry, UploadId, Verdict, verdict};

/// An upload whose bytes do not move for so long stands still.
const STALLED: Duration = Duration::from_secs(5);

/// From 0 to 1.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

impl Driver {
    /// Whether what was found in the library for one turned out to be another's meanwhile, or may.
    fn is_doubtful(&self, id: UploadId, video: &VideoId) -> bool {
        let queue = self.journal.queue();
        queue.is_claimed(video, id) || queue.get(id).is_some_and(|upload| self.has_twin_on_its_way(upload))
    }

    pub(super) fn settle(&mut self, id: UploadId, came: Came) {
        let Some(sending) = self.sending.remove(&id) else { return };
        match came {
            Came::Absent { known } => self.send(id, known, sending),
            Came::Arrived { video, found: true, .. } if self.is_doubtful(id, &video) => {
                self.keep(Entry::Released { id }, Some(sending.held));
            }
            Came::Arrived { video, found, body } => {
                (self.got_on, self.broke) = (Instant::now(), None);
                self.keep(Entry::arrived(id, now_ms(), &video, found), Some(sending.held));
                // Another process may have taken it first: then it is looked for again.
                if found && self.journal.queue().is_claimed(&video, id) {
                    return;
                }
                self.show.send_modify(|seen| {
                    Arc::make_mut(&mut seen.arrived).insert(id, (video.clone(), body));
                });
                let upload = self.journal.queue().get(id);
                if let Some(ms) = upload.and_then(|upload| upload.file.duration_ms) {
                    self.lengths.note(&video, ms);
                }
                tracing::info!(id = id.0, video = video.as_str(), found, "uploaded");
            }
            Came::Broke { error, retry_after } => {
                let breaks = self.journal.queue().get(id).map_or(0, |upload| upload.breaks).saturating_add(1);
                let why = error.to_string();
                tracing::warn!(id = id.0, error = why.as_str(), sent = sending.progress.sent(), "not uploaded");
                if sending.is_first && matches!(error, ClientError::Unreachable { .. }) {
                    let noted = self.journal.append(&[Entry::Unsent { id }]);
                    self.note_fault(noted);
                }
                match verdict(&trouble(&error), breaks, retry_after, chance()) {
                    Verdict::Again(pause) => {
                        self.broke = Some(Stopped { why: why.clone(), code: error.exit_code() });
                        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
                        let again_ms = now_ms().saturating_add(pause);
                        self.keep(Entry::Broke { id, why, again_ms }, Some(sending.held));
                    }
                    Verdict::SignIn => {
                        self.keep(Entry::Released { id }, Some(sending.held));
                        let halted =
                            format!("{why}: sign in (cutaway login, or another key), then the uploads continue");
                        let noted = self.journal.append(&[Entry::Halted { why: Some(format!("{halted}.")) }]);
                        self.note_fault(noted);
                        self.stopped.get_or_insert(Stopped { why: halted, code: 3 });
                    }
                    Verdict::Fail(fix) => {
                        self.note_code(id, error.exit_code());
                        self.fail(id, why, fix.to_owned(), Some(sending.held));
                    }
                }
            }
        }
    }

    /// Where nothing got on for longer than is waited here, and nothing moves, what is left is for another time.
    pub(super) fn give_up_what_is_stuck(&mut self) {
        let now = Instant::now();
        for (id, sending) in &mut self.sending {
            let sent = sending.progress.sent();
            if sent != sending.moved.1 {
                sending.moved = (now, sent);
            }
            let most = self.most.entry(*id).or_default();
            if sent > *most {
                (*most, self.got_on, self.broke) = (sent, now, None);
            }
        }
        let Some(patience) = self.options.patience else { return };
        let is_stuck = self.broke.is_some() || !self.sending.is_empty();
        let moves = self.sending.values().any(|sending| now.duration_since(sending.moved.0) < STALLED);
        if self.stopped.is_some() || !is_stuck || moves || now.duration_since(self.got_on) < patience {
            return;
        }
        for (id, sending) in std::mem::take(&mut self.sending) {
            sending.task.abort();
            self.keep(Entry::Released { id }, Some(sending.held));
        }
        let silent = || Stopped { why: "the service doesn't respond".to_owned(), code: 6 };
        self.stopped = Some(self.broke.take().unwrap_or_else(silent));
    }

    fn note_code(&self, id: UploadId, code: u8) {
        self.show.send_modify(|seen| {
            Arc::make_mut(&mut seen.codes).insert(id, code);
        });
    }

    pub(super) fn fail(&mut self, id: UploadId, why: String, fix: String, held: Option<Held>) {
        self.keep(Entry::Failed { id, at_ms: now_ms(), why, fix }, held);
    }
}
