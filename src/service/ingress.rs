//! How others reach the service: under which address, and behind which proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use url::Url;

/// The address under which others reach the service: scheme, host and port, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    host: String,
}

impl PublicUrl {
    /// The address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.origin
    }

    /// The host without a port; an address of IPv6 in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must begin with https:// or http://".to_owned());
        }
        let bare = url.username().is_empty() && url.password().is_none();
        if !bare || url.query().is_some() || url.fragment().is_some() || !matches!(url.path(), "" | "/") {
            return Err("must be scheme, host and port only, as in https://video.example.com".to_owned());
        }
        let host = url.host_str().ok_or("must have a host")?.to_owned();
        Ok(Self { origin: url.origin().ascii_serialization(), host })
    }
}

/// A network of proxies, `192.0.2.0/24`, or one of them, `192.0.2.1`.
///
/// # Errors
/// A sentence that says what it has to be.
pub fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let one = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse().ok().or_else(one).ok_or_else(|| "must be a network such as 10.0.0.0/8, or an address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_is_an_origin() {
        let read = |text: &str| text.parse::<PublicUrl>();
        let url = read("HTTPS://Video.Example.com:443/").unwrap();
        assert_eq!((url.as_str(), url.host()), ("https://video.example.com", "video.example.com"));
        let url = read("http://[2001:db8::1]:8080").unwrap();
        assert_eq!((url.as_str(), url.host()), ("http://[2001:db8::1]:8080", "[2001:db8::1]"));
        for wrong in ["", "video.example.com", "ftp://a.example", "https://a@b.example", "https://a.example/x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("https://a.example/?x").is_err() && read("https://a.example/#x").is_err());
    }

    #[test]
    fn networks_and_single_addresses() {
        assert!(network("10.0.0.0/8").unwrap().contains(&"10.1.2.3".parse::<IpAddr>().unwrap()));
        assert!(network("::1").unwrap().contains(&"::1".parse::<IpAddr>().unwrap()));
        assert!(network("10.0.0.0/33").is_err() && network("proxy").is_err());
    }
}
