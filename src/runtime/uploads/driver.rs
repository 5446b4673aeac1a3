//! The driver of the queue: begins what may be begun, writes down what comes of it, and shows how it stands.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use notify::RecommendedWatcher;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::changes;
use super::folder::Held;
use super::guard::Guard;
use super::journal::Journal;
use super::lengths::Lengths;
use super::library::{self, Before};
use super::look::look;
use super::sender::{self, Came, trouble};
use crate::client::{Client, ClientError, Progress, RateLimit};
use crate::domain::VideoId;
use crate::uploads::{
    Course, Destination, Entry, Overview, Queue, Speed, State, Upload, UploadId, Verdict, VideoFile, verdict,
};

/// How often progress is shown and what others do is looked at, while something is sent here.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// How often the journal is looked at for what others wrote, while something is under way.
const LOOKED_EVERY: Duration = Duration::from_millis(500);

/// An upload whose bytes do not move for so long stands still.
const STALLED: Duration = Duration::from_secs(5);
/// What to do about a file that is not sent again.
const MEND_UNSENT: &str = "put the video back where it was and retry it, or take it off the list";

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
    /// Send these again, looked at anew.
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

/// A queue being driven. It goes on until it is dropped or stopped.
#[derive(Debug)]
pub struct Uploads {
    asks: mpsc::UnboundedSender<Ask>,
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
    watched: Option<RecommendedWatcher>,
}

impl Uploads {
    /// Drives a queue.
    #[must_use]
    pub fn start(journal: Journal, client: Client, options: Options) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        // How it stands is known from the first look on: nobody takes one that is not there yet for one that is gone.
        let overview = Overview { queue: Arc::new(journal.queue().clone()), ..Overview::default() };
        let (show, seen) = watch::channel(Seen { overview, ..Seen::default() });
        let watched = changes::watch(journal.folder(), asks.clone());
        let driver = Driver::new(journal, client, options, show);
        Self { asks, seen, task: tokio::spawn(driver.run(asked)), watched }
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
        // Whoever watches could ask, too.
        drop((self.asks, self.watched));
        let _ = self.task.await;
    }
}

/// One that is sent here.
struct Sending {
    task: AbortHandle,
    progress: Arc<Progress>,
    speed: Speed,
    held: Held,
    /// Whether nothing of it had been sent before.
    is_first: bool,
    /// When its bytes were seen to move last, and how many they were.
    moved: (Instant, u64),
}

struct Driver {
    journal: Journal,
    client: Client,
    options: Options,
    show: watch::Sender<Seen>,
    limit: Arc<RateLimit>,
    before: Arc<Before>,
    tasks: JoinSet<(UploadId, Came)>,
    sending: HashMap<UploadId, Sending>,
    /// What could not be written down yet, with the locks of those it is about.
    unsaved: Vec<(Entry, Option<Held>)>,
    fault: Option<String>,
    stopped: Option<Stopped>,
    /// Why nothing more is begun while the profile is read-only.
    held_back: Option<String>,
    sign_ins: watch::Receiver<u64>,
    /// When there was a byte more on its way than ever before, and what broke since.
    got_on: Instant,
    broke: Option<Stopped>,
    /// How many bytes of each were on their way at most.
    most: HashMap<UploadId, u64>,
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

    async fn run(mut self, mut asks: mpsc::UnboundedReceiver<Ask>) {
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

    fn is_ours(&self, id: UploadId) -> bool {
        self.sending.contains_key(&id) || self.unsaved.iter().any(|(entry, _)| is_about(entry, id))
    }

    fn begin_what_may(&mut self) {
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
    fn has_twin_on_its_way(&self, upload: &Upload) -> bool {
        let on_their_way = |other: &&Upload| matches!(other.state, State::Sending { .. }) && other.id != upload.id;
        let mut others = self.journal.queue().uploads().iter().filter(on_their_way);
        others.any(|other| library::are_alike(other, upload))
    }

    /// Sends one that is not in the library.
    fn send(&mut self, id: UploadId, known: Vec<String>, mut sending: Sending) {
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

    /// Whether what was found in the library for one turned out to be another's meanwhile, or may.
    fn is_doubtful(&self, id: UploadId, video: &VideoId) -> bool {
        let queue = self.journal.queue();
        queue.is_claimed(video, id) || queue.get(id).is_some_and(|upload| self.has_twin_on_its_way(upload))
    }

    fn settle(&mut self, id: UploadId, came: Came) {
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
                        let halted = format!("{why}: sign in (cutaway login, or another key), then the uploads go on");
                        let noted = self.journal.append(&[Entry::Halted { why: Some(format!("{halted}.")) }]);
                        self.note_fault(noted);
                        self.stopped.get_or_insert(Stopped { why: halted, code: 3 });
                    }
                    Verdict::Fail(mend) => {
                        self.note_code(id, error.exit_code());
                        self.fail(id, why, mend.to_owned(), Some(sending.held));
                    }
                }
            }
        }
    }

    /// Where nothing got on for longer than is waited here, and nothing moves, what is left is for another time.
    fn give_up_what_is_stuck(&mut self) {
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
        let silent = || Stopped { why: "the service does not answer".to_owned(), code: 6 };
        self.stopped = Some(self.broke.take().unwrap_or_else(silent));
    }

    /// What was stopped is tried again: someone signed in, or wants it.
    fn go_on(&mut self) {
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
        let fault = self.fault.clone().or_else(|| self.kept.halted.clone()).or_else(|| self.held_back.clone());
        let (queue, elsewhere) = (Arc::clone(&self.kept), self.elsewhere);
        let stopped = self.stopped.clone().filter(|_| self.sending.is_empty());
        let lengths = Arc::clone(self.lengths.known());
        let overview = Overview { queue, courses, elsewhere, fault, lengths };
        self.show.send_if_modified(|seen| {
            let changed = seen.overview != overview || seen.stopped != stopped;
            (seen.overview, seen.stopped) = (overview, stopped);
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
        Entry::Broke { id, .. } | Entry::Failed { id, .. } | Entry::Arrived { id, .. } | Entry::Released { id } => {
            *id == wanted
        }
        _ => false,
    }
}

fn not_kept(error: &io::Error) -> String {
    format!("the journal of the uploads can't be written: {error}")
}
