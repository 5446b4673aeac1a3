//! What the local service tells of deliveries beside §4.6. Another service need not have it: it answers 404.

use serde_json::Value;

use super::operation::{Host, Method, Operation, Row, encode_segment};
use crate::domain::{Delivery, Finding, Reader, Webhook, WebhookId};
use crate::shape;

const fn row(name: &'static str, method: Method, path: &'static str) -> Row {
    let writes = matches!(method, Method::Post);
    Row { name, tag: "studio", method, path, host: Host::Base, writes, idempotent: !writes, takes_app_key: false }
}

shape! {
    /// The deliveries of a subscription, the latest first.
    pub struct DeliveryList {
        deliveries: req Vec<Delivery> => "deliveries",
    }
}

shape! {
    /// What a subscription's deliveries are signed with.
    pub struct SecretOfWebhook {
        secret: req String => "secret",
        /// Until when the secrets before it sign beside it; absent where none does.
        previous_until: opt String => "previousUntil",
    }
}

/// `GET /webhooks/{id}/deliveries`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListDeliveries(pub WebhookId);

impl Operation for ListDeliveries {
    const ROW: Row = row("listDeliveries", Method::Get, "/webhooks/{id}/deliveries");
    type Response = DeliveryList;

    fn path_id(&self) -> Option<&str> {
        Some(self.0.as_str())
    }
    fn read(body: &Value) -> (DeliveryList, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `GET /webhooks/{id}/secret`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetWebhookSecret(pub WebhookId);

impl Operation for GetWebhookSecret {
    const ROW: Row = row("getWebhookSecret", Method::Get, "/webhooks/{id}/secret");
    type Response = SecretOfWebhook;

    fn path_id(&self) -> Option<&str> {
        Some(self.0.as_str())
    }
    fn read(body: &Value) -> (SecretOfWebhook, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `POST /webhooks/{id}/secret/rotate`: a new secret; the one before signs beside it for a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotateWebhookSecret(pub WebhookId);

impl Operation for RotateWebhookSecret {
    const ROW: Row = row("rotateWebhookSecret", Method::Post, "/webhooks/{id}/secret/rotate");
    type Response = SecretOfWebhook;

    fn path_id(&self) -> Option<&str> {
        Some(self.0.as_str())
    }
    fn read(body: &Value) -> (SecretOfWebhook, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `POST /webhooks/{id}/enable`: switches a subscription on again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnableWebhook(pub WebhookId);

impl Operation for EnableWebhook {
    const ROW: Row = Row { idempotent: true, ..row("enableWebhook", Method::Post, "/webhooks/{id}/enable") };
    type Response = Webhook;

    fn path_id(&self) -> Option<&str> {
        Some(self.0.as_str())
    }
    fn read(body: &Value) -> (Webhook, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `POST /webhooks/{id}/ping`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PingWebhook(pub WebhookId);

impl Operation for PingWebhook {
    const ROW: Row = row("pingWebhook", Method::Post, "/webhooks/{id}/ping");
    type Response = Delivery;

    fn path_id(&self) -> Option<&str> {
        Some(self.0.as_str())
    }
    fn read(body: &Value) -> (Delivery, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `POST /webhooks/{id}/deliveries/{delivery}/redeliver`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redeliver {
    /// The subscription.
    pub webhook: WebhookId,
    /// The delivery.
    pub delivery: String,
}

impl Operation for Redeliver {
    const ROW: Row = row("redeliver", Method::Post, "/webhooks/{id}/deliveries/{delivery}/redeliver");
    type Response = Delivery;

    fn path_id(&self) -> Option<&str> {
        // Neither may be empty or lead elsewhere.
        let odd = ["", ".", ".."].contains(&self.delivery.as_str());
        Some(if odd { "" } else { self.webhook.as_str() })
    }
    fn path(&self) -> String {
        let path = Self::ROW.path.replace("{id}", &encode_segment(self.webhook.as_str()));
        path.replace("{delivery}", &encode_segment(&self.delivery))
    }
    fn read(body: &Value) -> (Delivery, Vec<Finding>) {
        Reader::read(body)
    }
}
