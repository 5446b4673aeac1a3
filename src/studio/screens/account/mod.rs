//! The Account screen: who is signed in, and the profiles with their stores.

mod form;
mod pane;
mod requests;
mod update;
mod view;
mod vocabulary;

use ratatui::layout::Rect;

use crate::studio::ground::{Remote, Spot};
use crate::studio::widgets::Select;
use form::Form;

pub use vocabulary::{Answer, Effect, Event, KnownProfile, SignInStep, Way, WriteAnswer};

/// The screen.
#[derive(Debug, Clone)]
pub struct Account {
    /// The profiles, in the order of their names.
    pub profiles: Select<KnownProfile>,
    /// What the key of a guest is called.
    pub guest: Option<String>,
    /// The profile that is open.
    pub current: String,
    /// Where the credential in use came from, in words.
    pub credential: Option<String>,
    /// Why writing is refused, where it is.
    pub read_only: Option<String>,
    /// The address that was given at the start, where the profiles don't say it.
    pub in_use: Option<String>,
    who: Remote<String>,
    /// Whether the service refused the credential when it was asked who that is.
    is_refused: bool,
    form: Option<Form>,
    /// Whether the open profile was changed since it was opened.
    is_changed: bool,
    area: Rect,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            profiles: Select::default(),
            guest: None,
            current: String::new(),
            credential: None,
            read_only: None,
            in_use: None,
            who: Remote::Idle,
            is_refused: false,
            form: None,
            is_changed: false,
            area: Rect::ZERO,
        }
    }
}

impl Account {
    /// Takes away who is signed in.
    fn veil_who(&mut self) {
        if self.who.known().is_some() {
            self.who = Remote::Ready("hidden".to_owned());
        }
        if self.guest.is_some() {
            self.guest = Some("hidden".to_owned());
        }
    }

    /// The screen of an open profile among those that there are.
    #[must_use]
    pub fn new(
        current: &str,
        credential: Option<String>,
        read_only: Option<String>,
        profiles: Vec<KnownProfile>,
    ) -> Self {
        let mut account = Self { current: current.to_owned(), credential, read_only, ..Self::default() };
        account.take_profiles(profiles);
        account
    }

    /// Where the person is.
    #[must_use]
    pub fn here(&self) -> Spot {
        let id = self.chosen_profile().map(|known| known.name.clone());
        Spot { id, row: self.profiles.selected(), ..Spot::default() }
    }

    /// Goes where the person was.
    pub fn take_up(&mut self, left: &Spot) {
        let at = self.profiles.rows().iter().position(|known| Some(&known.name) == left.id.as_ref());
        if let Some(at) = at {
            self.profiles.go_to(at);
        }
    }

    fn chosen_profile(&self) -> Option<&KnownProfile> {
        self.profiles.current()
    }

    fn rows(&self) -> usize {
        usize::from(view::list_area(self.area).height.saturating_sub(2))
    }
}
