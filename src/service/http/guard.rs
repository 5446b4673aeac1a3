//! Who may ask: credentials of §5, looked at before anything else.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::response::Response;
use http::header::AUTHORIZATION;
use http::request::Parts;
use sha2::{Digest as _, Sha256};

use super::{App, answer, oauth, player};
use crate::api::{API_KEY_HEADER, ExchangeKey, Operation as _, Problem};
use crate::service::address;
use crate::service::store::{Identity, StoreError};

/// Credentials seen lately, by hash, so that not every request asks the database.
#[derive(Default)]
pub(crate) struct Guard {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    by_hash: HashMap<[u8; 32], Identity>,
    /// How often all was forgotten: what was asked of the database before may be over since.
    forgotten: u64,
}

/// Credentials remembered at most.
const MOST_SEEN: usize = 1024;

impl Guard {
    /// Forgets what was seen, because some of it was taken back.
    pub(super) fn forget(&self) {
        let mut seen = self.seen();
        seen.by_hash.clear();
        seen.forgotten += 1;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn bearer(&self, app: &App, secret: &str) -> Result<Option<Identity>, StoreError> {
        let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let now = jiff::Timestamp::now().as_second();
        let (known, forgotten) = {
            let seen = self.seen();
            (seen.by_hash.get(&hash).cloned(), seen.forgotten)
        };
        if let Some(known) = known.filter(|known| known.expires_at.is_none_or(|end| end > now)) {
            return Ok(Some(known));
        }
        let found = app.store.bearer(secret).await?;
        let mut seen = self.seen();
        if seen.by_hash.len() >= MOST_SEEN {
            seen.by_hash.clear();
        }
        match &found {
            Some(identity) if seen.forgotten == forgotten => seen.by_hash.insert(hash, identity.clone()),
            _ => seen.by_hash.remove(&hash),
        };
        Ok(found)
    }
}

/// The paths that anybody may ask for.
const PATHS: [&str; 3] = ["/healthz", "/openapi.json", oauth::METADATA];

/// What further ones begin with.
const BEGINS: [&str; 5] = ["/sample/", address::VIDEO_FILES, oauth::PATHS, address::PLAYER, player::FILES];

/// Whether anybody may ask for this path.
fn is_public(path: &str) -> bool {
    PATHS.contains(&path) || BEGINS.iter().any(|begin| path.starts_with(begin) || path == begin.trim_end_matches('/'))
}

/// Lets a request pass with the identity behind its credential, or answers it with a 401.
pub(super) async fn admit(app: &App, parts: &mut Parts) -> Result<(), Response> {
    let path = parts.uri.path();
    if is_public(path) {
        return Ok(());
    }
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = header(AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, secret) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    });
    let secret = if path == ExchangeKey::ROW.path { header(API_KEY_HEADER).map(str::trim).or(bearer) } else { bearer };
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else {
        return Err(unauthenticated("Send an API key or an access token as Authorization: Bearer."));
    };
    match app.guard.bearer(app, secret).await {
        Ok(Some(identity)) => {
            parts.extensions.insert(identity);
            Ok(())
        }
        Ok(None) => Err(unauthenticated("The credential is unknown or has expired.")),
        Err(error) => Err(answer::refused(&error)),
    }
}

pub(super) fn unauthenticated(why: &str) -> Response {
    answer::problem(&Problem::new(401, why))
}
