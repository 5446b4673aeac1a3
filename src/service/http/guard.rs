//! Who may ask: credentials of §5, looked at before anything else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::Response;
use futures_util::FutureExt;
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::listener::Door;
use super::{App, answer};
use crate::api::{API_KEY_HEADER, ExchangeKey, Operation as _, Problem};
use crate::service::address;
use crate::service::store::{Credential, Identity};
use crate::service::timing;

/// A use of a key or grant is recorded so often at most, seconds.
const NOTED_EVERY: i64 = 60;
/// Keys and grants remembered at most.
const MOST_NOTED: usize = 1024;

/// When the use of each key and grant was recorded last. Credentials themselves are not remembered: whatever revokes one,
/// in this process or another, holds for the next request.
#[derive(Default)]
pub(crate) struct Guard {
    noted: Mutex<HashMap<String, i64>>,
}

impl Guard {
    /// Whether this use is to be recorded now.
    fn is_due(&self, id: &str, recorded: Option<i64>, now: i64) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let last = noted.get(id).copied().max(recorded);
        if last.is_some_and(|last| now.saturating_sub(last) < NOTED_EVERY) {
            return false;
        }
        if noted.len() >= MOST_NOTED {
            noted.clear();
        }
        noted.insert(id.to_owned(), now);
        true
    }
}

/// Records the use of a key or grant, where that was not done in the last minute. Nobody waits for it.
fn note_use(app: &Arc<App>, identity: &Identity) {
    let now = timing::timestamp().as_second();
    let (Credential::Key { id, .. } | Credential::Grant { id }) = &identity.credential else { return };
    if app.guard.is_due(id, identity.used_at, now) {
        let (app, credential) = (Arc::clone(app), identity.credential.clone());
        tokio::spawn(FutureExt::boxed(async move {
            if let Err(error) = app.store.note_use(&credential, now).await {
                tracing::warn!(%error, "the use of a credential can't be recorded");
            }
        }));
    }
}

/// How long it is looked for whose a credential is where that may stay unknown.
const IDENTIFY_TIME: Duration = Duration::from_secs(2);

/// Whether the service answers.
pub(super) const HEALTH: &str = "/healthz";

/// The paths that anybody may ask for.
const PATHS: [&str; 4] = [HEALTH, "/readyz", "/openapi.json", address::OAUTH_METADATA];

/// What further ones begin with.
const BEGINS: [&str; 5] = ["/sample/", address::VIDEO_FILES, address::OAUTH, address::PLAYER, address::PLAYER_FILES];

/// Whether anybody may ask for this path.
fn is_public(path: &str) -> bool {
    // No file is called so: this is the captions of a video of that id, which are not for anybody.
    if path.strip_prefix(address::VIDEO_FILES).is_some_and(|rest| rest.trim_start_matches('/').starts_with("captions"))
    {
        return false;
    }
    PATHS.contains(&path) || BEGINS.iter().any(|begin| path.starts_with(begin) || path == begin.trim_end_matches('/'))
}

/// Lets a request pass with the identity behind its credential, or answers it with a 401.
pub(super) async fn admit(app: &Arc<App>, parts: &mut Parts) -> Result<(), Response> {
    let path = parts.uri.path();
    if is_public(path) {
        // Nobody is refused there; one of them tells those with a credential more, where the database says whose it is.
        if path == HEALTH && parts.headers.contains_key(AUTHORIZATION) {
            let _ = tokio::time::timeout(IDENTIFY_TIME, identify(app, parts)).await;
        }
        return Ok(());
    }
    identify(app, parts).await
}

/// Finds out whose the credential of a request is, or answers it with a 401.
async fn identify(app: &Arc<App>, parts: &mut Parts) -> Result<(), Response> {
    let path = parts.uri.path();
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = header(AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, secret) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    });
    let door = parts.extensions.get().copied().unwrap_or(Door::Browser);
    if door == Door::Browser {
        return Err(unauthenticated("This address is for players and files; it accepts no credentials."));
    }
    let secret = if path == ExchangeKey::ROW.path { header(API_KEY_HEADER).map(str::trim).or(bearer) } else { bearer };
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else {
        return Err(unauthenticated("Send an API key or an access token as Authorization: Bearer."));
    };
    if door == Door::Own
        && let Some(identity) = app.own_key.get().and_then(|own| own.admits(secret))
    {
        parts.extensions.insert(identity);
        return Ok(());
    }
    match app.store.bearer(secret).await {
        Ok(Some(identity)) => {
            note_use(app, &identity);
            parts.extensions.insert(identity);
            Ok(())
        }
        Ok(None) => Err(unauthenticated("The credential is unknown, was revoked or has expired.")),
        Err(error) => Err(answer::refused(&error)),
    }
}

pub(super) fn unauthenticated(why: &str) -> Response {
    answer::problem(&Problem::new(401, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_and_pages_are_for_anybody() {
        for path in ["/healthz", "/readyz", "/openapi.json", "/videos/files/abc", "/sample/a.jpg", "/play/p"] {
            assert!(is_public(path), "{path}");
        }
        // A video may be called so.
        for path in
            ["/videos/files/captions", "/videos/files/captions/en", "/videos/files//captions", "/projects/", "/"]
        {
            assert!(!is_public(path), "{path}");
        }
    }
}
