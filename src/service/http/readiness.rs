//! `/healthz` and `/readyz`: whether the process is alive, and whether requests should come to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use tokio::sync::Mutex;

use super::{App, answer};
use crate::api::Problem;
use crate::domain::BUILT;
use crate::service::store::{Identity, StoreError};

/// How long the database may take to say that it takes a write.
const PROBE_TIME: Duration = Duration::from_secs(2);

/// Whether a process is ready for requests. It answers none before its database is open and brought up to date.
#[derive(Default)]
pub(in crate::service) struct Readiness {
    draining: AtomicBool,
    /// One question to the database at once: however many ask, requests wait behind one of them at most.
    asking: Arc<Mutex<()>>,
}

impl Readiness {
    /// From now on it is not: the process is about to stop.
    pub(in crate::service) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

/// `GET /healthz`: the process is alive, whatever its database does. Which build it is concerns only those who have a key.
pub(super) async fn health(State(app): State<Arc<App>>, identity: Option<Extension<Identity>>) -> Response {
    let mut health = serde_json::json!({ "status": "ok", "instance": app.instance });
    if let (Some(_), Some(members)) = (identity, health.as_object_mut()) {
        members.insert("build".to_owned(), serde_json::json!(BUILT));
    }
    answer::json(&health)
}

/// `GET /readyz`: whether requests should be sent here.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    let mut response = match why_not(&app).await {
        None => answer::json(&serde_json::json!({ "status": "ready", "instance": app.instance })),
        Some(why) => answer::problem(&Problem::new(503, why)),
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn why_not(app: &Arc<App>) -> Option<&'static str> {
    if app.readiness.is_draining() {
        return Some("The service is stopping.");
    }
    let asked = tokio::time::timeout(PROBE_TIME, async {
        let turn = Arc::clone(&app.readiness.asking).lock_owned().await;
        let app = Arc::clone(app);
        // To its end, also where nobody waits any more: the next one asks after it.
        let asking = tokio::spawn(async move {
            let _turn = turn;
            app.store.probe().await
        });
        asking.await.unwrap_or(Err(StoreError::Lost))
    });
    match asked.await {
        Ok(Ok(())) => None,
        Err(_) => StoreError::Busy.unavailable(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready: the database refused");
            Some(error.unavailable().unwrap_or("The service's database can't be used; see the log for details."))
        }
    }
}
