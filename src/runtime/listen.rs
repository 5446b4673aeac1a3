//! A receiver of webhooks on this machine: verifies what arrives, shows it, and passes it on.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::IntoResponse;
use jiff::Timestamp;
use reqwest::redirect::Policy;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::replays::{Replays, Seen};
use crate::api::{GetWebhookSecret, ListWebhooks, verify};
use crate::client::Client;
use crate::domain::{ReceivedEvent, Verdict, Webhook, WebhookId, WebhookSecret};
use crate::settings::is_loopback;

/// Where events are received unless said otherwise: an address that subscriptions may keep.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7228";
/// How long an address that events are passed on to may take.
const FORWARDING: Duration = Duration::from_secs(10);
/// Secrets are asked for again after so long at the soonest: a stranger's post is not to make questions.
const ASKING_AGAIN: Duration = Duration::from_secs(2);

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

/// A subscription and its secret.
#[derive(Clone)]
struct Known {
    webhook: Option<(WebhookId, String)>,
    secret: WebhookSecret,
}

struct Desk {
    forward_to: Option<(reqwest::Client, Url)>,
    forward_unverified: bool,
    replays: Replays,
    client: Client,
    given: Option<WebhookSecret>,
    known: Mutex<(Vec<Known>, Option<Instant>)>,
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
            client,
            given: secret,
            known: Mutex::default(),
            events,
        });
        let router = Router::new().fallback(take).with_state(desk);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
        });
        Ok(Self { url, _stop: stop.drop_guard() })
    }
}

async fn take(State(desk): State<Arc<Desk>>, method: Method, headers: HeaderMap, body: Bytes) -> impl IntoResponse {
    // Events are posted. Anything else is a page that looks for what listens here.
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (message, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let (webhook, mut verdict) = desk.judge(message, timestamp, header("webhook-signature"), &body).await;
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
            if let Some((client, to)) = &desk.forward_to
                && (is_verified || verdict == Verdict::Unknown)
            {
                let may = if is_verified { Ok(()) } else { desk.may_pass_on(&headers, is_new) };
                let passed = match may {
                    Ok(()) => pass_on(client, to, &headers, body.clone()).await,
                    Err(why) => Err(why.to_owned()),
                };
                // The sender hears what the one behind says, so that it tries again where that one failed.
                answered = match (&passed, may) {
                    (Ok(status), _) => *status,
                    (Err(_), Ok(())) => 502,
                    (Err(_), Err(_)) => 401,
                };
                forwarded = Some(passed);
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
            (false, ..) => Err("it can't be verified; --forward-unverified passes it on all the same"),
            (_, false, _) => Err("it can't be verified, and its Host or Origin is not this machine"),
            (.., false) => Err("it can't be verified, and was passed on before"),
            _ => Ok(()),
        }
    }

    /// Whose secret it is signed with; secrets are asked for when the known ones don't fit.
    async fn judge(
        &self,
        message: &str,
        timestamp: &str,
        signature: &str,
        body: &[u8],
    ) -> (Option<(WebhookId, String)>, Verdict) {
        let now = Timestamp::now().as_second();
        let mut known = self.known.lock().await;
        loop {
            for one in &known.0 {
                let verdict = verify(&one.secret, message, timestamp, body, signature, now);
                if verdict != Verdict::Forged {
                    return (one.webhook.clone(), verdict);
                }
            }
            let asked_lately = known.1.is_some_and(|at| at.elapsed() < ASKING_AGAIN);
            if asked_lately {
                break;
            }
            *known = (self.ask().await, Some(Instant::now()));
        }
        let verdict = match (known.0.is_empty(), signature.is_empty()) {
            (true, _) => Verdict::Unknown,
            (false, true) => Verdict::Unsigned,
            (false, false) => Verdict::Forged,
        };
        (None, verdict)
    }

    /// The secrets of all subscriptions, as far as the service tells them.
    async fn ask(&self) -> Vec<Known> {
        let mut known: Vec<Known> =
            self.given.iter().map(|secret| Known { webhook: None, secret: secret.clone() }).collect();
        let webhooks: Vec<Webhook> = match self.client.call(&ListWebhooks).await {
            Ok(answer) => answer.value,
            Err(_) => return known,
        };
        for webhook in webhooks {
            match self.client.call(&GetWebhookSecret(webhook.id.clone())).await {
                Ok(answer) => {
                    let secret = WebhookSecret::new(&answer.value.secret);
                    known.push(Known { webhook: Some((webhook.id, webhook.event.as_str().to_owned())), secret });
                }
                // A service without this says so for each of them.
                Err(error) if matches!(error.status(), Some(404 | 405)) && known.is_empty() => break,
                Err(_) => {}
            }
        }
        known
    }
}
