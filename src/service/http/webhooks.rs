//! Webhook subscriptions, §4.6.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde_json::json as object;

use super::App;
use super::answer::{invalid, json, json_text, refused};
use super::answered::answers;
use super::conditions::Once;
use super::written::{PathId, Written};
use crate::api::CreateWebhook;
use crate::domain::WebhookId;
use crate::service::checks;
use crate::service::store::Identity;

answers! {
    CreateWebhook => create,
    ListWebhooks => list,
    DeleteWebhook => delete,
}

/// `POST /webhooks`
async fn create(
    State(app): State<Arc<App>>,
    Extension(identity): Extension<Identity>,
    key: Once,
    mut written: Written<CreateWebhook>,
) -> Response {
    checks::new_webhook(&written.body, &mut written.findings);
    let Written { body, findings } = written;
    if !findings.is_empty() {
        return invalid(&findings);
    }
    let key = key.of::<CreateWebhook>(&body);
    match app.store.create_webhook(&identity, body.event, body.url, key).await {
        Err(error) => refused(&error),
        Ok(created) => json_text(created.answer),
    }
}

/// `GET /webhooks`
async fn list(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>) -> Response {
    match app.store.webhooks(identity.workspace).await {
        Err(error) => refused(&error),
        Ok(webhooks) => json(&webhooks),
    }
}

/// `DELETE /webhooks/{id}`
async fn delete(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    match app.store.delete_webhook(identity.workspace, WebhookId::new(id.as_str())).await {
        Err(error) => refused(&error),
        Ok(()) => json(&object!({ "id": id })),
    }
}
