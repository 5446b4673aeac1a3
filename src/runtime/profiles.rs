//! Saving and removing profiles together with their credentials: a credential belongs to the service that it was given for,
//! and no profile inherits one, neither from a profile of its name nor from another service.

use thiserror::Error;

use crate::settings::{
    Config, ConfigEditError, CredentialStore, Credentials, CredentialsError, Folders, NoHome, Profile, edit_config,
    is_same_origin,
};

/// Why a profile was not saved or removed. The configuration is as it was.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// The configuration does not allow it.
    #[error(transparent)]
    Config(#[from] ConfigEditError),
    /// Its credential can't be removed.
    #[error("the credential of the profile {0:?} can't be removed, so the profile stays as it is: {1}")]
    Credentials(String, CredentialsError),
    /// There is no place for settings.
    #[error(transparent)]
    NoHome(#[from] NoHome),
}

/// Removes a profile and its credential. The credential goes first: where it can't be removed, the profile stays and still
/// leads to it.
///
/// # Errors
/// What [`ProfileError`] lists.
pub fn remove_profile(folders: &Folders, store: &CredentialStore, name: &str) -> Result<(), ProfileError> {
    let path = folders.config_file()?;
    if Config::read(&path).profiles.contains_key(name) {
        forget(store, name)?;
    }
    Ok(edit_config(&path, |edit| edit.remove_profile(name))?)
}

/// Saves a profile as `after`, new where there is none `before`, and opened first from now on with `default`. A credential
/// that was left under a new name, and that of a profile whose service is at another origin now, is removed first: what it
/// says of that, for people.
///
/// # Errors
/// What [`ProfileError`] lists.
pub fn save_profile(
    folders: &Folders,
    store: &CredentialStore,
    name: &str,
    (before, after): (Option<&Profile>, &Profile),
    default: bool,
) -> Result<Option<String>, ProfileError> {
    let path = folders.config_file()?;
    // What will be refused costs no credential.
    let there = Config::read(&path).profiles.get(name).cloned();
    let is_refused = match before {
        None => there.is_some(),
        Some(before) => there.unwrap_or_default() != *before,
    };
    let said = if is_refused { None } else { forget_foreign(store, name, before, after)? };
    edit_config(&path, |edit| {
        edit.set_profile(name, before, after)?;
        if default { edit.set_default(name) } else { Ok(()) }
    })?;
    Ok(said)
}

/// Removes a credential that was not given for the service of this profile.
fn forget_foreign(
    store: &CredentialStore,
    name: &str,
    before: Option<&Profile>,
    after: &Profile,
) -> Result<Option<String>, ProfileError> {
    let sign_in = format!("sign in with: cutaway login --profile {}", crate::domain::shell::word(name));
    let said = match (before, before.and_then(|before| before.base_url.as_ref()), &after.base_url) {
        (None, ..) => format!("a credential that was left under the name {name} was removed; {sign_in}"),
        (_, Some(old), Some(new)) if is_same_origin(old, new) => return Ok(None),
        (_, None, None) => return Ok(None),
        (_, Some(old), _) => {
            let old = old.origin().ascii_serialization();
            format!("the credential of {name} was for {old} and was removed; {sign_in}")
        }
        // Without an address nothing was sent anywhere, and nobody knows what the credential was for.
        (_, None, _) => format!("the credential of {name} was for no known address and was removed; {sign_in}"),
    };
    let broken = |error| ProfileError::Credentials(name.to_owned(), error);
    if !Credentials::read(store.file()).map_err(broken)?.has(name) {
        return Ok(None);
    }
    forget(store, name)?;
    Ok(Some(said))
}

fn forget(store: &CredentialStore, name: &str) -> Result<(), ProfileError> {
    store.forget(name).map(drop).map_err(|error| ProfileError::Credentials(name.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ApiKey;
    use crate::settings::{Environment, Secret};

    struct Home {
        folders: Folders,
        store: CredentialStore,
        _folder: tempfile::TempDir,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let folders = Folders::under(folder.path());
            let store = CredentialStore::new(&folders, &Environment::default()).unwrap();
            Self { folders, store, _folder: folder }
        }

        fn save(&self, before: Option<&Profile>, after: &Profile) -> Result<Option<String>, ProfileError> {
            save_profile(&self.folders, &self.store, "shop", (before, after), false)
        }

        fn keep(&self) {
            self.store.keep("shop", &Secret::Key(ApiKey::new("a key"))).unwrap();
        }

        fn has(&self) -> bool {
            Credentials::read(self.store.file()).unwrap().has("shop")
        }
    }

    fn at(base: &str) -> Profile {
        Profile { base_url: Some(base.parse().unwrap()), ..Profile::default() }
    }

    #[test]
    fn a_new_profile_inherits_no_credential() {
        let home = Home::new();
        home.keep();
        let said = home.save(None, &at("https://b.example")).unwrap().unwrap();
        assert!(said.contains("was removed") && said.contains("cutaway login --profile shop"), "{said}");
        assert!(!home.has());
    }

    #[test]
    fn a_credential_stays_with_its_service_and_does_not_follow_a_profile_to_another() {
        let home = Home::new();
        let (first, path) = (at("https://a.example"), at("https://A.example:443/v2"));
        home.save(None, &first).unwrap();
        home.keep();
        assert!(matches!(home.save(None, &at("https://b.example")), Err(ProfileError::Config(_))));
        assert!(matches!(home.save(Some(&path), &at("https://b.example")), Err(ProfileError::Config(_))));
        assert!(home.has(), "what is refused changes nothing");
        assert_eq!((home.save(Some(&first), &path).unwrap(), home.has()), (None, true));
        let said = home.save(Some(&path), &at("https://a.example:8443")).unwrap().unwrap();
        assert!(said.contains("https://a.example ") && !home.has(), "{said}");
        let dark = Profile { read_only: true, ..at("https://a.example:8443") };
        home.keep();
        assert_eq!((home.save(Some(&at("https://a.example:8443")), &dark).unwrap(), home.has()), (None, true));
    }

    #[test]
    fn a_profile_stays_where_its_credential_can_not_be_removed() {
        let home = Home::new();
        let shop = at("https://a.example");
        home.save(None, &shop).unwrap();
        home.keep();
        let kept = std::fs::read_to_string(home.store.file()).unwrap();
        crate::settings::write_private(home.store.file(), "version = 99\n").unwrap();
        assert!(matches!(
            remove_profile(&home.folders, &home.store, "shop"),
            Err(ProfileError::Credentials(_, CredentialsError::Newer { .. }))
        ));
        assert!(home.save(Some(&shop), &at("https://b.example")).is_err());
        let path = home.folders.config_file().unwrap();
        assert_eq!(Config::read(&path).profiles.get("shop"), Some(&shop));
        crate::settings::write_private(home.store.file(), &kept).unwrap();
        remove_profile(&home.folders, &home.store, "shop").unwrap();
        assert!(!home.has() && Config::read(&path).profiles.is_empty());
    }
}
