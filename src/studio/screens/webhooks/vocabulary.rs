//! What this screen hears from the world and what it asks of it.

use crate::api::AnyRequest;
use crate::domain::{Delivery, ReceivedEvent, Webhook, WebhookEvent, WebhookId, WebhookSecret};
use crate::studio::ground::{Failure, RequestId};

/// What happened, for the Webhooks screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The subscriptions arrived, or did not.
    Listed {
        /// The question.
        request: RequestId,
        /// The answer.
        webhooks: Result<Vec<Webhook>, Failure>,
    },
    /// The deliveries of a subscription arrived; none where the service does not tell of them.
    Deliveries {
        /// The question.
        request: RequestId,
        /// The answer.
        deliveries: Result<Option<Vec<Delivery>>, Failure>,
    },
    /// A subscription was made, or was not.
    Created {
        /// The question.
        request: RequestId,
        /// As it is.
        created: Result<Box<Webhook>, String>,
    },
    /// A delivery was queued, or was not: what was done, in words.
    Queued {
        /// The question.
        request: RequestId,
        /// What came of it.
        queued: Result<&'static str, String>,
    },
    /// A subscription was deleted, or was not.
    Deleted {
        /// The question.
        request: RequestId,
        /// Which one.
        webhook: WebhookId,
        /// What went wrong.
        said: Result<(), Failure>,
    },
    /// A subscription was changed, or was not.
    Changed {
        /// The question.
        request: RequestId,
        /// As it is now.
        changed: Result<Box<Webhook>, String>,
    },
    /// The secret of a subscription was replaced by this one, or was not.
    Rotated {
        /// The question.
        request: RequestId,
        /// Which one.
        webhook: WebhookId,
        /// What deliveries are signed with now.
        secret: Result<WebhookSecret, String>,
    },
    /// What deliveries are signed with, to be copied.
    Secret {
        /// The question.
        request: RequestId,
        /// The answer.
        secret: Result<WebhookSecret, String>,
    },
    /// Events are received, or are not.
    Listening {
        /// The question.
        request: RequestId,
        /// At which address.
        listening: Result<String, String>,
    },
    /// An event arrived.
    Received(Box<ReceivedEvent>),
}

/// What the world should do for the Webhooks screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask for the subscriptions.
    List(RequestId),
    /// Ask for the deliveries of a subscription.
    Deliveries {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        webhook: WebhookId,
        /// Wait so long first, milliseconds: something is under way.
        after_ms: u64,
    },
    /// Subscribe an address to an event.
    Create {
        /// What the reply is called.
        request: RequestId,
        /// To what.
        event: WebhookEvent,
        /// Where it is sent.
        url: String,
    },
    /// Send a message that says nothing.
    Ping {
        /// What the reply is called.
        request: RequestId,
        /// The subscription.
        webhook: WebhookId,
    },
    /// Make a delivery again.
    Redeliver {
        /// What the reply is called.
        request: RequestId,
        /// The subscription.
        webhook: WebhookId,
        /// The delivery.
        delivery: String,
    },
    /// Delete a subscription.
    Delete {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        webhook: WebhookId,
    },
    /// Make a request whose answer is a subscription.
    Change {
        /// What the reply is called.
        request: RequestId,
        /// The request.
        change: Box<AnyRequest>,
    },
    /// Replace what deliveries of a subscription are signed with.
    Rotate {
        /// What the reply is called.
        request: RequestId,
        /// Of which subscription.
        webhook: WebhookId,
    },
    /// Ask what deliveries are signed with.
    Secret {
        /// What the reply is called.
        request: RequestId,
        /// Of which subscription.
        webhook: WebhookId,
    },
    /// Receive events on this machine.
    Listen(RequestId),
    /// Receive no more.
    StopListening,
}

/// What the questions of this screen are answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is done.
    Keep,
    /// The subscription is deleted.
    Delete(WebhookId),
    /// The secret of the subscription is replaced.
    Rotate(WebhookId),
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
