//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event, Gathered};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Search { request, .. }
            | Self::Count { request, .. }
            | Self::FetchProduct { request, .. }
            | Self::FetchAnalysis { request, .. }
            | Self::FetchFacets { request, .. }
            | Self::Gather { request, .. }
            | Self::Export { request, .. } => Some(*request),
            Self::Check(asked) => Some(asked.request()),
            Self::Remember(_) => None,
        }
    }

    fn after_ms(&self) -> u64 {
        match self {
            Self::Search { after_ms, .. }
            | Self::FetchProduct { after_ms, .. }
            | Self::FetchAnalysis { after_ms, .. } => *after_ms,
            _ => 0,
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match *self {
            Self::Check(ref asked) => Event::Check(asked.unanswered(why)),
            Self::Search { request, .. } => Event::PageArrived { request, page: Err(why.failure()) },
            Self::Count { request, .. } => Event::CountArrived { request, total: Err(why.failure()) },
            Self::FetchProduct { request, .. } => Event::ProductArrived { request, product: Err(why.failure()) },
            Self::FetchAnalysis { request, .. } => Event::AnalysisArrived { request, analysis: Err(why.failure()) },
            Self::FetchFacets { request, .. } => Event::FacetsArrived { request, facets: Err(why.words()) },
            Self::Gather { request, .. } => Event::Gathered { request, gathered: Gathered::Failed(why.words()) },
            Self::Export { request, .. } => Event::Exported { request, done: 0, ended: Some(Err(why.clause())) },
            Self::Remember(_) => return None,
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match *self {
            Self::Check(ref reply) => Some(reply.request()),
            Self::PageArrived { request, .. }
            | Self::CountArrived { request, .. }
            | Self::ProductArrived { request, .. }
            | Self::AnalysisArrived { request, .. }
            | Self::FacetsArrived { request, .. }
            | Self::Gathered { request, .. }
            | Self::Exported { request, .. } => Some(request),
        }
    }

    fn goes_on(&self) -> bool {
        match self {
            Self::Gathered { gathered, .. } => !matches!(gathered, Gathered::All | Gathered::Failed(_)),
            Self::Exported { ended, .. } => ended.is_none(),
            Self::Check(reply) => reply.goes_on(),
            _ => false,
        }
    }
}
