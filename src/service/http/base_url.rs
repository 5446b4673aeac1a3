//! The address under which the service hands out others, as a request is to be told it: of players, videos, pictures and
//! the approval page.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::Response;
use http::header::HOST;
use http::request::Parts;

use super::listener::Door;
use super::{App, answer};
use crate::api::Problem;

/// The service's address as this request is to be told it.
#[derive(Debug, Clone)]
pub(super) struct BaseUrl(pub String);

impl FromRequestParts<Arc<App>> for BaseUrl {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let own = app.own_address.get(app).await.map_err(|error| {
            tracing::error!(%error, "the port for players and files could not be opened");
            answer::problem(&Problem::new(503, "Couldn't open the port for players and files."))
        })?;
        Ok(Self(as_asked(own, parts)))
    }
}

impl BaseUrl {
    /// The public address, else the service's own, where there is one already.
    pub(super) fn known(app: &App, parts: &Parts) -> Option<Self> {
        let public = app.ingress.public_url.as_ref().map(ToString::to_string);
        public.or_else(|| Some(as_asked(app.own_address.known()?, parts))).map(Self)
    }
}

/// The service's own address; where it listens on every interface, the one that the request went to.
fn as_asked(own: &str, parts: &Parts) -> String {
    let (scheme, address) = own.split_once("://").unwrap_or(("http", own));
    let everywhere = ["0.0.0.0", "[::]"].into_iter().find_map(|all| address.strip_prefix(all));
    let Some(port) = everywhere else { return own.to_owned() };
    if parts.extensions.get() == Some(&Door::Own) {
        return format!("{scheme}://{}{port}", Ipv4Addr::LOCALHOST);
    }
    let plain =
        |host: &&str| host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']'));
    match parts.headers.get(HOST).and_then(|host| host.to_str().ok()).filter(plain) {
        Some(host) => format!("{scheme}://{host}"),
        None => own.to_owned(),
    }
}
