//! What lies over a screen and takes the keys while it does.

pub mod help;
pub mod preview;
pub mod signin;

use crate::domain::StoreUrl;
use crate::studio::ground::{Command, Screen, SwitchTo};
use crate::studio::widgets::{Confirm, Page, Picker, Prompt};
use help::Help;
use preview::Preview;
use signin::SignIn;

/// What lies over the screen.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Every key and what it does.
    Help(Help),
    /// Text to be read.
    Page(Page),
    /// A list to choose from, and what the choice is for.
    Picker(Picker, Purpose),
    /// A line to be typed, and what it is for.
    Prompt(Prompt, Asker),
    /// A question with a few answers, for a screen.
    Confirm(Confirm, Screen),
    /// The sign-in.
    SignIn(Box<SignIn>),
    /// Whether a live profile may be changed.
    LiveWrite(Confirm),
    /// The pictures of a video.
    Preview(Box<Preview>),
}

/// Who asked for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A screen.
    Screen(Screen),
    /// The end of a recording: the script's file.
    Recording,
}

/// What a choice is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
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
}
