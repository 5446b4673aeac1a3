//! Ends visits that gave no sign of life for a while. Sleeps until the next one may be over, and without a limit where no
//! visit is open.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::http::App;
use super::timing::{look_again, milliseconds, now};

/// How long to leave the database alone after it refused.
const AFTER_REFUSAL: Duration = Duration::from_secs(30);

/// Ends visits until `stop`.
pub(super) async fn run(app: Arc<App>, stop: CancellationToken) {
    let silence = milliseconds(app.timing.silence);
    loop {
        let now = now();
        let tried_for = milliseconds(app.timing.tried_for);
        let ended = app.store.end_silent_visits(now.saturating_sub(silence), now, tried_for).await;
        let failed = ended.is_err();
        let wait = match ended {
            Err(error) => {
                tracing::error!(%error, "visits can't be ended");
                Some(AFTER_REFUSAL)
            }
            Ok(silent) => silent.map(|seen_at| {
                let over_at = seen_at.saturating_add(silence);
                Duration::from_millis(u64::try_from(over_at.saturating_sub(now)).unwrap_or_default())
            }),
        };
        // Of visits that begin and end elsewhere nobody tells this process.
        let wait = if app.store.is_shared() && !failed {
            Some(wait.map_or_else(look_again, |wait| wait.min(look_again())))
        } else {
            wait
        };
        app.queued.notify_one();
        let wait = async {
            match wait {
                None => std::future::pending().await,
                Some(wait) => tokio::time::sleep(wait).await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = app.begun.notified() => {}
            () = wait => {}
        }
    }
}
