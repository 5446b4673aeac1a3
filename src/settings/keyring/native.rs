//! The keychain of macOS and the credentials of Windows.

use std::time::Duration;

use keyring::{Entry, Error, Result};

use super::SERVICE;

/// The keyring, which is there.
pub(super) struct Store;

impl Store {
    /// Looks whether it is there. How long a person may take to unlock it is the system's to say.
    ///
    /// # Errors
    /// What it says.
    pub(super) fn open(_patience: Duration) -> std::result::Result<Self, String> {
        Entry::store_status().as_ref().map(|()| Self).map_err(ToString::to_string)
    }

    /// Keeps the text of a user, in place of the one before.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn keep(&self, user: &str, text: &str) -> std::result::Result<(), String> {
        said(Entry::new(SERVICE, user).and_then(|entry| entry.set_password(text)))
    }

    /// The text of a user.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn load(&self, user: &str) -> std::result::Result<Option<String>, String> {
        said(match Entry::new(SERVICE, user).and_then(|entry| entry.get_password()) {
            Err(Error::NoEntry) => Ok(None),
            found => found.map(Some),
        })
    }

    /// Forgets the text of a user.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn forget(&self, user: &str) -> std::result::Result<(), String> {
        said(match Entry::new(SERVICE, user).and_then(|entry| entry.delete_credential()) {
            Err(Error::NoEntry) => Ok(()),
            done => done,
        })
    }
}

/// The debug form of an error may hold what was read; its text doesn't.
fn said<T>(result: Result<T>) -> std::result::Result<T, String> {
    result.map_err(|error| error.to_string())
}
