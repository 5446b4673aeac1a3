//! Webhook subscriptions, §4.6.

use serde_json::Value;

use super::operation::{Host, Method, Operation, Payload, Row};
use super::to_json;
use crate::domain::{Finding, Reader, Webhook, WebhookEvent, WebhookId};
use crate::shape;

const fn row(name: &'static str, method: Method) -> Row {
    let writes = matches!(method, Method::Post);
    Row {
        name,
        tag: "studio",
        method,
        path: "/webhooks",
        host: Host::Base,
        writes,
        idempotent: !writes,
        takes_app_key: writes,
    }
}

shape! {
    /// `POST /webhooks`
    pub struct CreateWebhook {
        event: req WebhookEvent => "event",
        url: req String => "url",
    }
}

impl Operation for CreateWebhook {
    const ROW: Row = row("createWebhook", Method::Post);
    type Response = Webhook;

    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(body: &Value) -> (Webhook, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `GET /webhooks`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListWebhooks;

impl Operation for ListWebhooks {
    const ROW: Row = row("listWebhooks", Method::Get);
    type Response = Vec<Webhook>;

    fn read(body: &Value) -> (Vec<Webhook>, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `DELETE /webhooks/{id}`: ends a subscription. The specification shows no such operation and the one public client of
/// this API calls it, so a service may answer 404 or 405.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteWebhook {
    /// Which one.
    pub id: WebhookId,
}

impl Operation for DeleteWebhook {
    const ROW: Row =
        Row { path: "/webhooks/{id}", writes: true, idempotent: true, ..row("deleteWebhook", Method::Delete) };
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn read(_body: &Value) -> ((), Vec<Finding>) {
        ((), Vec::new())
    }
}
