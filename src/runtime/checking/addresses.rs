//! Asking addresses that records name: without a credential, of the public internet or of where the service is, paced.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue, LOCATION, RANGE};
use reqwest::{Method, Response};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until, timeout};
use url::Url;

use crate::client::elsewhere::{Elsewhere, Network};
use crate::runtime::connection::Connection;
use crate::runtime::own_files::OwnFiles;

const CONNECT: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(10);
/// From one address to the next so many times.
const MOST_REDIRECTS: usize = 5;
/// How long a part of a file may take.
const PART: Duration = Duration::from_secs(60);
/// Between two requests.
const PACE: Duration = Duration::from_millis(20);

/// Asks addresses.
pub struct Asking {
    own: OwnFiles,
    elsewhere: Elsewhere,
    next: Mutex<Instant>,
}

impl Asking {
    /// What the service of a connection names is asked for.
    #[must_use]
    pub fn of(connection: &Connection) -> Self {
        let own = OwnFiles::default();
        let base = match &connection.workspace {
            Some(workspace) => {
                own.connected(std::sync::Arc::clone(workspace));
                None
            }
            None => Some(connection.base_url.clone()),
        };
        let elsewhere = Elsewhere::new(base, CONNECT, SILENCE).over(Network::default());
        Self { own, elsewhere, next: Mutex::new(Instant::now()) }
    }

    /// Asks an address and follows it to where it leads. Nothing where nobody answers, or it may not be asked.
    pub async fn follow(&self, method: &Method, url: &Url, headers: &HeaderMap) -> Option<(Response, Url)> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let response = self.once(method, &url, headers).await?;
            let next = response.headers().get(LOCATION).and_then(|next| url.join(next.to_str().ok()?).ok());
            match next.filter(|_| response.status().is_redirection()) {
                Some(next) => url = next,
                None => return Some((response, url)),
            }
        }
        None
    }

    async fn once(&self, method: &Method, url: &Url, headers: &HeaderMap) -> Option<Response> {
        self.pace().await;
        let asked = async {
            if let Some(sent) = self.own.ask_with(method, url, headers).await {
                return sent.ok();
            }
            let client = self.elsewhere.client(url).ok()?;
            client.request(method.clone(), url.clone()).headers(headers.clone()).send().await.ok()
        };
        timeout(CONNECT + SILENCE, asked).await.ok().flatten()
    }

    async fn pace(&self) {
        let mut next = self.next.lock().await;
        let turn = (*next).max(Instant::now());
        *next = turn + PACE;
        drop(next);
        sleep_until(turn).await;
    }

    /// A part of what stands at an address, and how large the whole is where the host says so.
    pub async fn part(&self, url: &Url, from: u64, length: u64) -> Option<(Vec<u8>, Option<u64>)> {
        timeout(PART, self.read_part(url, from, length)).await.ok().flatten()
    }

    async fn read_part(&self, url: &Url, from: u64, length: u64) -> Option<(Vec<u8>, Option<u64>)> {
        let mut headers = HeaderMap::new();
        let last = from.checked_add(length)?.checked_sub(1)?;
        headers.insert(RANGE, HeaderValue::from_str(&format!("bytes={from}-{last}")).ok()?);
        let (mut response, _) = self.follow(&Method::GET, url, &headers).await?;
        let is_part = response.status().as_u16() == 206;
        // A host that gives the whole is read from its beginning only.
        if !(is_part || (response.status().as_u16() == 200 && from == 0)) {
            return None;
        }
        let whole = if is_part {
            let range = response.headers().get("content-range")?.to_str().ok()?;
            range.rsplit('/').next().and_then(|size| size.parse().ok())
        } else {
            response.content_length()
        };
        let most = usize::try_from(length).ok()?;
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let Some(chunk) = response.chunk().await.ok()? else { break };
            bytes.extend_from_slice(&chunk);
        }
        bytes.truncate(most);
        Some((bytes, whole))
    }
}
