//! Says the wire of [`api`](crate::api): credentials, hosts, time limits, retries.
//!
//! A [`Client`] is cheap to clone and holds no global state; dropping the future of a call cancels its request.

mod attempt;
mod backoff;
mod conditions;
mod credential;
mod description;
pub mod elsewhere;
mod envelope;
mod error;
mod exchange;
mod file_body;
mod form;
mod limits;
mod line;
mod locate;
pub mod oauth;
mod own_products;
pub mod probe;
mod rate;
mod send;
#[cfg(unix)]
mod socket;
#[cfg(not(unix))]
#[path = "no_socket.rs"]
mod socket;
mod trace;
mod upload;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::api::{AnyRequest, Operation, Row};
pub use crate::domain::json;
use crate::domain::wire::Recorded;
use crate::domain::{ApiKey, AppKey, Fault, Finding, FromJson, Reader, Segment};
pub use crate::settings::Hosts;
pub use attempt::Pools;
pub use conditions::{Conditions, new_key};
pub use credential::{AskSignIn, AskWrite, TokenSource};
use envelope::Envelope;
pub use error::ClientError;
pub use exchange::{Exchange, Observe};
pub use file_body::{Progress, fingerprint};
pub use limits::Limits;
pub use locate::{Locate, Located};
pub use own_products::OwnProducts;
pub use rate::RateLimit;
use send::Sender;
pub use upload::{FileToSend, NotUploaded};

/// What a client is made from.
pub struct ClientOptions {
    /// Where the service is.
    pub hosts: Hosts,
    /// The socket that is connected to whatever the address: the local workspace's.
    pub socket: Option<PathBuf>,
    /// The key that is exchanged for a token; without one every call fails before a socket is opened.
    pub credential: Option<ApiKey>,
    /// Where tokens come from in place of the exchange of a key.
    pub tokens: Option<Arc<dyn TokenSource>>,
    /// Asked when the credential is missing or refused; without it the call fails.
    pub ask_sign_in: Option<Arc<dyn AskSignIn>>,
    /// Asked before anything is changed.
    pub ask_write: Option<Arc<dyn AskWrite>>,
    /// Refuse whatever writes.
    pub read_only: bool,
    /// The workspace key of §5.5, where it is known already; otherwise learned when a write first needs it.
    pub app_key: Option<AppKey>,
    /// Asked for the address again when a connection is refused.
    pub locate: Option<Arc<dyn Locate>>,
    /// Told of every exchange.
    pub observer: Option<Arc<dyn Observe>>,
    /// Where products of steps are kept for a service that doesn't keep them; without it they are lost there.
    pub own_products: Option<OwnProducts>,
    /// Times and sizes.
    pub limits: Limits,
    /// The connections, where other clients use them too.
    pub pools: Pools,
}

impl ClientOptions {
    /// These hosts, with nothing else.
    #[must_use]
    pub fn new(hosts: Hosts) -> Self {
        Self {
            hosts,
            socket: None,
            credential: None,
            tokens: None,
            ask_sign_in: None,
            ask_write: None,
            read_only: false,
            app_key: None,
            locate: None,
            observer: None,
            own_products: None,
            limits: Limits::default(),
            pools: Pools::default(),
        }
    }
}

/// A client of one service with one credential.
#[derive(Clone)]
pub struct Client {
    sender: Arc<Sender>,
    own_products: Option<OwnProducts>,
}

/// What a service answered.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    /// What was read of it.
    pub value: T,
    /// What in it is not as §2 and §4 declare.
    pub findings: Vec<Finding>,
    /// The body as it came, decompressed.
    pub body: Bytes,
    /// The HTTP status.
    pub status: u16,
    /// What the service calls this exchange (`X-Request-Id`).
    pub request_id: Option<String>,
    /// The tag of the state that the answer shows, where the service gives a strong one.
    pub etag: Option<String>,
    /// From the call to the last byte, retries and waits included.
    pub elapsed: Duration,
    /// How often it was sent again.
    pub retries: u32,
    /// Which exchange it was, counted by the client.
    pub number: u64,
    /// Whether products of steps in it, or in what it answers, are kept here because the service doesn't keep them.
    pub products_here: bool,
}

