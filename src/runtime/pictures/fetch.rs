//! Asking for a picture: without a credential, of the public internet only, in bounds.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::elsewhere::{Elsewhere, Network, NotAsked};
use crate::domain::text;
use crate::runtime::own_files::OwnFiles;
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
    elsewhere: Elsewhere,
    own: OwnFiles,
}

impl Fetcher {
    /// Where the service is on this machine, pictures may be too. `large` is taken by a picture that is large.
    pub fn new(base: Option<Url>, own: OwnFiles, large: Arc<Semaphore>, network: Network) -> Self {
        Self { large, patience: PATIENCE, elsewhere: Elsewhere::new(base, CONNECT, SILENCE).over(network), own }
    }

    /// Waits no longer than this for a connection, and for a picture once there is one.
    pub fn hurry(&mut self, connect: Duration, most: Duration) {
        self.patience = self.patience.min(most);
        self.elsewhere.hurry(connect, self.patience);
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
            let at_home = self.elsewhere.base().is_some_and(|base| base.host() == url.host());
            let there = || text::line(url.host_str().unwrap_or_default()).into_owned();
            if at_home || (is_loopback(url) && self.elsewhere.is_here()) {
                Ok(())
            } else {
                Err(PictureFault::OtherHost(there()))
            }
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
            let sending = async {
                match self.own.ask(&url, accepted).await {
                    Some(sent) => Ok::<_, PictureFault>(sent),
                    None => Ok(self.elsewhere.client(&url)?.get(url.clone()).header(ACCEPT, accepted).send().await),
                }
            };
            let sent = timeout_at(deadline, sending).await.map_err(|_| PictureFault::Slow)??;
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
    if Elsewhere::is_private(error) {
        return PictureFault::Private;
    }
    if error.is_timeout() && !error.is_connect() { PictureFault::Slow } else { PictureFault::NoHost }
}

impl From<NotAsked> for PictureFault {
    fn from(why: NotAsked) -> Self {
        match why {
            NotAsked::NoAddress => Self::NoAddress,
            NotAsked::Private => Self::Private,
            NotAsked::NoHost => Self::NoHost,
        }
    }
}
