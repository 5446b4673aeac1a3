//! The files of journals: found, made, written again beside the old one, kept as they are where they are damaged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;

use super::{ENDING, MOST_BYTES, Opened};
use crate::draft::journal::{self, Journal};
use crate::draft::{Draft, Record};
use crate::settings::{open_regular_with, read_open};
use crate::studio::event::Moment;
use crate::studio::steps::{Damaged, Found};

/// What the names of files end with that are not whole yet.
const UNFINISHED: &str = ".draft-new";

/// What follows the name of a journal that was kept aside, before a number.
const BROKEN: &str = ".broken-";

/// Of a project so many that were kept aside stay, the newest, and no longer than that.
const MOST_KEPT: usize = 5;
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Looks for a draft, and holds its journal where there is one.
pub(super) fn find(path: &Path) -> (Found, Option<Opened>) {
    let unusable = |why: String| (Found::Unusable(why), None);
    let (mut file, meta) = match open(path) {
        Ok(Some(opened)) => opened,
        Ok(None) => return (Found::Nothing, None),
        Err(TryLockError::WouldBlock) => return (Found::Taken, None),
        Err(TryLockError::Error(error)) => return unusable(error.to_string()),
    };
    let bytes = match read_open(&mut file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return unusable(error.to_string()),
    };
    let read = match journal::read(&bytes) {
        Ok(read) => read,
        Err(error) => return unusable(error.to_string()),
    };
    let written = written(&meta);
    if read.damage.is_some() {
        return rescue(path, read, written);
    }
    let Some(draft) = read.draft else {
        // Another studio held it, and nothing was edited.
        let _ = fs::remove_file(path);
        return (Found::Nothing, None);
    };
    let opened = match take_up(path, file, meta.len(), &draft, (read.version, read.is_closed, read.last)) {
        Ok(opened) => opened,
        Err(error) => return unusable(error.to_string()),
    };
    let records = u64::try_from(read.records).unwrap_or(0);
    (Found::Draft { draft: Box::new(draft), written, records }, Some(opened))
}

/// Makes a sound journal ready to be written on.
fn take_up(
    path: &Path,
    mut file: File,
    len: u64,
    draft: &Draft,
    (version, is_closed, last): (u32, bool, u64),
) -> io::Result<Opened> {
    if version < journal::VERSION {
        // An earlier Cutaway would cut off what is written behind its own lines.
        return replace(path, draft);
    }
    file.seek(SeekFrom::End(0))?;
    if !is_closed {
        file.write_all(b"\n")?;
        file.sync_data()?;
    }
    Ok(Opened { file, last, compact: len.min(super::COMPACT_FROM) })
}

/// Keeps a damaged journal as it is under another name, and begins a new one with what is known to be whole.
fn rescue(path: &Path, read: Journal, written: Moment) -> (Found, Option<Opened>) {
    let Journal { draft, damage, .. } = read;
    let rescued = keep_aside(path).and_then(|kept| {
        let opened = draft.as_ref().map(|draft| replace(path, draft)).transpose()?;
        if opened.is_none() {
            fs::remove_file(path)?;
        }
        Ok((kept, opened))
    });
    match rescued {
        Ok((kept, opened)) => {
            remove_old(folder(path), SystemTime::now(), Some(&kept));
            let records = draft.as_ref().map_or(0, |draft| u64::try_from(draft.records().len()).unwrap_or(0));
            let (draft, damage) = (draft.map(Box::new), damage.unwrap_or_default());
            let kept = kept.display().to_string();
            (Found::Damaged(Box::new(Damaged { draft, written, records, damage, kept })), opened)
        }
        Err(error) => (Found::Unusable(format!("its file is damaged and can't be copied ({error})")), None),
    }
}

/// Gives the file another name beside its own, with an ending that no other has; not one of its bytes is touched from
/// here on. What is kept already, byte for byte, is not kept a second time.
fn keep_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(format!("{BROKEN}{number}"));
        let beside = path.with_file_name(name);
        match fs::hard_link(path, &beside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if is_copy(path, &beside) {
                    // It is kept from now on.
                    let _ =
                        File::options().append(true).open(&beside).and_then(|it| it.set_modified(SystemTime::now()));
                    return Ok(beside);
                }
                continue;
            }
            // Some file systems know no second names.
            Err(_) => match copy(path, &beside) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                copied => copied?,
            },
        }
        sync_folder(path);
        return Ok(beside);
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Whether a file says the same as another, byte for byte.
fn is_copy(one: &Path, other: &Path) -> bool {
    let read = |path: &Path| {
        let file = open_regular_with(OpenOptions::new().read(true), path).ok()?;
        Some((file.metadata().ok()?.len(), io::BufReader::new(file).bytes()))
    };
    let (Some((length, one)), Some((of_other, other))) = (read(one), read(other)) else { return false };
    length == of_other && one.zip(other).all(|pair| matches!(pair, (Ok(one), Ok(other)) if one == other))
}

/// The files of a folder of drafts that were kept aside because they are damaged, and how many bytes they take.
#[must_use]
pub fn kept_aside(folder: &Path) -> (usize, u64) {
    all_aside(folder).fold((0, 0), |(count, bytes), (_, _, meta)| (count + 1, bytes + meta.len()))
}

/// The files that were kept aside, each with the name of its journal.
fn all_aside(folder: &Path) -> impl Iterator<Item = (String, PathBuf, Metadata)> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (journal, _) = name
            .rsplit_once(BROKEN)
            .filter(|(_, number)| number.parse::<u32>().is_ok())
            .filter(|(it, _)| is_journal(it))?;
        // A link is none of ours.
        let meta = entry.metadata().ok().filter(Metadata::is_file)?;
        Some((journal.to_owned(), entry.path(), meta))
    })
}

