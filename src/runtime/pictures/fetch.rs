//! Asking for a picture: without a credential, of the public internet only, in bounds.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{redirect, retry};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use crate::domain::text;
use crate::service::is_public;
use crate::settings::is_loopback;
use crate::studio::pictures::PictureFault;

/// The most of a picture that is fetched, bytes.
pub const MOST_BYTES: usize = 12 << 20;
/// Pictures of more bytes than these are in memory one at a time.
const SMALL_BYTES: usize = 1 << 20;
/// From one address to the next so many times.
const MOST_REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(5);
/// A picture that takes longer is not shown.
const PATIENCE: Duration = Duration::from_secs(15);
/// A host that is silent for so long has no more to say.
const SILENCE: Duration = Duration::from_secs(8);

/// What a host sent.
#[derive(Debug)]
pub struct Fetched {
    /// The body.
    pub bytes: Weighed,
    /// What it is called (`Content-Type`).
    pub called: Option<String>,
}

/// A picture's bytes; of those that are large, the only ones.
#[derive(Debug, Default)]
pub struct Weighed {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Held while they are in memory, where they are many.
    pub large: Option<OwnedSemaphorePermit>,
}

/// Asks hosts for pictures.
pub struct Fetcher {
    /// Taken by the picture that is large.
    large: Arc<Semaphore>,
    /// How long a picture may take to come.
    patience: Duration,
    /// The service, whose own pictures are always asked for.
    base: Option<Url>,
    here: OnceLock<reqwest::Client>,
    network: OnceLock<reqwest::Client>,
}

impl Fetcher {
    /// Where the service is on this machine, pictures may be too.
    pub fn new(base: Option<Url>) -> Self {
        Self {
            large: Arc::new(Semaphore::new(1)),
            patience: PATIENCE,
            base,
            here: OnceLock::new(),
            network: OnceLock::new(),
        }
    }

    /// Waits no longer than this for a picture, and for its host to say something.
    pub fn hurry(&mut self, most: Duration) {
        self.patience = self.patience.min(most);
    }

    /// Waits, where so many bytes are many, until no others are in memory that are.
    pub async fn room_for(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        if bytes > SMALL_BYTES { self.large().await } else { None }
    }

