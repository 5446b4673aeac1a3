//! What the world should do. Inert data: a driver in `runtime` carries it out.

use std::sync::Arc;

use super::event::Event;
use super::resume::Left;
use crate::settings::Graphics;
use crate::studio::ground::{Alarm, Asks, RequestId, Unanswered};
use crate::studio::screens::turn::ScreenEffect;
use crate::studio::screens::{account, inspector, products, projects, steps, videos, webhooks};
use crate::studio::widgets::films::Film;
use crate::studio::widgets::pictures::{PictureFault, Raster, Wanted};

/// One thing the world should do.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Connect to the service of the profile.
    Connect,
    /// These pictures are wanted now, the most wanted first, and no others.
    Pictures {
        /// Which, and how large.
        wanted: Vec<Wanted>,
        /// In which form.
        graphics: Graphics,
        /// Pixels of a cell, across and down.
        cell: (u16, u16),
    },
    /// Fetch a picture to fill the screen.
    FetchPicture {
        /// What the reply is called.
        request: RequestId,
        /// Where it is.
        address: Arc<str>,
    },
    /// Somebody looks at the pictures of a film: what is known of it is asked for.
    OpenFilm(Arc<Film>),
    /// Nobody looks at the pictures of a film any more: what was fetched of it is let go.
    CloseFilm,
    /// Show a picture on the whole screen until a key is pressed.
    ShowPicture(Arc<Raster>),
    /// The reply is no longer wanted.
    Cancel(RequestId),
    /// Put text on the terminal's clipboard.
    CopyText(String),
    /// Tell the person's desktop something, where the terminal passes it on; the words are harmless already.
    TellDesktop(String),
    /// Open an address with what the system has for it.
    OpenAddress(String),
    /// Wake the model.
    Wake {
        /// Why.
        alarm: Alarm,
        /// In so many milliseconds.
        after_ms: u64,
    },
    /// Read a theme.
    ReadTheme(String),
    /// Paint everything again.
    Repaint,
    /// Hand the terminal back to the shell until it is brought back.
    Suspend,
    /// Let the person change a text in the editor of their choice.
    EditText(String),
    /// Save a recording as a script that can be run, under this name or a fresh one like it.
    SaveScript {
        /// The file, as the person typed it.
        file: String,
        /// What it holds.
        script: String,
    },
    /// Keep where the studio is, for the next start.
    KeepSession(Box<Left>),
    /// Look for drafts that were left in a workspace.
    FindDrafts(String),
    /// End.
    Quit,
    /// Something for the Products screen.
    Products(products::Effect),
    /// Something for the Projects screen.
    Projects(projects::Effect),
    /// Something for the Steps screen.
    Steps(steps::Effect),
    /// Something for the Videos screen.
    Videos(videos::Effect),
    /// Something for the Webhooks screen.
    Webhooks(webhooks::Effect),
    /// Something for the Account screen.
    Account(account::Effect),
    /// Something for the Inspector screen.
    Inspector(inspector::Effect),
}

/// What the screens ask for becomes what the studio asks for.
macro_rules! effects_of_screens {
    ($( $screen:ident $name:ident )*) => {
        $( impl From<$screen::Effect> for Effect {
            fn from(effect: $screen::Effect) -> Self {
                Self::$name(effect)
            }
        } )*
    };
}

effects_of_screens! {
    products Products
    projects Projects
    steps Steps
    videos Videos
    webhooks Webhooks
    account Account
    inspector Inspector
}

/// Of all effects, those of the screens as they say it themselves.
macro_rules! asks_of_screens {
    ($effect:expr, $of:ident => $take:expr, $own:expr; $( $name:ident )*) => {
        match $effect {
            $( Effect::$name($of) => $take, )*
            own => $own(own),
        }
    };
}

impl Asks for Effect {
    type Event = Event;

    fn request(&self) -> Option<RequestId> {
        let own = |own: &Self| if let Self::FetchPicture { request, .. } = own { Some(*request) } else { None };
        asks_of_screens!(self, of => of.request(), own;
            Products Projects Steps Videos Webhooks Account Inspector)
    }

    fn after_ms(&self) -> u64 {
        asks_of_screens!(self, of => of.after_ms(), |_: &Self| 0;
            Products Projects Steps Videos Webhooks Account Inspector)
    }

    fn unanswered(&self, why: &Unanswered) -> Option<Event> {
        let own = |own: &Self| match own {
            Self::Connect => Some(Event::ConnectFailed(why.failure())),
            Self::OpenAddress(_) => Some(Event::AddressOpened(Err(why.words()))),
            Self::SaveScript { .. } => Some(Event::ScriptSaved(Err(why.clause()))),
            Self::EditText(_) => Some(Event::TextEdited(Err(why.words()))),
            Self::FetchPicture { request, .. } => {
                Some(Event::PictureFetched { request: *request, picture: Err(PictureFault::Broken) })
            }
            _ => None,
        };
        asks_of_screens!(self, of => of.unanswered(why).map(Into::into), own;
            Products Projects Steps Videos Webhooks Account Inspector)
    }
}

impl<E> From<ScreenEffect<E>> for Effect
where
    Self: From<E>,
{
    fn from(effect: ScreenEffect<E>) -> Self {
        match effect {
            ScreenEffect::Own(effect) => effect.into(),
            ScreenEffect::Cancel(request) => Self::Cancel(request),
            ScreenEffect::Wake { alarm, after_ms } => Self::Wake { alarm, after_ms },
            ScreenEffect::CopyText(text) => Self::CopyText(text),
            ScreenEffect::EditText(text) => Self::EditText(text),
            ScreenEffect::TellDesktop(words) => Self::TellDesktop(words),
        }
    }
}
