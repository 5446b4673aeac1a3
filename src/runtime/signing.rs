//! Signing in: a credential is proven before it is kept, and tokens are renewed before they end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::tasks::Tasks as OfSitting;
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

/// How a client is let in with this credential. Renewed tokens are kept for the profile, where there is one; whoever ends
/// `tasks` waits until they are.
#[must_use]
pub fn access(
    secret: Option<Secret>,
    hosts: &Hosts,
    profile: Option<&str>,
    store: Option<&CredentialStore>,
    tasks: Option<OfSitting>,
) -> Access {
    match secret {
        None => Access::default(),
        Some(Secret::Key(key)) => Access { key: Some(key), tokens: None },
        Some(Secret::Tokens(tokens)) => {
            let kept = profile.zip(store).map(|(profile, store)| (profile.to_owned(), store.clone()));
            let renewal = Renewal { at: At { hosts: hosts.clone(), kept }, tokens: Mutex::new(*tokens), tasks };
            Access { key: None, tokens: Some(Arc::new(renewal)) }
        }
    }
}

/// Proves a credential: by the exchange, where it is a key, and by `users/me`.
///
/// # Errors
/// What the service says.
pub async fn prove(hosts: &Hosts, secret: &Secret) -> Result<User, ClientError> {
    let Access { key, tokens } = access(Some(secret.clone()), hosts, None, None, None);
    let options = ClientOptions { credential: key, tokens, read_only: true, ..ClientOptions::new(hosts.clone()) };
    Ok(Client::new(options).call(&Me).await?.value)
}

/// The tokens of a sign-in, renewed when they end, once for all who wait and for all processes.
struct Renewal {
    at: At,
    tokens: Mutex<Tokens>,
    tasks: Option<OfSitting>,
}

/// Where tokens are renewed and kept.
#[derive(Clone)]
struct At {
    hosts: Hosts,
    kept: Option<(String, CredentialStore)>,
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
    /// New tokens. The old refresh token is spent as soon as the server has it: whoever waits may give up, and the studio
    /// may end, but what came for it is kept all the same.
    async fn renewed(&self, tokens: &Tokens, refused: Option<&AccessToken>) -> Result<Tokens, ClientError> {
        let (at, tokens, refused) = (self.at.clone(), tokens.clone(), refused.cloned());
        let renewing = async move { at.renewed(&tokens, refused.as_ref()).await };
        let renewed = match &self.tasks {
            Some(tasks) => tasks.whole(renewing).await.map_err(|lost| lost.to_string()),
            None => tokio::spawn(renewing).await.map_err(|error| error.to_string()),
        };
        renewed.map_err(ClientError::Request)?
    }
}

impl At {
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
                return Err(ClientError::SignedOut("it was removed: signed out or renamed elsewhere".into()));
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
            tracing::warn!("the renewed tokens couldn't be saved: sign in again at the next start");
        }
        drop(lock);
        Ok(new)
    }

    async fn ask(&self, refresh: Option<&RefreshToken>, issuer: &str) -> Result<Tokens, ClientError> {
        let Some(refresh) = refresh else {
            return Err(ClientError::SignedOut("it can't be renewed".to_owned()));
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex as Blocking;
    use std::sync::mpsc::{Receiver, channel};

    use serde_json::json;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

    use super::*;
    use crate::settings::{Environment, Folders};

    /// Says that it was asked for new tokens, and gives them once it may.
    struct Gives {
        asked: UnboundedSender<()>,
        may: Blocking<Receiver<()>>,
    }

    impl Respond for Gives {
        fn respond(&self, _request: &Request) -> ResponseTemplate {
            let _ = self.asked.send(());
            let _ = self.may.lock().unwrap().recv();
            let tokens = json!({ "access_token": "new", "refresh_token": "next", "token_type": "bearer" });
            ResponseTemplate::new(200).set_body_json(tokens)
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_renewal_is_kept_though_nobody_waits_for_it_any_more() {
        let server = MockServer::start().await;
        let base = server.uri();
        let offered = json!({ "issuer": base, "token_endpoint": format!("{base}/token") });
        let metadata = ResponseTemplate::new(200).set_body_json(offered);
        Mock::given(path("/.well-known/oauth-authorization-server")).respond_with(metadata).mount(&server).await;
        let ((asked, mut any_question), (let_it, may)) = (unbounded_channel(), channel());
        Mock::given(path("/token")).respond_with(Gives { asked, may: Blocking::new(may) }).mount(&server).await;

        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        std::fs::create_dir_all(folders.credentials_file().unwrap().parent().unwrap()).unwrap();
        let store = CredentialStore::new(&folders, &Environment::default()).unwrap();
        let old = Secret::Tokens(Box::new(Tokens {
            access: AccessToken::new("old"),
            refresh: Some(RefreshToken::new("spent")),
            expires_at: None,
            issuer: base.clone(),
        }));
        store.keep("shop", &old).unwrap();
        let (events, _told) = unbounded_channel();
        let tasks = OfSitting::new(events);
        let hosts = Hosts::single(url::Url::parse(&base).unwrap());
        let source = access(Some(old), &hosts, Some("shop"), Some(&store), Some(tasks.clone())).tokens.unwrap();

        let waits = tokio::spawn(async move { source.token(Some(&AccessToken::new("old"))).await.is_ok() });
        any_question.recv().await.unwrap();
        waits.abort();
        assert!(waits.await.is_err_and(|ended| ended.is_cancelled()));
        let_it.send(()).unwrap();
        tasks.end().await;
        let Some(Secret::Tokens(kept)) = store.load("shop").unwrap() else { panic!("signed out") };
        assert_eq!(kept.refresh.map(|token| token.expose().to_owned()).as_deref(), Some("next"));
    }
}
