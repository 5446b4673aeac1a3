//! What belongs to this user alone: folders and files that no other user of the host can have put there.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The longest path of a socket, bytes, that Linux takes with the zero at its end; other Unixes take less.
#[cfg(target_os = "linux")]
pub(super) const LONGEST_SOCKET: usize = 107;
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) const LONGEST_SOCKET: usize = 103;

/// The number of the user that this process works for.
#[cfg(unix)]
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// What a mode allows to others than the owner.
#[cfg(unix)]
const FOR_OTHERS: u32 = 0o077;

/// Whether a folder belongs to this user and nobody else may enter it.
#[cfg(unix)]
pub(super) fn is_private(folder: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    folder.is_dir() && folder.uid() == user() && folder.mode() & FOR_OTHERS == 0
}

/// Leaves an open file or folder to its owner.
///
/// # Errors
/// Where the file system refuses, as it does where it is another user's.
#[cfg(unix)]
pub(super) fn shut(opened: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut allowed = opened.metadata()?.permissions();
    if allowed.mode() & FOR_OTHERS != 0 {
        allowed.set_mode(allowed.mode() & !FOR_OTHERS);
        opened.set_permissions(allowed)?;
    }
    Ok(())
}

/// Whether a file is this user's and nobody else may write to it.
#[cfg(unix)]
pub(super) fn is_own_file(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.is_file() && file.uid() == user() && file.mode() & 0o022 == 0
}

/// Elsewhere the folders of a user are protected by the system.
#[cfg(not(unix))]
pub(super) fn is_own_file(file: &Metadata) -> bool {
    file.is_file()
}

/// Tells this folder from every other one, a copy of it included.
#[cfg(unix)]
pub(super) fn identity(folder: &Path) -> io::Result<String> {
    use std::os::unix::fs::MetadataExt as _;
    let folder = fs::metadata(folder)?;
    Ok(format!("{}:{}", folder.dev(), folder.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(folder: &Path) -> io::Result<String> {
    Ok(fs::canonicalize(folder)?.to_string_lossy().into_owned())
}

/// A folder of this user's for sockets whose paths would be too long elsewhere: in `$XDG_RUNTIME_DIR`, where that is
/// this user's alone, else in the folder of temporary files. One that another user made there is refused.
///
/// # Errors
/// Where there is no place for one.
#[cfg(unix)]
pub(crate) fn socket_folder() -> io::Result<PathBuf> {
    let runtime = runtime_folder();
    socket_folder_in(runtime.as_deref(), &[&std::env::temp_dir(), Path::new("/tmp")])
}

/// Every such folder that there is: another session of the same user may be told another one.
#[cfg(unix)]
pub(crate) fn socket_folders() -> Vec<PathBuf> {
    let runtime = runtime_folder().into_iter().chain([PathBuf::from(format!("/run/user/{}", user()))]);
    let runtime = runtime.map(|folder| folder.join("cutaway"));
    let temporary = [std::env::temp_dir(), PathBuf::from("/tmp")];
    let temporary = temporary.into_iter().map(|folder| folder.join(format!("cutaway-{}", user())));
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in runtime.chain(temporary) {
        if !folders.contains(&folder) && fs::symlink_metadata(&folder).is_ok_and(|found| is_private(&found)) {
            folders.push(folder);
        }
    }
    folders
}

#[cfg(unix)]
fn runtime_folder() -> Option<PathBuf> {
    std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute())
}

#[cfg(unix)]
fn socket_folder_in(runtime: Option<&Path>, temporary: &[&Path]) -> io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;
    let private = |folder: &Path| fs::symlink_metadata(folder).is_ok_and(|folder| is_private(&folder));
    let runtime = runtime.filter(|folder| private(folder)).map(|folder| folder.join("cutaway"));
    let temporary = temporary.iter().map(|folder| folder.join(format!("cutaway-{}", user())));
    let mut refused = Vec::new();
    for folder in runtime.into_iter().chain(temporary) {
        if folder.as_os_str().len() + ROOM_FOR_NAME > LONGEST_SOCKET {
            continue;
        }
        // One that is there already is looked at below, whoever made it.
        let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
        if private(&folder) {
            return Ok(folder);
        }
        refused.push(folder.display().to_string());
    }
    let why = "no folder that is this user's alone for the socket of the local workspace";
    Err(io::Error::other(format!("{why}; looked at: {}", refused.join(", "))))
}

/// Bytes of a socket's name, with the sign before it.
#[cfg(unix)]
const ROOM_FOR_NAME: usize = 48;

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn sockets_are_put_only_where_nobody_else_comes() {
        let place = tempfile::Builder::new().prefix("s").tempdir_in("/tmp").unwrap();
        let (runtime, temporary) = (place.path().join("run"), place.path().join("tmp"));
        for folder in [&runtime, &temporary] {
            fs::create_dir(folder).unwrap();
        }
        let allow = |folder: &Path, mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        let own = temporary.join(format!("cutaway-{}", user()));

        allow(&runtime, 0o755);
        assert_eq!(socket_folder_in(Some(&runtime), &[&temporary]).unwrap(), own, "others can look into the first");
        allow(&runtime, 0o700);
        assert_eq!(socket_folder_in(Some(&runtime), &[&temporary]).unwrap(), runtime.join("cutaway"));
        assert!(is_private(&fs::symlink_metadata(&own).unwrap()));

        // One that others may enter, and one that leads elsewhere, are not used.
        allow(&own, 0o777);
        assert!(socket_folder_in(None, &[&temporary]).unwrap_err().to_string().contains(&*own.to_string_lossy()));
        fs::remove_dir(&own).unwrap();
        symlink(&runtime, &own).unwrap();
        assert!(socket_folder_in(None, &[&temporary]).is_err());
    }
}
