//! The driver of the queue: begins what may be begun, writes down what comes of it, and shows how it stands.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::folder::Held;
use super::journal::Journal;
use super::lengths::Lengths;
use super::look::look;
use super::sender::{self, Came, trouble};
use crate::client::{Client, Progress, RateLimit};
use crate::domain::VideoId;
use crate::uploads::{
    Course, Destination, Entry, Overview, Queue, Speed, State, Upload, UploadId, Verdict, VideoFile, verdict,
};

/// How often progress is shown and what others do is looked at, while something is sent here.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// How often the journal is looked at for what others wrote, while something is under way.
const LOOKED_EVERY: Duration = Duration::from_millis(500);

/// What to do about a file that is not sent again.
const MEND_UNSENT: &str = "put the video back where it was and retry it, or take it off the list";

/// How a queue is driven.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these are sent; none is all of them.
    pub only: Option<Vec<UploadId>>,
    /// Bytes a second, in place of the queue's own limit.
    pub limit: Option<u64>,
    /// One that breaks for longer than this, without a byte more on its way, has failed; none is as the queue has it.
    pub patience: Option<Duration>,
}

/// What the driver is asked for.
#[derive(Debug)]
pub enum Ask {
    /// Queue these files, for a step where one is named; the answer is their numbers, or why they could not be kept.
    Add(Vec<VideoFile>, Option<Box<Destination>>, oneshot::Sender<Result<Vec<UploadId>, String>>),
    /// Write these down: pauses, cancellations, places, limits.
    Note(Vec<Entry>),
    /// Send these again, looked at anew.
    Resume(Vec<UploadId>),
    /// Look at what others wrote.
    Look,
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
}

/// A queue being driven. It goes on until it is dropped or stopped.
#[derive(Debug)]
pub struct Uploads {
    asks: mpsc::UnboundedSender<Ask>,
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
}

impl Uploads {
    /// Drives a queue.
    #[must_use]
    pub fn start(journal: Journal, client: Client, options: Options) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        // How it stands is known from the first look on: nobody takes one that is not there yet for one that is gone.
        let overview = Overview { queue: Arc::new(journal.queue().clone()), ..Overview::default() };
        let (show, seen) = watch::channel(Seen { overview, ..Seen::default() });
        let driver = Driver::new(journal, client, options, show);
        Self { asks, seen, task: tokio::spawn(driver.run(asked)) }
    }

    /// Asks for something; what comes of it is seen.
    pub fn ask(&self, ask: Ask) {
        let _ = self.asks.send(ask);
    }

    /// How it stands: now, which counts as a change, and later.
    #[must_use]
    pub fn seen(&self) -> watch::Receiver<Seen> {
        let mut seen = self.seen.clone();
        seen.mark_changed();
        seen
    }

    /// Queues files; their numbers.
    ///
    /// # Errors
    /// Why they could not be kept.
    pub async fn add(&self, files: Vec<VideoFile>) -> Result<Vec<UploadId>, String> {
        let (answer, answered) = oneshot::channel();
        self.ask(Ask::Add(files, None, answer));
        answered.await.unwrap_or_else(|_| Err("the queue has ended".to_owned()))
    }

    /// Stops sending; what was being sent is for another process, or for later.
    pub async fn stop(self) {
        drop(self.asks);
        let _ = self.task.await;
    }
}

/// One that is sent here.
struct Sending {
    task: AbortHandle,
    progress: Arc<Progress>,
    speed: Speed,
    held: Held,
}

struct Driver {
    journal: Journal,
    client: Client,
    options: Options,
    show: watch::Sender<Seen>,
    limit: Arc<RateLimit>,
    tasks: JoinSet<(UploadId, Came)>,
    sending: HashMap<UploadId, Sending>,
    /// What could not be written down yet, with the locks of those it is about.
    unsaved: Vec<(Entry, Option<Held>)>,
    fault: Option<String>,
    /// Since when an upload breaks without a byte more on its way, and how many bytes that was.
    stuck: HashMap<UploadId, (Instant, u64)>,
    speeds_of_others: HashMap<UploadId, Speed>,
    looked: Instant,
    elsewhere: bool,
    kept: Arc<Queue>,
    /// Of which journal, and with how much that is not in it, `kept` is.
    kept_of: (u64, usize),
    lengths: Lengths,
}

