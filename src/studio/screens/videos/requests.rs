//! What whoever carries out the effects of this screen has to know of them.

use super::vocabulary::{Effect, Event};
use crate::studio::ground::{Asks, RequestId, Unanswered};

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        match self {
            Self::List(request)
            | Self::ReadUses(request)
            | Self::Register { request, .. }
            | Self::ReadFolder { request, .. } => Some(*request),
            _ => None,
        }
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        let failure = || why.failure();
        Some(match self {
            Self::List(request) => Event::Listed { request: *request, videos: Err(failure()) },
            Self::ReadUses(request) => Event::UsesEnded { request: *request, read: Err(failure()) },
            Self::AskSize { video, .. } => Event::SizeTold { video: video.clone(), size: None },
            Self::Delete(video) => Event::Deleted { video: video.clone(), said: Err(failure()) },
            Self::ReadCaptions { video, language } => {
                Event::CaptionsRead { video: video.clone(), language: language.clone(), read: Err(failure()) }
            }
            Self::AddCaptions { video, file } => {
                Event::CaptionsAdded { video: video.clone(), file: file.clone(), added: Err(failure()) }
            }
            Self::RemoveCaptions { video, language } => {
                Event::CaptionsRemoved { video: video.clone(), language: language.clone(), removed: Err(failure()) }
            }
            Self::Register { request, .. } => Event::Registered { request: *request, registered: Err(failure()) },
            Self::ReadFolder { request, .. } => Event::FolderRead { request: *request, folder: Err(why.words()) },
            Self::Upload(_) => Event::Queued { count: 0, refused: vec![why.words()], repeated: Vec::new() },
            Self::Note(_) | Self::Resume(_) | Self::Look | Self::HandOver => return None,
        })
    }
}
