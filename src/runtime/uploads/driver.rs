//! The driver of the queue: begins what may be begun, writes down what comes of it, and shows how it stands.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::asked::{Ask, Options, Seen, Stopped};
use super::folder::Held;
use super::journal::Journal;
use super::lengths::Lengths;
use super::library::Before;
use super::look::look;
use super::sender::Came;
use crate::client::{Client, Progress, RateLimit};
use crate::uploads::{Entry, Queue, Speed, State, UploadId};

/// How often progress is shown and what others do is looked at, while something is sent here.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// How often the journal is looked at for what others wrote, while something is under way.
const LOOKED_EVERY: Duration = Duration::from_millis(500);

/// What to do about a file that is not sent again.
const FIX_UNSENT: &str = "move the video back to where it was and retry, or remove the upload";

/// One that is sent here.
pub(super) struct Sending {
    pub(super) task: AbortHandle,
    pub(super) progress: Arc<Progress>,
    pub(super) speed: Speed,
    pub(super) held: Held,
    /// Whether nothing of it had been sent before.
    pub(super) is_first: bool,
    /// When its bytes were seen to move last, and how many they were.
    pub(super) moved: (Instant, u64),
}

pub(super) struct Driver {
    pub(super) journal: Journal,
    pub(super) client: Client,
    pub(super) options: Options,
    pub(super) show: watch::Sender<Seen>,
    pub(super) limit: Arc<RateLimit>,
    pub(super) before: Arc<Before>,
    pub(super) tasks: JoinSet<(UploadId, Came)>,
    pub(super) sending: HashMap<UploadId, Sending>,
    /// What could not be written down yet, with the locks of those it is about.
    pub(super) unsaved: Vec<(Entry, Option<Held>)>,
    pub(super) fault: Option<String>,
    pub(super) stopped: Option<Stopped>,
    /// Why nothing more is begun while the profile is read-only.
    pub(super) held_back: Option<String>,
    pub(super) sign_ins: watch::Receiver<u64>,
    /// When there was a byte more on its way than ever before, and what broke since.
    pub(super) got_on: Instant,
    pub(super) broke: Option<Stopped>,
    /// How many bytes of each were on their way at most.
    pub(super) most: HashMap<UploadId, u64>,
    pub(super) speeds_of_others: HashMap<UploadId, Speed>,
    pub(super) looked: Instant,
    pub(super) elsewhere: bool,
    pub(super) kept: Arc<Queue>,
    /// Of which journal, and with how much that is not in it, `kept` is.
    pub(super) kept_of: (u64, usize),
    pub(super) lengths: Lengths,
}

/// The time of now, milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

impl Driver {
    pub(super) fn new(journal: Journal, client: Client, options: Options, show: watch::Sender<Seen>) -> Self {
        let sign_ins = client.sign_ins();
        Self {
            kept: Arc::new(journal.queue().clone()),
            kept_of: (journal.changes(), 0),
            lengths: Lengths::open(journal.folder()),
            journal,
            client,
            options,
            show,
            limit: Arc::default(),
            before: Arc::default(),
            tasks: JoinSet::new(),
            sending: HashMap::new(),
            unsaved: Vec::new(),
            fault: None,
            stopped: None,
            held_back: None,
            sign_ins,
            got_on: Instant::now(),
            broke: None,
            most: HashMap::new(),
            speeds_of_others: HashMap::new(),
            looked: Instant::now(),
            elsewhere: false,
        }
    }

