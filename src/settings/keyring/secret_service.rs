//! The Secret Service of freedesktop.org, as GNOME Keyring, KWallet and KeePassXC speak it, over the session's D-Bus. Secrets
//! are handed over on that bus as they are: its socket is this user's, and whoever may listen there may ask the service.

use std::collections::HashMap;
use std::time::Duration;

use dbus_secret_service::{EncryptionType, Error, Item, SecretService};

use super::{SERVICE, SILENT};

/// The keyring, which is there.
pub(super) struct Store(SecretService);

impl Store {
    /// Greets it. A person may take so long to unlock it.
    ///
    /// # Errors
    /// What it says.
    pub(super) fn open(patience: Duration) -> Result<Self, String> {
        SecretService::connect_with_max_prompt_timeout(EncryptionType::Plain, patience.as_secs())
            .map(Self)
            .map_err(said)
    }

    /// Keeps the text of a user, in place of the one before.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn keep(&self, user: &str, text: &str) -> Result<(), String> {
        if let Some(item) = self.item(user)? {
            return item.set_secret(text.as_bytes(), TYPE).map_err(said);
        }
        let collection = self.0.get_default_collection().map_err(said)?;
        collection.ensure_unlocked().map_err(said)?;
        let label = format!("keyring:{user}@{SERVICE}");
        collection.create_item(&label, attributes(user), text.as_bytes(), true, TYPE).map_err(said)?;
        Ok(())
    }

    /// The text of a user.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn load(&self, user: &str) -> Result<Option<String>, String> {
        let Some(item) = self.item(user)? else { return Ok(None) };
        let secret = item.get_secret().map_err(said)?;
        // The error would hold what was read.
        String::from_utf8(secret).map(Some).map_err(|_| "its entry is no text".to_owned())
    }

    /// Forgets the text of a user.
    ///
    /// # Errors
    /// What the keyring says.
    pub(super) fn forget(&self, user: &str) -> Result<(), String> {
        self.item(user)?.map_or(Ok(()), |item| item.delete().map_err(said))
    }

    /// The entry of a user, unlocked.
    fn item(&self, user: &str) -> Result<Option<Item<'_>>, String> {
        let found = self.0.search_items(attributes(user)).map_err(said)?;
        if !found.locked.is_empty() {
            let locked: Vec<&Item<'_>> = found.locked.iter().collect();
            self.0.unlock_all(&locked).map_err(said)?;
        }
        let mut items = found.unlocked.into_iter().chain(found.locked);
        let item = items.next();
        if items.next().is_some() {
            return Err("it has more than one entry of this profile".to_owned());
        }
        Ok(item)
    }
}

/// What kind of text entries have. Earlier versions said the same.
const TYPE: &str = "application/octet-stream";

/// What an entry is found by.
fn attributes(user: &str) -> HashMap<&str, &str> {
    HashMap::from([("service", SERVICE), ("username", user)])
}

fn said(error: Error) -> String {
    match error {
        Error::Dbus(error) if error.name().is_some_and(|name| name.ends_with(".NoReply")) => SILENT.to_owned(),
        Error::Locked | Error::Prompt => "it stayed locked".to_owned(),
        Error::NoResult => "it has no place for new entries yet".to_owned(),
        error => error.to_string(),
    }
}
