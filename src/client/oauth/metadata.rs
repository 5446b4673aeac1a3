//! What the authorization server says of itself (RFC 8414), and whether that is believed.

use serde::Deserialize;
use url::Url;

use super::OAuthError;
use crate::settings::{Hosts, is_loopback, is_same_origin};

/// The part of the metadata that is used.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Metadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<Url>,
    pub(super) token_endpoint: Url,
    pub(super) device_authorization_endpoint: Option<Url>,
    pub(super) revocation_endpoint: Option<Url>,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// Where a server's metadata is: the well-known path goes before the issuer's own (RFC 8414 §3.1).
pub(super) fn address(auth: &Url) -> Url {
    let own = auth.path().trim_end_matches('/');
    let mut url = auth.clone();
    url.set_path(&format!("/.well-known/oauth-authorization-server{own}"));
    url
}

impl Metadata {
    /// Believes it where it is the server that was asked, and every address is its own.
    pub(super) fn checked(self, hosts: &Hosts) -> Result<Self, OAuthError> {
        let asked = hosts.auth.as_str().trim_end_matches('/');
        if self.issuer.trim_end_matches('/') != asked {
            let said = self.issuer.chars().take(200).collect();
            return Err(OAuthError::Issuer { asked: asked.to_owned(), said });
        }
        let addresses = [
            ("token endpoint", Some(&self.token_endpoint)),
            ("authorization endpoint", self.authorization_endpoint.as_ref()),
            ("device authorization endpoint", self.device_authorization_endpoint.as_ref()),
            ("revocation endpoint", self.revocation_endpoint.as_ref()),
        ];
        for (what, url) in addresses {
            url.map_or(Ok(()), |url| check(what, url, hosts))?;
        }
        Ok(self)
    }
}

/// That an address is safe and of the profile's own hosts: nobody is sent, and nothing secret goes, anywhere else.
pub(super) fn check(what: &'static str, url: &Url, hosts: &Hosts) -> Result<(), OAuthError> {
    let wrong = |why| {
        let mut shown = url.clone();
        shown.set_query(None);
        Err(OAuthError::Address { what, address: shown.to_string(), why })
    };
    if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(url)) {
        return wrong("is not https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("contains a user name");
    }
    if !is_same_origin(url, &hosts.auth) && !is_same_origin(url, &hosts.base) {
        return wrong("is on another host or port");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn hosts(auth: &str) -> Hosts {
        Hosts { auth: url(auth), ..Hosts::single(url("https://api.example")) }
    }

    fn metadata(issuer: &str, token: &str) -> Metadata {
        Metadata {
            issuer: issuer.to_owned(),
            authorization_endpoint: None,
            token_endpoint: url(token),
            device_authorization_endpoint: None,
            revocation_endpoint: None,
            authorization_response_iss_parameter_supported: false,
        }
    }

    #[test]
    fn the_metadata_is_at_the_well_known_path() {
        let at = |auth: &str| address(&url(auth)).to_string();
        assert_eq!(at("https://a.example"), "https://a.example/.well-known/oauth-authorization-server");
        assert_eq!(at("https://a.example/t/1/"), "https://a.example/.well-known/oauth-authorization-server/t/1");
    }

    #[test]
    fn only_the_server_that_any_question_and_only_its_own_addresses() {
        let hosts = hosts("https://auth.example/");
        let good = metadata("https://auth.example", "https://auth.example/token");
        assert!(good.checked(&hosts).is_ok());
        let lies = metadata("https://evil.example", "https://auth.example/token").checked(&hosts);
        assert!(matches!(lies, Err(OAuthError::Issuer { .. })));
        for (token, why) in [
            ("http://auth.example/token", "is not https"),
            ("https://evil.example/token", "is on another host"),
            ("https://auth.example.evil.example/token", "is on another host"),
            ("https://auth.example:8443/token", "is on another host or port"),
            ("https://me@auth.example/token", "contains a user name"),
        ] {
            let refused = metadata("https://auth.example", token).checked(&hosts).unwrap_err();
            assert!(refused.to_string().contains(why), "{token}: {refused}");
        }
    }
}
