//! Webhook subscriptions, §4.6.

use super::operation::Operation;
use crate::domain::{WebhookEvent, WebhookId};
use crate::shape;

shape! {
    /// `POST /webhooks`
    pub struct CreateWebhook {
        event: req WebhookEvent => "event",
        url: req String => "url",
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
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
}
