//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::AskWho(request)
            | Self::Save { request, .. }
            | Self::Rename { request, .. }
            | Self::SignOut { request, .. }
            | Self::Remove { request, .. }
            | Self::SetDefault { request, .. } => Some(*request),
            Self::ReadProfiles
            | Self::RenameOpen(_)
            | Self::SignIn { .. }
            | Self::Pasted(_)
            | Self::CancelSignIn
            | Self::DeclineSignIn
            | Self::Switch(_)
            | Self::AnswerWrite(_) => None,
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::AskWho(request) => Event::Who { request: *request, who: Err(why.failure()) },
            Self::Save { request, .. } => Event::Saved { request: *request, saved: Err(why.words()) },
            Self::Remove { request, .. } | Self::SetDefault { request, .. } => {
                Event::Done { request: *request, done: Err(why.words()) }
            }
            Self::Rename { request, .. } => Event::Renamed { request: *request, renamed: Err(why.words()) },
            Self::SignIn { .. } => Event::SignInFailed(why.words()),
            Self::SignOut { request, .. } => Event::SignedOut { request: *request, signed_out: Err(why.words()) },
            Self::ReadProfiles
            | Self::RenameOpen(_)
            | Self::Pasted(_)
            | Self::CancelSignIn
            | Self::DeclineSignIn
            | Self::Switch(_)
            | Self::AnswerWrite(_) => return None,
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Who { request, .. }
            | Self::SignedOut { request, .. }
            | Self::Saved { request, .. }
            | Self::Done { request, .. }
            | Self::Renamed { request, .. } => Some(*request),
            Self::Profiles(_)
            | Self::SignInNeeded { .. }
            | Self::SignIn(_)
            | Self::SignedIn { .. }
            | Self::SignInFailed(_)
            | Self::WriteAsked { .. } => None,
        }
    }
}
