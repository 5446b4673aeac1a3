//! Sending changes to a webhook, beside what finds them.

use std::time::Duration;

use color_eyre::eyre::eyre;
use serde_json::Value;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use url::Url;

use crate::cli::{Failure, session};

/// How long a webhook may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Times that a webhook is tried.
const TRIES: u32 = 3;

/// Changes that wait to be sent.
const WAITING: usize = 1_000;

/// How long those that are left are waited for at the end.
const ENDING: Duration = Duration::from_secs(60);

/// Where changes are sent, one after the other. Who has one doesn't wait for it.
pub(super) struct Hook {
    waiting: Sender<Value>,
    sending: JoinHandle<()>,
}

impl Hook {
    /// Begins to send to an address.
    pub(super) fn begin(url: Url) -> Result<Self, Failure> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Failure::Usage("--webhook must be an http or https address".to_owned()));
        }
        let client = reqwest::Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE);
        let client = client.build().map_err(|error| Failure::Other(eyre!("--webhook: {error}")))?;
        let (waiting, documents) = mpsc::channel(WAITING);
        Ok(Self { waiting, sending: tokio::spawn(send_all(url, client, documents)) })
    }

    /// Has a change sent; one that too many wait before is told.
    pub(super) fn send(&self, document: Value) {
        if self.waiting.try_send(document).is_err() {
            session::warn("couldn't deliver a change to the webhook: too many others are waiting");
        }
    }

    /// Waits for those that are not sent yet.
    pub(super) async fn end(self) {
        drop(self.waiting);
        let sending = self.sending.abort_handle();
        if timeout(ENDING, self.sending).await.is_err() {
            sending.abort();
            session::warn("couldn't deliver the last changes to the webhook in time");
        }
    }
}

async fn send_all(url: Url, client: reqwest::Client, mut documents: Receiver<Value>) {
    while let Some(document) = documents.recv().await {
        send(&url, &client, &document).await;
    }
}

/// Sends a change; one that nobody takes is told.
async fn send(url: &Url, client: &reqwest::Client, document: &Value) {
    let mut said = String::new();
    for attempt in 0..TRIES {
        if attempt > 0 {
            tokio::time::sleep(Duration::from_secs(1 << attempt)).await;
        }
        match client.post(url.clone()).json(document).send().await {
            Ok(response) if response.status().is_success() => return,
            Ok(response) => said = format!("it responded with {}", response.status()),
            Err(error) => said = error.without_url().to_string(),
        }
    }
    session::warn(&format!("couldn't deliver a change to the webhook: {said}"));
}