    pub(super) async fn run(mut self, mut asks: mpsc::UnboundedReceiver<Ask>) {
        self.free_the_forsaken();
        loop {
            self.begin_what_may();
            self.give_up_what_is_stuck();
            self.publish();
            let queue = self.journal.queue();
            let pace = if !self.sending.is_empty() {
                Some(SHOWN_EVERY)
            } else if self.is_to_be_looked_at() {
                Some(LOOKED_EVERY)
            } else {
                None
            };
            // A retry is begun when its time comes, not at the next look.
            let now = now_ms();
            let retry = queue.next_time(now).map(|at| u64::try_from(at.saturating_sub(now)).unwrap_or_default() + 1);
            let wait = pace.map(|pace| retry.map_or(pace, |retry| pace.min(Duration::from_millis(retry))));
            let wake = Instant::now() + wait.unwrap_or(Duration::MAX / 4).min(Duration::from_secs(3600));
            tokio::select! {
                ask = asks.recv() => match ask {
                    Some(ask) => self.take(ask).await,
                    None => break,
                },
                Some(ended) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Ok((id, came)) = ended {
                        self.settle(id, came);
                    }
                }
                Ok(()) = self.sign_ins.changed() => self.go_on(),
                () = sleep_until(wake) => {}
            }
            if self.looked.elapsed() >= LOOKED_EVERY {
                self.look_around();
            }
        }
        self.release();
    }

    /// What others wrote, what could not be written before, and what others left behind.
    fn look_around(&mut self) {
        self.looked = Instant::now();
        for (entry, held) in std::mem::take(&mut self.unsaved) {
            self.keep(entry, held);
        }
        let read = self.journal.refresh();
        if matches!(read, Ok(true)) {
            self.lengths.refresh();
        }
        self.note_fault(read.map(|_| ()));
        self.drop_the_unwanted();
        self.free_the_forsaken();
        self.elsewhere = self.journal.folder().has_background();
        for sending in self.sending.values_mut() {
            sending.held.note(sending.progress.sent());
        }
    }

    async fn take(&mut self, ask: Ask) {
        match ask {
            Ask::Add(files, destination, answer) => {
                let added = self.journal.add(files, destination.as_deref(), now_ms());
                let _ = answer.send(added.map_err(|error| not_kept(&error)));
            }
            Ask::Note(entries) => {
                let written = self.journal.append(&entries);
                self.note_fault(written);
                self.drop_the_unwanted();
            }
            Ask::Resume(ids) => self.resume(ids).await,
            Ask::Look => {}
            Ask::Changed => {
                // What was written here is known already: then there is nothing to do.
                if matches!(self.journal.refresh(), Ok(true)) {
                    self.lengths.refresh();
                    self.drop_the_unwanted();
                    self.elsewhere = self.journal.folder().has_background();
                }
                return;
            }
        }
        self.look_around();
    }

    /// Sends them again. One that has ended is looked at again: its file may be another by now.
    async fn resume(&mut self, ids: Vec<UploadId>) {
        for id in ids {
            let Some(upload) = self.journal.queue().get(id).cloned() else { continue };
            let entries = if upload.state.has_ended() {
                let path = upload.file.path.0.clone();
                match tokio::task::spawn_blocking(move || look(&path)).await {
                    Ok(Ok(file)) => vec![Entry::Resumed { id, file: Some(Box::new(file)) }],
                    // It was tried again, and failed for this reason: that is how it stands now.
                    Ok(Err(error)) => {
                        let (why, fix) = (format!("couldn't retry: {error}"), FIX_UNSENT.to_owned());
                        let failed = Entry::Failed { id, at_ms: now_ms(), why, fix };
                        vec![Entry::Resumed { id, file: None }, failed]
                    }
                    Err(_) => continue,
                }
            } else {
                vec![Entry::Resumed { id, file: None }]
            };
            self.go_on();
            let written = self.journal.append(&entries);
            self.note_fault(written);
        }
    }

    /// Those that were paused or cancelled, here or elsewhere, are no longer sent.
    fn drop_the_unwanted(&mut self) {
        let queue = self.journal.queue();
        let me = std::process::id();
        self.sending.retain(|id, sending| {
            let mine = queue.get(*id).is_some_and(|upload| upload.state == State::Sending { by: me });
            if !mine {
                sending.task.abort();
            }
            mine
        });
    }

    /// Those whose process died are for anyone again. Its lock went with it.
    fn free_the_forsaken(&mut self) {
        let sent = self.journal.queue().uploads().iter().filter(|upload| matches!(upload.state, State::Sending { .. }));
        let sent: Vec<UploadId> = sent.map(|upload| upload.id).filter(|id| !self.is_ours(*id)).collect();
        for id in sent {
            if let Ok(Some(_held)) = self.journal.folder().hold(id) {
                // With the lock held nobody begins it; whether it still stands as it did is known after reading.
                let written = self.journal.append(&[Entry::Released { id }]);
                self.note_fault(written);
            }
        }
    }

    pub(super) fn is_ours(&self, id: UploadId) -> bool {
        self.sending.contains_key(&id) || self.unsaved.iter().any(|(entry, _)| is_about(entry, id))
    }

    /// What was stopped is tried again: someone signed in, or wants it.
    pub(super) fn go_on(&mut self) {
        (self.stopped, self.got_on) = (None, Instant::now());
        if self.journal.queue().halted.is_some() {
            let noted = self.journal.append(&[Entry::Halted { why: None }]);
            self.note_fault(noted);
        }
    }

    /// Whether something may happen that nothing here would be told of.
    fn is_to_be_looked_at(&self) -> bool {
        let queue = self.journal.queue();
        let is_sent = || queue.uploads().iter().any(|upload| matches!(upload.state, State::Sending { .. }));
        let held_back = self.held_back.is_some() && queue.is_under_way();
        !self.unsaved.is_empty() || held_back || if self.stopped.is_some() { is_sent() } else { queue.is_under_way() }
    }

    /// Writes down what happened. What can't be written now is written later, and until then its lock is held.
    pub(super) fn keep(&mut self, entry: Entry, held: Option<Held>) {
        let written = self.journal.append(std::slice::from_ref(&entry));
        if written.is_err() {
            self.unsaved.push((entry, held));
        }
        self.note_fault(written);
    }

    pub(super) fn note_fault(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) if self.unsaved.is_empty() => self.fault = None,
            Ok(()) => {}
            Err(error) => self.fault = Some(not_kept(&error)),
        }
    }

    /// Hands everything over: nothing is sent from here any more.
    fn release(&mut self) {
        self.tasks.abort_all();
        let entries: Vec<Entry> = self.sending.keys().map(|id| Entry::Released { id: *id }).collect();
        // The locks are held until that is written: nobody begins one that is said to be sent here.
        if let Err(error) = self.journal.append(&entries) {
            tracing::warn!(%error, "the uploads could not be handed over; their locks say it");
        }
        self.sending.clear();
    }
}

fn is_about(entry: &Entry, wanted: UploadId) -> bool {
    match entry {
        Entry::Broke { id, .. } | Entry::Failed { id, .. } | Entry::Arrived { id, .. } | Entry::Released { id } => {
            *id == wanted
        }
        _ => false,
    }
}

pub(super) fn not_kept(error: &io::Error) -> String {
    format!("the journal of the uploads can't be written: {error}")
}