/// The time of now, milliseconds since 1970.
fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// From 0 to 1.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

impl Driver {
    fn new(journal: Journal, client: Client, options: Options, show: watch::Sender<Seen>) -> Self {
        Self {
            kept: Arc::new(journal.queue().clone()),
            kept_of: (journal.changes(), 0),
            lengths: Lengths::open(journal.folder()),
            journal,
            client,
            options,
            show,
            limit: Arc::default(),
            tasks: JoinSet::new(),
            sending: HashMap::new(),
            unsaved: Vec::new(),
            fault: None,
            stuck: HashMap::new(),
            speeds_of_others: HashMap::new(),
            looked: Instant::now(),
            elsewhere: false,
        }
    }

    async fn run(mut self, mut asks: mpsc::UnboundedReceiver<Ask>) {
        self.free_the_forsaken();
        loop {
            self.begin_what_may();
            self.publish();
            let queue = self.journal.queue();
            let pace = if !self.sending.is_empty() {
                Some(SHOWN_EVERY)
            } else if queue.is_under_way() || !self.unsaved.is_empty() {
                Some(LOOKED_EVERY)
            } else {
                None
            };
            // A retry is begun when its time comes, not at the next look.
            let retry = queue.next_time().map(|at| u64::try_from(at.saturating_sub(now_ms())).unwrap_or_default() + 1);
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
        }
        self.look_around();
    }

    /// Sends them again. One that has ended is looked at anew: its file may be another by now.
    async fn resume(&mut self, ids: Vec<UploadId>) {
        for id in ids {
            let Some(upload) = self.journal.queue().get(id).cloned() else { continue };
            let entries = if upload.state.has_ended() {
                let path = upload.file.path.0.clone();
                match tokio::task::spawn_blocking(move || look(&path)).await {
                    Ok(Ok(file)) => vec![Entry::Resumed { id, file: Some(Box::new(file)) }],
                    // It was tried again, and failed for this reason: that is how it stands now.
                    Ok(Err(error)) => {
                        let (why, mend) = (format!("not sent again: {error}"), MEND_UNSENT.to_owned());
                        let failed = Entry::Failed { id, at_ms: now_ms(), why, mend };
                        vec![Entry::Resumed { id, file: None }, failed]
                    }
                    Err(_) => continue,
                }
            } else {
                vec![Entry::Resumed { id, file: None }]
            };
            self.stuck.remove(&id);
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

    fn is_ours(&self, id: UploadId) -> bool {
        self.sending.contains_key(&id) || self.unsaved.iter().any(|(entry, _)| is_about(entry, id))
    }

    fn begin_what_may(&mut self) {
        let limit = self.options.limit.or(self.journal.queue().limit);
        self.limit.set(limit);
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
        let progress = Arc::new(Progress::default());
        let claimed = self.claimed(id);
        let sent = sender::send(self.client.clone(), before, claimed, Arc::clone(&progress), Arc::clone(&self.limit));
        let task = self.tasks.spawn(async move { (id, sent.await) });
        self.sending.insert(id, Sending { task, progress, speed: Speed::default(), held });
        true
    }

    /// The videos that are known to be other uploads.
    fn claimed(&self, by_other_than: UploadId) -> Vec<VideoId> {
        let uploads = self.journal.queue().uploads().iter().filter(|upload| upload.id != by_other_than);
        let done = uploads.filter_map(|upload| match &upload.state {
            State::Done { video, .. } => Some(VideoId::from(video.as_str())),
            _ => None,
        });
        done.collect()
    }

    fn settle(&mut self, id: UploadId, came: Came) {
        let Some(sending) = self.sending.remove(&id) else { return };
        match came {
            Came::Arrived { video, found, body } => {
                self.stuck.remove(&id);
                self.show.send_modify(|seen| {
                    Arc::make_mut(&mut seen.arrived).insert(id, (video.clone(), body));
                });
                let upload = self.journal.queue().get(id);
                if let Some(ms) = upload.and_then(|upload| upload.file.duration_ms) {
                    self.lengths.note(&video, ms);
                }
                tracing::info!(id = id.0, video = video.as_str(), found, "uploaded");
                self.keep(Entry::arrived(id, now_ms(), &video, found), Some(sending.held));
            }
            Came::Broke { error, retry_after } => {
                let breaks = self.journal.queue().get(id).map_or(0, |upload| upload.breaks).saturating_add(1);
                let why = error.to_string();
                tracing::warn!(id = id.0, error = why.as_str(), sent = sending.progress.sent(), "not uploaded");
                let given_up = self.is_given_up(id, sending.progress.sent());
                match verdict(&trouble(&error), breaks, retry_after, chance()) {
                    Verdict::Again(_) if given_up => {
                        let mend = "see that the service is well, then upload it again".to_owned();
                        self.fail(id, why, mend, Some(sending.held));
                        self.note_code(id, error.exit_code());
                    }
                    Verdict::Again(pause) => {
                        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
                        let again_ms = now_ms().saturating_add(pause);
                        self.keep(Entry::Broke { id, why, again_ms }, Some(sending.held));
                    }
                    Verdict::Fail(mend) => {
                        self.note_code(id, error.exit_code());
                        self.fail(id, why, mend.to_owned(), Some(sending.held));
                    }
                }
            }
        }
    }

    fn is_given_up(&mut self, id: UploadId, sent: u64) -> bool {
        let Some(patience) = self.options.patience else { return false };
        let (since, most) = *self.stuck.entry(id).or_insert((Instant::now(), sent));
        if sent > most {
            self.stuck.insert(id, (Instant::now(), sent));
            return false;
        }
        since.elapsed() >= patience
    }

    fn note_code(&self, id: UploadId, code: u8) {
        self.show.send_modify(|seen| {
            Arc::make_mut(&mut seen.codes).insert(id, code);
        });
    }

    fn fail(&mut self, id: UploadId, why: String, mend: String, held: Option<Held>) {
        self.keep(Entry::Failed { id, at_ms: now_ms(), why, mend }, held);
    }

    /// Writes down what happened. What can't be written now is written later, and until then its lock is held.
    fn keep(&mut self, entry: Entry, held: Option<Held>) {
        let written = self.journal.append(std::slice::from_ref(&entry));
        if written.is_err() {
            self.unsaved.push((entry, held));
        }
        self.note_fault(written);
    }

    fn note_fault(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) if self.unsaved.is_empty() => self.fault = None,
            Ok(()) => {}
            Err(error) => self.fault = Some(not_kept(&error)),
        }
    }

