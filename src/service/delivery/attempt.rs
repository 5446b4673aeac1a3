//! One attempt to deliver: a POST to the subscription's address, and what came of it.

use std::error::Error;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use url::{Host, Url};

use super::address::{Private, Resolver};
use crate::api::sign;
use crate::service::store::Due;
use crate::service::timing;
use crate::settings::is_public;

/// How much of an answer's body is kept, bytes.
const MOST_KEPT: usize = 2048;

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Answer {
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
    pub(super) body: Option<String>,
    /// How long the receiver asks to wait.
    pub(super) retry_after: Option<Duration>,
    /// No other attempt can do better.
    pub(super) is_final: bool,
}

impl Answer {
    fn never(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), is_final: true, ..Self::default() }
    }
}

/// Makes attempts.
#[derive(Clone)]
pub(super) struct Attempts {
    client: Client,
    allow_private: bool,
}

impl Attempts {
    pub(super) fn new(allow_private: bool, receiver: Duration) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            // A proxy would resolve the name by itself, a redirect would lead past the look at the address, and a kept
            // connection past the next one.
            .no_proxy()
            .redirect(Policy::none())
            .pool_max_idle_per_host(0)
            .dns_resolver(Resolver { allow_private })
            .timeout(receiver)
            .build()?;
        Ok(Self { client, allow_private })
    }

    /// Sends the message.
    pub(super) async fn make(&self, due: &Due) -> Answer {
        let url = match Url::parse(&due.url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            _ => return Answer::never("the webhook's address is not an http(s) address"),
        };
        // An address that is written as a number is not resolved, so it is looked at here.
        let written = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        if !self.allow_private && written.is_some_and(|address| !is_public(address)) {
            return Answer::never(Private.to_string());
        }
        let timestamp = timing::timestamp().as_second();
        // While a secret is replaced, both sign: receivers take the signature that they can verify.
        let signatures = due.secrets.all().map(|secret| sign(secret, &due.message, timestamp, &due.body));
        let Some(signatures) = signatures.collect::<Option<Vec<_>>>() else {
            return Answer::never("the webhook's secret can't be used");
        };
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &due.message)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures.join(" "))
            .body(due.body.clone());
        match request.send().await {
            Ok(response) => read(response).await,
            Err(error) if is_private(&error) => Answer::never(Private.to_string()),
            Err(error) => Answer { error: Some(reason(&error)), ..Answer::default() },
        }
    }
}

async fn read(mut response: Response) -> Answer {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| wait(value.to_str().ok()?));
    let mut body = Vec::new();
    while body.len() < MOST_KEPT
        && let Ok(Some(piece)) = response.chunk().await
    {
        body.extend_from_slice(&piece);
    }
    body.truncate(MOST_KEPT);
    let error = (300..400).contains(&status).then(|| "redirects are not followed".to_owned());
    let body = String::from_utf8_lossy(&body).into_owned();
    Answer { status: Some(status), error, body: Some(body), retry_after, is_final: false }
}

/// A `Retry-After`: seconds, or a date (RFC 9110 §10.2.3).
fn wait(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at: SystemTime = jiff::fmt::rfc2822::parse(value).ok()?.timestamp().into();
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |error: &&(dyn Error + 'static)| (*error).source())
}

fn is_private(error: &reqwest::Error) -> bool {
    chain(error).any(<dyn Error>::is::<Private>)
}

/// Why there is no answer; without the address, which may hold a secret of the receiver's.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    chain(error).last().map_or_else(|| "no connection".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_as_rfc_9110_has_them() {
        assert_eq!(wait("120"), Some(Duration::from_secs(120)));
        assert_eq!(wait("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(wait("Tue, 31 Dec 2999 23:59:59 GMT") > Some(Duration::from_secs(1_000_000)));
        assert_eq!(wait("soon"), None);
    }
}
