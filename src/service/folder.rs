//! The data folder: one process at a time serves it, and says there where it is reached.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::StoreUrl;

/// A data folder that this process serves; another one can't until this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

/// Where the process that serves a folder is reached. It stays in the folder: the next one takes the same port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub addr: SocketAddr,
    pub base_url: String,
    pub pid: u32,
    /// Tells this start of the service from any other.
    pub instance: String,
    /// A key of the owner's, for processes that attach.
    pub key: String,
    /// The stores that it had at its start.
    pub stores: Vec<StoreUrl>,
}

/// Why a folder can't be served.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process serves it.
    #[error("{} is served already{}", path.display(), by.as_ref().map(|by| format!(", by process {} at {}", by.pid, by.base_url)).unwrap_or_default())]
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
    /// Its address.
    pub base_url: String,
}

const RECORD: &str = "serving.json";
const LOCK: &str = "serving.lock";

/// Makes the folder, for its owner only.
pub(super) fn make(path: &Path) -> Result<(), FolderError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| FolderError::Io { path: path.to_owned(), error })
}

impl Folder {
    /// Takes the folder, which is made where it is missing.
    pub(super) fn take(path: &Path) -> Result<Self, FolderError> {
        let refused = |error| FolderError::Io { path: path.to_owned(), error };
        make(path)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(path.join(LOCK)).map_err(refused)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let by = record(path).map(|record| ServedBy { pid: record.pid, base_url: record.base_url });
                Err(FolderError::Served { path: path.to_owned(), by })
            }
            Err(TryLockError::Error(error)) => Err(refused(error)),
        }
    }

    /// Where the folder is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Says where the folder is served: whole or not at all, and readable by its owner only.
    pub(super) fn write_record(&self, record: &Record) -> Result<(), FolderError> {
        let refused = |error| FolderError::Io { path: self.path.join(RECORD), error };
        let text = serde_json::to_vec(record).map_err(|error| refused(error.into()))?;
        // Files of this kind are made with 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.path).map_err(refused)?;
        file.write_all(&text).map_err(refused)?;
        file.persist(self.path.join(RECORD)).map_err(|error| refused(error.error))?;
        Ok(())
    }
}

/// What the last process to serve the folder said.
pub(super) fn record(path: &Path) -> Option<Record> {
    serde_json::from_slice(&std::fs::read(path.join(RECORD)).ok()?).ok()
}
