//! Sending a request once.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER,
    USER_AGENT,
};
use reqwest::{redirect, retry};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::backoff::retry_after;
use super::elsewhere::Elsewhere;
use super::error::innermost;
use super::file_body::Course;
use super::line::Listening;
use super::socket::Sockets;
use super::trace::Trace;
use super::{ClientError, Conditions, Limits, line, socket};
use crate::api::{API_KEY_HEADER, Method, Problem};
use crate::domain::wire::Redaction;
use crate::domain::{AccessToken, ApiKey};
use crate::settings::{is_loopback, is_private, is_same_origin};

/// What a request says it comes from.
const AGENT: &str = concat!("cutaway/", env!("CARGO_PKG_VERSION"));

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
    /// The socket to send it by.
    pub(super) socket: Option<&'a Path>,
    pub(super) body: Option<Bytes>,
    pub(super) conditions: &'a Conditions,
    pub(super) credential: &'a Credential,
    pub(super) deadline: Instant,
    /// Where what is said is noted.
    pub(super) trace: Option<&'a Trace>,
}

/// A form with a file, ready for the wire.
pub(super) struct FormRequest<'a> {
    pub(super) url: Url,
    pub(super) conditions: &'a Conditions,
    /// The socket to send it by.
    pub(super) socket: Option<&'a Path>,
    pub(super) credential: &'a Credential,
    pub(super) content_type: String,
    /// Bytes of the body.
    pub(super) length: u64,
    pub(super) body: reqwest::Body,
}

/// A success.
pub(super) struct Arrived {
    pub(super) status: u16,
    pub(super) body: Bytes,
    pub(super) request_id: Option<String>,
    /// The tag of the state that the answer shows, where it is a strong one.
    pub(super) etag: Option<String>,
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

/// Pools of connections, shared by all clients that are made with clones of one. Each is made when first needed: reading
/// the platform's certificates takes tens of milliseconds, which the local workspace need not wait for. How long
/// connecting may take is as the first client has it.
#[derive(Clone, Default)]
pub struct Pools(Arc<Pooled>);

#[derive(Default)]
struct Pooled {
    loopback: OnceLock<reqwest::Client>,
    network: OnceLock<reqwest::Client>,
    /// How the lines of uploads are secured.
    security: OnceLock<Arc<ClientConfig>>,
}

/// The connections of one client.
#[derive(Default)]
pub(super) struct Connections {
    pools: Pools,
    /// Hosts that answers name.
    elsewhere: OnceLock<Elsewhere>,
    sockets: Sockets,
}

impl Connections {
    /// Over these pools.
    pub(super) fn over(pools: Pools) -> Self {
        Self { pools, ..Self::default() }
    }

    pub(super) fn to(&self, url: &Url, limits: &Limits) -> Result<&reqwest::Client, ClientError> {
        let here = is_loopback(url) && url.scheme() == "http";
        let pooled = &*self.pools.0;
        let kept = if here { &pooled.loopback } else { &pooled.network };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        let builder = reqwest::Client::builder()
            .user_agent(AGENT)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .connect_timeout(limits.connect)
            .tcp_nodelay(true);
        let builder = if here { builder.no_proxy().tls_certs_only([]).http1_only() } else { builder };
        let client = builder.build().map_err(|error| ClientError::Request(reason(&error)))?;
        Ok(kept.get_or_init(|| client))
    }

    fn security(&self) -> Result<Arc<ClientConfig>, ClientError> {
        if let Some(config) = self.pools.0.security.get() {
            return Ok(Arc::clone(config));
        }
        let config = line::security().map_err(|error| ClientError::Request(error.to_string()))?;
        Ok(Arc::clone(self.pools.0.security.get_or_init(|| config)))
    }

    /// Sends it and takes the whole answer.
    pub(super) fn send<'a>(
        &'a self,
        attempt: Attempt<'a>,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Arrived, Failed>> {
        FutureExt::boxed(async move {
            let Attempt { method, url, socket, body, conditions, credential, deadline, trace } = attempt;
            let host = authority(&url);
            if socket.is_none() && url.scheme() == "http" && !is_private(&url) {
                return Err(ClientError::InsecureCredential { host }.into());
            }
            let mut headers = headers(credential)?;
            conditions.write(&mut headers)?;
            if body.is_some() {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
            if let Some(trace) = trace {
                trace.sent((&url, socket), &headers, body.as_ref(), credential.exposed());
            }
            let method = method_of(method);
            let sending = async {
                if let Some(socket) = socket {
                    let request = by_socket(method, &url, headers, body.unwrap_or_default().into())?;
                    return self.sockets.send(socket, request, limits).await;
                }
                let mut request = self.to(&url, limits)?.request(method, url.clone()).headers(headers);
                if let Some(body) = body {
                    request = request.body(body);
                }
                request.send().await.map_err(|error| not_sent(host.clone(), &error))
            };

            let began = Instant::now();
            let answer = match bounded(sending, limits.silence, deadline).await {
                Some(answer) => answer?,
                None => return Err(ClientError::Silent { host, after: began.elapsed() }.into()),
            };
            let round_trip = began.elapsed();
            if let Some(trace) = trace {
                trace.answered(answer.headers());
            }
            let said = Said::of(&answer, credential, &url)?;
            let success = answer.status().is_success();
            let body = take(answer, host, limits, deadline).await?;
            if let Some(trace) = trace {
                trace.received(&body);
            }
            if success {
                return Ok(said.arrived(body, round_trip));
            }
            Err(said.refused(&body))
        })
    }

