//! Webhook subscriptions, §4.6.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;

use super::App;
use super::answer::{invalid, json, refused};
use super::written::Written;
use crate::api::CreateWebhook;
use crate::service::checks;
use crate::service::store::Identity;

/// `POST /webhooks`
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(identity): Extension<Identity>,
    mut written: Written<CreateWebhook>,
) -> Response {
    checks::new_webhook(&written.body, &mut written.findings);
    let Written { body, findings } = written;
    if !findings.is_empty() {
        return invalid(&findings);
    }
    match app.store.create_webhook(&identity, body.event, body.url).await {
        Err(error) => refused(&error),
        Ok(webhook) => json(&webhook),
    }
}

/// `GET /webhooks`
pub(super) async fn list(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>) -> Response {
    match app.store.webhooks(identity.workspace).await {
        Err(error) => refused(&error),
        Ok(webhooks) => json(&webhooks),
    }
}
