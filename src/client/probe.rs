//! Whether a host can be reached, the way that requests take: through the proxy, where there is one, and with TLS.

use std::time::{Duration, Instant};

use url::Url;

use super::Limits;
use super::attempt::{Connections, reason};
use super::line;

/// A host that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// How long it took, with TLS and up to the head of an answer.
    pub elapsed: Duration,
    /// Whether the connection was secured by TLS, with a certificate that this machine trusts.
    pub secured: bool,
}

/// Asks a host for its first page, without any credential. Whatever it answers, it was reached.
///
/// # Errors
/// Why it was not reached, in words.
pub async fn reach(url: &Url, patience: Duration) -> Result<Reached, String> {
    let limits = Limits { connect: patience, ..Limits::default() };
    let connections = Connections::default();
    let client = connections.to(url, &limits).map_err(|error| error.to_string())?;
    let began = Instant::now();
    match client.get(url.clone()).timeout(patience).send().await {
        Ok(_) => Ok(Reached { elapsed: began.elapsed(), secured: url.scheme() == "https" }),
        Err(error) => Err(reason(&error)),
    }
}

/// The proxy that requests to an address go through, without its password.
#[must_use]
pub fn proxy_of(url: &Url) -> Option<String> {
    line::proxy(url)
}