    /// Sends a form with a file and takes the whole answer, which may come before the form is through.
    pub(super) fn send_form<'a>(
        &'a self,
        form: FormRequest<'a>,
        course: &'a Course,
        limits: &'a Limits,
        trace: Option<&'a Trace>,
    ) -> BoxFuture<'a, Result<Arrived, Failed>> {
        FutureExt::boxed(async move {
            let FormRequest { url, socket, conditions, credential, content_type, length, body } = form;
            let host = authority(&url);
            if socket.is_none() && url.scheme() == "http" && !is_private(&url) {
                return Err(ClientError::InsecureCredential { host }.into());
            }
            let mut headers = headers(credential)?;
            conditions.write(&mut headers)?;
            let content_type =
                HeaderValue::from_str(&content_type).map_err(|error| ClientError::Request(error.to_string()))?;
            headers.insert(CONTENT_TYPE, content_type);
            headers.insert(CONTENT_LENGTH, length.into());
            if let Some(trace) = trace {
                // The file itself is no text that anybody reads.
                trace.sent((&url, socket), &headers, None, credential.exposed());
            }
            let began = Instant::now();
            let sending = async {
                // A plain line goes to this machine or its own network only.
                if socket.is_some() || url.scheme() == "http" || !line::is_proxied(&url) {
                    let security = (url.scheme() == "https").then(|| self.security()).transpose()?;
                    return send_directly(&url, socket, headers, body, &host, security, limits).await;
                }
                let sent = self.to(&url, limits)?.post(url.clone()).headers(headers).body(body).send().await;
                sent.map(|answer| (answer, None)).map_err(|error| not_sent(host.clone(), &error))
            };
            let (answer, _carrier) = tokio::select! {
                sent = sending => sent?,
                after = course.stalled(limits) => return Err(ClientError::Silent { host, after }.into()),
            };
            let round_trip = began.elapsed();
            if let Some(trace) = trace {
                trace.answered(answer.headers());
            }
            let whole = course.is_whole();
            let said = Said::of(&answer, credential, &url)?;
            let success = answer.status().is_success();
            if success && !whole {
                let why = format!("it responded with {} before the whole video was sent", said.status);
                return Err(ClientError::Broken { host, why }.into());
            }
            let taken = take(answer, host, limits, began + limits.total.max(round_trip + limits.silence)).await;
            if let (Some(trace), Ok(body)) = (trace, &taken) {
                trace.received(body);
            }
            match taken {
                Ok(body) if success => Ok(said.arrived(body, round_trip)),
                Ok(body) => Err(said.refused(&body)),
                Err(error) if success => Err(error.into()),
                // One that refuses early may close before its words are read: the status says enough.
                Err(_) => Err(said.refused(&[])),
            }
        })
    }

    /// The length of what stands at an address that an answer of the service at `base` names.
    pub(super) async fn size_at(&self, base: &Url, address: &Url, limits: &Limits) -> Option<u64> {
        let kept = self.elsewhere.get_or_init(|| Elsewhere::new(Some(base.clone()), limits.connect, limits.silence));
        // The local workspace may have moved to another port since.
        let moved =
            (kept.base() != Some(base)).then(|| Elsewhere::new(Some(base.clone()), limits.connect, limits.silence));
        let asked = moved.as_ref().unwrap_or(kept).client(address).ok()?.head(address.clone()).send();
        length_of(&timeout(limits.connect, asked).await.ok()?.ok()?)
    }

    /// The length of what stands at an address that the service behind a socket handed out: it is asked itself,
    /// whoever has that address by now.
    pub(super) async fn size_by(&self, socket: &Path, address: &Url, limits: &Limits) -> Option<u64> {
        let (method, none) = (reqwest::Method::HEAD, reqwest::Body::default());
        let request = by_socket(method, address, HeaderMap::new(), none).ok()?;
        let asked = self.sockets.send(socket, request, limits);
        length_of(&timeout(limits.connect, asked).await.ok()?.ok()?)
    }
}

fn length_of(answer: &reqwest::Response) -> Option<u64> {
    let length = answer.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    answer.status().is_success().then_some(length)
}

