//! A backup while the folder is served: everything as it was at one moment, in one tar file, whole or not at all.
//!
//! The videos are linked first, the database is copied next, and what was uploaded between the two is linked last. A
//! video that was deleted in between is missing then, and the database is copied again.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use super::store::{StoreError, snapshot, uploads_in_s3, uploads_of};
use super::{blobs, folder};
use crate::settings::leave_to_owner;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// How many uploaded videos.
    pub videos: u64,
    /// The size of the file.
    pub bytes: u64,
    /// How many uploaded videos have their files in S3, which it does not hold, and where that is.
    pub elsewhere: Option<(u64, String)>,
}

/// Why no backup was made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The folder holds no database.
    #[error("{} contains no workspace", .0.display())]
    Nothing(PathBuf),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Videos were deleted faster than they could be linked.
    #[error("too much changed in the meantime")]
    Restless,
}

/// How often the database is copied where videos go meanwhile.
const TRIES: u32 = 10;

/// Folders of links, which only a killed backup leaves, begin with this.
const LINKS: &str = "backup-";

/// An error with the place where it came up.
fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Writes a backup; where so many are to be kept, those before it stay beside it.
pub(super) fn write(data: &Path, file: &Path, keep: Option<u32>) -> Result<Backup, BackupError> {
    if !data.join(super::store::DATABASE).exists() {
        return Err(BackupError::Nothing(data.to_owned()));
    }
    // One at a time; its end, however it comes, lets the next one begin.
    let lock = data.join("backup.lock");
    let lock = folder::lock_file(&lock).map_err(|error| at(&lock, &error))?;
    lock.lock()?;
    sweep(data)?;
    let beside = file.parent().filter(|beside| !beside.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Beside the file, so that it can take its place in one step.
    let copy = NamedTempFile::new_in(beside).map_err(|error| at(beside, &io::Error::from(error.kind())))?;
    let links = tempfile::Builder::new().prefix(LINKS).tempdir_in(data)?;
    let videos = gather(data, copy.path(), &links)?;
    let elsewhere = uploads_in_s3(copy.path())?;
    let mut whole = NamedTempFile::new_in(beside)?;
    let mut tar = tar::Builder::new(io::BufWriter::with_capacity(256 * 1024, whole.as_file_mut()));
    tar.append_path_with_name(copy.path(), super::store::DATABASE)?;
    for id in &videos {
        let name = blobs::kept_in(Path::new("")).join(id);
        tar.append_path_with_name(links.path().join(id), name)?;
    }
    tar.into_inner()?.flush()?;
    whole.as_file().sync_all()?;
    let bytes = whole.as_file().metadata()?.len();
    // Whoever owns the folder has to be able to replace it.
    leave_to_owner(beside, whole.as_file())?;
    if let Some(keep) = keep {
        shift(file, keep)?;
    }
    whole.persist(file).map_err(|error| error.error)?;
    File::open(beside)?.sync_all()?;
    Ok(Backup { videos: videos.len() as u64, bytes, elsewhere })
}

/// The name of an earlier backup: 1 is the last one before.
fn earlier(file: &Path, number: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// The most that are kept, of which some may be there from an earlier run.
pub const MOST_BACKUPS: u32 = 1_000;

/// Makes room for a new backup beside those that are there, of which the oldest go. At each moment there is a whole one.
fn shift(file: &Path, keep: u32) -> io::Result<()> {
    let last = earlier(file, 1);
    let there = |done: io::Result<()>| match done {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(at(file, &error)),
    };
    // What an earlier run kept more of.
    for number in keep.max(1)..=MOST_BACKUPS {
        there(fs::remove_file(earlier(file, number)))?;
    }
    // A run that was stopped before its backup took the place had made this one already.
    if keep < 2 || !file.exists() || is_one(file, &last) {
        return Ok(());
    }
    // Up to the first gap: who stands behind it needs no more room.
    let mut free = 1;
    while free < keep - 1 && earlier(file, free).exists() {
        free += 1;
    }
    for number in (1..free).rev() {
        there(fs::rename(earlier(file, number), earlier(file, number + 1)))?;
    }
    there(fs::remove_file(&last))?;
    // A file system may have no links, and another user's file may not be linked to.
    fs::hard_link(file, &last).or_else(|_| fs::rename(file, &last)).map_err(|error| at(&last, &error))
}

/// Whether two names are one file.
#[cfg(unix)]
fn is_one(file: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let of = |path: &Path| fs::metadata(path).map(|known| (known.dev(), known.ino()));
    matches!((of(file), of(other)), (Ok(one), Ok(other)) if one == other)
}

/// Elsewhere nothing says so.
#[cfg(not(unix))]
fn is_one(_file: &Path, _other: &Path) -> bool {
    false
}

/// A copy of the database with links to every video that it names.
fn gather(data: &Path, copy: &Path, links: &TempDir) -> Result<Vec<String>, BackupError> {
    let kept = blobs::kept_in(data);
    let link = |id: &str| match fs::hard_link(kept.join(id), links.path().join(id)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    };
    for entry in fs::read_dir(&kept).into_iter().flatten() {
        // One that goes at this moment is in no copy that is made after it.
        let _ = link(&entry?.file_name().to_string_lossy());
    }
    for _ in 0..TRIES {
        snapshot(data, copy)?;
        let videos = uploads_of(copy)?;
        let missing = videos.iter().map(|id| link(id)).find_map(Result::err);
        match missing {
            None => return Ok(videos),
            Some(error) if error.kind() == io::ErrorKind::NotFound => {}
            Some(error) => return Err(error.into()),
        }
    }
    Err(BackupError::Restless)
}

fn sweep(data: &Path) -> io::Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(LINKS) && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_backups_are_kept_as_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.tar");
        let kept = |keep: u32, text: &str| {
            shift(&file, keep).unwrap();
            fs::write(folder.path().join("new"), text).unwrap();
            fs::rename(folder.path().join("new"), &file).unwrap();
            let mut names: Vec<String> = fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            let read = |name: String| format!("{name}={}", fs::read_to_string(folder.path().join(&name)).unwrap());
            names.into_iter().map(read).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept(3, "1"), "a.tar=1");
        assert_eq!(kept(3, "2"), "a.tar=2 a.tar.1=1");
        assert_eq!(kept(3, "3"), "a.tar=3 a.tar.1=2 a.tar.2=1");
        assert_eq!(kept(3, "4"), "a.tar=4 a.tar.1=3 a.tar.2=2");
        assert_eq!(kept(2, "5"), "a.tar=5 a.tar.1=4");
        assert_eq!(kept(2, "6"), "a.tar=6 a.tar.1=5");
        assert_eq!(kept(1, "7"), "a.tar=7");
    }

    #[cfg(unix)]
    #[test]
    fn a_run_that_was_stopped_costs_no_earlier_backup() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.tar");
        for (name, text) in [("a.tar", "4"), ("a.tar.1", "3"), ("a.tar.2", "2"), ("a.tar.3", "1")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let texts = || [1, 2, 3].map(|number| fs::read_to_string(earlier(&file, number)).unwrap_or_default());
        // Each of them ended before its backup was in its place.
        for _ in 0..3 {
            shift(&file, 4).unwrap();
            assert_eq!(texts(), ["4", "3", "2"]);
        }
        fs::remove_file(earlier(&file, 1)).unwrap();
        shift(&file, 4).unwrap();
        assert_eq!(texts(), ["4", "3", "2"], "behind a gap nothing has to move");
    }
}
