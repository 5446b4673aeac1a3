//! Writing files that hold secrets, or must be whole or unchanged.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::bounded::open_regular_with;
use super::owner::leave_to_owner;

/// Replaces a file at once: readers see the old or the new one, and only the owner may read it (0600, its folder 0700).
///
/// # Errors
/// Where it can't be written.
pub fn replace_private(path: &Path, text: &str) -> io::Result<()> {
    replace_private_bytes(path, text.as_bytes())
}

/// The same for what is no text.
///
/// # Errors
/// Where it can't be written.
pub fn replace_private_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    make_private(folder)?;
    // A temporary file of this crate is 0600 from its first moment.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    leave_to_owner(folder, file.as_file())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn make_private(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let around = folder.ancestors().skip(1).find(|around| around.is_dir());
    let mut making = fs::DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder)?;
    match around.filter(|around| !around.as_os_str().is_empty()) {
        Some(around) => leave_all_to_owner(around, folder),
        None => Ok(()),
    }
}

/// The same for the folders that were made below one.
fn leave_all_to_owner(around: &Path, folder: &Path) -> io::Result<()> {
    for made in folder.ancestors().take_while(|made| *made != around) {
        #[cfg(unix)]
        leave_to_owner(around, &fs::File::open(made)?)?;
    }
    Ok(())
}

/// Runs `change` while no other process of Cutaway changes the files of this folder. The lock is a file beside them that
/// stays; the system lets go of it with the process.
///
/// # Errors
/// Where the folder or the lock can't be made.
pub fn alone<T>(path: &Path, change: impl FnOnce() -> T) -> io::Result<T> {
    let folder = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    make_private(folder)?;
    let mut options = fs::File::options();
    let lock = open_regular_with(options.create(true).truncate(false).write(true), &folder.join(".lock"))?;
    leave_to_owner(folder, &lock)?;
    lock.lock()?;
    let result = change();
    lock.unlock()?;
    Ok(result)
}

/// Whether others than the owner may read it.
#[cfg(unix)]
pub(super) fn is_open_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// Elsewhere the folder's own protection has to do.
#[cfg(not(unix))]
pub(super) fn is_open_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_root_makes_in_the_folder_of_a_user_is_theirs() {
        use std::os::unix::fs::{MetadataExt as _, chown};

        let folder = tempfile::tempdir().unwrap();
        if chown(folder.path(), Some(65_534), Some(65_534)).is_err() {
            eprintln!("SKIPPED, only root can give a folder away: what root makes in the folder of a user");
            return;
        }
        let file = folder.path().join("below/keys.toml");
        alone(&file, || replace_private(&file, "keys = []\n")).unwrap().unwrap();
        for made in [&file, &folder.path().join("below"), &folder.path().join("below/.lock")] {
            assert_eq!(std::fs::metadata(made).unwrap().uid(), 65_534, "{}", made.display());
        }
        // Somebody may have linked a file of root's there.
        let (target, link) = (tempfile::NamedTempFile::new().unwrap(), folder.path().join("link"));
        if std::fs::hard_link(target.path(), &link).is_ok() {
            leave_to_owner(folder.path(), &fs::File::open(&link).unwrap()).unwrap();
            assert_eq!(std::fs::metadata(&link).unwrap().uid(), 0);
        }
    }
}
