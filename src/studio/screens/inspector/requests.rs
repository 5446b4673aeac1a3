//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Again { request, .. }
            | Self::ListBundle { request, .. }
            | Self::WriteBundle { request, .. }
            | Self::SaveHar { request, .. } => Some(*request),
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match *self {
            Self::Again { request, .. } => Event::Again { request, sent: Err(why.words()) },
            Self::ListBundle { request, .. } | Self::WriteBundle { request, .. } | Self::SaveHar { request, .. } => {
                Event::Saved { request, saved: Err(why.words()) }
            }
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Again { request, .. } | Self::Saved { request, .. } | Self::BundleListed { request, .. } => {
                Some(*request)
            }
            Self::Recorded(_) | Self::Found { .. } => None,
        }
    }
}
