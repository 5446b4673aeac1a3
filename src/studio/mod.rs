//! The studio: an Elm-style core. [`update`] takes what happened and answers with effects, [`view`] draws the model;
//! neither touches the world.

mod command;
pub mod effect;
pub mod event;
pub mod films;
mod keys;
mod layout;
mod model;
mod overlays;
mod pane;
pub mod pictures;
mod reading;
mod remote;
mod resume;
mod screens;
mod signing;
#[cfg(test)]
mod tests;
mod turn;
pub mod twin;
mod update;
mod view;
mod widgets;

pub use command::Command;
pub use keys::{Keymap, Layer};
pub use model::{Begin, Credential, Model};
pub use reading::reading;
pub use remote::Remote;
pub use resume::{Left, left};
pub use screens::account::{KnownProfile, SwitchTo};
pub use screens::products::{Change, Facets, Memory, Query, Row, Seen, description_lines};
pub use screens::{account, inspector, projects, steps, videos, webhooks};
pub use update::update;
pub use view::view;
pub use widgets::Ink;
pub use widgets::chooser::{FolderEntry, FolderList};
pub use widgets::graph as canvas;
pub use widgets::qr::Code as QrCode;
