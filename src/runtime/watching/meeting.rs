//! Where a studio that is shared and whoever watches it meet: a socket of this user's, named after the code in a way that
//! does not tell it.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream as Knock;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::net::{UnixListener, UnixStream};

use crate::domain::ShareCode;
use crate::service::{socket_folder, socket_folders};

/// Names of these sockets begin with this.
const PREFIX: &str = "share-";

/// Bytes of the hash that names one.
const HASH: usize = 8;

/// A place where somebody can knock, until it is dropped.
pub(super) struct Place {
    pub(super) listener: UnixListener,
    path: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn name(code: ShareCode) -> String {
    let digest = Sha256::digest(format!("cutaway share {code}").as_bytes());
    let hash = digest.iter().take(HASH).fold(0_u64, |hash, byte| hash << 8 | u64::from(*byte));
    format!("{PREFIX}{hash:016x}.sock")
}

/// Opens the place of a code.
///
/// # Errors
/// Where this user has no folder for it.
pub(super) fn open(code: ShareCode) -> io::Result<Place> {
    let folder = socket_folder()?;
    sweep(&folder);
    let path = folder.join(name(code));
    let listener = UnixListener::bind(&path)?;
    let place = Place { listener, path };
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o600))?;
    Ok(place)
}

/// Removes what studios left that ended without order: nobody answers there.
fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let refused = Knock::connect(entry.path()).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        if refused {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Where the studio with this code can be met, where there is one.
#[must_use]
pub(super) fn find(code: ShareCode) -> Option<PathBuf> {
    let name = name(code);
    let is_own = |path: &PathBuf| {
        fs::symlink_metadata(path)
            .is_ok_and(|file| file.file_type().is_socket() && file.uid() == rustix::process::geteuid().as_raw())
    };
    socket_folders().into_iter().map(|folder| folder.join(&name)).find(is_own)
}

/// Whether the other end is a process of this user.
pub(super) fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}
