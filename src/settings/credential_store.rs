//! Where credentials are kept and found again: the platform's keyring where it can be reached, else the 0600 file. All of
//! it may wait for a disk or a person, so it is called off the loop.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{CredentialSource, Credentials, CredentialsError, Entry, Environment, Folders, NoHome, Secret, keyring};

/// The credential store of one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialStore {
    file: PathBuf,
    keyring: bool,
}

impl CredentialStore {
    /// The store of these folders; `environment` says whether a keyring can be reached.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn new(folders: &Folders, environment: &Environment) -> Result<Self, NoHome> {
        Ok(Self { file: folders.credentials_file()?, keyring: keyring::is_reachable(environment) })
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether a keyring can be reached.
    #[must_use]
    pub fn has_keyring(&self) -> bool {
        self.keyring
    }

    /// Keeps the credential of a profile, and says where.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn keep(&self, profile: &str, secret: &Secret) -> Result<CredentialSource, CredentialsError> {
        let in_keyring = self.keyring && keyring::keep(profile, secret).is_ok();
        let entry = if in_keyring { Entry::Keyring } else { Entry::Here(secret.clone()) };
        Credentials::change(&self.file, |credentials| credentials.set(profile, entry))?;
        Ok(if in_keyring { CredentialSource::Keyring } else { CredentialSource::File })
    }

    /// The credential of a profile.
    ///
    /// # Errors
    /// Where the file can't be read, or the keyring does not hand it out.
    pub fn load(&self, profile: &str) -> Result<Option<Secret>, CredentialsError> {
        match Credentials::read(&self.file)?.entry(profile) {
            None => Ok(None),
            Some(Entry::Here(secret)) => Ok(Some(secret.clone())),
            Some(Entry::Keyring) => keyring::load(profile).map_err(CredentialsError::Keyring),
        }
    }

    /// Holds back other processes that want new tokens, until the file is dropped: a refresh token is good for once.
    ///
    /// # Errors
    /// Where the lock's file can't be made.
    pub fn hold_renewal(&self) -> io::Result<File> {
        let lock =
            File::options().create(true).truncate(false).write(true).open(self.file.with_extension("renewal"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Forgets the credential of a profile; what it was, where there was one that could still be read.
    ///
    /// # Errors
    /// Where the file can't be read or written, or the keyring keeps it.
    pub fn forget(&self, profile: &str) -> Result<Option<Option<Secret>>, CredentialsError> {
        let secret = match Credentials::read(&self.file)?.entry(profile) {
            None => return Ok(None),
            Some(Entry::Here(secret)) => Some(secret.clone()),
            Some(Entry::Keyring) => {
                let secret = keyring::load(profile).unwrap_or_default();
                keyring::forget(profile).map_err(CredentialsError::Keyring)?;
                secret
            }
        };
        Credentials::change(&self.file, |credentials| credentials.forget(profile))?;
        Ok(Some(secret))
    }
}
