//! What lies over a screen and takes the keys while it does: layers of one shape in one stack.

pub mod help;
mod layer;
pub mod preview;
pub mod signin;

use crate::domain::StoreUrl;
use crate::studio::ground::{Command, Screen, SwitchTo};
use crate::studio::widgets::{Confirm, Page, Picker, Prompt};
use help::Help;
pub use layer::{Came, Layered};
use preview::Preview;
use signin::SignIn;

/// A layer over the screen, and what its answer is for.
#[derive(Debug, Clone)]
pub struct Overlay {
    /// What is seen.
    pub what: What,
    /// What its answer is for.
    pub purpose: Purpose,
}

impl Overlay {
    /// A layer whose answer is for this.
    #[must_use]
    pub fn new(what: What, purpose: Purpose) -> Self {
        Self { what, purpose }
    }

    /// The layer, to be drawn and read.
    #[must_use]
    pub fn layer(&self) -> &dyn Layered {
        match &self.what {
            What::Help(help) => help,
            What::Page(page) => page,
            What::Picker(picker) => picker,
            What::Prompt(prompt) => prompt,
            What::Confirm(confirm) => confirm,
            What::SignIn(sign_in) => &**sign_in,
            What::Preview(preview) => &**preview,
        }
    }

    /// The same, to take what comes to it.
    pub fn layer_mut(&mut self) -> &mut dyn Layered {
        match &mut self.what {
            What::Help(help) => help,
            What::Page(page) => page,
            What::Picker(picker) => picker,
            What::Prompt(prompt) => prompt,
            What::Confirm(confirm) => confirm,
            What::SignIn(sign_in) => &mut **sign_in,
            What::Preview(preview) => &mut **preview,
        }
    }
}

impl From<Page> for Overlay {
    fn from(page: Page) -> Self {
        Self::new(What::Page(page), Purpose::Nothing)
    }
}

/// What lies over the screen.
#[derive(Debug, Clone)]
pub enum What {
    /// Every key and what it does.
    Help(Help),
    /// Text to be read.
    Page(Page),
    /// A list to choose from.
    Picker(Picker),
    /// A line to be typed.
    Prompt(Prompt),
    /// A question with a few answers.
    Confirm(Confirm),
    /// The sign-in.
    SignIn(Box<SignIn>),
    /// The pictures of a video.
    Preview(Box<Preview>),
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Nothing: it is read, or does by itself what it does.
    Nothing,
    /// Run one of these commands, or go to one of these profiles and stores, which come after them.
    Palette(Vec<Command>, Vec<SwitchTo>),
    /// Go to one of these profiles and stores.
    Switch(Vec<SwitchTo>),
    /// Show these colours.
    Theme(Vec<String>),
    /// Work in one of these stores.
    Store(Vec<StoreUrl>),
    /// Put one of these texts on the clipboard.
    Copy(Vec<String>),
    /// Something of a screen's own.
    Screen(Screen),
    /// The file of a recording that ends.
    Recording,
    /// Whether a live profile may be changed.
    LiveWrite,
}
