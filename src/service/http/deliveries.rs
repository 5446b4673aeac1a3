//! Deliveries of a subscription: seen, tried, made again. The local service's own, beside §4.6.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};
use jiff::Timestamp;
use serde_json::json;

use super::answered::answers;
use super::written::PathId;
use super::{App, answer};
use crate::api::SecretOfWebhook;
use crate::domain::{Webhook, WebhookId};
use crate::service::store::{DeliveryRecord, Identity, Secrets, StoreError};
use crate::service::timing::{milliseconds, now};

answers! {
    GetWebhookSecret => secret,
    RotateWebhookSecret => rotate,
    EnableWebhook => enable,
    DisableWebhook => disable,
    PingWebhook => ping,
    ListDeliveries => list,
    Redeliver => redeliver,
}

/// `GET /webhooks/{id}/secret`: what its deliveries are signed with.
async fn secret(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    shown(app.store.webhook_secrets(identity.workspace, WebhookId::new(id), now()).await)
}

/// The answer that shows a secret. Those before it their receivers have.
fn shown(secrets: Result<Secrets, StoreError>) -> Response {
    match secrets {
        Err(error) => answer::refused(&error),
        Ok(secrets) => {
            let shown = SecretOfWebhook {
                secret: secrets.current.expose().to_owned(),
                previous_until: secrets.until.and_then(|at| Some(Timestamp::from_millisecond(at).ok()?.to_string())),
                ..SecretOfWebhook::default()
            };
            let mut response = answer::json(&shown);
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
    }
}

/// `POST /webhooks/{id}/secret/rotate`: a new secret; the one before signs beside it for a day.
async fn rotate(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    let kept_for = milliseconds(app.timing.old_secret);
    shown(app.store.rotate_secret(identity.workspace, WebhookId::new(id), now(), kept_for).await)
}

/// `POST /webhooks/{id}/enable`: switches a subscription on again.
async fn enable(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    switched(app.store.enable_webhook(identity.workspace, WebhookId::new(id)).await)
}

/// `POST /webhooks/{id}/disable`: switches a subscription off until it is switched on again.
async fn disable(
    State(app): State<Arc<App>>,
    Extension(identity): Extension<Identity>,
    PathId(id): PathId,
) -> Response {
    switched(app.store.disable_webhook(identity.workspace, WebhookId::new(id)).await)
}

/// The subscription as it is then.
fn switched(webhook: Result<Webhook, StoreError>) -> Response {
    match webhook {
        Err(error) => answer::refused(&error),
        Ok(webhook) => answer::json(&webhook),
    }
}

/// `GET /webhooks/{id}/deliveries`: the latest 100.
async fn list(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    match app.store.deliveries(identity.workspace, WebhookId::new(id)).await {
        Ok(deliveries) => answer::json(&json!({ "deliveries": deliveries })),
        Err(error) => answer::refused(&error),
    }
}

/// The 202 of what is queued now.
fn queued(app: &App, queued: Result<DeliveryRecord, StoreError>) -> Response {
    match queued {
        Err(error) => answer::refused(&error),
        Ok(record) => {
            app.queued.notify_one();
            let mut response = answer::json(&record);
            *response.status_mut() = StatusCode::ACCEPTED;
            response
        }
    }
}

/// `POST /webhooks/{id}/ping`: queues a message that says nothing.
async fn ping(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, PathId(id): PathId) -> Response {
    let tried_for = milliseconds(app.timing.tried_for);
    queued(&app, app.store.ping(identity.workspace, WebhookId::new(id), now(), tried_for).await)
}

/// `POST /webhooks/{id}/deliveries/{delivery}/redeliver`: queues a delivery again.
async fn redeliver(
    State(app): State<Arc<App>>,
    Extension(identity): Extension<Identity>,
    PathId((id, delivery)): PathId<(String, String)>,
) -> Response {
    let tried_for = milliseconds(app.timing.tried_for);
    queued(&app, app.store.redeliver(identity.workspace, WebhookId::new(id), delivery, now(), tried_for).await)
}
