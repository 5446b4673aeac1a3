//! The authorization server of §5.3: OAuth 2.0 for the one public client, with one scope.
//!
//! A client asks either with a code and PKCE (RFC 7636) or with a device code (RFC 8628); the owner approves on a page, by
//! API key. A page is tied to the browser that was shown it by a cookie, which says nothing else: there is no session
//! that another site could use. What can be guessed is limited, and only that: the words of a device code. Keys, codes
//! and tokens are random and long, so that nobody can shut the owner out by trying wrong ones.

mod authorize;
mod browser;
mod device;
mod form;
mod metadata;
mod page;
mod ticket;
mod token;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};

use super::App;
use super::slowing::{Failures, Rate};
use crate::service::address::OAUTH_METADATA;
use crate::service::store::{Identity, StoreError};
use ticket::Tickets;

/// The one client: this program. It is public, it has no secret.
pub(super) const CLIENT: &str = "cutaway";
/// The one scope of §5.3.
pub(super) const SCOPE: &str = "workspace";

/// What tokens are given for.
pub(super) const GRANTS: [&str; 3] = [token::BY_CODE, token::BY_REFRESH, token::BY_DEVICE];

/// The longest `state` and redirect that are carried around, bytes.
pub(super) const MOST_CARRIED: usize = 2048;

pub(super) const AUTHORIZE: &str = "/oauth/authorize";
pub(super) const DEVICE: &str = "/oauth/device";
pub(super) const DEVICE_CODE: &str = "/oauth/device_authorization";
pub(super) const TOKEN: &str = "/oauth/token";
pub(super) const REVOKE: &str = "/oauth/revoke";

/// What the approval page and the token endpoint remember.
pub(crate) struct Approvals {
    tickets: Tickets,
    /// Wrong words of device codes.
    failures: Failures,
    /// Codes and tokens of nobody at the token endpoint. Those of somebody are answered all the same: nobody who guesses
    /// locks them out.
    grants: Failures,
    /// New device codes, which take a place in the database.
    device_codes: Rate,
    /// Revocations of tokens that nobody has.
    revocations: Rate,
}

impl Approvals {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let rate = || Rate::new(30, Duration::from_secs(2));
        Self {
            tickets: Tickets::new(key),
            failures: Failures::beyond("user_code", 5),
            grants: Failures::beyond("grant", 20),
            device_codes: rate(),
            revocations: rate(),
        }
    }
}

/// The paths of the authorization server.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route(OAUTH_METADATA, get(metadata::answer))
        .route("/oauth/page.css", get(page::style))
        .route(AUTHORIZE, get(authorize::ask).post(authorize::decide))
        .route(DEVICE_CODE, post(device::begin))
        .route(DEVICE, get(device::ask).post(device::decide))
        .route(TOKEN, post(token::answer))
        .route(REVOKE, post(token::revoke))
        .layer(from_fn(browser::same_site))
}

/// Whose API key it is.
async fn owner(app: &App, key: &str) -> Result<Option<Identity>, StoreError> {
    let found = if key.is_empty() { None } else { app.store.bearer(key).await? };
    Ok(found.filter(|identity| identity.by_key))
}
