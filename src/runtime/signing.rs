//! Signing in: a credential is proven before it is kept, and tokens are renewed before they end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::api::Me;
use crate::client::oauth::{AuthServer, OAuthError};
use crate::client::{Client, ClientError, ClientOptions, Limits, TokenSource};
use crate::domain::{AccessToken, ApiKey, RefreshToken, User};
use crate::settings::{CredentialStore, Hosts, Secret, Tokens};

/// Tokens that end sooner are renewed first.
const MARGIN: Duration = Duration::from_secs(60);
/// So long an old token is used further where no new one could be had, and it is still good.
const STOPGAP: Duration = Duration::from_secs(20);

/// How a client is let in.
#[derive(Default)]
pub struct Access {
    /// By a key that is exchanged.
    pub key: Option<ApiKey>,
    /// By tokens.
    pub tokens: Option<Arc<dyn TokenSource>>,
}

/// How a client is let in with this credential. Renewed tokens are kept for the profile, where there is one.
#[must_use]
pub fn access(secret: Option<Secret>, hosts: &Hosts, profile: Option<&str>, store: Option<&CredentialStore>) -> Access {
    match secret {
        None => Access::default(),
        Some(Secret::Key(key)) => Access { key: Some(key), tokens: None },
        Some(Secret::Tokens(tokens)) => {
            let kept = profile.zip(store).map(|(profile, store)| (profile.to_owned(), store.clone()));
            let renewal = Renewal { hosts: hosts.clone(), kept, tokens: Mutex::new(*tokens) };
            Access { key: None, tokens: Some(Arc::new(renewal)) }
        }
    }
}

/// Proves a credential: by the exchange, where it is a key, and by `users/me`.
///
/// # Errors
/// What the service says.
pub async fn prove(hosts: &Hosts, secret: &Secret) -> Result<User, ClientError> {
    let Access { key, tokens } = access(Some(secret.clone()), hosts, None, None);
    let options = ClientOptions { credential: key, tokens, read_only: true, ..ClientOptions::new(hosts.clone()) };
    Ok(Client::new(options).call(&Me).await?.value)
}

/// The tokens of a sign-in, renewed when they end, once for all who wait and for all processes.
struct Renewal {
    hosts: Hosts,
    kept: Option<(String, CredentialStore)>,
    tokens: Mutex<Tokens>,
}

/// How long a token is good; for ever where nobody said.
fn left(tokens: &Tokens) -> Option<Duration> {
    let until = tokens.expires_at?.duration_since(Timestamp::now());
    Some(Duration::try_from(until).unwrap_or_default())
}

/// Whether a token will do.
fn is_good(tokens: &Tokens, refused: Option<&AccessToken>) -> bool {
    Some(&tokens.access) != refused && left(tokens).is_none_or(|left| left > MARGIN)
}

impl TokenSource for Renewal {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<(AccessToken, Option<Duration>), ClientError>> {
        Box::pin(async move {
            let mut tokens = self.tokens.lock().await;
            if !is_good(&tokens, refused) {
                match self.renewed(&tokens, refused).await {
                    Ok(new) => *tokens = new,
                    // Refused by the service, or over: there is nothing to fall back on.
                    Err(error)
                        if Some(&tokens.access) == refused || left(&tokens).is_none_or(|left| left.is_zero()) =>
                    {
                        return Err(error);
                    }
                    Err(error @ ClientError::SignedOut(_)) => return Err(error),
                    Err(error) => {
                        tracing::warn!(%error, "couldn't renew the sign-in yet");
                        return Ok((tokens.access.clone(), Some(STOPGAP)));
                    }
                }
            }
            Ok((tokens.access.clone(), left(&tokens)))
        })
    }
}

impl Renewal {
    async fn renewed(&self, tokens: &Tokens, refused: Option<&AccessToken>) -> Result<Tokens, ClientError> {
        let Some((profile, store)) = self.kept.clone() else {
            return self.ask(tokens.refresh.as_ref(), &tokens.issuer).await;
        };
        // A refresh token is good for once, and a second use may end the whole sign-in: one process at a time, and what
        // another one had meanwhile is taken.
        let (name, held) = (profile.clone(), store.clone());
        let waited = spawn_blocking(move || (held.hold_renewal(), held.load(&name))).await;
        let (lock, loaded) = match waited {
            Ok((lock, loaded)) => (lock.ok(), loaded.ok()),
            Err(_) => (None, None),
        };
        let (current, is_kept) = match loaded {
            Some(Some(Secret::Tokens(theirs))) if theirs.issuer == tokens.issuer => (*theirs, true),
            // Whoever signed out does not want to find the credential again.
            Some(None) => {
                return Err(ClientError::SignedOut(
                    "it is not kept any more: signed out, or renamed, elsewhere".into(),
                ));
            }
            // Another credential was kept meanwhile, or none can be read: neither is written over.
            _ => (tokens.clone(), false),
        };
        if current != *tokens && is_good(&current, refused) {
            return Ok(current);
        }
        let new = self.ask(current.refresh.as_ref(), &current.issuer).await?;
        if !is_kept {
            return Ok(new);
        }
        let kept = new.clone();
        let written = spawn_blocking(move || store.keep(&profile, &Secret::Tokens(Box::new(kept)))).await;
        if !matches!(written, Ok(Ok(_))) {
            tracing::warn!("the renewed tokens could not be kept: the next start has to sign in again");
        }
        drop(lock);
        Ok(new)
    }

    async fn ask(&self, refresh: Option<&RefreshToken>, issuer: &str) -> Result<Tokens, ClientError> {
        let Some(refresh) = refresh else {
            return Err(ClientError::SignedOut("there is nothing to renew it with".to_owned()));
        };
        if issuer != self.hosts.auth.as_str().trim_end_matches('/') {
            return Err(ClientError::SignedOut("the profile names another authorization server now".to_owned()));
        }
        let renewed = async { AuthServer::discover(&self.hosts, &Limits::default()).await?.renew(refresh).await };
        renewed.await.map_err(|error| match error {
            OAuthError::Client(error) => error,
            error if error.is_over() => ClientError::SignedOut(error.to_string()),
            error => ClientError::Request(error.to_string()),
        })
    }
}
