//! The studio's state.

use std::collections::VecDeque;
use std::sync::Arc;

use ratatui::layout::Rect;

use super::event::{Connected, Event, Moment, RequestId};
use super::keys::{Keymap, Layer};
use super::layout::Frame;
use super::overlays::Overlay;
use super::overlays::preview::Preview;
use super::pane::Pane;
use super::pictures::{Picture, Pictures};
use super::remote::Remote;
use super::resume::Left;
use super::screens::Screen;
use super::screens::account::{Account, KnownProfile};
use super::screens::inspector::Inspector;
use super::screens::products::{Memory, Products};
use super::screens::projects::Projects;
use super::screens::steps::Steps;
use super::screens::videos::Videos;
use super::screens::webhooks::Webhooks;
use super::twin::Deeds;
use super::widgets::Ink;
use crate::domain::StoreUrl;
use crate::settings::{FileFault, Graphics, Theme};

/// What is known when the studio starts, before anything was asked.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the start")]
pub struct Begin {
    /// The profile's name.
    pub profile: String,
    /// Whether it is the local workspace.
    pub local: bool,
    /// Where the credential came from.
    pub credential: Credential,
    /// Why writing is refused, where it is.
    pub read_only: Option<String>,
    /// The store to begin in, where one was named.
    pub store: Option<StoreUrl>,
    /// Whether there was no configuration: the studio says where it is and what can be done.
    pub first_start: bool,
    /// The colours.
    pub theme: Arc<Theme>,
    /// The themes that can be chosen.
    pub themes: Vec<String>,
    /// The keys.
    pub keymap: Arc<Keymap>,
    /// What is wrong in the files of settings.
    pub faults: Vec<FileFault>,
    /// What else has to be said at the start.
    pub warnings: Vec<String>,
    /// Whether the terminal has only ASCII.
    pub ascii: bool,
    /// Whether addresses can be opened here; else they are shown.
    pub opens_addresses: bool,
    /// The profiles that there are.
    pub profiles: Vec<KnownProfile>,
    /// Where the studio was left, where that is taken up again.
    pub resume: Option<Left>,
    /// What the Products screen remembers of the starts before.
    pub memory: Memory,
    /// How pictures are shown where the terminal does not say.
    pub graphics: Graphics,
    /// Whether ffmpeg is here, which makes pictures of videos.
    pub has_ffmpeg: bool,
    /// The flags by which a command works where this studio does.
    pub way: Arc<[String]>,
    /// What was done before, in the studio of another profile: a recording goes on.
    pub deeds: Deeds,
}

/// Where the credential came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// There is none.
    None,
    /// From here, in the words of the status line.
    From(String),
}

/// What a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done.
    Done,
    /// Something to know.
    Hint,
    /// Something is not as it should be.
    Warning,
    /// Something went wrong.
    Error,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Which one.
    pub id: u64,
    /// When.
    pub at: Moment,
    /// What it is.
    pub kind: NoticeKind,
    /// The words, harmless already.
    pub text: String,
}

/// How many notices are kept.
const MOST_NOTICES: usize = 200;

/// So many notices wait for the one that is shown.
const MOST_WAITING: usize = 8;

/// A notice goes by itself after so long, milliseconds; an error stays until the next key.
pub(super) const NOTICE_MS: i64 = 5_000;

/// In whose turn something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Voice {
    /// It answers what the person did just now.
    Answer,
    /// It tells what came of what was asked for.
    #[default]
    Reply,
    /// It is said beside: nobody asked for it. It does not hide an answer that was hardly seen yet.
    Aside,
}

impl Voice {
    /// Whose turn an event is.
    #[must_use]
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Pressed(_) | Event::Pasted(_) | Event::Mouse(_) => Self::Answer,
            Event::Connected(_) | Event::DraftsFound(_) | Event::DraftUnreadable(_) | Event::ThemeRead { .. } => {
                Self::Aside
            }
            _ => Self::Reply,
        }
    }
}

/// What was said, and what of it is still shown.
#[derive(Debug, Clone, Default)]
pub struct Notices {
    /// Oldest first.
    pub past: VecDeque<Notice>,
    /// The one that is shown.
    pub shown: Option<u64>,
    /// In whose turn something is said now.
    pub voice: Voice,
    /// Whether the one that is shown answers what the person did.
    answers: bool,
    /// Those that are to be shown after it.
    waiting: VecDeque<u64>,
    count: u64,
}

