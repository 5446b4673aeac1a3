//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::List(request)
            | Self::Deliveries { request, .. }
            | Self::Create { request, .. }
            | Self::Ping { request, .. }
            | Self::Redeliver { request, .. }
            | Self::Delete { request, .. }
            | Self::Change { request, .. }
            | Self::Rotate { request, .. }
            | Self::Secret { request, .. }
            | Self::Listen(request) => Some(*request),
            Self::StopListening => None,
        }
    }

    fn after_ms(&self) -> u64 {
        if let Self::Deliveries { after_ms, .. } = self { *after_ms } else { 0 }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::List(request) => Event::Listed { request: *request, webhooks: Err(why.failure()) },
            Self::Deliveries { request, .. } => Event::Deliveries { request: *request, deliveries: Err(why.failure()) },
            Self::Create { request, .. } => Event::Created { request: *request, created: Err(why.words()) },
            Self::Ping { request, .. } | Self::Redeliver { request, .. } => {
                Event::Queued { request: *request, queued: Err(why.words()) }
            }
            Self::Delete { request, webhook } => {
                Event::Deleted { request: *request, webhook: webhook.clone(), said: Err(why.failure()) }
            }
            Self::Change { request, .. } => Event::Changed { request: *request, changed: Err(why.words()) },
            Self::Rotate { request, webhook } => {
                Event::Rotated { request: *request, webhook: webhook.clone(), secret: Err(why.words()) }
            }
            Self::Secret { request, .. } => Event::Secret { request: *request, secret: Err(why.words()) },
            Self::Listen(request) => Event::Listening { request: *request, listening: Err(why.words()) },
            Self::StopListening => return None,
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Listed { request, .. }
            | Self::Deliveries { request, .. }
            | Self::Created { request, .. }
            | Self::Queued { request, .. }
            | Self::Deleted { request, .. }
            | Self::Changed { request, .. }
            | Self::Rotated { request, .. }
            | Self::Secret { request, .. }
            | Self::Listening { request, .. } => Some(*request),
            Self::Received(_) => None,
        }
    }
}
