//! A queue being driven, as its users have it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use notify::RecommendedWatcher;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::asked::{Ask, Options, Seen};
use super::changes;
use super::driver::Driver;
use super::journal::Journal;
use crate::client::Client;
use crate::uploads::{Overview, UploadId, VideoFile};

/// A queue being driven. It goes on until it is dropped or stopped.
#[derive(Debug)]
pub struct Uploads {
    asks: mpsc::UnboundedSender<Ask>,
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
    watched: Option<RecommendedWatcher>,
}

impl Uploads {
    /// Drives a queue.
    #[must_use]
    pub fn start(journal: Journal, client: Client, options: Options) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        // How it stands is known from the first look on: nobody takes one that is not there yet for one that is gone.
        let overview = Overview { queue: Arc::new(journal.queue().clone()), ..Overview::default() };
        let (show, seen) = watch::channel(Seen { overview, ..Seen::default() });
        let watched = changes::watch(journal.folder(), asks.clone());
        let driver = Driver::new(journal, client, options, show);
        Self { asks, seen, task: tokio::spawn(driver.run(asked).boxed()), watched }
    }

    /// Asks for something; what comes of it is seen.
    pub fn ask(&self, ask: Ask) {
        let _ = self.asks.send(ask);
    }

    /// How it stands: now, which counts as a change, and later.
    #[must_use]
    pub fn seen(&self) -> watch::Receiver<Seen> {
        let mut seen = self.seen.clone();
        seen.mark_changed();
        seen
    }

    /// Queues files; their numbers.
    ///
    /// # Errors
    /// Why they could not be kept.
    pub async fn add(&self, files: Vec<VideoFile>) -> Result<Vec<UploadId>, String> {
        let (answer, answered) = oneshot::channel();
        self.ask(Ask::Add(files, None, answer));
        answered.await.unwrap_or_else(|_| Err("the queue has ended".to_owned()))
    }

    /// Stops sending; what was being sent is for another process, or for later.
    pub async fn stop(self) {
        // Whoever watches could ask, too.
        drop((self.asks, self.watched));
        let _ = self.task.await;
    }
}
