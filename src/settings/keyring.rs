//! The platform's keyring, where this build and this session have one. It may ask the person to unlock it, so it is never
//! waited for without an end, and never on the way to the first picture.

#[cfg(feature = "keyring")]
use std::sync::mpsc::channel;
#[cfg(feature = "keyring")]
use std::time::Duration;

use super::{Environment, Secret};

/// How long a person may take to unlock the keyring.
#[cfg(feature = "keyring")]
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the keyring itself may take to be there at all: nobody has to do anything for that.
#[cfg(feature = "keyring")]
const GREETING: Duration = Duration::from_secs(5);

/// Under which name entries stand; the profile's name is the user.
#[cfg(feature = "keyring")]
const SERVICE: &str = "cutaway";

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
    let text = secret.to_table().to_string();
    ask(profile, move |entry| entry.set_password(&text))
}

/// The secret of a profile.
///
/// # Errors
/// What the keyring says.
#[cfg(feature = "keyring")]
pub(super) fn load(profile: &str) -> Result<Option<Secret>, String> {
    let found = ask(profile, |entry| match entry.get_password() {
        Err(keyring::Error::NoEntry) => Ok(None),
        found => found.map(Some),
    })?;
    // A text that can't be read is treated as none: a new sign-in writes it again.
    Ok(found.and_then(|text| Secret::of_table(&text.parse().ok()?)))
}

/// Forgets the secret of a profile.
///
/// # Errors
/// What the keyring says.
#[cfg(feature = "keyring")]
pub(super) fn forget(profile: &str) -> Result<(), String> {
    ask(profile, |entry| match entry.delete_credential() {
        Err(keyring::Error::NoEntry) => Ok(()),
        done => done,
    })
}

#[cfg(feature = "keyring")]
fn ask<T: Send + 'static>(
    profile: &str,
    question: impl FnOnce(&keyring::Entry) -> keyring::Result<T> + Send + 'static,
) -> Result<T, String> {
    let (greeting, greeted) = channel();
    let (answer, answered) = channel();
    let profile = profile.to_owned();
    // Where nobody ever answers, the thread is left behind.
    std::thread::spawn(move || {
        let there = keyring::Entry::store_status().as_ref().map_err(ToString::to_string);
        // Whoever gave up waiting wants nothing kept or forgotten any more.
        if greeting.send(there.clone()).is_err() || there.is_err() {
            return;
        }
        let result = keyring::Entry::new(SERVICE, &profile).and_then(|entry| question(&entry));
        // The debug form of an error may hold what was read.
        let _ = answer.send(result.map_err(|error| error.to_string()));
    });
    greeted.recv_timeout(GREETING).map_err(|_| "it doesn't respond".to_owned())??;
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
