//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        None
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::Again(_) => Event::Again(Err(why.words())),
            Self::ListBundle(_) | Self::WriteBundle { .. } | Self::SaveHar { .. } => Event::Saved(Err(why.words())),
        })
    }
}