/// Over a line of its own, on which an answer is heard that comes while the file is still being sent.
async fn send_directly(
    url: &Url,
    socket: Option<&Path>,
    mut headers: HeaderMap,
    body: reqwest::Body,
    host: &str,
    security: Option<Arc<ClientConfig>>,
    limits: &Limits,
) -> Result<(reqwest::Response, Option<AbortOnDropHandle<()>>), ClientError> {
    let unreachable = |why: String| ClientError::Unreachable { host: host.to_owned(), why };
    let broken = |error: &dyn std::error::Error| ClientError::Broken { host: host.to_owned(), why: innermost(error) };
    let late = |_| unreachable("no connection in time".to_owned());
    let named = HeaderValue::from_str(host).map_err(|error| ClientError::Request(error.to_string()))?;
    headers.insert(HOST, named);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let mut request = http::Request::new(body);
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = path.parse().map_err(|_| ClientError::Request(format!("{path:?} is no path")))?;
    *request.headers_mut() = headers;
    let reached = |error: std::io::Error| unreachable(innermost(&error));
    let spoken = if let Some(socket) = socket {
        let line = timeout(limits.connect, socket::open(socket)).await.map_err(late)?.map_err(reached)?;
        line::speak(Listening::on(line), request).await
    } else {
        let line = timeout(limits.connect, line::open(url, limits.connect)).await.map_err(late)?.map_err(reached)?;
        match security {
            None => line::speak(line, request).await,
            Some(config) => {
                let secured = timeout(limits.connect, line::secure(line, url, config)).await.map_err(late)?;
                line::speak(secured.map_err(reached)?, request).await
            }
        }
    };
    let spoken = spoken.map_err(|error| broken(&error))?;
    Ok((reqwest::Response::from(spoken.answer.map(reqwest::Body::wrap)), Some(spoken.carrier)))
}

/// A request that goes by a socket: its address only says what is asked for.
fn by_socket(
    method: reqwest::Method,
    url: &Url,
    mut headers: HeaderMap,
    body: reqwest::Body,
) -> Result<http::Request<reqwest::Body>, ClientError> {
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    let mut request = http::Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = url.as_str().parse().map_err(|_| ClientError::Request(format!("{url} is no address")))?;
    *request.headers_mut() = headers;
    Ok(request)
}

fn headers(credential: &Credential) -> Result<HeaderMap, ClientError> {
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
    Ok(headers)
}

/// What the head of an answer says.
struct Said {
    /// Takes the credential out, should the service say it back: what is said here is shown and logged.
    redaction: Redaction,
    status: u16,
    request_id: Option<String>,
    etag: Option<String>,
    retry_after: Option<Duration>,
}

impl Said {
    fn of(answer: &reqwest::Response, credential: &Credential, asked: &Url) -> Result<Self, ClientError> {
        let status = answer.status().as_u16();
        let redaction = Redaction::new([credential.exposed()]);
        let said = |name: &str| {
            answer.headers().get(name).and_then(|value| value.to_str().ok()).map(|value| redaction.text(value))
        };
        if answer.status().is_redirection() {
            let to = said(LOCATION.as_str()).unwrap_or_default();
            let whole = asked.join(&to).ok();
            return Err(match whole.filter(|to| !is_same_origin(to, asked)) {
                Some(to) => ClientError::RedirectedElsewhere {
                    status,
                    from: asked.origin().ascii_serialization(),
                    origin: to.origin().ascii_serialization(),
                    to: without_query(&without_userinfo(to)),
                },
                None => ClientError::Redirected { status, to: without_query(&to) },
            });
        }
        let request_id = said("x-request-id").map(|id| id.chars().take(200).collect());
        let retry_after = said(RETRY_AFTER.as_str()).and_then(|header| retry_after(&header, jiff::Timestamp::now()));
        // A weak one is no condition (RFC 9110 §13.1.1); of several any may hold, and If-Match takes a list.
        let tags = answer.headers().get_all(ETAG).iter().filter_map(|value| value.to_str().ok());
        let tags: Vec<&str> = tags.filter(|tag| tag.starts_with('"')).collect();
        let etag = (!tags.is_empty()).then(|| tags.join(", "));
        Ok(Self { redaction, status, request_id, etag, retry_after })
    }

    fn arrived(self, body: Bytes, round_trip: Duration) -> Arrived {
        Arrived { status: self.status, body, request_id: self.request_id, etag: self.etag, round_trip }
    }

    fn refused(self, body: &[u8]) -> Failed {
        let body = self.redaction.text(&String::from_utf8_lossy(body));
        let mut problem = Problem::read(self.status, body.as_bytes(), self.request_id);
        problem.retry_after = self.retry_after;
        Failed { error: ClientError::Problem(Box::new(problem)), retry_after: self.retry_after }
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
        .map_err(|_| ClientError::Request("the credential contains characters not allowed in a header".into()))
}

pub(super) fn not_sent(host: String, error: &reqwest::Error) -> ClientError {
    let why = reason(error);
    if error.is_connect() { ClientError::Unreachable { host, why } } else { ClientError::Broken { host, why } }
}

pub(super) fn reason(error: &reqwest::Error) -> String {
    // Without a cause the error's own words hold the address.
    if error.is_timeout() { "no connection in time".to_owned() } else { innermost(error) }
}

pub(super) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address without a name and a password, which are not for screens and logs.
fn without_userinfo(mut url: Url) -> String {
    // Neither fails for an http(s) address that names a host, and another kind holds none.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
}

/// An address to show: a query may hold a secret.
fn without_query(address: &str) -> String {
    let shown = address.split(['?', '#']).next().unwrap_or_default();
    if shown.is_empty() { "an address that it doesn't name".to_owned() } else { shown.chars().take(300).collect() }
}