    async fn large(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.large).acquire_owned().await.ok()
    }

    /// Fetches a picture.
    pub async fn fetch(&self, address: &str) -> Result<Fetched, PictureFault> {
        let deadline = Instant::now() + self.patience;
        let response = self.answer(address, ACCEPTED, deadline, |_| Ok(())).await?;
        self.body(response, deadline).await
    }

    /// Begins to fetch a video, which may be long: from the service's own host, or from this machine where the
    /// service is on it.
    pub async fn film(&self, address: &str) -> Result<reqwest::Response, PictureFault> {
        let own = |url: &Url| {
            let at_home = self.base.as_ref().is_some_and(|base| base.host() == url.host());
            let there = || text::line(url.host_str().unwrap_or_default()).into_owned();
            if at_home || (is_loopback(url) && self.is_here()) { Ok(()) } else { Err(PictureFault::OtherHost(there())) }
        };
        self.answer(address, "video/*", Instant::now() + self.patience, own).await
    }

    async fn answer(
        &self,
        address: &str,
        accepted: &str,
        deadline: Instant,
        may: impl Fn(&Url) -> Result<(), PictureFault>,
    ) -> Result<reqwest::Response, PictureFault> {
        let mut url = Url::parse(address).map_err(|_| PictureFault::NoAddress)?;
        for _ in 0..=MOST_REDIRECTS {
            may(&url)?;
            let request = self.client(&url)?.get(url.clone()).header(ACCEPT, accepted);
            let sent = timeout_at(deadline, request.send()).await.map_err(|_| PictureFault::Slow)?;
            let response = sent.map_err(|error| told(&error))?;
            let status = response.status();
            if status.is_redirection() {
                let next = response.headers().get(LOCATION).and_then(|next| next.to_str().ok());
                let next = next.and_then(|next| url.join(next).ok());
                url = next.ok_or(PictureFault::Status(status.as_u16()))?;
                continue;
            }
            if !status.is_success() {
                return Err(PictureFault::Status(status.as_u16()));
            }
            return Ok(response);
        }
        Err(PictureFault::Redirects)
    }

    /// Whether the service is on this machine.
    fn is_here(&self) -> bool {
        self.base.as_ref().is_none_or(is_loopback)
    }

    /// The client that may ask this address.
    fn client(&self, url: &Url) -> Result<&reqwest::Client, PictureFault> {
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(PictureFault::NoAddress);
        }
        // The service itself is talked to anyhow; it may well stand in a private network.
        let own = self.base.as_ref().is_some_and(|base| base.origin() == url.origin());
        let loopback = is_loopback(url);
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(PictureFault::NoAddress),
        };
        let here = own || (loopback && self.is_here());
        if !here && (loopback || literal.is_some_and(|address| !is_public(address))) {
            return Err(PictureFault::Private);
        }
        let kept = if here { &self.here } else { &self.network };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        let builder = reqwest::Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(CONNECT.min(self.patience / 2))
            .read_timeout(SILENCE.min(self.patience));
        let builder = if here { builder.no_proxy() } else { builder.dns_resolver(Public) };
        // Reading the platform's certificates takes tens of milliseconds, which this machine need not wait for.
        let builder = if here && url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|_| PictureFault::NoHost)?;
        Ok(kept.get_or_init(|| client))
    }

    async fn body(&self, response: reqwest::Response, mut deadline: Instant) -> Result<Fetched, PictureFault> {
        let length = response.content_length().map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if length > MOST_BYTES {
            return Err(PictureFault::TooManyBytes);
        }
        let called = response.headers().get(CONTENT_TYPE).and_then(|called| called.to_str().ok()).map(str::to_owned);
        let mut large = None;
        let mut bytes = Vec::new();
        let mut body = response.bytes_stream();
        loop {
            if large.is_none() && length.max(bytes.len()) > SMALL_BYTES {
                // That another one is in memory is not the host's fault.
                let since = Instant::now();
                large = self.large().await;
                deadline += since.elapsed();
            }
            let Some(chunk) = timeout_at(deadline, body.next()).await.map_err(|_| PictureFault::Slow)? else { break };
            let chunk =
                chunk.map_err(|error| if error.is_timeout() { PictureFault::Slow } else { PictureFault::CutOff })?;
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(PictureFault::TooManyBytes);
            }
            if bytes.is_empty() {
                bytes.reserve_exact(length);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Fetched { bytes: Weighed { bytes, large }, called })
    }
}

/// What can be decoded here; large ones of the first two in little memory.
const ACCEPTED: &str = "image/jpeg,image/png,image/gif,image/webp;q=0.8,image/bmp;q=0.5";

fn told(error: &reqwest::Error) -> PictureFault {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.is::<Refused>() {
            return PictureFault::Private;
        }
        source = error.source();
    }
    if error.is_timeout() && !error.is_connect() { PictureFault::Slow } else { PictureFault::NoHost }
}

/// The name leads into a private network.
#[derive(Debug, thiserror::Error)]
#[error("the name leads into a private network")]
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

    fn may(base: &str, address: &str) -> Result<(), PictureFault> {
        let fetcher = Fetcher::new(Some(Url::parse(base).unwrap()));
        fetcher.client(&Url::parse(address).unwrap()).map(drop)
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
            assert_eq!(may(remote, private), Err(PictureFault::Private), "{private}");
        }
        for odd in
            ["file:///etc/passwd", "data:image/png;base64,AAAA", "ftp://cdn.example/a", "http://a:b@cdn.example/"]
        {
            assert_eq!(may(remote, odd), Err(PictureFault::NoAddress), "{odd}");
        }
        let local = "http://127.0.0.1:7227/";
        assert_eq!(may(local, "http://127.0.0.1:9999/a"), Ok(()));
        assert_eq!(may(local, "http://10.0.0.1/a"), Err(PictureFault::Private));
        let team = "http://10.1.1.1:7227/";
        assert_eq!(may(team, "http://10.1.1.1:7227/sample/a.jpg"), Ok(()), "the service itself is talked to anyhow");
        assert_eq!(may(team, "http://10.1.1.2:7227/a"), Err(PictureFault::Private));
        assert_eq!(may(team, "http://10.1.1.1:22/"), Err(PictureFault::Private));
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_no_way_in() {
        // Resolved here, whatever the name: only public addresses are handed out.
        let found = Public.resolve("localhost".parse().unwrap()).await;
        assert!(found.err().is_some_and(|error| error.is::<Refused>()));
    }
}