impl Notices {
    /// Says something; gives its id. It is shown now, or once the one that is shown was seen long enough.
    pub fn say(&mut self, at: Moment, kind: NoticeKind, text: String) -> u64 {
        self.count += 1;
        if self.past.len() == MOST_NOTICES {
            self.past.pop_front();
        }
        self.past.push_back(Notice { id: self.count, at, kind, text });
        let is_fresh = |notice: &Notice| at.since(notice.at) < NOTICE_MS;
        if self.voice == Voice::Aside && self.answers && self.current().is_some_and(is_fresh) {
            if self.waiting.len() == MOST_WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(self.count);
        } else {
            (self.shown, self.answers) = (Some(self.count), self.voice == Voice::Answer);
        }
        self.count
    }

    /// Shows the next one that waits in the place of the one that is shown.
    pub fn show_next(&mut self) {
        (self.shown, self.answers) = (self.waiting.pop_front(), false);
    }

    /// The notice that is shown.
    #[must_use]
    pub fn current(&self) -> Option<&Notice> {
        self.shown.and_then(|id| self.past.iter().rev().find(|notice| notice.id == id))
    }
}

/// The studio's state.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the studio")]
pub struct Model {
    /// What was known at the start.
    pub begin: Begin,
    /// The screen's size in cells.
    pub size: (u16, u16),
    /// The time, as the last event said it.
    pub now: Moment,
    /// The colours.
    pub theme: Arc<Theme>,
    /// The screen that is shown.
    pub screen: Screen,
    /// What lies over it, the uppermost last.
    pub overlays: Vec<Overlay>,
    /// The service.
    pub connection: Remote<Connected>,
    /// How far the service is with being made ready: what, done, of how many.
    pub prepared: Option<(String, u64, u64)>,
    /// Requests on their way.
    pub in_flight: usize,
    /// How long the last one took, milliseconds.
    pub round_trip_ms: Option<u64>,
    /// Whether the last request got no answer.
    pub lost: bool,
    /// What was said.
    pub notices: Notices,
    /// The pictures.
    pub pictures: Pictures,
    /// The picture that is to fill the screen once it is here.
    pub awaited_picture: Option<RequestId>,
    /// How many pictures were asked for to fill the screen.
    pub picture_requests: u64,
    /// Whether the pictures of a film are looked at.
    pub film_open: bool,
    /// Whether the first start's greeting is shown.
    pub greeting: bool,
    /// Whether it was said that leaving loses edits.
    pub warned_unkept: bool,
    /// Whether it was said that leaving loses a recording.
    pub warned_recording: bool,
    /// What was done, and what of it is recorded.
    pub deeds: Deeds,
    /// Whether it was said which drafts wait.
    pub drafts_told: bool,
    /// The screen on which Enter was pressed before what it opens was there.
    pub awaited_open: Option<Screen>,
    /// Whether it is to be woken to count down.
    pub counting: bool,
    /// Where the studio was when that was kept last, and whether it is to be woken to keep it again.
    pub session: (Option<Box<Left>>, bool),
    /// Whether it is over.
    pub over: bool,
    /// The Products screen.
    pub products: Products,
    /// The Projects screen.
    pub projects: Projects,
    /// The Steps screen.
    pub steps: Steps,
    /// The Videos screen.
    pub videos: Videos,
    /// The Webhooks screen.
    pub webhooks: Webhooks,
    /// The Account screen.
    pub account: Account,
    /// The Inspector screen.
    pub inspector: Inspector,
}

impl Model {
    /// The state at the start: nothing asked, nothing known.
    #[must_use]
    pub fn new(begin: Begin) -> Self {
        let outline = begin.resume.as_ref().is_some_and(|left| left.outline);
        let places = begin.resume.as_ref().map(|left| left.places.clone()).unwrap_or_default();
        let begin_screen = begin.resume.as_ref().and_then(Left::screen).unwrap_or_default();
        let credential = match &begin.credential {
            Credential::None => None,
            Credential::From(source) => Some(source.clone()),
        };
        let account = Account::new(&begin.profile, credential, begin.read_only.clone(), begin.profiles.clone());
        let memory = begin.memory.clone();
        let mut begin = begin;
        let deeds = std::mem::take(&mut begin.deeds);
        Self {
            theme: Arc::clone(&begin.theme),
            greeting: begin.first_start,
            begin,
            size: (0, 0),
            now: Moment::default(),
            screen: begin_screen,
            overlays: Vec::new(),
            connection: Remote::Idle,
            prepared: None,
            in_flight: 0,
            round_trip_ms: None,
            lost: false,
            notices: Notices::default(),
            warned_unkept: false,
            warned_recording: false,
            deeds,
            drafts_told: false,
            pictures: Pictures::default(),
            awaited_picture: None,
            picture_requests: 0,
            counting: false,
            awaited_open: None,
            session: (None, false),
            film_open: false,
            over: false,
            products: Products::remembering(memory),
            projects: Projects::default(),
            steps: Steps::preferring(outline, places),
            videos: Videos::default(),
            webhooks: Webhooks::default(),
            account,
            inspector: Inspector::default(),
        }
    }

