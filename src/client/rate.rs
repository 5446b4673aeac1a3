//! A limit on how fast uploads go: one for all of them, changed while they go.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The largest piece that is sent at once, bytes.
pub(super) const PIECE: usize = 256 * 1024;
/// Under a limit, so many pieces a second: a slow upload is seen to move.
const PIECES: u64 = 20;
/// The smallest piece, bytes.
const LEAST: u64 = 1024;

/// A limit in bytes a second, shared by all uploads of a queue.
#[derive(Debug, Default)]
pub struct RateLimit {
    state: Mutex<Bucket>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Bucket {
    per_second: Option<u64>,
    /// When what was let through so far would have gone out, at the limit.
    busy_until: Option<Instant>,
}

impl RateLimit {
    /// Sets it; none is as fast as it goes. Uploads that wait for the old one heed the new one at once.
    pub fn set(&self, per_second: Option<u64>) {
        {
            let mut bucket = self.bucket();
            if bucket.per_second == per_second {
                return;
            }
            *bucket = Bucket { per_second: per_second.map(|rate| rate.max(1)), busy_until: None };
        }
        self.changed.notify_waiters();
    }

    fn bucket(&self) -> std::sync::MutexGuard<'_, Bucket> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much is to be read at once, bytes.
    pub(super) fn piece(&self) -> usize {
        let most = u64::try_from(PIECE).unwrap_or(u64::MAX);
        let piece = self.bucket().per_second.map_or(most, |rate| (rate / PIECES).clamp(LEAST, most));
        usize::try_from(piece).unwrap_or(PIECE)
    }

    /// Waits until so many bytes may go.
    pub(super) async fn wait_for(&self, bytes: usize) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on a change is not missed.
            changed.as_mut().enable();
            let turn = {
                let mut bucket = self.bucket();
                let Some(rate) = bucket.per_second else { return };
                let now = Instant::now();
                let turn = bucket.busy_until.map_or(now, |until| until.max(now));
                #[expect(clippy::cast_precision_loss, reason = "a piece has few bytes and a rate is no exact thing")]
                let takes = Duration::from_secs_f64(bytes as f64 / rate as f64);
                bucket.busy_until = Some(turn + takes);
                turn
            };
            tokio::select! {
                () = sleep_until(turn) => return,
                () = changed => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn the_limit_holds_for_all_together_and_is_changed_while_they_wait() {
        let limit = Arc::new(RateLimit::default());
        limit.wait_for(usize::MAX).await;
        limit.set(Some(1_000_000));
        let began = Instant::now();
        let two = [Arc::clone(&limit), Arc::clone(&limit)].map(|limit| async move {
            for _ in 0..5 {
                limit.wait_for(10_000).await;
            }
        });
        futures_util::future::join_all(two).await;
        // Ten pieces of a hundredth of a second each; the first goes at once.
        assert!(began.elapsed() >= Duration::from_millis(89), "{:?}", began.elapsed());

        limit.set(Some(1));
        limit.wait_for(1_000_000).await;
        let waiting = tokio::spawn({
            let limit = Arc::clone(&limit);
            async move { limit.wait_for(1).await }
        });
        tokio::task::yield_now().await;
        // It would be days.
        limit.set(None);
        waiting.await.unwrap();
    }
}
