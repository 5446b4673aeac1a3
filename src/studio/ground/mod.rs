//! What every screen stands on and what needs no screen: time, requests, commands and their keys.

mod command;
mod context;
mod failure;
mod hint;
mod keys;
mod layer;
pub mod layout;
mod mouse;
mod notice;
mod remote;
mod request;
pub mod saver;
mod screen;
mod spot;
mod switch;
mod time;
mod waiting;

pub use command::Command;
pub use context::Context;
pub use failure::Failure;
pub use hint::Hint;
pub use keys::{Found, Keymap, Target};
pub use layer::Layer;
pub use mouse::{Mouse, MouseAction};
pub use notice::NoticeKind;
pub use remote::{Remote, stopped};
pub use request::{Answers, Asks, RequestId, Requests, Unanswered, Wanted};
pub use screen::Screen;
pub(in crate::studio) use screen::every_screen;
pub use spot::Spot;
pub use switch::SwitchTo;
pub use time::{Alarm, Clock, Moment, SILENT_MS, Zone};
pub use waiting::Waiting;
