//! What happened, in the past tense.

use std::sync::Arc;

use crate::domain::StoreUrl;
use crate::settings::{Depth, FileFault, Graphics, Key};
pub use crate::studio::ground::{Alarm, Failure, Moment, Mouse, MouseAction, RequestId, Requests, Waiting};
use crate::studio::ground::{Answers, every_screen};
use crate::studio::screens;
use crate::studio::widgets::films::{Film, FilmFacts};
use crate::studio::widgets::pictures::{Picture, PictureFault, Wanted};

macro_rules! events {
    ($( $screen:ident $name:ident )*) => {
        /// What happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            /// A key was pressed.
            Pressed(Key),
            /// Text was pasted.
            Pasted(String),
            /// A line was entered in plain mode.
            Entered(String),
            /// The mouse did something.
            Mouse(Mouse),
            /// The screen has this size now.
            Resized {
                /// Cells across.
                width: u16,
                /// Cells down.
                height: u16,
            },
            /// The service can be talked to.
            Connected(Connected),
            /// It can't.
            ConnectFailed(Failure),
            /// The service is being made ready: so much of so much is done.
            Prepared {
                /// What is done, for people.
                what: String,
                /// How many are done.
                done: u64,
                /// Of how many.
                of: u64,
            },
            /// The terminal said how it shows pictures.
            GraphicsKnown {
                /// The way.
                graphics: Graphics,
                /// Pixels of a cell, across and down.
                cell: (u16, u16),
            },
            /// A picture arrived, or can't be had.
            PictureArrived {
                /// Which was wanted.
                wanted: Wanted,
                /// The picture.
                picture: Result<Arc<Picture>, PictureFault>,
            },
            /// A film was looked into.
            FilmLearned {
                /// Which one.
                film: Arc<Film>,
                /// What was learned.
                facts: FilmFacts,
            },
            /// A video is being fetched, for its pictures.
            FilmFetched {
                /// Which one.
                film: Arc<Film>,
                /// Bytes that are here.
                done: u64,
                /// Of how many, where the host tells.
                of: Option<u64>,
            },
            /// Requests went out or came back.
            Traffic {
                /// On their way now.
                in_flight: usize,
                /// How long the last one took, milliseconds.
                round_trip_ms: Option<u64>,
                /// Whether one that ended just now got no answer; `None` where none ended.
                lost: Option<bool>,
            },
            /// The way to the terminal and back was measured.
            LinkMeasured {
                /// How long it takes, milliseconds.
                round_trip_ms: u64,
            },
            /// Text was handed to the terminal's clipboard; how many bytes.
            Copied(usize),
            /// The terminal is not known to have a clipboard: nothing was sent to it.
            NoClipboard,
            /// An address was handed to the system, or could not be.
            AddressOpened(Result<(), String>),
            /// The time that was asked for has come.
            Woke(Alarm),
            /// A text came back from the editor, or why it did not.
            TextEdited(Result<String, String>),
            /// A recording was saved to this file, or why it was not.
            ScriptSaved(Result<String, String>),
            /// A program of the person's own ended.
            ProgramEnded {
                /// What it is called.
                title: String,
                /// What it said last, or why it failed.
                ended: Result<String, String>,
            },
            /// Drafts were left in this workspace.
            DraftsFound(Vec<Waiting>),
            /// A file of drafts can't be read, and not even what it is of; this is its name.
            DraftUnreadable(String),
            /// The program came back from the shell.
            Resumed,
            /// The program goes on though the shell has the terminal.
            InBackground,
            /// The terminal said what its background is like: this theme fits it.
            ThemeFits(String),
            /// The terminal said that it shows more colors than was known.
            ColorsFound {
                /// How many.
                depth: Depth,
                /// The theme that fits them, where none was chosen.
                theme: Option<String>,
            },
            /// The theme was read.
            ThemeRead {
                /// The theme.
                theme: Arc<crate::settings::Theme>,
                /// What is wrong in its file.
                faults: Vec<FileFault>,
            },
            /// Something inside the program failed that never should; for people, with what to do.
            Broke(String),
            /// Something happened to a studio that is shared.
            Sharing(super::sharing::Event),
            /// The person's choices could not be kept.
            NotKept(String),
            $(
                #[doc = concat!("Something happened that concerns the ", stringify!($name), " screen.")]
                $name(screens::$screen::Event),
            )*
        }

        impl Answers for Event {
            fn request(&self) -> Option<RequestId> {
                match self {
                    $( Self::$name(event) => event.request(), )*
                    _ => None,
                }
            }

            fn goes_on(&self) -> bool {
                match self {
                    $( Self::$name(event) => event.goes_on(), )*
                    _ => false,
                }
            }
        }

        $( impl From<screens::$screen::Event> for Event {
            fn from(event: screens::$screen::Event) -> Self {
                Self::$name(event)
            }
        } )*
    };
}

every_screen!(events);

/// A service that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// Its address.
    pub base: String,
    /// The store to begin in.
    pub store: Option<StoreUrl>,
    /// The stores that are known.
    pub stores: Vec<StoreUrl>,
}
