//! A call from its first sending to its answer: credential, host, retries.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::attempt::{Arrived, Attempt, Connections, Credential, Failed};
use super::backoff::wait;
use super::credential::{AskSignIn, AskWrite, Exchanged, Token, TokenSource, Tokens, token_of};
use super::envelope::Envelope;
use super::exchange::{Exchange, Observe};
use super::trace::Trace;
use super::watch::Watch;
use super::{Answer, ClientError, ClientOptions, Hosts, Limits, Locate, json};
use crate::api::{ExchangeKey, Host, Me, Operation, Row};
use crate::domain::{AccessToken, ApiKey, AppKey};

/// After so long without an answer it is looked whether the process at a socket was stopped.
const SILENCE: Duration = Duration::from_secs(3);

/// Where the service is and which key it takes, as known now.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) hosts: Hosts,
    /// The socket that is connected to in place of an address.
    pub(super) socket: Option<PathBuf>,
    key: Option<ApiKey>,
    tokens: Option<Arc<dyn TokenSource>>,
    /// How often it has moved.
    moves: u64,
}

/// How often in one call a service is looked for that moves: one that is handed from process to process does.
pub(super) const MOST_MOVES: u32 = 200;

/// Whether the local workspace keeps the key of this creation together with what it creates.
fn is_kept(envelope: &Envelope) -> bool {
    envelope.conditions.key.is_some() && envelope.row.is_created_once && envelope.row.host == Host::Base
}

impl Place {
    /// The key of the local workspace, which is good only at the place that it came with and needs no exchange there.
    pub(super) fn own_token(&self) -> Option<AccessToken> {
        self.socket.as_ref()?;
        self.key.as_ref().map(|key| AccessToken::new(key.expose()))
    }
}

/// What is known of the workspace key.
enum WorkspaceKey {
    NotAsked,
    Known(AppKey),
    /// The service told none.
    None,
}

/// What all clones of a client share.
pub(super) struct Sender {
    pub(super) read_only: bool,
    place: Mutex<Place>,
    moving: tokio::sync::Mutex<()>,
    tokens: Tokens,
    ask_sign_in: Option<Arc<dyn AskSignIn>>,
    ask_write: Option<Arc<dyn AskWrite>>,
    /// How often the person signed in.
    sign_ins: watch::Sender<u64>,
    app_key: tokio::sync::Mutex<WorkspaceKey>,
    /// How many exchanges there were.
    exchanges: AtomicU64,
    /// Whether projects are read by POST here (§4.3 shows both).
    projects_by_post: AtomicBool,
    base_avoided_until: Mutex<Option<Instant>>,
    pub(super) connections: Connections,
    pub(super) locate: Option<Arc<dyn Locate>>,
    pub(super) observer: Option<Arc<dyn Observe>>,
    pub(super) limits: Limits,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sender {
    pub(super) fn new(options: ClientOptions) -> Self {
        let ClientOptions {
            hosts,
            socket,
            credential,
            tokens,
            ask_sign_in,
            ask_write,
            read_only,
            app_key,
            locate,
            observer,
            own_products: _,
            limits,
            pools,
        } = options;
        Self {
            read_only,
            place: Mutex::new(Place { hosts, socket, key: credential, tokens, moves: 0 }),
            moving: tokio::sync::Mutex::default(),
            tokens: Tokens::default(),
            ask_sign_in,
            ask_write,
            sign_ins: watch::Sender::new(0),
            exchanges: AtomicU64::new(0),
            app_key: tokio::sync::Mutex::new(app_key.map_or(WorkspaceKey::NotAsked, WorkspaceKey::Known)),
            projects_by_post: AtomicBool::new(false),
            base_avoided_until: Mutex::default(),
            connections: Connections::over(pools),
            locate,
            observer,
            limits,
        }
    }

    pub(super) fn place(&self) -> Place {
        lock(&self.place).clone()
    }

    /// Makes the call, within the time a call has in all.
    pub(super) fn call(&self, envelope: Envelope) -> BoxFuture<'_, Result<Answer<()>, ClientError>> {
        FutureExt::boxed(async move {
            self.admit(&envelope.row).await?;
            let mut began = Instant::now();
            let (arrived, retries, number) = loop {
                let signed_in = self.sign_ins();
                match self.either_way(envelope.clone(), began + self.limits.total).await {
                    Ok(arrived) => break arrived,
                    // What was interrupted goes on once the person has signed in: nothing was done yet.
                    Err(error) if error.needs_sign_in() && self.signed_in_again(signed_in, &error).await => {
                        if envelope.conditions.once {
                            return Err(ClientError::Renewed);
                        }
                        began = Instant::now();
                    }
                    // The person waited for all attempts, not for the last one.
                    Err(ClientError::Silent { host, .. }) => {
                        return Err(ClientError::Silent { host, after: began.elapsed() });
                    }
                    Err(error) => return Err(error),
                }
            };
            let Arrived { status, body, request_id, etag, .. } = arrived;
            Ok(Answer {
                value: (),
                findings: Vec::new(),
                body,
                status,
                request_id,
                etag,
                elapsed: began.elapsed(),
                retries,
                number,
                products_here: false,
            })
        })
    }

