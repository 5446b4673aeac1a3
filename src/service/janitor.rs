//! Sweeps out what ends by itself: at the start and every hour, whether anybody visits or not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::http::App;
use super::timing::{milliseconds, now};

/// How often emptying the database's log is tried.
const TRIES: u32 = 20;
/// Between two tries.
const BETWEEN: Duration = Duration::from_millis(250);

/// Sweeps once, until nothing is left that is over. The log tells how long that was after `due`.
pub(super) async fn sweep(app: &App, due: Instant, stop: &CancellationToken) {
    let mut rows = 0;
    while !stop.is_cancelled() {
        match app.store.sweep(now()).await {
            Err(error) => {
                tracing::error!(%error, "what is over can't be swept");
                break;
            }
            Ok(swept) => {
                rows += swept.rows;
                if !swept.more {
                    break;
                }
            }
        }
    }
    if rows > 0 {
        empty_log(app).await;
    }
    let after_ms = milliseconds(due.elapsed());
    tracing::info!(rows, after_ms, next_s = app.timing.sweep.as_secs(), "swept what was kept for long enough");
}

/// Empties the database's log, where the bytes of what was removed are left. Whoever reads at the moment holds it up.
async fn empty_log(app: &App) {
    for _ in 0..TRIES {
        match app.store.empty_log().await {
            Ok(true) => return,
            Ok(false) => tokio::time::sleep(BETWEEN).await,
            Err(error) => {
                tracing::warn!(%error, "the database's log could not be emptied");
                return;
            }
        }
    }
}

/// How long the keys of this process last where it shares its database, unless it renews them: a few sweeps.
const KEYS_LAST: i64 = 4 * 3600;

/// Until when keys of this process last that are made or renewed now, seconds since 1970.
pub(super) fn keys_until() -> i64 {
    (now() / 1000).saturating_add(KEYS_LAST)
}

async fn renew_keys(app: &App) {
    if let Err(error) = app.store.renew_process_keys(app.instance.clone(), keys_until()).await {
        tracing::error!(%error, "the keys of this process can't be renewed");
    }
}

/// Sweeps every hour until `stop`.
pub(super) async fn run(app: Arc<App>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(app.timing.sweep) => {
                if app.store.is_shared() {
                    renew_keys(&app).await;
                }
                sweep(&app, Instant::now(), &stop).await;
            }
        }
    }
}
