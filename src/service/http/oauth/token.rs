//! The token endpoint, RFC 6749 §3.2, and revocation, RFC 7009.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::form::{Form, Unfit};
use super::{CLIENT, SCOPE, page};
use crate::service::http::App;
use crate::service::http::answer;
use crate::service::http::slowing::{Peer, retry_after};
use crate::service::store::{DeviceAnswer, Granted, Lifetimes, StoreError};
use crate::service::timing::seconds;

pub(super) const BY_CODE: &str = "authorization_code";
pub(super) const BY_REFRESH: &str = "refresh_token";
pub(super) const BY_DEVICE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Why there is no token: RFC 6749 §5.2, RFC 8628 §3.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    error: &'static str,
    why: &'static str,
}

impl Refusal {
    pub(super) const CLIENT: Self = Self::new("invalid_client", "the client is not known here");
    pub(super) const SCOPE: Self = Self::new("invalid_scope", "the one scope is workspace");
    const MISSING: Self = Self::new("invalid_request", "a parameter of this grant is missing");
    const VERIFIER: Self = Self::new("invalid_request", "code_verifier must have 43 to 128 unreserved characters");
    const KIND: Self = Self::new("unsupported_grant_type", "this grant type is not known here");
    const CODE: Self =
        Self::new("invalid_grant", "the code is unknown, expired or used, or belongs to another request");
    const REFRESH: Self = Self::new("invalid_grant", "the refresh token is unknown, expired or used");
    const DEVICE: Self = Self::new("invalid_grant", "the device code is unknown or used");
    const PENDING: Self = Self::new("authorization_pending", "nobody has decided yet");
    const SLOWER: Self = Self::new("slow_down", "ask less often");
    const EXPIRED: Self = Self::new("expired_token", "nobody decided in time");
    const DENIED: Self = Self::new("access_denied", "the owner refused");

    const fn new(error: &'static str, why: &'static str) -> Self {
        Self { error, why }
    }
}

fn document(status: StatusCode, error: &str, why: &str) -> Response {
    let text = json!({ "error": error, "error_description": why }).to_string();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    page::close(&mut response);
    response
}

/// The answer to what is refused.
pub(super) fn refusal(refusal: &Refusal) -> Response {
    document(StatusCode::BAD_REQUEST, refusal.error, refusal.why)
}

/// The answer to a request with parameters that can't be taken.
pub(super) fn unfit_request(unfit: &Unfit) -> Response {
    // The characters that a description may have, RFC 6749 §5.2.
    let why = unfit.to_string().replace(|c: char| !matches!(c, ' ' | '!' | '#'..='[' | ']'..='~'), "?");
    document(StatusCode::BAD_REQUEST, "invalid_request", &why)
}

/// The answer to who asks or fails too often.
pub(super) fn slow(seconds: u64) -> Response {
    let mut response = document(StatusCode::TOO_MANY_REQUESTS, "slow_down", "too many requests; Retry-After says more");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// PKCE's S256 of a verifier, RFC 7636 §4.6; nothing where it is none.
fn challenge(verifier: &str) -> Option<String> {
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    let good = (43..=128).contains(&verifier.len()) && verifier.bytes().all(unreserved);
    good.then(|| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

async fn granted(app: &App, form: &Form) -> Result<Result<Granted, Refusal>, StoreError> {
    let lifetimes = Lifetimes { refresh: seconds(app.timing.refresh), grant: seconds(app.timing.grant) };
    if form.get("client_id") != Some(CLIENT) {
        return Ok(Err(Refusal::CLIENT));
    }
    if form.get("scope").is_some_and(|scope| scope != SCOPE) {
        return Ok(Err(Refusal::SCOPE));
    }
    Ok(match form.get("grant_type") {
        Some(BY_CODE) => {
            let given = (form.get("code"), form.get("redirect_uri"), form.get("code_verifier"));
            let (Some(code), Some(redirect), Some(verifier)) = given else { return Ok(Err(Refusal::MISSING)) };
            let Some(challenge) = challenge(verifier) else { return Ok(Err(Refusal::VERIFIER)) };
            let granted = app.store.redeem_code(code, challenge, redirect.to_owned(), lifetimes).await?;
            granted.ok_or(Refusal::CODE)
        }
        Some(BY_REFRESH) => match form.get("refresh_token") {
            None => Err(Refusal::MISSING),
            Some(token) => app.store.refresh(token, lifetimes).await?.ok_or(Refusal::REFRESH),
        },
        Some(BY_DEVICE) => match form.get("device_code") {
            None => Err(Refusal::MISSING),
            Some(code) => match app.store.poll_device(code, lifetimes).await? {
                DeviceAnswer::Granted(granted) => Ok(granted),
                DeviceAnswer::Pending => Err(Refusal::PENDING),
                DeviceAnswer::SlowDown => Err(Refusal::SLOWER),
                DeviceAnswer::Denied => Err(Refusal::DENIED),
                DeviceAnswer::Expired => Err(Refusal::EXPIRED),
                DeviceAnswer::Unknown => Err(Refusal::DEVICE),
            },
        },
        Some(_) => Err(Refusal::KIND),
        None => Err(Refusal::MISSING),
    })
}

/// `POST /oauth/token`
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let form = match Form::of(request).await {
        Ok(Ok(form)) => form,
        Ok(Err(unfit)) => return unfit_request(&unfit),
        Err(problem) => return answer::problem(&problem),
    };
    match granted(&app, &form).await {
        Err(error) => answer::refused(&error),
        Ok(Err(refused)) => {
            // A guess; what is refused for another reason is none. Who is behind the same address and guesses nothing is
            // not slowed.
            if refused.error == Refusal::CODE.error {
                match app.approvals.grants.wait(&app.store, peer).await {
                    Err(error) => return answer::refused(&error),
                    Ok(Some(wait)) => return slow(retry_after(wait)),
                    Ok(None) => {}
                }
                if let Err(error) = app.approvals.grants.note(&app.store, peer).await {
                    return answer::refused(&error);
                }
            }
            refusal(&refused)
        }
        Ok(Ok(granted)) => {
            let mut response = answer::json(&json!({
                "access_token": granted.access.expose(),
                "token_type": "Bearer",
                "expires_in": granted.access_seconds,
                "refresh_token": granted.refresh.expose(),
                "scope": SCOPE,
            }));
            page::close(&mut response);
            response
        }
    }
}

/// `POST /oauth/revoke`: an unknown token is as good as one taken back (RFC 7009 §2.2). Unknown ones are limited, so that
/// whoever has a token can always take it back.
pub(super) async fn revoke(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let form = match Form::of(request).await {
        Ok(Ok(form)) => form,
        Ok(Err(unfit)) => return unfit_request(&unfit),
        Err(problem) => return answer::problem(&problem),
    };
    let Some(token) = form.get("token") else { return refusal(&Refusal::MISSING) };
    if form.get("client_id") != Some(CLIENT) {
        return refusal(&Refusal::CLIENT);
    }
    match app.store.is_token(token).await {
        Err(error) => return answer::refused(&error),
        Ok(true) => {
            if let Err(error) = app.store.revoke(token).await {
                return answer::refused(&error);
            }
        }
        Ok(false) => {
            if let Err(wait) = app.approvals.revocations.take(peer, Instant::now()) {
                return slow(retry_after(wait));
            }
        }
    }
    let mut response = Response::new(Body::empty());
    page::close(&mut response);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier).as_deref(), Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
        assert_eq!(challenge("short"), None);
        assert_eq!(challenge(&" ".repeat(43)), None);
    }
}
