//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event, Trouble};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::List { request }
            | Self::Read { request, .. }
            | Self::Check { request, .. }
            | Self::Write { request, .. }
            | Self::Ask { request, .. } => Some(*request),
        }
    }

    fn after_ms(&self) -> u64 {
        if let Self::Read { after_ms, .. } = self { *after_ms } else { 0 }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::List { request } => Event::Listed { request: *request, list: Err(why.failure()) },
            Self::Read { request, .. } => Event::Read { request: *request, record: Err(why.failure()) },
            Self::Check { request, .. } => Event::Checked { request: *request, faults: None },
            Self::Write { request, .. } => {
                let trouble = Trouble { failure: why.failure(), unknown: why.may_be_done(), gone: false };
                Event::Written { request: *request, written: Err(trouble) }
            }
            Self::Ask { request, ask } => Event::Answered { request: *request, reply: Box::new(ask.unanswered(why)) },
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Listed { request, .. }
            | Self::Read { request, .. }
            | Self::Checked { request, .. }
            | Self::Written { request, .. }
            | Self::Answered { request, .. } => Some(*request),
            Self::Drafts(_) => None,
        }
    }
}
