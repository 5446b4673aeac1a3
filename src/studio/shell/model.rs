//! The studio's state.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::begin::Begin;
use super::overlays::preview::Preview;
use super::overlays::{Overlay, What};
use super::screen::AnyScreen;
use super::screens::Screens;
use super::state::Shell;
use super::twin::Clerk;
use crate::studio::ground::layout::Frame;
<<<<<<< HEAD
use crate::studio::ground::{Hint, Layer, Remote};
use crate::studio::widgets::pictures::Picture;
=======
use crate::studio::ground::{Hint, Layer, Moment, Remote, RequestId, Screen};
use crate::studio::screens::account::Account;
use crate::studio::screens::inspector::Inspector;
use crate::studio::screens::products::Products;
use crate::studio::screens::projects::Projects;
use crate::studio::screens::steps::Steps;
use crate::studio::screens::videos::Videos;
use crate::studio::screens::webhooks::Webhooks;
use crate::studio::widgets::Ink;
use crate::studio::widgets::pictures::{Picture, Pictures};

/// What belongs to no screen.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the studio")]
pub struct Shell {
    /// What was known at the start.
    pub begin: Begin,
    /// The screen's size in cells.
    pub size: (u16, u16),
    /// The time, as the last event said it.
    pub now: Moment,
    /// The colours.
    pub theme: Arc<Theme>,
    /// The store that is worked in.
    pub store: Option<StoreUrl>,
    /// The service.
    pub connection: Remote<Connected>,
    /// How far the service is with being made ready: what, done, of how many.
    pub prepared: Option<(String, u64, u64)>,
    /// Requests on their way.
    pub in_flight: usize,
    /// How long the last one took, milliseconds.
    pub round_trip_ms: Option<u64>,
    /// How long the way to the terminal and back takes, milliseconds; `None` where nobody would notice.
    pub link_ms: Option<u64>,
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
}

impl Shell {
    fn new(mut begin: Begin) -> Self {
        Self {
            theme: Arc::clone(&begin.theme),
            greeting: begin.first_start,
            deeds: std::mem::take(&mut begin.deeds),
            begin,
            size: (0, 0),
            now: Moment::default(),
            store: None,
            connection: Remote::Idle,
            prepared: None,
            in_flight: 0,
            round_trip_ms: None,
            link_ms: None,
            lost: false,
            notices: Notices::default(),
            pictures: Pictures::default(),
            awaited_picture: None,
            picture_requests: 0,
            film_open: false,
            warned_unkept: false,
            warned_recording: false,
            drafts_told: false,
            awaited_open: None,
            counting: false,
            session: (None, false),
            over: false,
        }
    }

    /// What everything is drawn with.
    #[must_use]
    pub fn ink(&self) -> Ink<'_> {
        Ink { theme: &self.theme, ascii: self.begin.ascii }
    }
}

/// The screens.
#[derive(Debug, Clone)]
pub struct Screens {
    /// The one that is shown.
    pub shown: Screen,
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

impl Screens {
    fn new(begin: &Begin) -> Self {
        let left = begin.resume.clone().unwrap_or_default();
        let credential = match &begin.credential {
            Credential::None => None,
            Credential::From(source) => Some(source.clone()),
        };
        Self {
            shown: left.screen().unwrap_or_default(),
            products: Products::remembering(begin.memory.clone()),
            projects: Projects::default(),
            steps: Steps::preferring(left.outline, left.places),
            videos: Videos::default(),
            webhooks: Webhooks::default(),
            account: Account::new(&begin.profile, credential, begin.read_only.clone(), begin.profiles.clone()),
            inspector: Inspector::default(),
        }
    }

    /// A screen as its parent sees it.
    #[must_use]
    pub fn of(&self, screen: Screen) -> &dyn AnyScreen {
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

    /// The same, to take its turn.
    pub fn of_mut(&mut self, screen: Screen) -> &mut dyn AnyScreen {
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
}
>>>>>>> 6578424 (Pace frames by what the terminal answers)

/// The studio's state.
#[derive(Debug, Clone)]
pub struct Model {
    /// What belongs to no screen.
    pub shell: Shell,
    /// The screens.
    pub screens: Screens,
    /// What lies over the screen that is shown, the uppermost last.
    pub layers: Vec<Overlay>,
    /// Who sees what is asked for and hears what comes of it.
    pub clerk: Clerk,
}

impl Model {
    /// The state at the start: nothing asked, nothing known.
    #[must_use]
    pub fn new(begin: Begin) -> Self {
        Self { screens: Screens::new(&begin), shell: Shell::new(begin), layers: Vec::new(), clerk: Clerk::default() }
    }

    /// Where things stand.
    #[must_use]
    pub fn frame(&self) -> Frame {
        Frame::of(self.shell.size.0, self.shell.size.1)
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
        self.shell.greeting && !matches!(self.shell.connection, Remote::Failed { .. })
    }

    /// Lays something over the screen.
    pub fn lay_over(&mut self, overlay: impl Into<Overlay>) {
        let mut overlay = overlay.into();
        overlay.layer_mut().resize(self.shell.size.0, self.shell.size.1);
        self.layers.push(overlay);
    }

    /// Whether plain characters are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.layers.last().map_or_else(|| self.pane().is_typing(), |overlay| overlay.layer().is_typing())
    }

    /// Whether every character is text now.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.layers.last().map_or_else(|| self.pane().takes_text(), |overlay| overlay.layer().is_typing())
    }

    /// What can be done now, in the words of whatever owns the keys.
    #[must_use]
    pub fn hints(&self) -> &'static [Hint] {
        self.layers.last().map_or_else(|| self.pane().hints(), |overlay| overlay.layer().hints())
    }

    /// The layers that read a key now, the first that knows it wins.
    #[must_use]
    pub fn layers(&self) -> [Layer; 2] {
        match self.layers.last() {
            _ if self.is_typing() => [Layer::Text; 2],
            Some(overlay) => overlay.layer().keys(),
            None => [Layer::Global, self.pane().layer()],
        }
    }

    /// The pictures that are to be seen, each with the area that it takes.
    #[must_use]
    pub fn shown_pictures(&self) -> Vec<(Rect, Arc<Picture>)> {
        if !self.shell.pictures.shown()
            || !crate::studio::ground::layout::is_enough(self.shell.size.0, self.shell.size.1)
        {
            return Vec::new();
        }
        if let Some(preview) = self.preview() {
            return preview.shown(&self.shell.pictures).into_iter().collect();
        }
        let places = self.pane().pictures();
        let known = places.iter().filter_map(|place| Some((place.area, Arc::clone(self.shell.pictures.at(place)?))));
        known.map(|(area, picture)| (Rect { width: picture.size.0, height: picture.size.1, ..area }, picture)).collect()
    }

    /// The pictures of a video, where they lie over the screen.
    #[must_use]
    pub fn preview(&self) -> Option<&Preview> {
        self.layers.iter().rev().find_map(|overlay| match &overlay.what {
            What::Preview(preview) => Some(&**preview),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub fn preview_mut(&mut self) -> Option<&mut Preview> {
        self.layers.iter_mut().rev().find_map(|overlay| match &mut overlay.what {
            What::Preview(preview) => Some(&mut **preview),
            _ => None,
        })
    }

    /// The screen that is shown.
    #[must_use]
    pub fn pane(&self) -> &dyn AnyScreen {
        self.screens.of(self.screens.shown)
    }
}
