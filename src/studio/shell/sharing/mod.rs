//! A studio that is shown to others: who watches, who has the keys, and what is pointed at. Nothing is shared until the
//! person asks for a code, and whoever watches sees a copy of the model that `shell/watched.rs` makes: read-only, in their
//! own size, without secrets and with personal data hidden.

mod bar;
mod ring;

use std::collections::VecDeque;

use crate::domain::ShareCode;
use crate::studio::ground::{Command, Screen};

pub(super) use bar::{draw_hints, status};
pub(super) use ring::draw as draw_ring;
pub use ring::{Direction, Runs};

/// Whoever watches, or wants to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatcherId(pub u64);

/// Whether somebody who watches may press keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Never: they came in by a key that may only read.
    Never,
    /// Not now; the owner can give them.
    WithOwner,
    /// For as long as the owner leaves them.
    Given,
}

/// Somebody who watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watcher {
    /// Which one.
    pub id: WatcherId,
    /// What they are called, harmless already.
    pub name: String,
    /// Whether they may press keys.
    pub keys: Keys,
    /// Whether they asked for the keys, and got no answer yet.
    pub asks: bool,
}

/// What is pointed at: a stretch of text, as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The text.
    pub text: String,
    /// Which one of those that say the same, in reading order.
    pub nth: usize,
}

/// What happened to a studio that is shared.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// There is a code, or there can be none.
    Offered(Result<ShareCode, String>),
    /// Nobody can use the code any more, though nobody did.
    Closed(ShareCode),
    /// Somebody used the code whose key is not registered for this workspace: the owner decides.
    Knocked {
        /// Who.
        id: WatcherId,
        /// The code that they used.
        code: ShareCode,
        /// What they are called.
        name: String,
        /// Their key's fingerprint.
        fingerprint: String,
    },
    /// Somebody watches from now on.
    Joined {
        /// Who.
        id: WatcherId,
        /// The code that they used.
        code: ShareCode,
        /// What they are called.
        name: String,
        /// Whether they may be given the keys.
        may_have_keys: bool,
    },
    /// Somebody has left, or went away before they were let in.
    Left(WatcherId),
    /// Somebody who watches points at something, or at nothing any more.
    Pointed(WatcherId, Option<Mark>),
    /// They would like to have the keys.
    AskedForKeys(WatcherId),
    /// They pressed a key.
    Pressed(WatcherId, crate::settings::Key),
    /// They pasted a text.
    Pasted(WatcherId, String),
}

/// What is shared, with whom.
#[derive(Debug, Clone, Default)]
pub struct Sharing {
    /// The code that was not used yet.
    pub code: Option<ShareCode>,
    /// Whether a code is being made.
    pub asked: bool,
    /// Who watches, in the order in which they came.
    pub watchers: Vec<Watcher>,
    /// Who wants to: name and fingerprint. The first is asked about.
    pub knocking: VecDeque<(WatcherId, String, String)>,
    /// What is pointed at, by whom, and on which screen.
    pub pointed: Option<(WatcherId, Mark, Screen)>,
    /// Whose key is being taken; the owner's without.
    pub hand: Option<WatcherId>,
    /// Whose copy this is; the owner's own model without.
    pub seat: Option<WatcherId>,
}

impl Sharing {
    /// Whether anybody watches or could.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.code.is_some() || !self.watchers.is_empty()
    }

    /// Who has the keys.
    #[must_use]
    pub fn holder(&self) -> Option<&Watcher> {
        self.watchers.iter().find(|watcher| watcher.keys == Keys::Given)
    }

    /// Somebody who watches.
    #[must_use]
    pub fn watcher(&self, id: WatcherId) -> Option<&Watcher> {
        self.watchers.iter().find(|watcher| watcher.id == id)
    }

    /// Takes the keys back; from whom.
    pub fn take_keys(&mut self) -> Option<String> {
        let holder = self.watchers.iter_mut().find(|watcher| watcher.keys == Keys::Given)?;
        holder.keys = Keys::WithOwner;
        Some(holder.name.clone())
    }
}

/// Commands that are the owner's alone beside those on files and on profiles.
const OWNERS: &[Command] = &[
    Command::StepsEditor,
    Command::StepsTakeOver,
    Command::Copy,
    Command::WebhookSecret,
    Command::WebhookListen,
    Command::Suspend,
    Command::Quit,
    Command::FullPicture,
    Command::Share,
    Command::ShareKeys,
    Command::ShareEnd,
];

/// Whether a command is the owner's alone, whoever has the keys: it touches the machine, its files, secrets, the sign-in,
/// or the sharing itself.
#[must_use]
pub fn is_owners(command: Command) -> bool {
    [Command::ON_FILES, Command::ON_PROFILES, OWNERS].into_iter().any(|commands| commands.contains(&command))
}
