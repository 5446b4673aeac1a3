//! The token that the API key was exchanged for (§5.4): one exchange for all callers.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::ClientError;
use crate::api::ExchangedToken;
use crate::domain::{AccessToken, ApiKey};

/// Has access tokens from elsewhere than the exchange of a key: from a sign-in at the authorization server (§5.3).
pub trait TokenSource: Send + Sync {
    /// A token that is good now, with its lifetime where it is known. `refused` is one that the service no longer takes.
    /// Never called twice at once for one client.
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<(AccessToken, Option<Duration>), ClientError>>;
}

/// Asks the person to sign in, when a credential is missing or refused.
pub trait AskSignIn: Send + Sync {
    /// Waits until the person signed in, with [`Client::sign_in`](super::Client::sign_in), or would not. Whether the call
    /// that failed is to be made again. Many calls may ask at once.
    fn ask<'a>(&'a self, why: &'a ClientError) -> BoxFuture<'a, bool>;
}

/// Asks the person before something is changed on a live profile.
pub trait AskWrite: Send + Sync {
    /// Whether the operation of this name may be sent.
    fn ask<'a>(&'a self, operation: &'static str) -> BoxFuture<'a, bool>;
}

/// A token, and which exchange it came from.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) bearer: AccessToken,
    /// The number of the exchange; callers whose token failed say which one it was.
    pub(super) number: u64,
    renew_at: Option<Instant>,
}

impl Token {
    /// One that needs no exchange, and none is counted for.
    pub(super) fn own(bearer: AccessToken) -> Self {
        Self { bearer, number: 0, renew_at: None }
    }
}

#[derive(Default)]
struct Kept {
    token: Option<Token>,
    exchanges: u64,
    failed: Option<(Instant, ClientError)>,
}

/// The one token of a client.
#[derive(Default)]
pub(super) struct Tokens {
    kept: Mutex<Kept>,
}

/// What an exchange came to.
pub(super) enum Exchanged {
    /// A token, with its lifetime where the service told.
    Token(AccessToken, Option<Duration>),
    /// The service has no exchange: the key itself is the bearer.
    KeyItself(ApiKey),
}

impl Tokens {
    /// The token in force, or what `exchange` brings. `not` is the number of a token that was refused. Callers that
    /// come while an exchange is under way wait for it and share what it brings, failure included. `exchange` is told
    /// the token that was refused.
    pub(super) async fn get<F>(
        &self,
        not: Option<u64>,
        exchange: impl FnOnce(Option<AccessToken>) -> F,
    ) -> Result<Token, ClientError>
    where
        F: Future<Output = Result<Exchanged, ClientError>>,
    {
        let asked = Instant::now();
        let mut kept = self.kept.lock().await;
        if let Some(token) = &kept.token
            && Some(token.number) != not
            && token.renew_at.is_none_or(|at| Instant::now() < at)
        {
            return Ok(token.clone());
        }
        if let Some((at, error)) = &kept.failed
            && *at >= asked
        {
            return Err(error.clone());
        }
        let refused = kept.token.take().filter(|token| Some(token.number) == not).map(|token| token.bearer);
        let result = exchange(refused).await;
        kept.exchanges += 1;
        match result {
            Ok(exchanged) => {
                let (token, life) = match exchanged {
                    Exchanged::Token(token, life) => (token, life),
                    Exchanged::KeyItself(key) => (AccessToken::new(key.expose()), None),
                };
                let token = Token { bearer: token, number: kept.exchanges, renew_at: life.and_then(renew_at) };
                kept.token = Some(token.clone());
                kept.failed = None;
                Ok(token)
            }
            Err(error) => {
                kept.token = None;
                kept.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Forgets the token: there is another credential now.
    pub(super) async fn forget(&self) {
        let mut kept = self.kept.lock().await;
        kept.token = None;
        kept.failed = None;
    }
}

/// A minute before the end, or a tenth of the life where that is shorter.
fn renew_at(life: Duration) -> Option<Instant> {
    let early = Duration::from_secs(60).min(life / 10);
    Instant::now().checked_add(life.saturating_sub(early))
}

/// The token of an exchange's answer, by whichever name, and its lifetime.
pub(super) fn token_of(answer: &ExchangedToken) -> Option<(AccessToken, Option<Duration>)> {
    let names = [&answer.access_token, &answer.access_token_snake, &answer.token];
    let token = names.into_iter().flatten().find(|token| !token.trim().is_empty())?;
    let life = answer.expires_in.or(answer.expires_in_snake).map(|seconds| seconds.0).filter(|life| *life > 0.0);
    Some((AccessToken::new(token), life.and_then(|life| Duration::try_from_secs_f64(life).ok())))
}