    /// Tells the observer what an answer is found to be.
    pub(super) fn found(&self, number: u64, findings: &[crate::domain::Finding]) {
        if let Some(observer) = &self.observer
            && !findings.is_empty()
        {
            observer.found(number, findings);
        }
    }

    /// Whether the operation may be sent at all: every way to the wire asks this first.
    pub(super) async fn admit(&self, row: &Row) -> Result<(), ClientError> {
        if row.writes && self.read_only {
            return Err(ClientError::ReadOnly { operation: row.name, by: None });
        }
        match &self.ask_write {
            Some(ask) if row.writes && !ask.ask(row.name).await => Err(ClientError::NotWanted { operation: row.name }),
            _ => Ok(()),
        }
    }

    /// How often someone signed in.
    pub(super) fn sign_ins(&self) -> u64 {
        *self.sign_ins.borrow()
    }

    /// The same, and when someone does.
    pub(super) fn watch_sign_ins(&self) -> watch::Receiver<u64> {
        self.sign_ins.subscribe()
    }

    /// Whether there is another credential since `before`: someone signed in meanwhile, or does so now.
    pub(super) async fn signed_in_again(&self, before: u64, why: &ClientError) -> bool {
        let Some(ask) = &self.ask_sign_in else { return false };
        self.sign_ins() != before || ask.ask(why).await
    }

    pub(super) async fn sign_in(&self, key: Option<ApiKey>, tokens: Option<Arc<dyn TokenSource>>) {
        {
            let mut place = lock(&self.place);
            place.key = key;
            place.tokens = tokens;
        }
        self.tokens.forget().await;
        // Another credential may be of another workspace.
        *self.app_key.lock().await = WorkspaceKey::NotAsked;
        self.sign_ins.send_modify(|count| *count += 1);
    }

    /// A project is read by GET, and where that is not known by POST, or the other way round once that worked.
    async fn either_way(&self, envelope: Envelope, deadline: Instant) -> Result<(Arrived, u32, u64), ClientError> {
        let Some(other) = envelope.other_way() else { return self.authorized(envelope, deadline).await };
        let by_post = self.projects_by_post.load(Ordering::Relaxed);
        let (first, second) = if by_post { (other, envelope) } else { (envelope, other) };
        let refused = match self.authorized(first, deadline).await {
            Err(error) if matches!(error.status(), Some(404 | 405)) => error,
            result => return result,
        };
        // Once POST is known to work, a 404 is about the project.
        if by_post && refused.status() == Some(404) {
            return Err(refused);
        }
        match self.authorized(second, deadline).await {
            Err(error) if matches!(error.status(), Some(404 | 405)) => Err(refused),
            Err(error) => Err(error),
            Ok(arrived) => {
                self.projects_by_post.store(!by_post, Ordering::Relaxed);
                Ok(arrived)
            }
        }
    }

    /// Sends it with a token, and with a renewed one where the first was refused. A 401 did nothing, so also what
    /// writes may be sent again after it.
    async fn authorized(&self, envelope: Envelope, deadline: Instant) -> Result<(Arrived, u32, u64), ClientError> {
        let token = self.token(None, deadline).await?;
        let envelope = if envelope.row.takes_app_key {
            let key = self.app_key(&token, deadline).await;
            envelope.with_app_key(key.as_ref())
        } else {
            envelope
        };
        match self.deliver(&envelope, Some(&token), deadline).await {
            Err(refused) if refused.status() == Some(401) => {
                let renewed = self.token(Some(token.number), deadline).await?;
                if renewed.bearer == token.bearer {
                    return Err(refused);
                }
                if envelope.conditions.once {
                    return Err(ClientError::Renewed);
                }
                self.deliver(&envelope, Some(&renewed), deadline).await
            }
            result => result,
        }
    }

