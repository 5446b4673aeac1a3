//! The authorization server: asked over our own connections, for a public client without a secret (RFC 6749 §2.1).

use std::sync::Arc;

use tokio::time::Instant;
use url::Url;

use super::answer::{Answered, TokenAnswer, read_tokens};
use super::metadata::{Metadata, address};
use super::{CLIENT_ID, OAuthError, SCOPE};
use crate::client::attempt::{Connections, authority, bounded, not_sent, take};
use crate::client::{ClientError, Limits};
use crate::domain::{AccessToken, RefreshToken, json};
use crate::settings::{Hosts, Tokens};

/// The longest answer taken, bytes.
const MOST_ANSWER: usize = 256 * 1024;

/// An authorization server that was found to be who it says.
#[derive(Clone)]
pub struct AuthServer {
    pub(super) metadata: Arc<Metadata>,
    pub(super) hosts: Hosts,
    wire: Wire,
}

/// Sends one request and takes its answer.
#[derive(Clone)]
pub(super) struct Wire {
    connections: Arc<Connections>,
    limits: Limits,
}

impl Wire {
    /// Sends it once and takes the whole answer, whatever its status.
    async fn send(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Vec<u8>>, ClientError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|error| ClientError::Request(error.to_string()))?;
        let (host, limits) = (authority(&url), &self.limits);
        let deadline = Instant::now() + limits.total;
        let client = self.connections.to(&url, limits)?;
        let asked = client.request(parts.method, url).headers(parts.headers).body(body).send();
        let began = Instant::now();
        let answer = match bounded(asked, limits.silence, deadline).await {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return Err(not_sent(host, &error)),
            None => return Err(ClientError::Silent { host, after: began.elapsed() }),
        };
        let mut response = http::Response::builder().status(answer.status());
        for (name, value) in answer.headers() {
            response = response.header(name, value);
        }
        let body = take(answer, host, limits, deadline).await?;
        response.body(body.to_vec()).map_err(|error| ClientError::Request(error.to_string()))
    }
}

impl AuthServer {
    /// Asks the server of these hosts what it offers.
    ///
    /// # Errors
    /// Where it can't be reached, has no metadata, or what it says is not believed.
    pub async fn discover(hosts: &Hosts, limits: &Limits) -> Result<Self, OAuthError> {
        super::metadata::check("own address", &hosts.auth, hosts)?;
        let limits = Limits { body: MOST_ANSWER, ..limits.clone() };
        let wire = Wire { connections: Arc::default(), limits };
        let request = http::Request::get(address(&hosts.auth).as_str()).header("accept", "application/json");
        let request = request.body(Vec::new()).map_err(|error| ClientError::Request(error.to_string()))?;
        let answer = wire.send(request).await?;
        if !answer.status().is_success() {
            return Err(OAuthError::NotOffered(hosts.auth.to_string()));
        }
        let document = json::document(answer.body()).map_err(OAuthError::Unreadable)?;
        let metadata: Metadata =
            serde_json::from_str(document).map_err(|error| OAuthError::Unreadable(error.to_string()))?;
        Ok(Self { metadata: Arc::new(metadata.checked(hosts)?), hosts: hosts.clone(), wire })
    }

    /// Whether a device code can be had.
    #[must_use]
    pub fn offers_device(&self) -> bool {
        self.metadata.device_authorization_endpoint.is_some()
    }

    /// Whether a code can be had by a redirect.
    #[must_use]
    pub fn offers_code(&self) -> bool {
        self.metadata.authorization_endpoint.is_some()
    }

    /// Sends a form to an endpoint, with the client's name in it.
    pub(super) async fn post(
        &self,
        endpoint: &Url,
        pairs: &[(&str, &str)],
    ) -> Result<http::Response<Vec<u8>>, ClientError> {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .append_pair("client_id", CLIENT_ID)
            .finish();
        let request = http::Request::post(endpoint.as_str())
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .body(form.into_bytes())
            .map_err(|error| ClientError::Request(error.to_string()))?;
        self.wire.send(request).await
    }

    /// Asks the token endpoint.
    pub(super) async fn ask_for_tokens(&self, pairs: &[(&str, &str)]) -> Result<Answered<TokenAnswer>, OAuthError> {
        read_tokens(&self.post(&self.metadata.token_endpoint, pairs).await?)
    }

    /// The tokens of an answer; a renewed one without a refresh token leaves the old one in force (RFC 6749 §6).
    pub(super) fn tokens(&self, answer: &TokenAnswer, before: Option<&RefreshToken>) -> Tokens {
        let refresh = answer.refresh_token.as_deref().map(RefreshToken::new);
        let life = answer.expires_in.and_then(|life| i64::try_from(life).ok()).map(jiff::SignedDuration::from_secs);
        Tokens {
            access: AccessToken::new(&answer.access_token),
            refresh: refresh.or_else(|| before.cloned()),
            expires_at: life.and_then(|life| jiff::Timestamp::now().checked_add(life).ok()),
            issuer: self.metadata.issuer.trim_end_matches('/').to_owned(),
        }
    }

    /// Has new tokens for the old ones.
    ///
    /// # Errors
    /// [`OAuthError::is_over`] where the server gives none any more.
    pub async fn renew(&self, refresh: &RefreshToken) -> Result<Tokens, OAuthError> {
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", refresh.expose()), ("scope", SCOPE)];
        let answer = self.ask_for_tokens(&pairs).await?.given()?;
        Ok(self.tokens(&answer, Some(refresh)))
    }

    /// Tells the server that tokens are no longer wanted (RFC 7009), where it wants to know.
    ///
    /// # Errors
    /// Where it could not be told.
    pub async fn revoke(&self, tokens: &Tokens) -> Result<(), OAuthError> {
        let Some(endpoint) = self.metadata.revocation_endpoint.clone() else { return Ok(()) };
        let (token, hint) = match &tokens.refresh {
            Some(refresh) => (refresh.expose(), "refresh_token"),
            None => (tokens.access.expose(), "access_token"),
        };
        let answer = self.post(&endpoint, &[("token", token), ("token_type_hint", hint)]).await?;
        if answer.status().is_success() {
            return Ok(());
        }
        Err(OAuthError::Refused(format!("it responded to the revocation with {}", answer.status().as_u16())))
    }
}
