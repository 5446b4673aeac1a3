//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::List(request)
            | Self::Deliveries { request, .. }
            | Self::Ping { request, .. }
            | Self::Redeliver { request, .. }
            | Self::Secret { request, .. } => Some(*request),
            _ => None,
        }
    }

    fn after_ms(&self) -> u64 {
        if let Self::Deliveries { after_ms, .. } = self { *after_ms } else { 0 }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::List(request) => Event::Listed { request: *request, webhooks: Err(why.failure()) },
            Self::Deliveries { request, .. } => Event::Deliveries { request: *request, deliveries: Err(why.failure()) },
            Self::Create { .. } => Event::Created(Err(why.words())),
            Self::Ping { request, .. } | Self::Redeliver { request, .. } => {
                Event::Queued { request: *request, queued: Err(why.words()) }
            }
            Self::Delete(webhook) => Event::Deleted { webhook: webhook.clone(), said: Err(why.failure()) },
            Self::Change(_) => Event::Changed(Err(why.words())),
            Self::Rotate(webhook) => Event::Rotated { webhook: webhook.clone(), secret: Err(why.words()) },
            Self::Secret { request, .. } => Event::Secret { request: *request, secret: Err(why.words()) },
            Self::Listen => Event::Listening(Err(why.words())),
            Self::StopListening => return None,
        })
    }
}
