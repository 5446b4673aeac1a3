//! A receiver of webhooks on this machine: verifies what arrives, shows it, and passes it on.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::FutureExt;
use jiff::Timestamp;
use reqwest::redirect::Policy;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::replays::{Replays, Seen};
use super::secrets::{Known, Secrets};
use crate::api::{TOLERANCE, verify};
use crate::client::Client;
use crate::domain::{ReceivedEvent, Verdict, WebhookId, WebhookSecret};
use crate::settings::is_loopback;

/// Where events are received unless said otherwise: an address that subscriptions may keep.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7228";
/// How long an address that events are passed on to may take.
const FORWARDING: Duration = Duration::from_secs(10);

/// Why nothing is received.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Strangers could post there.
    #[error("{0} can be reached from other machines; use 127.0.0.1:PORT")]
    NotLoopback(SocketAddr),
    /// The address can't be taken.
    #[error("{addr}: {why}")]
    Taken {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        why: std::io::Error,
    },
    /// What is received can't be passed on.
    #[error("couldn't forward events: {0}")]
    Forward(String),
}

/// How events are received.
pub struct ListenOptions {
    /// On which address.
    pub addr: SocketAddr,
    /// Where they are passed on to.
    pub forward_to: Option<Url>,
    /// Whether also those are passed on that can't be verified, as far as they come from this machine.
    pub forward_unverified: bool,
    /// Tells the subscriptions and their secrets, where the service does.
    pub client: Client,
    /// A secret that is known otherwise.
    pub secret: Option<WebhookSecret>,
}

/// A receiver that works until it is dropped.
pub struct Receiver {
    /// Its address.
    pub url: Url,
    _stop: DropGuard,
}

struct Desk {
    forward_to: Option<(reqwest::Client, Url)>,
    forward_unverified: bool,
    replays: Replays,
    secrets: Secrets,
    events: UnboundedSender<ReceivedEvent>,
}

impl Receiver {
    /// Begins to receive; what arrives is told to `events`.
    ///
    /// # Errors
    /// Where the address is not of this machine alone, or taken.
    pub async fn start(options: ListenOptions, events: UnboundedSender<ReceivedEvent>) -> Result<Self, ListenError> {
        let ListenOptions { addr, forward_to, forward_unverified, client, secret } = options;
        if !addr.ip().is_loopback() {
            return Err(ListenError::NotLoopback(addr));
        }
        let taken = |why| ListenError::Taken { addr, why };
        let listener = TcpListener::bind(addr).await.map_err(taken)?;
        let url = format!("http://{}/", listener.local_addr().map_err(taken)?);
        let url = Url::parse(&url).map_err(|error| ListenError::Forward(error.to_string()))?;
        let forward_to = match forward_to {
            None => None,
            Some(to) => {
                let made = reqwest::Client::builder().redirect(Policy::none()).timeout(FORWARDING).build();
                Some((made.map_err(|error| ListenError::Forward(error.to_string()))?, to))
            }
        };
        let desk = Arc::new(Desk {
            forward_to,
            forward_unverified,
            replays: Replays::default(),
            secrets: Secrets::new(client, secret),
            events,
        });
        let router = Router::new().fallback(take).with_state(Arc::clone(&desk));
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let asking = stop.clone();
        tokio::spawn(async move { asking.run_until_cancelled(desk.secrets.at_first()).await.is_some() });
        tokio::spawn(FutureExt::boxed(async move {
            let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
        }));
        Ok(Self { url, _stop: stop.drop_guard() })
    }
}

impl Desk {
    /// Passes an event on, where events are passed on and this one may be; what came of it, and in `answered` what its
    /// sender is told.
    async fn forward(
        &self,
        is_verified: bool,
        is_new: bool,
        headers: &HeaderMap,
        body: &Bytes,
        answered: &mut u16,
    ) -> Option<Result<u16, String>> {
        let (client, to) = self.forward_to.as_ref()?;
        let may = if is_verified { Ok(()) } else { self.may_pass_on(headers, is_new) };
        let passed = match may {
            Ok(()) => pass_on(client, to, headers, body.clone()).await,
            Err(why) => Err(why.to_owned()),
        };
        // The sender hears what the one behind says, so that it tries again where that one failed.
        *answered = match (&passed, may) {
            (Ok(status), _) => *status,
            (Err(_), Ok(())) => 502,
            (Err(_), Err(_)) => 401,
        };
        Some(passed)
    }
}

