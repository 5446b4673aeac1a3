//! A call from its first sending to its answer: credential, host, retries.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::{Instant, sleep};
use url::Url;

use super::attempt::{Arrived, Attempt, Connections, Credential, Failed};
use super::backoff::wait;
use super::credential::{Exchanged, Token, Tokens, token_of};
use super::envelope::Envelope;
use super::exchange::{Exchange, Observe, Watch};
use super::{Answer, ClientError, ClientOptions, Hosts, Limits, Locate, json};
use crate::api::{ExchangeKey, Host, Me, Operation};
use crate::domain::{ApiKey, AppKey};

/// Where the service is and which key it takes, as known now.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) hosts: Hosts,
    key: Option<ApiKey>,
    /// How often it has moved.
    moves: u64,
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
    app_key: tokio::sync::Mutex<WorkspaceKey>,
    /// Whether projects are read by POST here (§4.3 shows both).
    projects_by_post: AtomicBool,
    base_avoided_until: Mutex<Option<Instant>>,
    pub(super) connections: Connections,
    locate: Option<Arc<dyn Locate>>,
    pub(super) observer: Option<Arc<dyn Observe>>,
    pub(super) limits: Limits,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sender {
    pub(super) fn new(options: ClientOptions) -> Self {
        let ClientOptions { hosts, credential, read_only, app_key, locate, observer, limits } = options;
        Self {
            read_only,
            place: Mutex::new(Place { hosts, key: credential, moves: 0 }),
            moving: tokio::sync::Mutex::default(),
            tokens: Tokens::default(),
            app_key: tokio::sync::Mutex::new(app_key.map_or(WorkspaceKey::NotAsked, WorkspaceKey::Known)),
            projects_by_post: AtomicBool::new(false),
            base_avoided_until: Mutex::default(),
            connections: Connections::default(),
            locate,
            observer,
            limits,
        }
    }

    pub(super) fn place(&self) -> Place {
        lock(&self.place).clone()
    }

    /// Makes the call, within the time a call has in all.
    pub(super) async fn call(&self, envelope: Envelope) -> Result<Answer<()>, ClientError> {
        if envelope.row.writes && self.read_only {
            return Err(ClientError::ReadOnly { operation: envelope.row.name });
        }
        let began = Instant::now();
        let deadline = began + self.limits.total;
        let (arrived, retries) = self.either_way(envelope, deadline).await.map_err(|error| match error {
            // The person waited for all attempts, not for the last one.
            ClientError::Silent { host, .. } => ClientError::Silent { host, after: began.elapsed() },
            error => error,
        })?;
        let Arrived { status, body, request_id, .. } = arrived;
        Ok(Answer { value: (), findings: Vec::new(), body, status, request_id, elapsed: began.elapsed(), retries })
    }

    /// A project is read by GET, and where that is not known by POST, or the other way round once that worked.
    async fn either_way(&self, envelope: Envelope, deadline: Instant) -> Result<(Arrived, u32), ClientError> {
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
    async fn authorized(&self, envelope: Envelope, deadline: Instant) -> Result<(Arrived, u32), ClientError> {
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
                self.deliver(&envelope, Some(&renewed), deadline).await
            }
            result => result,
        }
    }

    pub(super) async fn token(&self, refused: Option<u64>, deadline: Instant) -> Result<Token, ClientError> {
        self.tokens.get(refused, || self.exchange_key(deadline)).await
    }

    async fn exchange_key(&self, deadline: Instant) -> Result<Exchanged, ClientError> {
        let envelope = Envelope::of(&ExchangeKey)?;
        match self.deliver(&envelope, None, deadline).await {
            Ok((arrived, _)) => {
                let unreadable = |what: String| ClientError::Unreadable {
                    status: arrived.status,
                    what: format!("{what} (exchange of the API key)"),
                    request_id: arrived.request_id.clone(),
                };
                let (answer, _) = ExchangeKey::read(&json::read(&arrived.body).map_err(unreadable)?);
                let (token, life) = token_of(&answer).ok_or_else(|| unreadable("it holds no token".to_owned()))?;
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
        let (arrived, _) = self.deliver(&envelope, Some(token), deadline).await.ok()?;
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
    ) -> Result<(Arrived, u32), ClientError> {
        let body = envelope.body();
        let mut watch = Watch::begin(
            self.observer.clone(),
            Exchange::of(envelope.row, envelope.path.clone(), body.as_ref().map_or(0, bytes::Bytes::len)),
        );
        let mut retries = 0;
        let mut looked = false;
        loop {
            let place = self.place();
            let Failed { error, retry_after } = match self.once(envelope, &place, token, body.clone(), deadline).await {
                Ok(arrived) => {
                    watch.note(|exchange| {
                        exchange.status = Some(arrived.status);
                        exchange.round_trip = Some(arrived.round_trip);
                        exchange.received = arrived.body.len();
                        exchange.request_id.clone_from(&arrived.request_id);
                    });
                    return Ok((arrived, retries));
                }
                Err(failed) => failed,
            };
            if matches!(error, ClientError::Unreachable { .. }) && !looked && self.has_moved(&place).await {
                looked = true;
                continue;
            }
            let pause = retry_after.unwrap_or_else(|| wait(self.limits.backoff, retries));
            let again = envelope.row.idempotent && error.is_transient() && retries < self.limits.retries;
            let in_time = Instant::now().checked_add(pause).is_some_and(|then| then < deadline);
            if !again || !in_time {
                watch.fail(&error);
                return Err(error);
            }
            sleep(pause).await;
            retries += 1;
            watch.note(|exchange| exchange.retries = retries);
        }
    }

    /// Sends it to the host that is its own; a read also to the second host when the first can't be reached.
    async fn once(
        &self,
        envelope: &Envelope,
        place: &Place,
        token: Option<&Token>,
        body: Option<bytes::Bytes>,
        deadline: Instant,
    ) -> Result<Arrived, Failed> {
        let key = place.key.clone().ok_or(ClientError::NoCredential)?;
        let credential = token.map_or(Credential::Key(key), |token| Credential::Bearer(token.bearer.clone()));
        let send = async |host: &Url| {
            let attempt = Attempt {
                method: envelope.row.method,
                url: envelope.url(host)?,
                body: body.clone(),
                credential: &credential,
                deadline,
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