    /// The number of the next exchange.
    pub(super) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) async fn token(&self, refused: Option<u64>, deadline: Instant) -> Result<Token, ClientError> {
        if let Some(own) = self.place().own_token() {
            return Ok(Token::own(own));
        }
        self.tokens.get(refused, |refused| self.exchange_key(refused, deadline)).await
    }

    async fn exchange_key(&self, refused: Option<AccessToken>, deadline: Instant) -> Result<Exchanged, ClientError> {
        if let Some(source) = self.place().tokens {
            let (token, life) = source.token(refused.as_ref()).await?;
            return Ok(Exchanged::Token(token, life));
        }
        let envelope = Envelope::of(&ExchangeKey)?;
        match self.deliver(&envelope, None, deadline).await {
            Ok((arrived, ..)) => {
                let unreadable = |what: String| ClientError::Unreadable {
                    status: arrived.status,
                    what: format!("{what} (while the API key was traded for a token)"),
                    request_id: arrived.request_id.clone(),
                };
                let (answer, _) = ExchangeKey::read(&json::read(&arrived.body).map_err(unreadable)?);
                let (token, life) = token_of(&answer).ok_or_else(|| unreadable("it contains no token".to_owned()))?;
                Ok(Exchanged::Token(token, life))
            }
            Err(error) if matches!(error.status(), Some(404 | 405 | 501)) => {
                Ok(Exchanged::KeyItself(self.place().key.ok_or(ClientError::NoCredential)?))
            }
            Err(error) => Err(error),
        }
    }

    /// The workspace key. A service that does not tell it is asked without.
    async fn app_key(&self, token: &Token, deadline: Instant) -> Option<AppKey> {
        let mut known = self.app_key.lock().await;
        match &*known {
            WorkspaceKey::Known(key) => return Some(key.clone()),
            WorkspaceKey::None => return None,
            WorkspaceKey::NotAsked => {}
        }
        let envelope = Envelope::of(&Me).ok()?;
        let (arrived, ..) = self.deliver(&envelope, Some(token), deadline).await.ok()?;
        let (user, _) = Me::read(&json::read(&arrived.body).ok()?);
        let key = (!user.app_key.is_empty()).then(|| AppKey::new(&user.app_key));
        *known = key.clone().map_or(WorkspaceKey::None, WorkspaceKey::Known);
        key
    }

    /// Sends it until it arrives, is refused, or may not be sent again; tells the observer. Without a token it is the
    /// exchange of the key.
    async fn deliver(
        &self,
        envelope: &Envelope,
        token: Option<&Token>,
        deadline: Instant,
    ) -> Result<(Arrived, u32, u64), ClientError> {
        let body = envelope.body();
        let number = self.next_exchange();
        let mut watch = Watch::begin(
            self.observer.clone(),
            Exchange::of(number, envelope.row, envelope.path.clone(), body.as_ref().map_or(0, bytes::Bytes::len)),
        );
        let trace = watch.trace();
        let mut retries = 0;
        let mut moves = 0;
        // A creation that was cut off may have been made: what comes of sending it again can't say that it was not.
        let mut cut_off = None;
        loop {
            let place = self.place();
            // On the heap: every call is made through here, and what goes to the wire is large.
            let attempt = Box::pin(self.once(envelope, &place, token, body.clone(), deadline, trace.as_deref()));
            let Failed { error, retry_after } = match self.rousing(&place, attempt).await {
                Ok(arrived) => {
                    watch.note(|exchange| {
                        exchange.status = Some(arrived.status);
                        exchange.round_trip = Some(arrived.round_trip);
                        exchange.received = arrived.body.len();
                        exchange.request_id.clone_from(&arrived.request_id);
                    });
                    return Ok((arrived, retries, number));
                }
                Err(failed) => failed,
            };
            if moves < MOST_MOVES
                && Instant::now() < deadline
                && self.may_have_ended(&place, envelope, &error)
                && self.has_moved(&place).await
            {
                moves += 1;
                if !envelope.row.idempotent && !matches!(error, ClientError::Unreachable { .. }) {
                    cut_off.get_or_insert(error);
                }
                continue;
            }
            let pause = retry_after.unwrap_or_else(|| wait(self.limits.backoff, retries));
            let may_repeat = envelope.row.idempotent && !envelope.conditions.once;
            let again = may_repeat && error.is_transient() && retries < self.limits.retries;
            let in_time = Instant::now().checked_add(pause).is_some_and(|then| then < deadline);
            if !again || !in_time {
                let error = cut_off.unwrap_or(error);
                watch.fail(&error);
                return Err(error);
            }
            sleep(pause).await;
            retries += 1;
            watch.note(|exchange| exchange.retries = retries);
        }
    }

    /// Waits for an attempt; who stays silent at the other end of a socket may have to be woken for it.
    async fn rousing<T>(&self, place: &Place, mut attempt: impl Future<Output = T> + Unpin) -> T {
        if let Some(locate) = self.locate.as_ref().filter(|_| place.socket.is_some()) {
            if let Ok(done) = timeout(SILENCE, &mut attempt).await {
                return done;
            }
            locate.rouse();
        }
        attempt.await
    }

    /// Sends it to the host that is its own; a read also to the second host when the first can't be reached.
    async fn once(
        &self,
        envelope: &Envelope,
        place: &Place,
        token: Option<&Token>,
        body: Option<bytes::Bytes>,
        deadline: Instant,
        trace: Option<&Trace>,
    ) -> Result<Arrived, Failed> {
        let credential = match (token, &place.key) {
            // The place may be another than when the token was had.
            (Some(_), Some(own)) if place.socket.is_some() => Credential::Bearer(AccessToken::new(own.expose())),
            (Some(token), _) => Credential::Bearer(token.bearer.clone()),
            (None, Some(key)) => Credential::Key(key.clone()),
            (None, None) => return Err(ClientError::NoCredential.into()),
        };
        let send = async |host: &Url| {
            let attempt = Attempt {
                method: envelope.row.method,
                url: envelope.url(host)?,
                socket: place.socket.as_deref(),
                body: body.clone(),
                conditions: &envelope.conditions,
                credential: &credential,
                deadline,
                trace,
            };
            self.connections.send(attempt, &self.limits).await
        };
        if envelope.row.host == Host::Upload {
            return send(&place.hosts.upload).await;
        }
        let Some(second) = place.hosts.lb.as_ref().filter(|_| envelope.is_read()) else {
            return send(&place.hosts.base).await;
        };
        let avoided = lock(&self.base_avoided_until).is_some_and(|until| Instant::now() < until);
        let (first, other) = if avoided { (second, &place.hosts.base) } else { (&place.hosts.base, second) };
        match send(first).await {
            Err(Failed { error: ClientError::Unreachable { .. }, .. }) => {
                *lock(&self.base_avoided_until) = (!avoided).then(|| Instant::now() + self.limits.avoid_base);
                send(other).await
            }
            result => result,
        }
    }

    /// Whether the process at a place may have ended, and the call can be made again where the next one is: nothing of
    /// it was sent, or it may be repeated. A creation may, under its own key: the local workspace keeps the key together
    /// with what was created, so that the next process to serve it makes nothing a second time.
    fn may_have_ended(&self, place: &Place, envelope: &Envelope, error: &ClientError) -> bool {
        match error {
            ClientError::Unreachable { .. } => self.locate.is_some(),
            ClientError::Broken { .. } | ClientError::CutOff { .. } => {
                place.socket.is_some() && (envelope.row.idempotent || is_kept(envelope))
            }
            _ => false,
        }
    }

    /// Asks where the service is now. Whether the place is another than `then`, or the service was started again.
    pub(super) async fn has_moved(&self, then: &Place) -> bool {
        let Some(locate) = &self.locate else { return false };
        let _one_at_a_time = self.moving.lock().await;
        if self.place().moves != then.moves {
            return true;
        }
        match locate.locate().await {
            Ok(located) => {
                let mut place = lock(&self.place);
                place.hosts = Hosts::single(located.base);
                place.socket = located.socket;
                place.key = Some(located.key);
                place.moves += 1;
                true
            }
            Err(why) => {
                tracing::warn!(why, "the local workspace could not be found again");
                false
            }
        }
    }
}
