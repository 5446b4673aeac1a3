//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event, Found};
use crate::studio::ground::{Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Read { request, .. }
            | Self::Library { request }
            | Self::Ask { request, .. }
            | Self::ReadFolder { request, .. }
            | Self::Export { request, .. } => Some(*request),
            Self::FindJournal { .. }
            | Self::Keep { .. }
            | Self::DropJournal { .. }
            | Self::LeaveJournal { .. }
            | Self::Upload { .. }
            | Self::NoteUploads(_)
            | Self::ResumeUpload(_)
            | Self::Claim { .. } => None,
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::Read { request, .. } => Event::Read { request: *request, project: Err(why.failure()) },
            Self::Library { request } => Event::Library { request: *request, videos: Err(why.failure()) },
            Self::Ask { request, ask } => Event::Answered { request: *request, reply: Box::new(ask.unanswered(why)) },
            Self::ReadFolder { request, .. } => Event::FolderRead { request: *request, folder: Err(why.words()) },
            Self::Export { request, .. } => Event::Exported { request: *request, exported: Err(why.words()) },
            Self::FindJournal { project, .. } => {
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
