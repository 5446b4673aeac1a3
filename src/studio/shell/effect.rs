//! What the world should do. Inert data: a driver in `runtime` carries it out.

use std::sync::Arc;

use super::event::Event;
use super::resume::Left;
use super::sharing::{self, WatcherId};
use crate::settings::{Depth, Graphics};
use crate::studio::ground::{Alarm, Asks, RequestId, Unanswered, every_screen};
use crate::studio::screens;
use crate::studio::screens::turn::ScreenEffect;
use crate::studio::widgets::films::Film;
use crate::studio::widgets::pictures::Wanted;

macro_rules! effects {
    ($( $screen:ident $name:ident )*) => {
        /// One thing the world should do.
        #[must_use]
        #[derive(Debug, Clone, PartialEq)]
        pub enum Effect {
            /// Connect to the service of the profile.
            Connect,
            /// These pictures are wanted now, the most wanted first, and no others.
            Pictures {
                /// Which, and how large.
                wanted: Vec<Wanted>,
                /// In which form.
                graphics: Graphics,
                /// Pixels of a cell, across and down.
                cell: (u16, u16),
            },
            /// Somebody looks at the pictures of a film: what is known of it is asked for.
            OpenFilm(Arc<Film>),
            /// Nobody looks at the pictures of a film any more: what was fetched of it is let go.
            CloseFilm,
            /// The reply is no longer wanted.
            Cancel(RequestId),
            /// Put text on the terminal's clipboard.
            CopyText(String),
            /// Put a secret on the terminal's clipboard: what shows what is copied must not show it.
            CopySecret(String),
            /// Put the address of a sign-in on the terminal's clipboard: people who watch must not read it.
            CopySignIn(String),
            /// Tell the person's desktop something, where the terminal passes it on; the words are harmless already.
            TellDesktop(String),
            /// Open an address with what the system has for it.
            OpenAddress(String),
            /// Wake the model.
            Wake {
                /// Why.
                alarm: Alarm,
                /// In so many milliseconds.
                after_ms: u64,
            },
            /// Read a theme.
            ReadTheme(String),
            /// Read a theme for so many colors, and every one from now on.
            UseColors {
                /// How many.
                depth: Depth,
                /// The theme.
                theme: String,
            },
            /// Paint everything again.
            Repaint,
            /// Hand the terminal back to the shell until it is brought back.
            Suspend,
            /// Let the person change a text in the editor of their choice.
            EditText(String),
            /// Save a recording as a script that can be run, under this name or a fresh one like it.
            SaveScript {
                /// The file, as the person typed it.
                file: String,
                /// What it holds.
                script: String,
            },
            /// Run a program of the person's own, without a shell.
            RunProgram {
                /// What it is called.
                title: String,
                /// The program and its arguments.
                run: Vec<String>,
            },
            /// Keep where the studio is, for the next start.
            KeepSession(Box<Left>),
            /// Look for drafts that were left in a workspace.
            FindDrafts(String),
            /// Make a code by which somebody can watch.
            Share,
            /// Let somebody in who waits to watch, or send them away.
            Admit(WatcherId, bool),
            /// Send away whoever watches, and make the code void.
            Unshare,
            /// End.
            Quit,
            $(
                #[doc = concat!("Something for the ", stringify!($name), " screen.")]
                $name(screens::$screen::Effect),
            )*
        }

        $( impl From<screens::$screen::Effect> for Effect {
            fn from(effect: screens::$screen::Effect) -> Self {
                Self::$name(effect)
            }
        } )*

        impl Asks for Effect {
            type Event = Event;

            fn request(&self) -> Option<RequestId> {
                match self {
                    $( Self::$name(effect) => effect.request(), )*
                    _ => None,
                }
            }

            fn after_ms(&self) -> u64 {
                match self {
                    $( Self::$name(effect) => effect.after_ms(), )*
                    _ => 0,
                }
            }

            fn unanswered(&self, why: &Unanswered) -> Option<Event> {
                match self {
                    $( Self::$name(effect) => effect.unanswered(why).map(Into::into), )*
                    own => own.own_unanswered(why),
                }
            }
        }
    };
}

every_screen!(effects);

impl Effect {
    /// What is told where an effect that is no screen's has no answer.
    fn own_unanswered(&self, why: &Unanswered) -> Option<Event> {
        Some(match self {
            Self::Connect => Event::ConnectFailed(why.failure()),
            Self::OpenAddress(_) => Event::AddressOpened(Err(why.words())),
            Self::Share => Event::Sharing(sharing::Event::Offered(Err(why.words()))),
            Self::SaveScript { .. } => Event::ScriptSaved(Err(why.clause())),
            Self::RunProgram { title, .. } => Event::ProgramEnded { title: title.clone(), ended: Err(why.words()) },
            Self::EditText(_) => Event::TextEdited(Err(why.words())),
            _ => return None,
        })
    }
}

impl<E> From<ScreenEffect<E>> for Effect
where
    Self: From<E>,
{
    fn from(effect: ScreenEffect<E>) -> Self {
        match effect {
            ScreenEffect::Own(effect) => effect.into(),
            ScreenEffect::Cancel(request) => Self::Cancel(request),
            ScreenEffect::Wake { alarm, after_ms } => Self::Wake { alarm, after_ms },
            ScreenEffect::CopyText(text) => Self::CopyText(text),
            ScreenEffect::CopySecret(secret) => Self::CopySecret(secret),
            ScreenEffect::EditText(text) => Self::EditText(text),
            ScreenEffect::TellDesktop(words) => Self::TellDesktop(words),
        }
    }
}
