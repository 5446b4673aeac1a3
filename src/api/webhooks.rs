//! Webhook subscriptions, §4.6.

use serde_json::Value;

use super::operation::{Host, Method, Operation, Payload, Row};
use super::to_json;
use crate::domain::{Finding, Reader, Webhook, WebhookEvent};
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
