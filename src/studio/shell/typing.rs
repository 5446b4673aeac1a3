//! What is being typed into a question or a form of a screen that has no journal. It is kept with the place where the studio
//! is: after a crash the same question begins with it.

use serde::{Deserialize, Serialize};

/// The longest text that is kept, bytes.
const MOST: usize = 4_000;

/// Half-typed text, and where it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Typed {
    /// The screen's title.
    pub screen: String,
    /// What is asked for.
    pub title: String,
    /// What was typed so far.
    pub text: String,
}

impl Typed {
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.screen == other.screen && self.title == other.title
    }
}

/// What is typed now, and what was when an earlier studio ended.
#[derive(Debug, Clone, Default)]
pub struct Typing {
    /// With what it said before anything was typed.
    pub(super) open: Option<(Typed, String)>,
    /// Until the same is asked for again.
    pub(super) earlier: Option<Typed>,
}

impl Typing {
    /// What is to be kept. No addresses of people: those are forgotten where they are asked to be, and this is not searched.
    #[must_use]
    pub(super) fn kept(&self) -> Option<Typed> {
        let open = self.open.as_ref().filter(|(typed, before)| typed.text != *before).map(|(typed, _)| typed);
        let may_stay = |typed: &&Typed| !typed.text.is_empty() && typed.text.len() <= MOST && !typed.text.contains('@');
        open.or(self.earlier.as_ref()).filter(may_stay).cloned()
    }
}
