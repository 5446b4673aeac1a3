//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event, Found};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Read { request, .. }
            | Self::Library { request }
            | Self::Funnel { request, .. }
            | Self::LookUp { request, .. }
            | Self::FindProducts { request, .. }
            | Self::Ask { request, .. }
            | Self::ReadFolder { request, .. }
            | Self::Upload { request, .. }
            | Self::Export { request, .. } => Some(*request),
            Self::FindJournal { .. }
            | Self::TakeOver { .. }
            | Self::Keep { .. }
            | Self::DropJournal { .. }
            | Self::LeaveJournal { .. }
            | Self::NoteUploads(_)
            | Self::ResumeUpload(_)
            | Self::Claim { .. } => None,
        }
    }

    fn after_ms(&self) -> u64 {
        if let Self::FindProducts { after_ms, .. } = self { *after_ms } else { 0 }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::Read { request, .. } => Event::Read { request: *request, project: Err(why.failure()) },
            Self::Library { request } => Event::Library { request: *request, videos: Err(why.failure()) },
            Self::Funnel { request, .. } => Event::Funnel { request: *request, funnel: Err(why.failure()) },
            Self::LookUp { request, store, products } => Event::LookedUp {
                request: *request,
                store: store.clone(),
                products: products.clone(),
                found: Err(why.failure()),
            },
            Self::FindProducts { request, .. } => Event::ProductsFound { request: *request, found: Err(why.failure()) },
            Self::Ask { request, ask } => Event::Answered { request: *request, reply: Box::new(ask.unanswered(why)) },
            Self::ReadFolder { request, .. } => Event::FolderRead { request: *request, folder: Err(why.words()) },
            Self::Export { request, .. } => Event::Exported { request: *request, exported: Err(why.words()) },
            Self::FindJournal { project, .. } | Self::TakeOver { project, .. } => {
                Event::JournalFound { project: project.clone(), found: Found::Unusable(why.words()) }
            }
            Self::Keep { project, .. } => Event::Kept { project: project.clone(), records: Err(why.words()) },
            Self::Claim { project } => Event::Claimed { project: project.clone(), held: false },
            Self::DropJournal { .. }
            | Self::LeaveJournal { .. }
            | Self::Upload { .. }
            | Self::NoteUploads(_)
            | Self::ResumeUpload(_) => return None,
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Read { request, .. }
            | Self::Library { request, .. }
            | Self::Funnel { request, .. }
            | Self::LookedUp { request, .. }
            | Self::ProductsFound { request, .. }
            | Self::Answered { request, .. }
            | Self::Exported { request, .. }
            | Self::FolderRead { request, .. } => Some(*request),
            Self::JournalFound { .. }
            | Self::Kept { .. }
            | Self::Claimed { .. }
            | Self::Wanted { .. }
            | Self::Withdrawn { .. }
            | Self::Seized { .. } => None,
        }
    }
}
