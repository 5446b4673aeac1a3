//! Whose the files are that root makes in the folder of another user.

use std::fs::File;
use std::io;
use std::path::Path;

/// Leaves to the owner of a folder what root made in it: a service that runs as that user could not open it otherwise.
/// It does nothing where this process is not root's, and nothing to files that have another name elsewhere, which the owner of
/// the folder may have put there.
///
/// # Errors
/// Where the system refuses.
#[cfg(unix)]
pub fn leave_to_owner(folder: &Path, made: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let (owner, is) = (std::fs::metadata(folder)?, made.metadata()?);
    let is_ours = is.uid() == 0 && (is.is_dir() || is.nlink() == 1);
    if owner.uid() != 0 && is_ours {
        fchown(made, Some(owner.uid()), Some(owner.gid()))?;
    }
    Ok(())
}

/// Elsewhere the rights of a folder are those of what is in it.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn leave_to_owner(_folder: &Path, _made: &File) -> io::Result<()> {
    Ok(())
}
