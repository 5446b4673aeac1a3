//! What belongs to no screen.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::begin::Begin;
use super::event::Connected;
use super::notices::Notices;
use super::resume::Left;
use super::sharing::Sharing;
use super::twin::Deeds;
use super::typing::Typing;
use crate::domain::{StoreUrl, Veil};
use crate::settings::Theme;
use crate::studio::ground::{Moment, Remote, Requests, Screen, Wanted};
use crate::studio::widgets::pictures::Pictures;
use crate::studio::widgets::{Awaited, Ink};

/// What is known of a service that says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silence {
    /// Since when requests have been on their way without any answer.
    pub(super) since: Option<Moment>,
    /// Whether the studio is to be woken to look at the clock.
    pub(super) ticks: bool,
    /// Whether it was said that the service is gone, after its last answer.
    pub(super) told: bool,
}

impl Silence {
    /// So many requests are on their way after one of them began or ended, with an answer or without one.
    pub(super) fn hear(&mut self, in_flight: usize, answered: bool, now: Moment) {
        self.told &= !answered;
        self.since = match self.since {
            _ if in_flight == 0 => None,
            Some(since) if !answered => Some(since),
            _ => Some(now),
        };
    }
}

/// What is on its way to the terminal's clipboard, as far as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// What nobody may read.
    Secret,
    /// The address of a sign-in, which its owner may read and people who watch may not.
    SignIn(String),
    /// A text.
    Text(String),
}

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
    /// Whether the person chose the theme.
    pub theme_chosen: bool,
    /// The titles of the person's own programs that run.
    pub programs: BTreeSet<String>,
    /// Whether the last request got no answer.
    pub lost: bool,
    /// For how long it has said nothing.
    pub silence: Silence,
    /// What was said.
    pub notices: Notices,
    /// The pictures.
    pub pictures: Pictures,
    /// Counts what is asked for.
    pub requests: Requests,
    /// What is on its way and still wanted.
    pub wanted: Wanted,
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
    /// What is on its way to the clipboard.
    pub sent: Sent,
    /// Where the studio was when that was kept last, and whether it is to be woken to keep it again.
    pub session: (Option<Box<Left>>, bool),
    /// What is typed where no journal has it.
    pub typing: Typing,
    /// Who it is shown to.
    pub sharing: Sharing,
    /// What hides what is not for whoever watches: of their copies only.
    pub veil: Option<Arc<Veil>>,
    /// Whether it is over.
    pub over: bool,
}

impl Shell {
    /// What is known at the start.
    #[must_use]
    pub fn new(mut begin: Begin) -> Self {
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
            theme_chosen: false,
            programs: BTreeSet::new(),
            lost: false,
            silence: Silence::default(),
            notices: Notices::default(),
            pictures: Pictures::default(),
            requests: Requests::default(),
            wanted: Wanted::default(),
            film_open: false,
            warned_unkept: false,
            warned_recording: false,
            drafts_told: false,
            awaited_open: None,
            counting: false,
            sent: Sent::Secret,
            session: (None, false),
            typing: Typing::default(),
            sharing: Sharing::default(),
            veil: None,
            over: false,
        }
    }

    /// What everything is drawn with.
    #[must_use]
    pub fn ink(&self) -> Ink<'_> {
        Ink {
            veil: self.veil.as_deref(),
            awaited: self.service(),
            keymap: Some(&self.begin.keymap),
            ..Ink::new(&self.theme, self.begin.ascii)
        }
    }

    /// The service, as the person knows it.
    #[must_use]
    pub fn service(&self) -> Awaited<'_> {
        let base = self.connection.known().map(|connected| connected.base.as_str());
        match base {
            None => Awaited::Service,
            Some(_) if self.begin.guest.is_some() => Awaited::Host("this server"),
            Some("local") => Awaited::Host("the local workspace"),
            Some(base) => {
                let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
                let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
                Awaited::Host(host.rsplit('@').next().unwrap_or(host))
            }
        }
    }
}
