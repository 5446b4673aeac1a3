//! What lies over a screen and takes the keys while it does: layers of one shape in one stack.

pub mod following;
pub mod help;
mod layer;
pub mod preview;
pub mod signin;

use crate::domain::StoreUrl;
use crate::studio::ground::{Command, SwitchTo, every_screen};
use crate::studio::screens::{self, account};
use crate::studio::shell::sharing::WatcherId;
use crate::studio::widgets::{Answers, Asked, Confirm, Page, Picker, Prompt, Question};
use following::Following;
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

    /// Whether it asks the person to sign in to the profile that is open.
    #[must_use]
    pub fn asks_sign_in(&self) -> bool {
        matches!(&self.what, What::SignIn(sign_in) if sign_in.profile.is_none())
    }

    /// The layer, to be drawn and read.
    #[must_use]
    pub fn layer(&self) -> &dyn Layered {
        match &self.what {
            What::Following(following) => following,
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
            What::Following(following) => following,
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
    /// What may follow keys that begin a chord.
    Following(Following),
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

macro_rules! purposes {
    ($( $screen:ident $name:ident )*) => {
        /// Who asks, with what the answers mean.
        #[derive(Debug, Clone)]
        pub enum Purpose {
            /// Nobody: it is read, or does by itself what it does.
            Nothing,
            /// The studio itself.
            Studio(Answers<Answer>),
            $(
                #[doc = concat!("The ", stringify!($name), " screen.")]
                $name(Answers<screens::$screen::Answer>),
            )*
        }

        $( impl From<Question<screens::$screen::Answer>> for Overlay {
            fn from(question: Question<screens::$screen::Answer>) -> Self {
                let (asked, answers) = question.into_parts();
                Self::new(asked.into(), Purpose::$name(answers))
            }
        } )*
    };
}

every_screen!(purposes);

/// What the questions of the studio itself are answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Run this command.
    Run(Command),
    /// Go to the screen where this command is.
    Elsewhere(Command),
    /// Run the program of the person's own at this place.
    Own(usize),
    /// Run this program, of this title, that was asked about.
    RunOwn(String, Vec<String>),
    /// Do nothing.
    Leave,
    /// Go to this profile and store.
    Switch(SwitchTo),
    /// Show these colors.
    Theme(String),
    /// Work in this store.
    Store(StoreUrl),
    /// Work in the store that is typed, which may be one of these.
    OtherStore(Vec<StoreUrl>),
    /// Put this text on the clipboard.
    Copy(String),
    /// Whether somebody may watch.
    Admit(WatcherId, bool),
    /// Let them press keys.
    GiveKeys(WatcherId),
    /// Save the recording to the file that is typed.
    SaveRecording,
    /// Whether a live profile may be changed.
    Write(account::WriteAnswer),
}

impl From<Question<Answer>> for Overlay {
    fn from(question: Question<Answer>) -> Self {
        let (asked, answers) = question.into_parts();
        Self::new(asked.into(), Purpose::Studio(answers))
    }
}

impl From<Asked> for What {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Picker(picker) => Self::Picker(picker),
            Asked::Prompt(prompt) => Self::Prompt(*prompt),
            Asked::Confirm(confirm) => Self::Confirm(confirm),
        }
    }
}
