//! What the process that serves a data folder writes there, so that others of the same user find it. Nobody believes
//! one that another user could have put there, nor one that was copied with its folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::door::{Door, PREFIX};
use super::private;
use crate::domain::StoreUrl;

const RECORD: &str = "serving.json";

/// The most that is read of one, bytes.
const MOST_BYTES: u64 = 256 * 1024;

/// The process that serves a folder.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// Its number.
    pub pid: u32,
    /// The folder that it serves: a copy of the folder holds a copy of this record, which is none of the copy's.
    pub folder: String,
    /// The address that it was told to listen on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Where it is reached; unknown while it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
}

/// Where and how processes of the same user reach it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Reached {
    /// The door.
    pub door: Door,
    /// Tells this start of the service from any other.
    pub instance: String,
    /// The key that the door takes. It ends with the process.
    pub key: String,
    /// The stores that it had at its start.
    pub stores: Vec<StoreUrl>,
}

impl Record {
    /// That of this process, which has just taken the folder.
    pub(super) fn starting(folder: &Path) -> io::Result<Self> {
        Ok(Self { pid: std::process::id(), folder: private::identity(folder)?, base_url: None, reached: None })
    }

    /// Writes it: whole or not at all, and readable by its owner only.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        // Files of this kind are made with 0600.
        let mut file = tempfile::Builder::new().prefix(PREFIX).suffix(".new").tempfile_in(folder)?;
        file.write_all(&text)?;
        file.persist(folder.join(RECORD)).map_err(|error| error.error)?;
        Ok(())
    }

    /// What the process that serves a folder says, where it is this user's.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let file = open(&folder.join(RECORD)).ok()?;
        let about = file.metadata().ok()?;
        if !private::is_own_file(&about) || about.len() > MOST_BYTES {
            return None;
        }
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        let record: Self = serde_json::from_slice(&text).ok()?;
        (record.folder == private::identity(folder).ok()?).then_some(record)
    }

    /// Removes whatever stands in its place.
    ///
    /// # Errors
    /// Where something stands there that can't be removed.
    pub(super) fn remove(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(RECORD)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Opens a file without following a link and without waiting for the writer of a pipe.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
