//! The data folder: one process at a time serves it, and says there how processes of the same user reach it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::door;
#[cfg(unix)]
use super::private;
use super::record::{Reached, Record};
use super::store::DATABASE;
#[cfg(unix)]
use crate::settings::leave_to_owner;

/// A data folder that this process serves; another one can't until this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _locks: Locks,
}

/// Why a folder can't be served.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process serves it.
    #[error("{} is served already{}", path.display(), by.as_ref().map(ServedBy::words).unwrap_or_default())]
    Served {
        /// The folder.
        path: PathBuf,
        /// The process, where it is known.
        by: Option<ServedBy>,
    },
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// The process that serves a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedBy {
    /// Its number.
    pub pid: u32,
    /// The address that it was told to listen on.
    pub base_url: Option<String>,
}

impl ServedBy {
    fn words(&self) -> String {
        let at = self.base_url.as_ref().map(|url| format!(" at {url}")).unwrap_or_default();
        format!(", by process {}{at}", self.pid)
    }
}

/// The file whose lock is held while a folder is served.
pub(super) const LOCK: &str = "serving.lock";

/// The folder of the named workspaces that are served beside the one of a data folder.
pub const WORKSPACES: &str = "workspaces";
/// The folder of everything about SSH in a data folder, with the homes of the guests.
pub const SSH: &str = "ssh";

/// The folders of the workspaces in a data folder: its own, and those with a name.
pub(super) fn workspaces(data: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = vec![data.to_owned()];
    let named = match std::fs::read_dir(data.join(WORKSPACES)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(folders),
        named => named?,
    };
    for entry in named {
        let folder = entry?.path();
        if folder.join(DATABASE).is_file() {
            folders.push(folder);
        }
    }
    Ok(folders)
}

/// Makes the folder, for its owner only.
pub(super) fn make(path: &Path) -> Result<(), FolderError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| FolderError::Io { path: path.to_owned(), error })
}

/// What is held while a folder is served: the lock file, and the folder itself where nobody else may enter it, which nobody
/// can replace by a copy as they could the file. Whoever may open something may hold its lock for ever, so a folder that
/// others may enter is held by its file alone, which they can't open.
#[derive(Debug)]
struct Locks {
    file: File,
    folder: Option<File>,
}

impl Drop for Locks {
    /// Closing a file doesn't let its lock go while somebody else has it open: a program that is being started elsewhere in
    /// this process has everything that is open here, until it is there.
    fn drop(&mut self) {
        for held in self.folder.iter().chain([&self.file]) {
            let _ = held.unlock();
        }
    }
}

impl Locks {
    /// Both, or `None` where another process holds one of them.
    fn take(folder: &Path) -> io::Result<Option<Self>> {
        let file = lock_file(&folder.join(LOCK))?;
        if is_held_elsewhere(file.try_lock())? {
            return Ok(None);
        }
        #[cfg(not(unix))]
        let folder = None;
        #[cfg(unix)]
        let folder = {
            let opened = File::open(folder)?;
            let private = private::is_private(&opened.metadata()?);
            match if private { opened.try_lock() } else { Ok(()) } {
                Ok(()) => private.then_some(opened),
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Some file systems of networks lock files only.
                Err(TryLockError::Error(_)) => None,
            }
        };
        Ok(Some(Self { file, folder }))
    }
}

fn is_held_elsewhere(taken: Result<(), TryLockError>) -> io::Result<bool> {
    match taken {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A lock file, for its owner only: whoever could open it could hold the lock for ever.
#[cfg(unix)]
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    // Earlier versions made it as others may read it.
    private::shut(&file)?;
    if let Some(folder) = path.parent() {
        leave_to_owner(folder, &file)?;
    }
    Ok(file)
}

#[cfg(not(unix))]
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

impl Folder {
    /// Takes the folder, which is made where it is missing. What the process before wrote about itself is gone when
    /// this returns: nobody is led to where that one was.
    pub(super) fn take(path: &Path) -> Result<Self, FolderError> {
        let refused = |error| FolderError::Io { path: path.to_owned(), error };
        make(path)?;
        let Some(locks) = Locks::take(path).map_err(refused)? else {
            let by = Record::read(path).map(|record| ServedBy { pid: record.pid, base_url: record.base_url });
            return Err(FolderError::Served { path: path.to_owned(), by });
        };
        Record::remove(path).map_err(refused)?;
        door::sweep(path);
        Record::starting(path).and_then(|record| record.write(path)).map_err(refused)?;
        Ok(Self { path: path.to_owned(), _locks: locks })
    }

    /// Where the folder is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Says how the folder is reached.
    pub(super) fn write_record(&self, base_url: Option<String>, reached: Reached) -> Result<(), FolderError> {
        let written = Record::starting(&self.path)
            .and_then(|record| Record { base_url, reached: Some(reached), ..record }.write(&self.path));
        written.map_err(|error| FolderError::Io { path: self.path.clone(), error })
    }
}

impl Drop for Folder {
    /// The locks are let go afterwards, so that this never removes another process's record.
    fn drop(&mut self) {
        let _ = Record::remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a child has it between its fork and the start of its program.
    #[test]
    #[allow(clippy::used_underscore_binding)] // The locks are only there to be let go of; a copy is what this is about.
    fn a_folder_that_was_left_is_free_whoever_has_its_lock_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let taken = Folder::take(&path).unwrap();
        let copies = [
            Some(taken._locks.file.try_clone().unwrap()),
            taken._locks.folder.as_ref().map(|file| file.try_clone().unwrap()),
        ];
        assert!(matches!(Folder::take(&path), Err(FolderError::Served { .. })));
        drop(taken);
        let again = Folder::take(&path).unwrap();
        drop(copies);
        assert!(matches!(Folder::take(&path), Err(FolderError::Served { .. })));
        drop(again);
    }
}
