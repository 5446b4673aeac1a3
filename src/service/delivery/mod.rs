//! Delivery to webhook subscriptions, §6: what is queued in the store is sent, at least once, as Standard Webhooks has it.
//!
//! The courier sleeps until something is due, and without a limit where nothing is.

mod address;
mod attempt;
mod backoff;
mod lanes;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::http::App;
use super::store::{Candidate, Due, Said, SwitchOff};
use super::timing::{AROUND_ATTEMPT, look_again, milliseconds, now};
use attempt::Attempts;
use lanes::{Lane, Lanes};

/// A subscription is switched off after so many failed attempts at the soonest.
const LEAST_FAILURES: u32 = 20;

/// How long to leave the database alone after it refused.
const AFTER_REFUSAL: Duration = Duration::from_secs(30);

/// How long attempts may take to finish when the service stops; those cut off are made again after the next start.
const STOP_TIME: Duration = Duration::from_secs(5);

/// What the courier works with.
pub(super) struct Courier {
    pub(super) app: Arc<App>,
    /// Whether addresses of this machine and its networks are allowed.
    pub(super) allow_private: bool,
}

impl Courier {
    /// Delivers until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        let attempts = match Attempts::new(self.allow_private, self.app.timing.receiver) {
            Ok(attempts) => attempts,
            Err(error) => {
                tracing::error!(%error, "nothing can be delivered");
                return;
            }
        };
        let mut running: JoinSet<()> = JoinSet::new();
        let mut busy: HashMap<Id, Lane> = HashMap::new();
        loop {
            let free = lanes::MOST.saturating_sub(running.len());
            let next_at = if free == 0 { None } else { self.begin(free, &attempts, &mut running, &mut busy).await };
            // Of what is queued elsewhere nobody tells this process.
            let again = self.app.store.is_shared().then(|| now().saturating_add(milliseconds(look_again())));
            let next_at = next_at.into_iter().chain(again).min();
            let wait = async {
                match next_at {
                    None => std::future::pending().await,
                    Some(at) => tokio::time::sleep(until(at)).await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                Some(ended) = running.join_next_with_id(), if !running.is_empty() => {
                    let id = match ended {
                        Ok((id, ())) => id,
                        Err(broken) => broken.id(),
                    };
                    busy.remove(&id);
                }
                () = self.app.queued.notified() => {}
                () = wait => {}
            }
        }
        let _ = tokio::time::timeout(STOP_TIME, async { while running.join_next().await.is_some() {} }).await;
    }

    /// Begins what is due; when to look again.
    async fn begin(
        &self,
        free: usize,
        attempts: &Attempts,
        running: &mut JoinSet<()>,
        busy: &mut HashMap<Id, Lane>,
    ) -> Option<i64> {
        let mut taken = Lanes::new(busy.values().cloned());
        let admitted = move |candidate: Candidate<'_>| taken.take(Lane::of(candidate));
        match self.app.store.due(now(), free, admitted).await {
            Err(error) => {
                tracing::error!(%error, "the queue of deliveries can't be read");
                Some(now().saturating_add(milliseconds(AFTER_REFUSAL)))
            }
            Ok(round) => {
                for due in round.due {
                    let Due { webhook, workspace, url, unproven, .. } = &due;
                    let lane = Lane::of(Candidate { webhook, workspace: *workspace, url, unproven: *unproven });
                    let (app, attempts) = (Arc::clone(&self.app), attempts.clone());
                    let task = running.spawn(FutureExt::boxed(async move { deliver(&app, &attempts, due).await }));
                    busy.insert(task.id(), lane);
                }
                round.next_at
            }
        }
    }
}

fn until(at: i64) -> Duration {
    Duration::from_millis(u64::try_from(at.saturating_sub(now())).unwrap_or_default())
}

async fn deliver(app: &App, attempts: &Attempts, mut due: Due) {
    let (begun, until) = (Instant::now(), milliseconds(app.timing.receiver.saturating_add(AROUND_ATTEMPT)));
    let lease = move || {
        let now = now();
        (now, now.saturating_add(until))
    };
    match app.store.claim(&due, lease).await {
        // The claim has to last as long as the attempt: one that took long is left to run out.
        Ok(Some(fence)) if begun.elapsed() < AROUND_ATTEMPT / 2 => due.fence = fence,
        Ok(_) => return,
        Err(error) => {
            tracing::error!(%error, delivery = due.id, "a delivery can't be claimed");
            tokio::time::sleep(AFTER_REFUSAL).await;
            return;
        }
    }
    let answer = attempts.make(&due).await;
    let outcome = backoff::outcome(&answer, &due, &app.timing, now());
    let said = Said { status: answer.status, error: answer.error, answer: answer.body };
    tracing::debug!(delivery = due.id, webhook = due.webhook, ?outcome, status = said.status, "a delivery was tried");
    let off = SwitchOff { after: milliseconds(app.timing.switched_off), failures: LEAST_FAILURES };
    match app.store.settle(&due, outcome, said, now(), off).await {
        Ok(true) => tracing::warn!(webhook = due.webhook, "a subscription was switched off"),
        Ok(false) => {}
        Err(error) => {
            tracing::error!(%error, delivery = due.id, "what became of a delivery can't be kept");
            // It is due still: without a pause it would be sent again at once, and again.
            tokio::time::sleep(AFTER_REFUSAL).await;
        }
    }
}