    /// Where things stand.
    #[must_use]
    pub fn frame(&self) -> Frame {
        Frame::of(self.size.0, self.size.1)
    }

    /// Where the screen stands: the body, without the greeting's line.
    #[must_use]
    pub fn body(&self) -> Rect {
        let body = self.frame().body;
        let above = u16::from(self.greets() && body.height > 12);
        Rect { y: body.y + above, height: body.height - above, ..body }
    }

    /// Whether the first start's greeting is shown: not where the local workspace is not there.
    #[must_use]
    pub fn greets(&self) -> bool {
        self.greeting && !matches!(self.connection, Remote::Failed { .. })
    }

    /// What everything is drawn with.
    #[must_use]
    pub fn ink(&self) -> Ink<'_> {
        Ink { theme: &self.theme, ascii: self.begin.ascii }
    }

    /// Whether plain characters are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        match self.overlays.last() {
            Some(Overlay::Help(_) | Overlay::Picker(..) | Overlay::Prompt(..)) => true,
            Some(Overlay::SignIn(sign_in)) => sign_in.is_typing(),
            Some(Overlay::Page(_) | Overlay::Confirm(..) | Overlay::LiveWrite(_) | Overlay::Preview(_)) => false,
            None => self.pane().is_typing(),
        }
    }

    /// The layers that read a key now, the first that knows it wins.
    #[must_use]
    pub fn layers(&self) -> [Layer; 2] {
        if self.is_typing() {
            [Layer::Text; 2]
        } else if self.overlays.is_empty() {
            [Layer::Global, self.pane().layer()]
        } else if let Some(Overlay::Preview(_)) = self.overlays.last() {
            [Layer::Preview, Layer::Global]
        } else {
            [Layer::Global; 2]
        }
    }

    /// A screen as its parent sees it.
    #[must_use]
    pub fn pane_of(&self, screen: Screen) -> &dyn Pane {
        match screen {
            Screen::Products => &self.products,
            Screen::Projects => &self.projects,
            Screen::Steps => &self.steps,
            Screen::Videos => &self.videos,
            Screen::Webhooks => &self.webhooks,
            Screen::Account => &self.account,
            Screen::Inspector => &self.inspector,
        }
    }

    /// The pictures that are to be seen, each with the area that it takes.
    #[must_use]
    pub fn shown_pictures(&self) -> Vec<(Rect, Arc<Picture>)> {
        if !self.pictures.shown() || !super::layout::is_enough(self.size.0, self.size.1) {
            return Vec::new();
        }
        if let Some(preview) = self.preview() {
            return preview.shown(&self.pictures).into_iter().collect();
        }
        let places = self.pane().pictures();
        let known = places.iter().filter_map(|place| Some((place.area, Arc::clone(self.pictures.at(place)?))));
        known.map(|(area, picture)| (Rect { width: picture.size.0, height: picture.size.1, ..area }, picture)).collect()
    }

    /// The pictures of a video, where they lie over the screen.
    #[must_use]
    pub fn preview(&self) -> Option<&Preview> {
        self.overlays.iter().rev().find_map(|overlay| match overlay {
            Overlay::Preview(preview) => Some(&**preview),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub fn preview_mut(&mut self) -> Option<&mut Preview> {
        self.overlays.iter_mut().rev().find_map(|overlay| match overlay {
            Overlay::Preview(preview) => Some(&mut **preview),
            _ => None,
        })
    }

    /// The same, to take its turn.
    pub fn pane_of_mut(&mut self, screen: Screen) -> &mut dyn Pane {
        match screen {
            Screen::Products => &mut self.products,
            Screen::Projects => &mut self.projects,
            Screen::Steps => &mut self.steps,
            Screen::Videos => &mut self.videos,
            Screen::Webhooks => &mut self.webhooks,
            Screen::Account => &mut self.account,
            Screen::Inspector => &mut self.inspector,
        }
    }

    /// The screen that is shown.
    #[must_use]
    pub fn pane(&self) -> &dyn Pane {
        self.pane_of(self.screen)
    }
}
