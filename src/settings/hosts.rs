//! The hosts of the spec's head.

use std::net::{Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use url::{Host, Url};

use crate::domain::wire::{Redaction, shown_word};

/// Where a service is reached: the four addresses of the spec's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    /// `{base_url}`
    pub base: Url,
    /// `{lb_base_url}`: reads go there when the base host can't be reached.
    pub lb: Option<Url>,
    /// `{upload_url}`
    pub upload: Url,
    /// `{auth_url}`
    pub auth: Url,
}

impl Hosts {
    /// A service that does everything on one host, as the local workspace does.
    #[must_use]
    pub fn single(base: Url) -> Self {
        Self { lb: None, upload: base.clone(), auth: base.clone(), base }
    }

    /// All of them, each with the word that names it.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Url)> {
        let always = [("base", &self.base), ("upload", &self.upload), ("authorization", &self.auth)];
        always.into_iter().chain(self.lb.as_ref().map(|lb| ("second", lb)))
    }
}

/// Why an address can't be a host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HostError {
    /// It is no absolute address.
    #[error("{0:?} is not an address like https://api.example.com")]
    NotAnAddress(String),
    /// It speaks neither http nor https.
    #[error("the address must begin with https:// or http://, not {0}://")]
    Scheme(String),
    /// It holds a user name or a password, which would end up in logs.
    #[error("the address must not contain a user name or password; use CUTAWAY_API_KEY or a profile for the key")]
    Credentials,
}

/// Reads an address of a host. A query or fragment is dropped: paths of §4 are put behind it.
///
/// # Errors
/// Where it is no http(s) address, or holds a credential.
pub fn host_url(text: &str) -> Result<Url, HostError> {
    let text = text.trim();
    let mut url = Url::parse(text).map_err(|_| HostError::NotAnAddress(harmless(text)))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(HostError::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(HostError::Credentials);
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(HostError::NotAnAddress(harmless(text)));
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// What stands before an `@` may be a password, even where the rest can't be read; and the whole may be a key.
fn harmless(text: &str) -> String {
    let text = text.rsplit_once('@').map_or_else(|| shown_word(text).to_owned(), |(_, rest)| format!("…@{rest}"));
    Redaction::default().free_text(&text)
}

/// Whether the address is on this very machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback() || mapped(address).is_some_and(|v4| v4.is_loopback()),
        None => false,
    }
}

/// Whether a credential may be sent there in the clear: this machine, a private network (RFC 1918, RFC 4193,
/// link-local) or a bare name that only a private resolver knows. Teams run `cutaway serve` in such places.
#[must_use]
pub fn is_private(url: &Url) -> bool {
    let private_v4 = |v4: Ipv4Addr| v4.is_private() || v4.is_link_local();
    is_loopback(url)
        || match url.host() {
            Some(Host::Domain(name)) => {
                !name.contains('.') || [".local", ".internal", ".lan"].iter().any(|end| name.ends_with(end))
            }
            Some(Host::Ipv4(v4)) => private_v4(v4),
            Some(Host::Ipv6(v6)) => {
                v6.is_unique_local() || v6.is_unicast_link_local() || mapped(v6).is_some_and(private_v4)
            }
            None => false,
        }
}

fn mapped(address: Ipv6Addr) -> Option<Ipv4Addr> {
    address.to_ipv4_mapped()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        assert_eq!(host_url("https://api.example.com/v1?x=1#y").unwrap().as_str(), "https://api.example.com/v1");
        assert!(matches!(host_url("api.example.com"), Err(HostError::NotAnAddress(_))));
        assert!(matches!(host_url("ftp://x"), Err(HostError::Scheme(_))));
        assert_eq!(host_url("https://me:secret@x").unwrap_err(), HostError::Credentials);
        assert!(!host_url("me:secret@x").unwrap_err().to_string().contains("secret"));
    }

    #[test]
    fn loopback_and_private_are_told_from_public() {
        let url = |text: &str| Url::parse(text).unwrap();
        for loopback in ["http://127.0.0.1:1", "http://[::1]", "http://localhost:7227", "http://[::ffff:127.0.0.1]"] {
            assert!(is_loopback(&url(loopback)), "{loopback}");
        }
        for private in ["http://10.1.2.3", "http://cutaway:7227", "http://[fd00::1]", "http://nas.local"] {
            assert!(is_private(&url(private)) && !is_loopback(&url(private)), "{private}");
        }
        for public in ["http://example.com", "http://8.8.8.8", "http://[2001:4860::1]"] {
            assert!(!is_private(&url(public)), "{public}");
        }
    }
}
