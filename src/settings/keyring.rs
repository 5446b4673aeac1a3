//! The platform's keyring, where this build and this session have one. It may ask the person to unlock it, so it is never
//! waited for without an end, and never on the way to the first picture.

#[cfg(all(feature = "keyring", any(target_os = "macos", windows)))]
#[path = "keyring/native.rs"]
mod platform;
#[cfg(all(feature = "keyring", not(any(target_os = "macos", windows))))]
#[path = "keyring/secret_service.rs"]
mod platform;

#[cfg(feature = "keyring")]
use std::sync::mpsc::channel;
#[cfg(feature = "keyring")]
use std::time::Duration;

use super::{Environment, Secret};
#[cfg(feature = "keyring")]
use platform::Store;

/// How long a person may take to unlock the keyring.
#[cfg(feature = "keyring")]
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the keyring itself may take to be there at all: nobody has to do anything for that.
#[cfg(feature = "keyring")]
const GREETING: Duration = Duration::from_secs(5);

/// Under which name entries stand; the profile's name is the user.
#[cfg(feature = "keyring")]
const SERVICE: &str = "cutaway";

/// What is said of a keyring that is there and silent.
#[cfg(feature = "keyring")]
const SILENT: &str = "it doesn't respond";

/// Whether it is worth asking: on Linux the keyring is reached over the session's D-Bus, which a line over SSH has not.
pub(super) fn is_reachable(environment: &Environment) -> bool {
    cfg!(feature = "keyring")
        && (cfg!(any(target_os = "macos", windows)) || environment.get("DBUS_SESSION_BUS_ADDRESS").is_some())
}

/// Keeps a secret.
///
/// # Errors
/// What the keyring says.
#[cfg(feature = "keyring")]
pub(super) fn keep(profile: &str, secret: &Secret) -> Result<(), String> {
    let (user, text) = (profile.to_owned(), secret.to_table().to_string());
    ask(move |store| store.keep(&user, &text))
}

/// The secret of a profile.
///
/// # Errors
/// What the keyring says.
#[cfg(feature = "keyring")]
pub(super) fn load(profile: &str) -> Result<Option<Secret>, String> {
    let user = profile.to_owned();
    let found = ask(move |store| store.load(&user))?;
    // A text that can't be read is treated as none: a new sign-in writes it again.
    Ok(found.and_then(|text| Secret::of_table(&text.parse().ok()?)))
}

/// Forgets the secret of a profile.
///
/// # Errors
/// What the keyring says.
#[cfg(feature = "keyring")]
pub(super) fn forget(profile: &str) -> Result<(), String> {
    let user = profile.to_owned();
    ask(move |store| store.forget(&user))
}

#[cfg(feature = "keyring")]
fn ask<T: Send + 'static>(question: impl FnOnce(&Store) -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let (greeting, greeted) = channel();
    let (answer, answered) = channel();
    // Where nobody ever answers, the thread is left behind.
    std::thread::spawn(move || {
        let (store, there) = match Store::open(PATIENCE) {
            Ok(store) => (Some(store), Ok(())),
            Err(error) => (None, Err(error)),
        };
        // Whoever gave up waiting wants nothing kept or forgotten any more.
        if greeting.send(there).is_ok()
            && let Some(store) = store
        {
            let _ = answer.send(question(&store));
        }
    });
    greeted.recv_timeout(GREETING).map_err(|_| SILENT.to_owned())??;
    answered.recv_timeout(PATIENCE).map_err(|_| "nobody unlocked it in time, or it doesn't respond".to_owned())?
}

#[cfg(not(feature = "keyring"))]
const NONE: &str = "this build has no keyring";

#[cfg(not(feature = "keyring"))]
pub(super) fn keep(_profile: &str, _secret: &Secret) -> Result<(), String> {
    Err(NONE.to_owned())
}

#[cfg(not(feature = "keyring"))]
pub(super) fn load(_profile: &str) -> Result<Option<Secret>, String> {
    Err(NONE.to_owned())
}

#[cfg(not(feature = "keyring"))]
pub(super) fn forget(_profile: &str) -> Result<(), String> {
    Err(NONE.to_owned())
}
