//! Where credentials are kept and found again: the platform's keyring where it can be reached, else the 0600 file. All of
//! it may wait for a disk or a person, so it is called off the loop.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{CredentialSource, Credentials, CredentialsError, Entry, Environment, Folders, NoHome, Secret, keyring};

/// Where a credential was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The place.
    pub source: CredentialSource,
    /// Why it is not the keyring, where there is one that could be asked.
    pub not_in_keyring: Option<String>,
}

impl Kept {
    /// What a person should know of it, where the keyring did not take it.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let why = self.not_in_keyring.as_ref()?;
        Some(format!("the keyring didn't accept the credential ({why}); it is in the {} instead", self.source))
    }
}

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

    /// Keeps the credential of a profile, and says where: in the file also where the keyring will not take it.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn keep(&self, profile: &str, secret: &Secret) -> Result<Kept, CredentialsError> {
        let (entry, kept) = match self.keyring.then(|| keyring::keep(profile, secret)) {
            Some(Ok(())) => (Entry::Keyring, Kept { source: CredentialSource::Keyring, not_in_keyring: None }),
            tried => {
                let not_in_keyring = tried.and_then(Result::err);
                (Entry::Here(secret.clone()), Kept { source: CredentialSource::File, not_in_keyring })
            }
        };
        Credentials::change(&self.file, |credentials| credentials.set(profile, entry))?;
        Ok(kept)
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

    /// Keeps the credential of a profile under another name, too, in the same place; what was kept under that name is
    /// forgotten, also where there is nothing to copy.
    ///
    /// # Errors
    /// Where the file can't be read or written, or the keyring does not hand it out or take it.
    pub fn copy(&self, from: &str, to: &str) -> Result<(), CredentialsError> {
        let credentials = Credentials::read(&self.file)?;
        let entry = credentials.entry(from).cloned();
        if entry == Some(Entry::Keyring)
            && let Some(secret) = keyring::load(from).map_err(CredentialsError::Keyring)?
        {
            keyring::keep(to, &secret).map_err(CredentialsError::Keyring)?;
        }
        if entry.is_none() && credentials.entry(to).is_none() {
            return Ok(());
        }
        Credentials::change(&self.file, |credentials| match entry {
            Some(entry) => credentials.set(to, entry),
            None => drop(credentials.forget(to)),
        })
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
        let credentials = Credentials::read(&self.file)?;
        let secret = match credentials.entry(profile) {
            None if !credentials.has(profile) => return Ok(None),
            None => None,
            Some(Entry::Here(secret)) => {
                // What the keyring had before it would not take a newer one is as good as that.
                if self.keyring {
                    let _ = keyring::forget(profile);
                }
                Some(secret.clone())
            }
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
