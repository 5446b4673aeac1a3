//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Answers, Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::List(request)
            | Self::ReadUses(request)
            | Self::AskSize { request, .. }
            | Self::Delete { request, .. }
            | Self::ReadCaptions { request, .. }
            | Self::AddCaptions { request, .. }
            | Self::RemoveCaptions { request, .. }
            | Self::Register { request, .. }
            | Self::ReadFolder { request, .. }
            | Self::Upload { request, .. }
            | Self::UploadAnyway { request, .. } => Some(*request),
            Self::Check(asked) => Some(asked.request()),
            Self::Note(_) | Self::Resume(_) | Self::Look | Self::HandOver => None,
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        let (request, failure) = (self.request()?, || why.failure());
        Some(match self {
            Self::List(_) => Event::Listed { request, videos: Err(failure()) },
            Self::ReadUses(_) => Event::UsesEnded { request, read: Err(failure()) },
            Self::AskSize { video, .. } => Event::SizeTold { request, video: video.clone(), size: None },
            Self::Delete { video, .. } => Event::Deleted { request, video: video.clone(), said: Err(failure()) },
            Self::ReadCaptions { video, language, .. } => {
                let (video, language) = (video.clone(), language.clone());
                Event::CaptionsRead { request, video, language, read: Err(failure()) }
            }
            Self::AddCaptions { video, file, .. } => {
                Event::CaptionsAdded { request, video: video.clone(), file: file.clone(), added: Err(failure()) }
            }
            Self::RemoveCaptions { video, language, .. } => {
                let (video, language) = (video.clone(), language.clone());
                Event::CaptionsRemoved { request, video, language, removed: Err(failure()) }
            }
            Self::Register { .. } => Event::Registered { request, registered: Err(failure()) },
            Self::ReadFolder { .. } => Event::FolderRead { request, folder: Err(why.words()) },
            Self::Upload { .. } | Self::UploadAnyway { .. } => {
                let (refused, repeated) = (vec![why.words()], Vec::new());
                Event::Queued { request, count: 0, refused, repeated, unplayable: None }
            }
            Self::Check(asked) => Event::Check(asked.unanswered(why)),
            Self::Note(_) | Self::Resume(_) | Self::Look | Self::HandOver => return None,
        })
    }
}

impl Answers for Event {
    fn request(&self) -> Option<RequestId> {
        match self {
            Self::Listed { request, .. }
            | Self::SizeTold { request, .. }
            | Self::ProjectsListed { request, .. }
            | Self::UsesRead { request, .. }
            | Self::UsesEnded { request, .. }
            | Self::Deleted { request, .. }
            | Self::CaptionsRead { request, .. }
            | Self::CaptionsAdded { request, .. }
            | Self::CaptionsRemoved { request, .. }
            | Self::Registered { request, .. }
            | Self::FolderRead { request, .. }
            | Self::IsFolder { request, .. }
            | Self::Queued { request, .. } => Some(*request),
            Self::Check(reply) => Some(reply.request()),
            Self::Uploads(_) => None,
        }
    }

    fn goes_on(&self) -> bool {
        match self {
            Self::ProjectsListed { .. } | Self::UsesRead { .. } => true,
            Self::Check(reply) => reply.goes_on(),
            _ => false,
        }
    }
}