    fn publish(&mut self) {
        let now = now_ms();
        // Progress changes nothing in the queue: it is copied when something in it does.
        let of = (self.journal.changes(), self.unsaved.len());
        if self.kept_of != of {
            let mut queue = self.journal.queue().clone();
            self.unsaved.iter().for_each(|(entry, _)| queue.apply(entry));
            (self.kept, self.kept_of) = (Arc::new(queue), of);
        }
        let mut courses = BTreeMap::new();
        for (id, sending) in &mut self.sending {
            let sent = sending.progress.sent();
            sending.speed.note(sent, now);
            courses.insert(*id, Course { sent, per_second: sending.speed.shown(now) });
        }
        let others: Vec<&Upload> =
            self.kept.uploads().iter().filter(|upload| matches!(upload.state, State::Sending { .. })).collect();
        self.speeds_of_others.retain(|id, _| others.iter().any(|upload| upload.id == *id));
        for upload in others {
            if courses.contains_key(&upload.id) {
                continue;
            }
            let sent = self.journal.folder().sent(upload.id).unwrap_or_default();
            let speed = self.speeds_of_others.entry(upload.id).or_default();
            speed.note(sent, now);
            courses.insert(upload.id, Course { sent, per_second: speed.shown(now) });
        }
        let (queue, elsewhere, fault) = (Arc::clone(&self.kept), self.elsewhere, self.fault.clone());
        let lengths = Arc::clone(self.lengths.known());
        let overview = Overview { queue, courses, elsewhere, fault, lengths };
        self.show.send_if_modified(|seen| {
            let changed = seen.overview != overview;
            seen.overview = overview;
            changed
        });
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
        Entry::Broke { id, .. } | Entry::Failed { id, .. } | Entry::Arrived { id, .. } => *id == wanted,
        _ => false,
    }
}

fn not_kept(error: &io::Error) -> String {
    format!("the journal of the uploads can't be written: {error}")
}
