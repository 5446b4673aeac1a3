//! What the local service tells of deliveries beside §4.6. Another service need not have it: it answers 404.

use super::operation::{Operation, encode_segment};
use crate::domain::{Delivery, WebhookId};
use crate::shape;

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
        /// Until when earlier secrets sign as well; absent where none does.
        previous_until: opt String => "previousUntil",
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
}
