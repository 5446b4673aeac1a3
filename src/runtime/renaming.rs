//! Another name for a profile: its credential, its queue of uploads and the place it was left at go with it. Drafts, searches
//! and pictures are kept by service, and need not.

use std::io;

use thiserror::Error;

use super::resume;
use super::uploads::{QueueFolder, QueueName};
use crate::settings::{Config, ConfigEditError, CredentialStore, CredentialsError, Folders, NoHome, edit_config};

/// Why a profile has its old name still.
#[derive(Debug, Error)]
pub enum RenameError {
    /// The configuration does not allow it.
    #[error(transparent)]
    Config(#[from] ConfigEditError),
    /// Its credential can't go with it.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// Its uploads can't go with it.
    #[error("its upload queue: {0}")]
    Queue(io::Error),
    /// There is no place for settings.
    #[error(transparent)]
    NoHome(#[from] NoHome),
}

/// Gives a profile another name. What fails leaves everything under the old one.
///
/// # Errors
/// What [`RenameError`] lists.
pub fn rename_profile(folders: &Folders, store: &CredentialStore, from: &str, to: &str) -> Result<(), RenameError> {
    let path = folders.config_file()?;
    let base = Config::read(&path).profiles.get(from).and_then(|profile| profile.base_url.clone());
    // A token that is renewed right now is kept under the old name first.
    let renewal = store.hold_renewal().ok();
    edit_config(&path, |edit| edit.rename_profile(from, to))?;
    let back = |error: RenameError| {
        // The old name is free still: nobody else could take it since.
        let _ = edit_config(&path, |edit| edit.rename_profile(to, from));
        error
    };
    store.copy(from, to).map_err(|error| back(error.into()))?;
    if let Some(base) = base {
        let (old, new) = (QueueName::of_profile(&base, from), QueueName::of_profile(&base, to));
        QueueFolder::rename(folders, &old, &new).map_err(|error| {
            let _ = store.forget(to);
            back(RenameError::Queue(error))
        })?;
    }
    // It works under the new name by now: what is left under the old one is only in the way.
    let _ = store.forget(from);
    resume::rename(folders, from, to);
    drop(renewal);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ApiKey;
    use crate::settings::{Credentials, Entry, Environment, Profile, Secret};
    use crate::studio::Left;

    const BASE: &str = "https://a.example";

    fn entry(store: &CredentialStore, name: &str) -> Option<Entry> {
        Credentials::read(store.file()).unwrap().entry(name).cloned()
    }

    #[test]
    fn what_belongs_to_a_profile_goes_with_it_or_nothing_does() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        let store = CredentialStore::new(&folders, &Environment::default()).unwrap();
        let base: url::Url = BASE.parse().unwrap();
        let profile = Profile { base_url: Some(base.clone()), ..Profile::default() };
        let config = folders.config_file().unwrap();
        edit_config(&config, |edit| edit.set_profile("shop", None, &profile)).unwrap();
        let secret = Secret::Key(ApiKey::new("a key"));
        store.keep("shop", &secret).unwrap();
        // One that was left behind by a profile of that name is not inherited.
        store.keep("stall", &Secret::Key(ApiKey::new("a stale key"))).unwrap();
        let left = Left { screen: "Videos".to_owned(), ..Left::default() };
        resume::leave(&folders, "shop", &left);
        let queue = |name: &str| QueueFolder::open(&folders, &QueueName::of_profile(&base, name)).unwrap();
        let old = queue("shop");
        let sending = old.hold_background().unwrap();
        let refused = rename_profile(&folders, &store, "shop", "stall").unwrap_err();
        assert!(refused.to_string().contains("sent in the background"), "{refused}");
        assert_eq!(entry(&store, "shop"), Some(Entry::Here(secret.clone())));
        assert!(Config::read(&config).profiles.contains_key("shop"));

        drop(sending);
        rename_profile(&folders, &store, "shop", "stall").unwrap();
        assert_eq!((entry(&store, "shop"), entry(&store, "stall")), (None, Some(Entry::Here(secret))));
        assert_eq!(Config::read(&config).profiles.keys().collect::<Vec<_>>(), ["stall"]);
        assert_eq!(resume::take_up(&folders, "stall"), Some(left));
        let state = folders.state().unwrap().join("uploads");
        assert_eq!(std::fs::read_dir(state).unwrap().count(), 1);
        assert!(!queue("stall").has_background());
        assert!(matches!(
            rename_profile(&folders, &store, "shop", "x"),
            Err(RenameError::Config(ConfigEditError::Missing(_)))
        ));
    }
}
