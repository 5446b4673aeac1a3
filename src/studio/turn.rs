//! What a screen is told with every turn, and what it answers.

use super::effect::Effect;
use super::films::Film;
use super::model::NoticeKind;
use super::overlays::confirm::Confirm;
use super::overlays::page::Page;
use super::overlays::picker::Picker;
use super::overlays::prompt::Prompt;
use super::screens::Screen;
use super::screens::account::SwitchTo;
use crate::domain::{Project, ProjectId, StoreUrl};

/// What comes of an update: effects for the world, outcomes for the parent. What a screen has to know of the studio to
/// take its turn comes with it.
#[derive(Debug, Default)]
pub struct Turn {
    /// The effects.
    pub effects: Vec<Effect>,
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
    /// Why writing is refused, where it is.
    pub read_only: Option<String>,
    /// Whether there is a connection to ask on.
    pub connected: bool,
    /// Whether ffmpeg is here, which makes pictures of videos.
    pub has_ffmpeg: bool,
    /// Which workspace is worked in: tells what is kept of one from what is kept of another.
    pub workspace: String,
    /// The profile that is open.
    pub profile: String,
    /// The store that is worked in.
    pub store: Option<StoreUrl>,
}

impl Turn {
    /// Says something.
    pub fn say(&mut self, kind: NoticeKind, words: impl Into<String>) {
        self.outcomes.push(Outcome::Notify(kind, words.into()));
    }

    /// Whether something may be written; where not, that is said.
    pub fn may_write(&mut self) -> bool {
        if let Some(why) = &self.read_only {
            let say = format!("Refused: this studio is read-only ({why}). Nothing was changed.");
            self.say(NoticeKind::Warning, say);
            return false;
        }
        true
    }
}

/// What a screen tells its parent.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Say something.
    Notify(NoticeKind, String),
    /// Let the person choose one of these texts to copy.
    Copy(Vec<(&'static str, String)>),
    /// Show the picture of this address on the whole screen.
    Picture(String),
    /// Show the pictures of a film on the whole screen.
    Preview(Box<Film>),
    /// Ask again for pictures that could not be had.
    RetryPictures,
    /// Open an address.
    Address(String),
    /// Let the person choose; the screen is told by [`Choice`].
    Choose(Box<Picker>),
    /// Let the person type a line; the screen is told by [`Choice`].
    Ask(Box<Prompt>),
    /// Let the person decide; the screen is told by [`Choice`].
    Confirm(Box<Confirm>),
    /// Show something to be read.
    Show(Box<Page>),
    /// Leave the studio.
    Quit,
    /// Go to a screen.
    Go(Screen),
    /// Open a project's steps: its id and its name, where that is known.
    OpenProject(ProjectId, String),
    /// Make a new project that holds what this one does.
    NewProject(Box<Project>),
    /// The credential was refused.
    Unauthorized,
    /// Sign in to this profile.
    SignIn(String),
    /// Go to another profile.
    Switch(SwitchTo),
    /// Open the same profile anew.
    Reopen,
    /// Give the profile that is open this name.
    RenameOpen(String),
}

/// What a person chose or typed in what a screen laid over itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The marked entries, where several could be.
    pub marked: Option<Vec<usize>>,
    /// The entry that was chosen.
    pub one: Option<usize>,
    /// What was typed.
    pub typed: Option<String>,
}
