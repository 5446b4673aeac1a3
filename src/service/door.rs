//! The door for processes of the same user: a Unix socket that nobody else can reach, with a key that ends with the
//! process. Where there are no such sockets it is a port of the loopback interface, guarded by the key alone.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[cfg(unix)]
pub(crate) use unix::{OwnListener, bind, is_sound, sweep};

#[cfg(not(unix))]
pub(crate) use elsewhere::{OwnListener, bind, is_sound, sweep};

/// Names of sockets, and of records that are being written, begin with this.
pub(super) const PREFIX: &str = "serving-";

/// Where the door is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Door {
    /// A socket: its name in the data folder, or a whole path elsewhere.
    Socket(PathBuf),
    /// A port of the loopback interface.
    Address(SocketAddr),
}

/// A door that is open, and what closes it.
pub(super) struct Open {
    pub(super) listener: OwnListener,
    pub(super) door: Door,
    /// The file that is the socket.
    pub(super) path: Option<PathBuf>,
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};

    use sha2::{Digest as _, Sha256};
    use tokio::net::UnixListener;

    use super::{Door, Open, PREFIX, Path, PathBuf, io};
    use crate::service::private::{self, LONGEST_SOCKET};

    /// What accepts connections there.
    pub(crate) type OwnListener = UnixListener;

    /// What the sockets of a data folder are called where they are kept elsewhere.
    fn prefix(folder: &Path) -> io::Result<String> {
        let digest = Sha256::digest(private::identity(folder)?.as_bytes());
        let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Ok(format!("{number:016x}-"))
    }

    /// Opens the door of a data folder: in it, where it is this user's alone and the path is not too long.
    pub(crate) fn bind(folder: &Path, instance: &str) -> io::Result<Open> {
        let short: String = instance.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
        let name = format!("{PREFIX}{short}.sock");
        let inside = folder.join(&name);
        let fits = inside.as_os_str().len() <= LONGEST_SOCKET;
        let (path, door) = if fits && fs::metadata(folder).is_ok_and(|folder| private::is_private(&folder)) {
            (inside, PathBuf::from(name))
        } else {
            let path = private::socket_folder()?.join(format!("{}{short}.sock", prefix(folder)?));
            (path.clone(), path)
        };
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Open { listener, door: Door::Socket(door), path: Some(path) })
    }

    /// Removes the doors that earlier processes left behind, now that this one has the folder.
    pub(crate) fn sweep(folder: &Path) {
        remove(folder, PREFIX);
        if let (Ok(elsewhere), Ok(prefix)) = (private::socket_folder(), prefix(folder)) {
            remove(&elsewhere, &prefix);
        }
    }

    fn remove(folder: &Path, prefix: &str) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The socket of a door, where it lies in a folder that is this user's alone and is this user's itself.
    pub(crate) fn is_sound(folder: &Path, door: &Door) -> Option<PathBuf> {
        let Door::Socket(path) = door else { return None };
        let named = path.file_name().is_some_and(|name| Path::new(name) == path);
        let path = if named { folder.join(path) } else { path.clone() };
        let around = path.parent()?;
        let around = if named { fs::metadata(around) } else { fs::symlink_metadata(around) };
        let socket = fs::symlink_metadata(&path).ok()?;
        let sound = around.is_ok_and(|around| private::is_private(&around))
            && socket.file_type().is_socket()
            && socket.uid() == private::user();
        (sound && path.is_absolute()).then_some(path)
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::net::Ipv4Addr;

    use tokio::net::TcpListener;

    use super::{Door, Open, Path, PathBuf, SocketAddr, io};

    /// What accepts connections there.
    pub(crate) type OwnListener = TcpListener;

    /// Opens the door of a data folder.
    pub(crate) fn bind(_folder: &Path, _instance: &str) -> io::Result<Open> {
        let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        listener.set_nonblocking(true)?;
        let door = Door::Address(listener.local_addr()?);
        Ok(Open { listener: TcpListener::from_std(listener)?, door, path: None })
    }

    /// Nothing is left behind.
    pub(crate) fn sweep(_folder: &Path) {}

    /// There are no sockets.
    pub(crate) fn is_sound(_folder: &Path, _door: &Door) -> Option<PathBuf> {
        None
    }
}