async fn take(State(desk): State<Arc<Desk>>, method: Method, headers: HeaderMap, body: Bytes) -> impl IntoResponse {
    // Events are posted. Anything else is a page that looks for what listens here.
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (message, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let (webhook, mut verdict) = desk.judge(&headers, &body).await;
    if verdict == Verdict::Unknown && is_of_a_page(&headers) {
        verdict = Verdict::Page;
    }
    // Who can't sign is no reason to pass over who can: each has a memory of its own. Where nothing is passed on, nothing
    // is done twice: what a person has delivered again in the same second is shown for what it is.
    let is_verified = verdict == Verdict::Verified;
    let seen = match &desk.forward_to {
        Some(_) => desk.replays.begin(is_verified, message, timestamp, Timestamp::now().as_second()),
        None => Seen::Nameless,
    };
    let mut answered = if verdict.is_taken() { 200 } else { 401 };
    let mut forwarded = None;
    match seen {
        Seen::Before if is_verified => verdict = Verdict::Replayed,
        Seen::UnderWay if is_verified => {
            // The one that came first may fail yet: its sender is not told that this one was taken.
            verdict = Verdict::Replayed;
            answered = 409;
        }
        _ => {
            let is_new = !matches!(seen, Seen::Before | Seen::UnderWay);
            if is_verified || matches!(verdict, Verdict::Unknown | Verdict::Page) {
                forwarded = desk.forward(is_verified, is_new, &headers, &body, &mut answered).await;
            }
        }
    }
    if matches!(seen, Seen::New) {
        desk.replays.end(is_verified, message, timestamp, (200..300).contains(&answered));
    }
    let (webhook, event) = webhook.unzip();
    let text = || Value::from(String::from_utf8_lossy(&body).into_owned());
    let _ = desk.events.send(ReceivedEvent {
        at: Timestamp::now(),
        message: message.chars().take(200).collect(),
        webhook,
        event,
        verdict,
        size: body.len(),
        body: serde_json::from_slice(&body).unwrap_or_else(|_| text()),
        forwarded,
        answered,
    });
    StatusCode::from_u16(answered).unwrap_or(StatusCode::BAD_GATEWAY)
}

/// Whether a web page made a request, which no sender of events does.
fn is_of_a_page(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site")
}

/// Whether a request was made for this machine and by nobody's web page: its `Host` is a loopback one, which is not so
/// where a name was rebound, and a page that posts names itself in `Origin`.
fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let Some(host) = text(header::HOST) else { return false };
    let Ok(here) = Url::parse(&format!("http://{host}/")) else { return false };
    let own = |origin: &str| Url::parse(origin).is_ok_and(|origin| origin.origin() == here.origin());
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("?"));
    is_loopback(&here)
        && text(header::ORIGIN).is_none_or(own)
        && site.is_none_or(|site| matches!(site, "same-origin" | "none"))
}

async fn pass_on(client: &reqwest::Client, to: &Url, headers: &HeaderMap, body: Bytes) -> Result<u16, String> {
    let mut request = client.post(to.clone()).body(body);
    for name in ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature", "user-agent"] {
        if let Some(value) = headers.get(name) {
            request = request.header(name, value);
        }
    }
    match request.send().await {
        Ok(answer) => Ok(answer.status().as_u16()),
        Err(error) if error.is_timeout() => Err("no answer in time".to_owned()),
        Err(_) => Err("no connection".to_owned()),
    }
}

impl Desk {
    /// Whether what can't be verified is passed on.
    fn may_pass_on(&self, headers: &HeaderMap, is_new: bool) -> Result<(), &'static str> {
        match (self.forward_unverified, is_from_here(headers), is_new) {
            (false, ..) => Err("it can't be verified; --forward-unverified forwards it anyway"),
            (_, false, _) => Err("it can't be verified, and its Host or Origin is not this machine"),
            (.., false) => Err("it can't be verified, and was passed on before"),
            _ => Ok(()),
        }
    }

    /// Whose secret it is signed with. Only a signature that is none of the known ones makes a question to the service:
    /// one of now, and not on what a web page sends, which no sender of events is.
    async fn judge(&self, headers: &HeaderMap, body: &[u8]) -> (Option<(WebhookId, String)>, Verdict) {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (message, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
        let signature = header("webhook-signature");
        let now = Timestamp::now().as_second();
        let signer = |known: &[Known]| {
            known.iter().find_map(|one| {
                let verdict = verify(&one.secret, message, timestamp, body, signature, now);
                (verdict != Verdict::Forged).then(|| (one.webhook.clone(), verdict))
            })
        };
        if let Some(found) = signer(&self.secrets.known()) {
            return found;
        }
        let mut known = self.secrets.at_first().await;
        if let Some(found) = signer(&known) {
            return found;
        }
        if !is_of_a_page(headers) && is_signed_now(message, timestamp, signature, now) {
            known = self.secrets.beyond(&known).await;
            if let Some(found) = signer(&known) {
                return found;
            }
        }
        let verdict = match (known.is_empty(), signature.is_empty()) {
            (true, _) => Verdict::Unknown,
            (false, true) => Verdict::Unsigned,
            (false, false) => Verdict::Forged,
        };
        (None, verdict)
    }
}

/// Whether a message has the form of one that was signed a moment ago, with whatever secret.
fn is_signed_now(message: &str, timestamp: &str, signatures: &str, now: i64) -> bool {
    let of_now = timestamp.parse::<i64>().is_ok_and(|at| now.saturating_sub(at).saturating_abs() <= TOLERANCE);
    of_now && !message.is_empty() && signatures.split_ascii_whitespace().any(|one| one.starts_with("v1,"))
}