/// Removes what was kept aside long ago, and of each project what is older than the newest few; `kept` stays.
pub(super) fn remove_old(folder: &Path, now: SystemTime, kept: Option<&Path>) {
    let mut of_project: BTreeMap<String, Vec<(SystemTime, PathBuf)>> = BTreeMap::new();
    for (journal, path, meta) in all_aside(folder).filter(|(_, path, _)| Some(path.as_path()) != kept) {
        of_project.entry(journal).or_default().push((aside_since(&meta), path));
    }
    for mut files in of_project.into_values() {
        files.sort_by(|one, other| other.cmp(one));
        for (nth, (since, path)) in files.iter().enumerate() {
            let is_old = now.duration_since(*since).is_ok_and(|age| age > KEPT_FOR);
            if is_old || nth >= MOST_KEPT {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Since when a file has its name: what is in it is as old as the last edit.
#[cfg(unix)]
fn aside_since(meta: &Metadata) -> SystemTime {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(meta.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(meta.ctime_nsec()).unwrap_or(0);
    UNIX_EPOCH + Duration::new(seconds, nanoseconds)
}

#[cfg(not(unix))]
fn aside_since(meta: &Metadata) -> SystemTime {
    let times = [meta.created(), meta.modified()];
    times.into_iter().flatten().max().unwrap_or_else(SystemTime::now)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut copy = options.open(to)?;
    let copied = io::copy(&mut File::open(from)?, &mut copy).and_then(|_| copy.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

/// Opens and locks a journal; none where there is none.
fn open(path: &Path) -> Result<Option<(File, Metadata)>, TryLockError> {
    loop {
        let file = match open_regular_with(OpenOptions::new().read(true).write(true), path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TryLockError::Error(error)),
        };
        file.try_lock()?;
        let meta = file.metadata().map_err(TryLockError::Error)?;
        // Whoever held it may have put another file in its place before they let go of this one.
        match fs::symlink_metadata(path) {
            Ok(there) if is_same(&there, &meta) => return Ok(Some((file, meta))),
            Ok(there) if !there.is_file() => {
                return Err(TryLockError::Error(io::Error::other("it is not a file of its own")));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TryLockError::Error(error)),
        }
    }
}

#[cfg(unix)]
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
pub(super) fn is_same(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

/// A new journal with these records, locked, that only its owner can read. It is there whole or not at all.
pub(super) fn create(path: &Path, records: &[Record]) -> Result<Opened, String> {
    let said = |error: io::Error| error.to_string();
    fs::create_dir_all(folder(path)).map_err(said)?;
    let (text, last) = journal::whole(records);
    let file = match beside(path, &text).map_err(said)?.persist_noclobber(path) {
        Ok(file) => file,
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(match open(path) {
                Err(TryLockError::WouldBlock) => "another window started to edit this project",
                _ => "another window left a draft of this project",
            }
            .to_owned());
        }
        Err(error) => return Err(said(error.error)),
    };
    sync_folder(path);
    Ok(Opened { file, last, compact: 0 })
}

/// A journal of the fewest records that make a draft, in the place of the one there is.
pub(super) fn replace(path: &Path, draft: &Draft) -> io::Result<Opened> {
    replace_if(path, draft, || true)
}

/// The same, unless the one there is turns out to be another one by the time that the new one is written.
pub(super) fn replace_if(path: &Path, draft: &Draft, is_same: impl FnOnce() -> bool) -> io::Result<Opened> {
    again(path, draft, |file| {
        if is_same() {
            return file.persist(path).map_err(|error| error.error);
        }
        Err(io::Error::other("another window replaced it"))
    })
}

/// The same where there is none.
pub(super) fn put(path: &Path, draft: &Draft) -> io::Result<Opened> {
    fs::create_dir_all(folder(path))?;
    again(path, draft, |file| file.persist_noclobber(path).map_err(|error| error.error))
}

/// Writes a draft into a file beside its journal, which is given its name then.
fn again(path: &Path, draft: &Draft, name: impl FnOnce(NamedTempFile) -> io::Result<File>) -> io::Result<Opened> {
    let (text, last) = journal::whole(&draft.records());
    let read = journal::read(text.as_bytes()).ok().and_then(|journal| journal.draft);
    if read.as_ref() != Some(draft) {
        return Err(io::Error::other("it couldn't be rewritten without loss"));
    }
    let file = name(beside(path, &text)?)?;
    sync_folder(path);
    Ok(Opened { file, last, compact: u64::try_from(text.len()).unwrap_or(u64::MAX) })
}

/// A file beside a journal that holds this, on the disk and locked.
fn beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = unfinished(path)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A file beside a journal that has no name of its own yet, locked.
pub(super) fn unfinished(path: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new().prefix(".").suffix(UNFINISHED).tempfile_in(folder(path))?;
        file.as_file().lock()?;
        // Whoever cleans up may have been quicker.
        if file.path().try_exists()? {
            return Ok(file);
        }
    }
}

/// Removes what was being written beside a journal when everything ended.
pub(super) fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().ends_with(UNFINISHED);
        // Whoever is writing it holds it.
        if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether this is the name of a journal, and not of one that was kept aside or is being written.
pub(super) fn is_journal(name: &str) -> bool {
    name.ends_with(ENDING) && !name.starts_with('.')
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// The names have to be on the disk as well, where folders can be synced at all.
fn sync_folder(path: &Path) {
    let _ = File::open(folder(path)).and_then(|folder| folder.sync_all());
}

pub(super) fn written(meta: &Metadata) -> Moment {
    let written = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Moment(written.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0))
}
