//! How far a call is, for agents that asked to be told.

use futures_util::FutureExt;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::cli::lint::Told;

/// Where it is told how far a call is.
pub(super) struct Progress(Option<UnboundedSender<Step>>);

/// How much is done of how much, and what comes now.
struct Step {
    done: f64,
    total: Option<f64>,
    message: String,
}

/// What is still to be told.
pub(super) struct Telling(Option<JoinHandle<()>>);

impl Progress {
    /// Of a call; nothing is told where the agent didn't ask.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> (Self, Telling) {
        let Some(token) = context.meta.get_progress_token() else { return (Self(None), Telling(None)) };
        let (sender, mut steps) = unbounded_channel();
        let peer = context.peer.clone();
        let telling = tokio::spawn(FutureExt::boxed(async move {
            while let Some(step) = steps.recv().await {
                tell(&peer, &token, step).await;
            }
        }));
        (Self(Some(sender)), Telling(Some(telling)))
    }

    /// Tells how many records were read, where anybody asked to be told.
    pub(super) fn of_reading(&self) -> Option<Told> {
        let progress = Self(Some(self.0.clone()?));
        // No service has 2^53 records.
        #[allow(clippy::cast_precision_loss)]
        Some(Box::new(move |records, what| {
            progress.tell(records as f64, None, format!("reading {what}: {records} records so far"));
        }))
    }

    /// Tells it. `done` only grows.
    pub(super) fn tell(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(sender) = &self.0 {
            let _ = sender.send(Step { done, total, message: message.into() });
        }
    }
}

impl Telling {
    /// Waits until all of it is told: nothing comes after a call's result.
    pub(super) async fn end(self, progress: Progress) {
        drop(progress);
        if let Some(telling) = self.0 {
            let _ = telling.await;
        }
    }
}

async fn tell(peer: &Peer<RoleServer>, token: &ProgressToken, step: Step) {
    let mut told = ProgressNotificationParam::new(token.clone(), step.done).with_message(step.message);
    if let Some(total) = step.total {
        told = told.with_total(total);
    }
    // An agent that went away needs to be told nothing.
    let _ = peer.notify_progress(told).await;
}
