//! Who really asks, behind proxies, and whether the name that was asked is ours.

use std::net::IpAddr;

use axum::response::Response;
use http::header::{FORWARDED, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Version};
use ipnet::IpNet;

use super::answer;
use super::slowing::Peer;
use crate::api::Problem;
use crate::service::ingress::PublicUrl;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How others reach the service.
#[derive(Debug, Default)]
pub(crate) struct Ingress {
    /// The address that is handed out.
    pub(super) public_url: Option<PublicUrl>,
    /// Where proxies are that say for whom they ask.
    trusted: Vec<IpNet>,
}

/// A request came to a port of this machine's own: browsers that ask it by another name were led here by that name's
/// owner (DNS rebinding).
#[derive(Debug, Clone, Copy)]
pub(super) struct OnLoopback;

impl Ingress {
    pub(super) fn new(public_url: Option<PublicUrl>, trusted: Vec<IpNet>) -> Self {
        Self { public_url, trusted }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// Who sent a request: of those that trusted proxies name the last one that is no trusted proxy. What others say
    /// about themselves is not believed.
    pub(super) fn client(&self, peer: Peer, headers: &HeaderMap) -> Peer {
        let mut client = peer.0;
        if self.trusts(client) {
            for hop in hops(headers).into_iter().rev() {
                let Some(hop) = hop else { break };
                client = hop;
                if !self.trusts(hop) {
                    break;
                }
            }
        }
        Peer(client)
    }

    /// The refusal of a request that was sent to another name, or to several.
    pub(super) fn other_host(&self, parts: &Parts) -> Option<Response> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let (host, more) = (hosts.next(), hosts.next().is_some());
        if more || (host.is_none() && parts.version >= Version::HTTP_11) {
            return Some(answer::problem(&Problem::new(400, "A request must have exactly one Host header.")));
        }
        parts.extensions.get::<OnLoopback>()?;
        let host = host.map(|host| host.to_str().unwrap_or_default());
        // An address in the request line stands above the header (RFC 9112 §3.2.2).
        let mut named = host.into_iter().chain(parts.uri.authority().map(Authority::as_str));
        let refused = || {
            let why = "This service responds to localhost only; start it with --public-url to use another name.";
            answer::problem(&Problem::new(421, why))
        };
        (!named.all(|name| self.is_own(name))).then(refused)
    }

    /// Whether a host, with or without a port, is this machine or the public address. Any port is: it may be forwarded.
    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let host = authority.host().trim_end_matches('.');
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
            || self.public_url.as_ref().is_some_and(|url| url.host().eq_ignore_ascii_case(host))
    }
}

/// The addresses that a request says it went through, nearest last; nothing for those that can't be read. Most proxies
/// write `X-Forwarded-For`: where it is there, a `Forwarded` beside it may be the client's own.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lines = |name: &HeaderName| {
        let texts = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default().to_owned());
        texts.collect::<Vec<_>>().join(",")
    };
    if headers.contains_key(X_FORWARDED_FOR) {
        return lines(&X_FORWARDED_FOR).split(',').map(address).collect();
    }
    if !headers.contains_key(FORWARDED) {
        return Vec::new();
    }
    let element = |element: &str| {
        let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
        let node = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?.1;
        address(node.trim().trim_matches('"'))
    };
    lines(&FORWARDED).split(',').map(element).collect()
}

/// An address as proxies write it: bare, in brackets, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    if let Ok(address) = text.parse::<std::net::SocketAddr>() {
        return Some(address.ip());
    }
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::service::ingress::network;

    fn ingress() -> Ingress {
        let trusted = ["10.0.0.0/8", "::1"].map(|text| network(text).unwrap()).to_vec();
        Ingress::new("https://video.example.com".parse().ok(), trusted)
    }

    #[test]
    fn the_last_untrusted_address_asks() {
        let client = |peer: &str, pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            ingress().client(Peer(peer.parse().unwrap()), &headers).0.to_string()
        };
        let forwarded = |value| [("x-forwarded-for", value)];
        assert_eq!(client("192.0.2.1", &forwarded("198.51.100.7")), "192.0.2.1");
        assert_eq!(client("10.0.0.1", &forwarded("198.51.100.7")), "198.51.100.7");
        assert_eq!(client("::ffff:10.0.0.1", &forwarded("198.51.100.7")), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &forwarded("1.1.1.1, 198.51.100.7, 10.0.0.9")), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &forwarded("10.0.0.8, 10.0.0.9")), "10.0.0.8");
        assert_eq!(client("10.0.0.1", &forwarded("1.1.1.1, unknown, 10.0.0.9")), "10.0.0.9");
        assert_eq!(client("10.0.0.1", &forwarded("198.51.100.7:4711")), "198.51.100.7");
        assert_eq!(
            client("::1", &[("forwarded", "for=1.1.1.1;proto=https, For=\"[2001:db8::7]:4711\"")]),
            "2001:db8::7"
        );
        assert_eq!(client("::1", &[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "2.2.2.2")]), "2.2.2.2");
        // A client's own beside the proxy's.
        let both = [("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "198.51.100.7")];
        assert_eq!(client("::1", &both), "198.51.100.7");
        assert_eq!(client("::1", &[]), "::1");
    }

    #[test]
    fn names_of_this_machine_and_the_public_one() {
        for own in [
            "localhost",
            "LOCALHOST:9000",
            "localhost.",
            "127.0.0.1",
            "127.0.0.2:1",
            "[::1]",
            "[::1]:7227",
            "video.example.com",
            "Video.Example.COM:8443",
        ] {
            assert!(ingress().is_own(own), "{own}");
        }
        for other in ["", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "192.0.2.1", "a@b@c", "[::2]"] {
            assert!(!ingress().is_own(other), "{other}");
        }
    }
}
