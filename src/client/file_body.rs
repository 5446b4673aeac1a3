//! A file as the body of an upload: read piece by piece into the same few buffers, counted, slowed, and stopped where
//! the file is no longer what it was.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::Limits;
use super::rate::RateLimit;
use crate::settings::open_regular;
use crate::uploads::{FileChange, Fingerprint};

/// By what a file is known again.
#[must_use]
pub fn fingerprint(metadata: &Metadata) -> Fingerprint {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Fingerprint {
        size: metadata.len(),
        modified_ns: modified.and_then(|time| i64::try_from(time.as_nanos()).ok()),
        #[cfg(unix)]
        inode: {
            use std::os::unix::fs::MetadataExt as _;
            Some((metadata.dev(), metadata.ino()))
        },
        #[cfg(not(unix))]
        inode: None,
    }
}

/// How far an upload has come; shared with whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    sent: AtomicU64,
}

impl Progress {
    /// Bytes of the file handed to the line.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.sent.store(0, Ordering::Relaxed);
    }
}

/// What the body and the call that sends it know of each other.
#[derive(Debug)]
pub(super) struct Course {
    progress: Arc<Progress>,
    /// Whether the last piece was handed over.
    whole: AtomicBool,
    /// Whether nobody wants the rest any more.
    stopped: AtomicBool,
    /// Whether it is the disk or the limit that is waited for, and not the line.
    ours: AtomicBool,
    began: Instant,
    /// When something moved last, milliseconds after `began`.
    moved_ms: AtomicU64,
    changed: Mutex<Option<FileChange>>,
}

impl Course {
    pub(super) fn new(progress: Arc<Progress>) -> Arc<Self> {
        progress.begin();
        Arc::new(Self {
            progress,
            whole: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            ours: AtomicBool::new(false),
            began: Instant::now(),
            moved_ms: AtomicU64::new(0),
            changed: Mutex::default(),
        })
    }

    /// Whether all of the file was handed over.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.load(Ordering::Acquire)
    }

    /// Nobody wants the rest any more.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// What is wrong with the file, where that is why it was stopped.
    pub(super) fn change(&self) -> Option<FileChange> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn moved(&self, ours: bool) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.moved_ms.store(now, Ordering::Relaxed);
        self.ours.store(ours, Ordering::Relaxed);
    }

    /// Returns once the line has stood still for too long: how long. After the last piece the service has as long as a
    /// call in all: it may have much to do with a video before it answers.
    pub(super) async fn stalled(&self, limits: &Limits) -> Duration {
        loop {
            let patience = if self.is_whole() { limits.total } else { limits.silence };
            let moved = Duration::from_millis(self.moved_ms.load(Ordering::Relaxed));
            let still = self.began.elapsed().saturating_sub(moved);
            let ours = self.ours.load(Ordering::Relaxed);
            if !ours && still >= patience {
                return still;
            }
            let wait = if ours { patience } else { patience.saturating_sub(still) };
            sleep_until(Instant::now() + wait + Duration::from_millis(1)).await;
        }
    }

    fn fail(&self, change: FileChange) -> io::Error {
        let error = io::Error::other(change.to_string());
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = Some(change);
        error
    }
}

/// Buffers that were sent and can be filled again: no byte is cleared only to be written over.
#[derive(Debug, Clone, Default)]
struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

impl Buffers {
    /// One of this size.
    fn take(&self, size: usize) -> Vec<u8> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = free.unwrap_or_default();
        buffer.resize(size, 0);
        buffer
    }
}

/// A piece on its way; its buffer comes back when it was sent.
struct Piece {
    bytes: Vec<u8>,
    home: Buffers,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.home.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

/// The file while it is read.
struct Reading {
    file: File,
    path: PathBuf,
    before: Fingerprint,
    read: u64,
    buffers: Buffers,
}

/// What one reading brought.
type Read = Result<(Reading, Bytes), FileChange>;

impl Reading {
    fn open(path: PathBuf, before: Fingerprint) -> Result<Self, FileChange> {
        let file = open_regular(&path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        before.check(&fingerprint(&metadata))?;
        Ok(Self { file, path, before, read: 0, buffers: Buffers::default() })
    }

    /// Reads the next piece. Before the last one is handed out the file is looked at again: what changed meanwhile is
    /// never sent whole, so no service keeps half of one film and half of another.
    fn next(mut self, piece: usize) -> Read {
        let left = self.before.size.saturating_sub(self.read);
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(piece);
        let mut bytes = self.buffers.take(wanted);
        let mut filled = 0;
        while filled < wanted {
            match self.file.read(bytes.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => {
                    let now = self.read.saturating_add(filled as u64);
                    return Err(FileChange::Shortened { before: self.before.size, now });
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&error)),
            }
        }
        self.read = self.read.saturating_add(filled as u64);
        if self.read >= self.before.size {
            let now = std::fs::metadata(&self.path).map_err(|error| unreadable(&error))?;
            self.before.check(&fingerprint(&now))?;
        }
        let piece = Piece { bytes, home: self.buffers.clone() };
        Ok((self, Bytes::from_owner(piece)))
    }
}

fn unreadable(error: &io::Error) -> FileChange {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileChange::Removed,
        _ => FileChange::Unreadable(error.to_string()),
    }
}

/// Where the body stands between two pieces.
enum Stand {
    Closed(PathBuf, Fingerprint),
    /// The next piece is read while the last one is on its way.
    Ahead(JoinHandle<Read>),
    Ended,
}

/// The file's bytes, as many as it had when it was looked at.
pub(super) fn pieces(
    path: PathBuf,
    before: Fingerprint,
    course: Arc<Course>,
    limit: Arc<RateLimit>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let begin = (Stand::Closed(path, before), course, limit);
    unfold(begin, |(stand, course, limit)| async move {
        let size = limit.piece();
        if !matches!(stand, Stand::Ended) {
            course.moved(true);
        }
        let reading = match stand {
            Stand::Closed(path, before) => tokio::task::spawn_blocking(move || Reading::open(path, before)?.next(size)),
            Stand::Ahead(reading) => reading,
            Stand::Ended => return None,
        };
        let read = match reading.await {
            Ok(Ok(read)) => read,
            Ok(Err(change)) => return Some((Err(course.fail(change)), (Stand::Ended, course, limit))),
            Err(error) => return Some((Err(io::Error::other(error)), (Stand::Ended, course, limit))),
        };
        let (reading, piece) = read;
        if course.stopped.load(Ordering::Acquire) {
            return Some((Err(io::Error::other("stopped")), (Stand::Ended, course, limit)));
        }
        let last = reading.read >= reading.before.size;
        let next = if last {
            Stand::Ended
        } else {
            let size = limit.piece();
            Stand::Ahead(tokio::task::spawn_blocking(move || reading.next(size)))
        };
        limit.wait_for(piece.len()).await;
        course.progress.sent.fetch_add(piece.len() as u64, Ordering::Relaxed);
        if last {
            course.whole.store(true, Ordering::Release);
        }
        course.moved(false);
        Some((Ok(piece), (next, course, limit)))
    })
}
