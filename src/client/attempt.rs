//! Sending a request once.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{redirect, retry};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use super::backoff::retry_after;
use super::trace::Trace;
use super::{ClientError, Limits};
use crate::api::{API_KEY_HEADER, Method, Problem};
use crate::domain::{AccessToken, ApiKey};
use crate::settings::{is_loopback, is_private};

/// How a request says who asks.
#[derive(Clone)]
pub(super) enum Credential {
    /// `Authorization: Bearer`, §5.2.
    Bearer(AccessToken),
    /// The key that is to be exchanged, §5.4.
    Key(ApiKey),
}

impl Credential {
    fn exposed(&self) -> &str {
        match self {
            Self::Bearer(token) => token.expose(),
            Self::Key(key) => key.expose(),
        }
    }
}

/// One request, ready for the wire.
pub(super) struct Attempt<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Option<Bytes>,
    pub(super) credential: &'a Credential,
    pub(super) deadline: Instant,
    /// Where what is said is noted.
    pub(super) trace: Option<&'a Trace>,
}

/// A success.
pub(super) struct Arrived {
    pub(super) status: u16,
    pub(super) body: Bytes,
    pub(super) request_id: Option<String>,
    pub(super) round_trip: Duration,
}

/// A failure, and when the service wants to be asked again.
pub(super) struct Failed {
    pub(super) error: ClientError,
    pub(super) retry_after: Option<Duration>,
}

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Self {
        Self { error, retry_after: None }
    }
}

/// The connections, made when first needed: reading the platform's certificates takes tens of milliseconds, which the
/// local workspace need not wait for.
#[derive(Default)]
pub(super) struct Connections {
    loopback: OnceLock<reqwest::Client>,
    network: OnceLock<reqwest::Client>,
}

impl Connections {
    pub(super) fn to(&self, url: &Url, limits: &Limits) -> Result<&reqwest::Client, ClientError> {
        let here = is_loopback(url) && url.scheme() == "http";
        let kept = if here { &self.loopback } else { &self.network };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        let builder = reqwest::Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .connect_timeout(limits.connect)
            .tcp_nodelay(true);
        let builder = if here { builder.no_proxy().tls_certs_only([]).http1_only() } else { builder };
        let client = builder.build().map_err(|error| ClientError::Request(reason(&error)))?;
        Ok(kept.get_or_init(|| client))
    }

    /// Sends it and takes the whole answer.
    pub(super) async fn send(&self, attempt: Attempt<'_>, limits: &Limits) -> Result<Arrived, Failed> {
        let Attempt { method, url, body, credential, deadline, trace } = attempt;
        let host = authority(&url);
        if url.scheme() == "http" && !is_private(&url) {
            return Err(ClientError::InsecureCredential { host }.into());
        }
        let client = self.to(&url, limits)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, application/problem+json"));
        let (name, mut value) = match credential {
            Credential::Bearer(token) => (AUTHORIZATION, secret_header(&format!("Bearer {}", token.expose()))?),
            Credential::Key(key) => {
                (reqwest::header::HeaderName::from_static(API_KEY_HEADER), secret_header(key.expose())?)
            }
        };
        value.set_sensitive(true);
        headers.insert(name, value);
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(trace) = trace {
            trace.sent(&url, &headers, body.as_ref(), credential.exposed());
        }
        let mut request = client.request(method_of(method), url).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }

        let began = Instant::now();
        let answer = match bounded(request.send(), limits.silence, deadline).await {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return Err(not_sent(host, &error).into()),
            None => return Err(ClientError::Silent { host, after: began.elapsed() }.into()),
        };
        let round_trip = began.elapsed();
        if let Some(trace) = trace {
            trace.answered(answer.headers());
        }
        let status = answer.status().as_u16();
        let said = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let request_id = said("x-request-id").map(|id| id.chars().take(200).collect());
        let wait = said(RETRY_AFTER.as_str()).and_then(|header| retry_after(&header, jiff::Timestamp::now()));
        if answer.status().is_redirection() {
            let to = said(LOCATION.as_str()).unwrap_or_default();
            return Err(ClientError::Redirected { status, to: without_query(&to) }.into());
        }
        let success = answer.status().is_success();
        let body = take(answer, host, limits, deadline).await?;
        if let Some(trace) = trace {
            trace.received(&body);
        }
        if success {
            return Ok(Arrived { status, body, request_id, round_trip });
        }
        let problem = Problem::read(status, &body, request_id);
        Err(Failed { error: ClientError::Problem(Box::new(problem)), retry_after: wait })
    }
}

pub(super) async fn take(
    mut answer: reqwest::Response,
    host: String,
    limits: &Limits,
    deadline: Instant,
) -> Result<Bytes, ClientError> {
    let mut body = BytesMut::new();
    loop {
        let waited = Instant::now();
        match bounded(answer.chunk(), limits.silence, deadline).await {
            Some(Ok(Some(chunk))) => {
                if body.len() + chunk.len() > limits.body {
                    return Err(ClientError::TooLong { host, most: limits.body });
                }
                body.extend_from_slice(&chunk);
            }
            Some(Ok(None)) => return Ok(body.freeze()),
            Some(Err(error)) => return Err(ClientError::CutOff { host, bytes: body.len(), why: reason(&error) }),
            None => return Err(ClientError::Silent { host, after: waited.elapsed() }),
        }
    }
}

/// Waits for it no longer than the silence allowed, and never beyond the deadline.
pub(super) async fn bounded<F: Future>(future: F, silence: Duration, deadline: Instant) -> Option<F::Output> {
    timeout_at(deadline, timeout(silence, future)).await.ok()?.ok()
}

fn method_of(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Delete => reqwest::Method::DELETE,
    }
}

fn secret_header(text: &str) -> Result<HeaderValue, ClientError> {
    HeaderValue::from_str(text)
        .map_err(|_| ClientError::Request("the credential holds characters no header may".into()))
}

pub(super) fn not_sent(host: String, error: &reqwest::Error) -> ClientError {
    let why = reason(error);
    if error.is_connect() { ClientError::Unreachable { host, why } } else { ClientError::Broken { host, why } }
}

/// The innermost cause: the outer ones only repeat that something failed, and name the address.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    // Without a cause the error's own words hold the address.
    if error.is_timeout() {
        return "no connection in time".to_owned();
    }
    cause.to_string()
}

pub(super) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address to show: a query may hold a secret.
fn without_query(address: &str) -> String {
    let shown = address.split(['?', '#']).next().unwrap_or_default();
    if shown.is_empty() { "an address it does not give".to_owned() } else { shown.chars().take(300).collect() }
}
