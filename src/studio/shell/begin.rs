//! What is known when the studio starts.

use std::borrow::Cow;
use std::sync::Arc;

use super::resume::Left;
use super::twin::Deeds;
use crate::domain::StoreUrl;
use crate::settings::{FileFault, Graphics, Theme};
use crate::studio::ground::{Keymap, Zone};
use crate::studio::screens::account::KnownProfile;
use crate::studio::screens::products::Memory;

/// How somebody came who works in another person's workspace, over its server of SSH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestOf {
    /// What their key is called.
    pub name: String,
    /// The port of the server.
    pub port: u16,
}

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
    /// What in them holds, but maybe not as it was meant.
    pub notes: Vec<FileFault>,
    /// What else has to be said at the start.
    pub warnings: Vec<String>,
    /// Whether the terminal has only ASCII.
    pub ascii: bool,
    /// Whether addresses can be opened here; else they are shown.
    pub opens_addresses: bool,
    /// What `ssh` is told to come here by, where the session came that way: `-p 2222 me@203.0.113.7`.
    pub ssh: Option<String>,
    /// How a guest came, where it is one.
    pub guest: Option<GuestOf>,
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
    /// The time zone that the person reads times in.
    pub zone: Zone,
    /// What was done before, in the studio of another profile: a recording goes on.
    pub deeds: Deeds,
}

impl Begin {
    /// Puts in the keys that a sentence names.
    pub(super) fn name_keys(&self, words: &mut String) {
        if let Cow::Owned(said) = self.keymap.in_words(words, self.ascii) {
            *words = said;
        }
    }
}

/// Where the credential came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// There is none.
    None,
    /// From here, in the words of the status line.
    From(String),
}
