//! Where the queue of a workspace is kept, and the locks in it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use url::Url;

use crate::settings::{CredentialSource, Folders, NoHome, Place, Secret, Target, open_regular, open_regular_with};
use crate::uploads::{UploadId, hex};

/// The name of a workspace's folder: told from where the service is and as whom it is used, readable by nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueName(String);

impl QueueName {
    /// That of a target's workspace.
    ///
    /// # Errors
    /// Where the local workspace has no folder.
    pub fn of(target: &Target, folders: &Folders) -> Result<Self, NoHome> {
        let mut sum = Sha256::new();
        match &target.place {
            Place::Local => {
                sum.update(b"local\n");
                sum.update(folders.local_workspace()?.as_os_str().as_encoded_bytes());
            }
            Place::Remote(hosts) => {
                sum.update(hosts.base.as_str());
                // A profile is one workspace whatever key it has at the time; a key without one is its own.
                let kept = matches!(
                    target.credential_source,
                    CredentialSource::File | CredentialSource::Keyring | CredentialSource::Missing
                );
                if let Some(profile) = target.profile.as_ref().filter(|_| kept) {
                    return Ok(Self::of_profile(&hosts.base, profile));
                }
                sum.update(b"\nkey\n");
                if let Some(Secret::Key(key)) = &target.credential {
                    sum.update(key.expose());
                }
            }
        }
        Ok(Self(hex(sum.finalize().get(..8).unwrap_or_default())))
    }

    /// That of a profile at a service.
    #[must_use]
    pub fn of_profile(base: &Url, profile: &str) -> Self {
        let sum = Sha256::new().chain_update(base.as_str()).chain_update(b"\nprofile\n").chain_update(profile);
        Self(hex(sum.finalize().get(..8).unwrap_or_default()))
    }
}

/// The folder of one workspace's queue. Only its owner can look into it.
#[derive(Debug, Clone)]
pub struct QueueFolder {
    path: PathBuf,
}

/// A lock that is held; others can read what stands in its file.
#[derive(Debug)]
pub struct Held {
    file: File,
}

impl Held {
    /// Puts down a number for others to read.
    pub fn note(&mut self, number: u64) {
        // For show only: where it can't be written, others see less.
        let _ = self.file.rewind().and_then(|()| self.file.write_all(format!("{number:020}").as_bytes()));
    }
}

impl QueueFolder {
    /// In the state folder.
    ///
    /// # Errors
    /// Where there is no state folder, or it can't be made.
    pub fn open(folders: &Folders, name: &QueueName) -> io::Result<Self> {
        let state = folders.state().map_err(io::Error::other)?;
        Self::at(state.join("uploads").join(&name.0))
    }

    /// Gives the queue of a workspace another name, where there is one. Nobody may be sending it meanwhile.
    ///
    /// # Errors
    /// Where someone sends it, there is one of the new name already, or the system says no.
    pub fn rename(folders: &Folders, from: &QueueName, to: &QueueName) -> io::Result<()> {
        let state = folders.state().map_err(io::Error::other)?.join("uploads");
        let (from, to) = (state.join(&from.0), state.join(&to.0));
        if from == to || !from.exists() {
            return Ok(());
        }
        let queue = Self { path: from.clone() };
        // Held until it is done: who would begin to send now waits.
        let Some(_background) = queue.hold_background()? else {
            return Err(io::Error::other("it is sent in the background; wait until that is done, or pause it"));
        };
        for entry in fs::read_dir(from.join("sending"))?.flatten() {
            let id = entry.file_name().to_str().and_then(|name| name.parse().ok()).map(UploadId);
            if let Some(id) = id
                && queue.hold(id)?.is_none()
            {
                return Err(io::Error::other("it is sent by another Cutaway; wait until that is done, or pause it"));
            }
        }
        if to.exists() {
            return Err(io::Error::other("a queue of that name already exists"));
        }
        fs::rename(from, to)
    }

    /// At a path.
    ///
    /// # Errors
    /// Where it can't be made.
    pub fn at(path: PathBuf) -> io::Result<Self> {
        let mut making = DirBuilder::new();
        making.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
        making.create(path.join("sending"))?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn lock_of(&self, id: UploadId) -> PathBuf {
        self.path.join("sending").join(id.to_string())
    }

    /// The right to send an upload, held until it is dropped, also by a process that is killed; none where another has
    /// it.
    ///
    /// # Errors
    /// What the system says.
    pub fn hold(&self, id: UploadId) -> io::Result<Option<Held>> {
        hold(&self.lock_of(id))
    }

    /// The right to be the one that sends in the background.
    ///
    /// # Errors
    /// What the system says.
    pub fn hold_background(&self) -> io::Result<Option<Held>> {
        hold(&self.path.join("background"))
    }

    /// Whether a process sends in the background.
    #[must_use]
    pub fn has_background(&self) -> bool {
        matches!(self.hold_background(), Ok(None))
    }

    /// How many bytes of an upload the process that sends it says are on their way.
    #[must_use]
    pub fn sent(&self, id: UploadId) -> Option<u64> {
        let mut text = String::new();
        open_regular(&self.lock_of(id)).ok()?.take(32).read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    }

    /// Forgets the locks of uploads that are on no list any more.
    pub(super) fn forget(&self, is_kept: impl Fn(UploadId) -> bool) {
        let Ok(entries) = fs::read_dir(self.path.join("sending")) else { return };
        for entry in entries.flatten() {
            let id = entry.file_name().to_str().and_then(|name| name.parse().ok()).map(UploadId);
            if id.is_some_and(|id| !is_kept(id)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn hold(path: &Path) -> io::Result<Option<Held>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = open_regular_with(&mut options, path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Held { file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_an_upload_at_a_time_and_others_see_how_far_it_is() {
        let root = tempfile::tempdir().unwrap();
        let folder = QueueFolder::at(root.path().join("q")).unwrap();
        let mut held = folder.hold(UploadId(1)).unwrap().unwrap();
        assert!(folder.hold(UploadId(1)).unwrap().is_none());
        assert!(folder.hold(UploadId(2)).unwrap().is_some());
        held.note(1_000_000);
        held.note(7);
        assert_eq!(folder.sent(UploadId(1)), Some(7));
        drop(held);
        assert!(folder.hold(UploadId(1)).unwrap().is_some());
        folder.forget(|id| id == UploadId(2));
        assert_eq!(folder.sent(UploadId(1)), None);
    }
}
