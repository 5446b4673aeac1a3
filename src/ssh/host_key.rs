//! The key by which clients know this server again. It is made once and kept in the data folder, for its owner only; that of
//! several processes on one database is in it, so that clients know all of them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use russh::keys::PrivateKey;
use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::Ed25519Keypair;

use super::SshError;
use super::keys::FOLDER;
use crate::service::guests::GuestBook;
use crate::settings::{alone, write_private};

/// The file of the host key, in the folder of SSH.
const FILE: &str = "host_key";

/// The host key of a data folder; made where there is none.
///
/// # Errors
/// Where it can't be read or written, is damaged, or others than its owner may read it.
pub(super) fn load(data: &Path) -> Result<PrivateKey, SshError> {
    let path = data.join(FOLDER).join(FILE);
    let wrong = |why: String| SshError::HostKey { path: path.clone(), why };
    alone(&path, || read_or_make(&path)).map_err(|error| wrong(error.to_string()))?.map_err(wrong)
}

/// The same of a database.
///
/// # Errors
/// Where it can't be read or written, or is damaged.
pub(super) fn load_shared(book: &GuestBook) -> Result<PrivateKey, SshError> {
    let wrong = |why: String| SshError::HostKey { path: "the SSH host key in the database".into(), why };
    let refused = |error: io::Error| wrong(error.to_string());
    let home = book.home("");
    home.change_note(FILE, |text| match text {
        Some(_) => Ok(None),
        None => Ok::<_, SshError>(Some(made().map_err(wrong)?.1)),
    })?;
    let text = home.note(FILE).map_err(refused)?.unwrap_or_default();
    PrivateKey::from_openssh(&text).map_err(|error| wrong(format!("not a host key: {error}")))
}

/// A new key, and as it is written.
fn made() -> Result<(PrivateKey, String), String> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| error.to_string())?;
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
    let text = key.to_openssh(LineEnding::LF).map_err(|error| error.to_string())?;
    Ok((key, text.to_string()))
}

fn read_or_make(path: &PathBuf) -> Result<PrivateKey, String> {
    match fs::read_to_string(path) {
        Ok(text) => {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = fs::metadata(path).map_err(|error| error.to_string())?.permissions().mode();
                if mode & 0o077 != 0 {
                    return Err(
                        "others can read the host key; run chmod 600 on it, or delete it to get a new one".into()
                    );
                }
            }
            PrivateKey::from_openssh(&text).map_err(|error| format!("not a host key: {error}"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (key, text) = made()?;
            write_private(path, &text).map_err(|error| error.to_string())?;
            Ok(key)
        }
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_is_the_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let made = load(folder.path()).unwrap();
        assert_eq!(load(folder.path()).unwrap().public_key(), made.public_key());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = folder.path().join("ssh/host_key");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(load(folder.path()).unwrap_err().to_string().contains("chmod 600"));
        }
    }

    #[test]
    fn one_that_is_damaged_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ssh/host_key");
        write_private(&path, "nothing").unwrap();
        assert!(load(folder.path()).is_err());
        assert_eq!(fs::read_to_string(path).unwrap(), "nothing");
    }
}