impl<T> Answer<T> {
    fn map<U>(self, value: U, findings: Vec<Finding>) -> Answer<U> {
        let Self { body, status, request_id, etag, elapsed, retries, number, products_here, .. } = self;
        Answer { value, findings, body, status, request_id, etag, elapsed, retries, number, products_here }
    }
}

impl Answer<()> {
    /// What stands for the answer of a call that had nothing left to say.
    fn of_nothing() -> Self {
        Self {
            value: (),
            findings: Vec::new(),
            body: Bytes::new(),
            status: 204,
            request_id: None,
            etag: None,
            elapsed: Duration::ZERO,
            retries: 0,
            number: 0,
            products_here: false,
        }
    }
}

impl Client {
    /// Makes a client. Opens nothing: connections and certificates are made ready when first needed.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let own_products = options.own_products.clone();
        Self { sender: Arc::new(Sender::new(options)), own_products }
    }

    /// Whether writes are refused.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.sender.read_only
    }

    /// Where the service is now: the local workspace may have moved.
    #[must_use]
    pub fn hosts(&self) -> Hosts {
        self.sender.place().hosts
    }

    /// How often someone signed in with this client, and when someone does.
    #[must_use]
    pub fn sign_ins(&self) -> tokio::sync::watch::Receiver<u64> {
        self.sender.watch_sign_ins()
    }

    /// Goes on with another credential: a key, or tokens from elsewhere.
    pub async fn sign_in(&self, key: Option<ApiKey>, tokens: Option<Arc<dyn TokenSource>>) {
        self.sender.sign_in(key, tokens).await;
    }

    /// Calls an operation and reads its answer.
    ///
    /// # Errors
    /// What [`ClientError`] lists; a problem of §7 is [`ClientError::Problem`].
    pub async fn call<O: Operation>(&self, operation: &O) -> Result<Answer<O::Response>, ClientError> {
        self.call_under(operation, Conditions::default()).await
    }

    /// Calls an operation that lists, for whoever concludes something from what is not listed.
    ///
    /// # Errors
    /// As [`Client::call`]; a list that is not there, or has an entry that can't be read, is [`ClientError::Unreadable`].
    pub async fn call_for_all<O: Operation>(&self, operation: &O) -> Result<Answer<O::Response>, ClientError> {
        let answer = self.call(operation).await?;
        let lost = answer.findings.iter().find(|finding| match (finding.at.as_slice(), &finding.fault) {
            ([Segment::Key(member)], Fault::Missing)
            | ([Segment::Key(member), Segment::Index(_)], Fault::Mistyped { .. }) => O::ROW.lists == Some(member),
            _ => false,
        });
        match lost {
            Some(finding) => Err(unreadable(&answer, finding.to_string())),
            None => Ok(answer),
        }
    }

    /// The same under conditions.
    ///
    /// # Errors
    /// As [`Client::call`]; a condition that does not hold is a problem with the status 412.
    pub async fn call_under<O: Operation>(
        &self,
        operation: &O,
        conditions: Conditions,
    ) -> Result<Answer<O::Response>, ClientError> {
        self.ask(Envelope::of(operation)?.under(conditions), O::read).await
    }

    /// Calls whatever operation a request is of, and reads its answer as what the caller knows it to be.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn perform<T: FromJson>(&self, request: &AnyRequest) -> Result<Answer<T>, ClientError> {
        self.ask(Envelope::of_any(request)?, Reader::read).await
    }

    async fn ask<T>(
        &self,
        envelope: Envelope,
        read: impl FnOnce(&Value) -> (T, Vec<Finding>),
    ) -> Result<Answer<T>, ClientError> {
        let row = envelope.row;
        let (answer, value) = self.answered(envelope).await?;
        let (read, findings) = read(&value);
        self.look_at(&row, &answer, &findings)?;
        Ok(answer.map(read, findings))
    }

    /// Makes a call and reads its answer as JSON: what is the same for every operation, and so compiled once.
    fn answered(&self, envelope: Envelope) -> BoxFuture<'_, Result<(Answer<()>, Value), ClientError>> {
        FutureExt::boxed(async move {
            let row = envelope.row;
            let asked = self.own_products.is_some().then(|| envelope.clone());
            let mut answer = self.deliver(envelope).await?;
            let mut value = readable(&row, &answer).inspect_err(|error| {
                let fault = Fault::Invalid(error.to_string());
                self.sender.found(answer.number, &[Finding { at: Vec::new(), fault }]);
            })?;
            if let (Some(own), Some(asked)) = (&self.own_products, &asked) {
                answer.products_here |= Box::pin(own.fill(&self.sender, asked, &mut value)).await;
            }
            Ok((answer, value))
        })
    }

    /// Records what was found in an answer, and refuses one that can't be read.
    fn look_at(&self, row: &Row, answer: &Answer<()>, findings: &[Finding]) -> Result<(), ClientError> {
        if row.ignores_body() {
            return Ok(());
        }
        self.sender.found(answer.number, findings);
        match findings.iter().find_map(|finding| amiss(row, finding)) {
            Some(told) => Err(unreadable(answer, told)),
            None => Ok(()),
        }
    }

    /// Makes a call; products of steps are kept here where the service doesn't keep them.
    async fn deliver(&self, envelope: Envelope) -> Result<Answer<()>, ClientError> {
        match &self.own_products {
            Some(own) if OwnProducts::concerns(&envelope) => Box::pin(own.send(&self.sender, envelope)).await,
            _ => self.sender.call(envelope).await,
        }
    }

    /// Puts the products that are kept here into the body of an operation's answer.
    pub async fn complete<O: Operation>(&self, operation: &O, body: &mut Value) {
        if let (Some(own), Ok(envelope)) = (&self.own_products, Envelope::of(operation)) {
            Box::pin(own.fill(&self.sender, &envelope, body)).await;
        }
    }

    /// Repeats a recorded call, as far as it is known and only reads.
    ///
    /// # Errors
    /// As [`Client::call_raw`]; [`ClientError::Request`] where it is not known or changes something.
    pub async fn repeat(&self, recorded: &Recorded) -> Result<Answer<()>, ClientError> {
        self.sender.call(Envelope::again(recorded)?).await
    }

    /// Calls an operation and hands over the body as it came: for what is passed on, not read.
    ///
    /// # Errors
    /// As [`Client::call`], but the body is not looked at, except that what changes something has to be answered with
    /// JSON of any shape, or with nothing.
    pub async fn call_raw<O: Operation>(&self, operation: &O) -> Result<Answer<()>, ClientError> {
        self.delivered(Envelope::of(operation)?).await
    }

    fn delivered(&self, envelope: Envelope) -> BoxFuture<'_, Result<Answer<()>, ClientError>> {
        FutureExt::boxed(async move {
            let row = envelope.row;
            let answer = self.deliver(envelope).await?;
            if row.ignores_body() {
                readable(&row, &answer)?;
            }
            Ok(answer)
        })
    }
}

