//! Asking hosts that an answer names: for pictures, and for how large a video is. Whoever writes such an address must
//! not reach into the networks around this machine with it, so only the service's own address, this machine where the
//! service is on it, and the public internet are asked. Never with a credential.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{redirect, retry};
use url::{Host, Url};

use crate::settings::{is_loopback, is_public};

/// Why an address is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// It is none of the web, or carries a name or a password.
    #[error("it isn't a web address")]
    NoAddress,
    /// It leads into a private network.
    #[error("it's on a private network")]
    Private,
    /// No connection can be made at all.
    #[error("couldn't connect")]
    NoHost,
}

/// Asks hosts that answers name. They are not followed from one address to the next: each is looked at first.
#[derive(Debug)]
pub struct Elsewhere {
    /// The service, whose own addresses are always asked; none is the one of this machine.
    base: Option<Url>,
    connect: Duration,
    silence: Duration,
    here: OnceLock<reqwest::Client>,
    network: Network,
}

/// Connections to public hosts, shared by all who ask with clones of one. Times are as the first has them.
#[derive(Debug, Clone, Default)]
pub struct Network(Arc<OnceLock<reqwest::Client>>);

impl Elsewhere {
    /// For answers of the service at `base`, none being the one of this machine. A host may take `connect` to be
    /// connected to, and be silent for `silence`.
    #[must_use]
    pub fn new(base: Option<Url>, connect: Duration, silence: Duration) -> Self {
        Self { base, connect, silence, here: OnceLock::new(), network: Network::default() }
    }

    /// The same, over connections that others use too.
    #[must_use]
    pub fn over(self, network: Network) -> Self {
        Self { network, ..self }
    }

    /// Waits no longer than this. To be said before anything is asked.
    pub fn hurry(&mut self, connect: Duration, silence: Duration) {
        (self.connect, self.silence) = (self.connect.min(connect), self.silence.min(silence));
    }

    /// The service.
    #[must_use]
    pub fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }

    /// Whether the service is on this machine.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.base.as_ref().is_none_or(is_loopback)
    }

    /// The client that may ask this address.
    ///
    /// # Errors
    /// Where it may not be asked; a name that leads into a private network is found out when it is, see
    /// [`Self::is_private`].
    pub fn client(&self, url: &Url) -> Result<&reqwest::Client, NotAsked> {
        let here = self.looks_here(url)?;
        let kept = if here { &self.here } else { &*self.network.0 };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        let builder = reqwest::Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(self.connect)
            .read_timeout(self.silence);
        let machine = here && self.is_here();
        let builder = match (here, machine) {
            (_, true) => builder.no_proxy(),
            // As the service is reached otherwise, over a proxy where there is one.
            (true, false) => builder,
            (false, false) => builder.dns_resolver(Public),
        };
        // Reading the platform's certificates takes tens of milliseconds, which this machine need not wait for. A proxy
        // may want them.
        let builder = if machine && url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|_| NotAsked::NoHost)?;
        Ok(kept.get_or_init(|| client))
    }

    /// Whether an address is the service's own, or one of this machine beside it; others must be public.
    fn looks_here(&self, url: &Url) -> Result<bool, NotAsked> {
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(NotAsked::NoAddress);
        }
        // The service itself is talked to anyhow; it may well stand in a private network.
        let own = self.base.as_ref().is_some_and(|base| base.origin() == url.origin());
        let loopback = is_loopback(url);
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(NotAsked::NoAddress),
        };
        let here = own || (loopback && self.is_here());
        if !here && (loopback || literal.is_some_and(|address| !is_public(address))) {
            return Err(NotAsked::Private);
        }
        Ok(here)
    }

    /// Whether asking failed because the name points to a private network.
    #[must_use]
    pub fn is_private(error: &reqwest::Error) -> bool {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = source {
            if error.is::<Refused>() {
                return true;
            }
            source = error.source();
        }
        false
    }
}

/// The name leads into a private network.
#[derive(Debug, thiserror::Error)]
#[error("the name points to a private network")]
struct Refused;

/// Resolves names once, and hands out only addresses of the public internet: those are what is connected to.
struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(Refused.into());
            }
            Ok::<Addrs, _>(Box::new(public.into_iter()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(base: &str, address: &str) -> Result<(), NotAsked> {
        let second = Duration::from_secs(1);
        let elsewhere = Elsewhere::new(Some(Url::parse(base).unwrap()), second, second);
        elsewhere.client(&Url::parse(address).unwrap()).map(drop)
    }

    #[test]
    fn only_the_public_internet_is_asked() {
        let remote = "https://service.example/";
        assert_eq!(may(remote, "https://cdn.example/a.png"), Ok(()));
        for private in [
            "http://127.0.0.1/a",
            "http://localhost:8080/a",
            "http://[::1]/a",
            "http://10.0.0.1/a",
            "http://192.168.0.1/a",
            "http://169.254.169.254/latest/meta-data",
            "http://[::ffff:10.0.0.1]/a",
            "http://0/a",
        ] {
            assert_eq!(may(remote, private), Err(NotAsked::Private), "{private}");
        }
        for odd in
            ["file:///etc/passwd", "data:image/png;base64,AAAA", "ftp://cdn.example/a", "http://a:b@cdn.example/"]
        {
            assert_eq!(may(remote, odd), Err(NotAsked::NoAddress), "{odd}");
        }
        let local = "http://127.0.0.1:7227/";
        assert_eq!(may(local, "http://127.0.0.1:9999/a"), Ok(()));
        assert_eq!(may(local, "http://10.0.0.1/a"), Err(NotAsked::Private));
        let team = "http://10.1.1.1:7227/";
        assert_eq!(may(team, "http://10.1.1.1:7227/sample/a.jpg"), Ok(()), "the service itself is talked to anyhow");
        assert_eq!(may(team, "http://10.1.1.2:7227/a"), Err(NotAsked::Private));
        assert_eq!(may(team, "http://10.1.1.1:22/"), Err(NotAsked::Private));
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_no_way_in() {
        // Resolved here, whatever the name: only public addresses are handed out.
        let found = Public.resolve("localhost".parse().unwrap()).await;
        assert!(found.err().is_some_and(|error| error.is::<Refused>()));
    }
}
