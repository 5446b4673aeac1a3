//! What a screen has to know of the studio to take its turn.

use std::sync::Arc;

use super::{Keymap, Requests, Screen};
use crate::domain::{ProjectId, StoreUrl};

/// Where a screen takes its turn.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Why writing is refused, where it is.
    pub read_only: Option<String>,
    /// Whether there is a connection to ask on.
    pub connected: bool,
    /// Whether ffmpeg is here, which makes pictures of videos.
    pub has_ffmpeg: bool,
    /// Which workspace is worked in: tells what is kept of one from what is kept of another.
    pub workspace: String,
    /// The screen that the person looks at, where nothing lies over it.
    pub looked_at: Option<Screen>,
    /// The profile that is open.
    pub profile: String,
    /// The store that is worked in.
    pub store: Option<StoreUrl>,
    /// The project whose steps are open.
    pub project: Option<ProjectId>,
    /// What `ssh` is told to come here by, where the session came that way: `-p 2222 me@203.0.113.7`.
    pub ssh: Option<String>,
    /// The port of the server of SSH that a guest came by.
    pub guest_port: Option<u16>,
    /// The keys that are bound.
    pub keymap: Arc<Keymap>,
    /// Counts what is asked for in the turn.
    pub requests: Requests,
}
