//! A journal goes from the studio that holds it to another one: which asks for it by a file beside it, waits until it is
//! let go of, and takes it from one that doesn't answer any more.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::file::{self, is_same};
use super::{MOST_BYTES, Opened};
use crate::draft::{Draft, journal};
use crate::settings::{open_regular, read_open};
use crate::studio::steps::Found;

/// What the names of these files end with, behind the journal's own.
const REQUEST: &str = ".wanted";

/// The same once the holder has taken note of one.
const NOTED: &str = ".noted";

/// How long between two looks whether the journal was let go of.
const LOOK: Duration = Duration::from_millis(20);

/// A studio that has not even taken note of a request after so long is stopped, or its machine is.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// One that has taken note may be saving, and calls have their own bounds.
pub(super) const PATIENCE: Duration = Duration::from_secs(100);

/// Asks for a journal that another studio holds, and waits for it; it is held then. Without an answer it is taken. This
/// blocks until `over`.
pub(super) fn take_over(path: &Path, over: &CancellationToken) -> (Found, Option<Opened>) {
    let request = match Request::put(path) {
        Ok(request) => request,
        // Somebody else asks for it too, and is served first.
        Err(TryLockError::WouldBlock) => return (Found::Taken, None),
        Err(TryLockError::Error(error)) => return (Found::Unusable(error.to_string()), None),
    };
    let begun = Instant::now();
    loop {
        let found = file::find(path);
        if found.0 != Found::Taken || over.is_cancelled() || begun.elapsed() > PATIENCE {
            return found;
        }
        if begun.elapsed() > SILENCE && request.is_there() {
            return seize(path).unwrap_or((Found::Taken, None));
        }
        thread::sleep(LOOK);
    }
}

/// Puts a journal with the same draft in the place of one whose holder doesn't answer. What it writes from then on is no
/// part of any draft, and it is told so.
fn seize(path: &Path) -> io::Result<(Found, Option<Opened>)> {
    // Of the file that the holder writes to, also once it has lost its name.
    let mut held = open_regular(path)?;
    let own = held.metadata()?;
    let (bytes, mut draft) = read_whole(&mut held)?;
    // One that is only slow may have written its journal again meanwhile.
    let is_it = || fs::symlink_metadata(path).is_ok_and(|there| is_same(&there, &own));
    let mut opened = file::replace_if(path, &draft, is_it)?;
    // What was written while the copy was made was called kept, and has to be in it. Nothing is once the name is gone: half
    // a record was not.
    if let Ok((again, latest)) = read_whole(&mut held)
        && again != bytes
    {
        draft = latest;
        opened = file::replace(path, &draft)?;
    }
    tracing::info!(bytes = bytes.len(), "a draft was taken from a studio that did not answer");
    let written = file::written(&opened.file.metadata()?);
    let records = u64::try_from(draft.records().len()).unwrap_or(0);
    Ok((Found::Draft { draft: Box::new(draft), written, records }, Some(opened)))
}

/// What is in a journal, and the draft of it.
fn read_whole(held: &mut File) -> io::Result<(Vec<u8>, Draft)> {
    held.seek(SeekFrom::Start(0))?;
    let bytes = read_open(held, MOST_BYTES)?;
    let whole = journal::read(&bytes).ok().filter(|read| read.damage.is_none());
    let draft = whole.and_then(|read| read.draft).ok_or_else(|| io::Error::other("it can't be read"))?;
    Ok((bytes, draft))
}

/// Asks for a journal, for as long as it lives.
struct Request {
    path: PathBuf,
    /// What it is called once it was taken note of.
    noted: PathBuf,
    file: File,
}

impl Request {
    fn put(journal: &Path) -> Result<Self, TryLockError> {
        let (path, noted) = (beside(journal, REQUEST), beside(journal, NOTED));
        let failed = TryLockError::Error;
        // It is held before it is there.
        let mut new = file::unfinished(journal).map_err(failed)?;
        loop {
            match new.persist_noclobber(&path) {
                Ok(file) => return Ok(Self { path, noted, file }),
                Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => {
                    // One that was left by a studio that is gone is nobody's.
                    match open_regular(&path) {
                        Ok(other) => other.try_lock_shared()?,
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(error) => return Err(failed(error)),
                    }
                    let _ = fs::remove_file(&path);
                    new = refused.file;
                }
                Err(refused) => return Err(failed(refused.error)),
            }
        }
    }

    /// Whether nobody has taken note of it yet.
    fn is_there(&self) -> bool {
        self.is_at(&self.path)
    }

    fn is_at(&self, path: &Path) -> bool {
        let there = fs::symlink_metadata(path).ok().zip(self.file.metadata().ok());
        there.is_some_and(|(there, own)| is_same(&there, &own))
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        for path in [&self.path, &self.noted] {
            if self.is_at(path) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// The journal that this is the request for, where it is one.
pub(super) fn wanted(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(REQUEST).or_else(|| name.strip_suffix(NOTED))?;
    file::is_journal(name).then(|| path.with_file_name(name))
}

/// Takes note of a request for a journal; whether there is one, of a studio that waits.
pub(super) fn take_note(journal: &Path) -> bool {
    let path = beside(journal, REQUEST);
    // Under another name, it tells whoever waits that it was read, and the holder whether they still do.
    waits(&path) && fs::rename(&path, beside(journal, NOTED)).is_ok()
}

/// Whether the studio whose request was taken note of still waits.
pub(super) fn still_waits(journal: &Path) -> bool {
    waits(&beside(journal, NOTED))
}

/// Whether there is a request that somebody holds. One that nobody does is removed: whoever made it is gone.
fn waits(request: &Path) -> bool {
    let Ok(file) = open_regular(request) else { return false };
    let waits = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    if !waits {
        let _ = fs::remove_file(request);
    }
    waits
}

fn beside(journal: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(journal.file_name().unwrap_or_default());
    name.push(ending);
    journal.with_file_name(name)
}
