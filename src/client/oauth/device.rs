//! The device code, RFC 8628: a few letters are shown, and approved in a browser on whichever machine.

use std::time::Duration;

use oauth2::{DeviceAuthorizationUrl, Scope, StandardDeviceAuthorizationResponse};
use tokio::time::{sleep, timeout};
use url::Url;

use super::metadata::check;
use super::{AuthServer, OAuthError, SCOPE};
use crate::settings::Tokens;

/// A device code that waits to be approved.
#[derive(Clone)]
pub struct DeviceRequest {
    /// The letters that the person compares or types.
    pub user_code: String,
    /// Where they go.
    pub address: Url,
    /// The same with the letters in it: for a QR code.
    pub whole_address: Url,
    /// How long the code is good.
    pub lasts: Duration,
    answer: StandardDeviceAuthorizationResponse,
}

impl AuthServer {
    /// Has a device code.
    ///
    /// # Errors
    /// Where the server offers none or sends the person somewhere else.
    pub async fn begin_device(&self) -> Result<DeviceRequest, OAuthError> {
        let offered = self.metadata.device_authorization_endpoint.clone();
        let endpoint = offered.ok_or_else(|| OAuthError::NotOffered(self.metadata.issuer.clone()))?;
        let rules = self.rules().set_device_authorization_url(DeviceAuthorizationUrl::from_url(endpoint));
        let wire = self.wire();
        let asked = rules.exchange_device_code().add_scope(Scope::new(SCOPE.to_owned()));
        let answer: StandardDeviceAuthorizationResponse = asked.request_async(&wire).await?;
        let address = answer.verification_uri().url().clone();
        check("page for approval", &address, &self.hosts)?;
        let whole = answer.verification_uri_complete().and_then(|whole| Url::parse(whole.secret()).ok());
        if let Some(whole) = &whole {
            check("page for approval", whole, &self.hosts)?;
        }
        Ok(DeviceRequest {
            user_code: answer.user_code().secret().chars().take(64).collect(),
            whole_address: whole.unwrap_or_else(|| address.clone()),
            address,
            lasts: answer.expires_in(),
            answer,
        })
    }

    /// Waits until the person approved, as often asking as the server allows. Dropping the future gives up.
    ///
    /// # Errors
    /// [`OAuthError::Denied`], [`OAuthError::Expired`], and what else the server says.
    pub async fn wait_for_device(&self, request: &DeviceRequest) -> Result<Tokens, OAuthError> {
        let (rules, wire) = (self.rules(), self.wire());
        let asked = rules.exchange_device_access_token(&request.answer).request_async(&wire, sleep, None);
        // By this machine's running time too: its clock may be set meanwhile.
        match timeout(request.lasts.saturating_add(Duration::from_secs(30)), asked).await {
            Ok(answer) => Ok(self.tokens(&answer?, None)),
            Err(_) => Err(OAuthError::Expired),
        }
    }
}
