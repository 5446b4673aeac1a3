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

pub(super) fn write(data: &Path, file: &Path) -> Result<Backup, BackupError> {
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
    whole.persist(file).map_err(|error| error.error)?;
    File::open(beside)?.sync_all()?;
    Ok(Backup { videos: videos.len() as u64, bytes, elsewhere })
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