/// Reads the body as JSON, or says what it is in place of it. Where §4 shows no body there may be none; but a page of a
/// proxy or of a portal is no answer of the service, and says nothing of what was done.
fn readable(row: &Row, answer: &Answer<()>) -> Result<Value, ClientError> {
    match json::read(&answer.body) {
        Ok(value) => Ok(value),
        Err(_) if row.ignores_body() && answer.body.trim_ascii().is_empty() => Ok(Value::Null),
        Err(what) => Err(unreadable(answer, what)),
    }
}

/// What a finding says where it leaves nothing of a response that could be read: neither its root nor the list that was
/// asked for is what it has to be. Some services say `null` of what is empty.
fn amiss(row: &Row, finding: &Finding) -> Option<String> {
    match (finding.at.as_slice(), &finding.fault) {
        ([], fault @ Fault::Mistyped { .. }) => Some(format!("the response {fault}")),
        ([Segment::Key(member)], Fault::Mistyped { found, .. }) if row.lists == Some(member) && *found != "null" => {
            Some(format!("{member} {}", finding.fault))
        }
        _ => None,
    }
}

fn unreadable<T>(answer: &Answer<T>, what: String) -> ClientError {
    ClientError::Unreadable { status: answer.status, what, request_id: answer.request_id.clone() }
}
