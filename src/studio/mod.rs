//! The studio: an Elm-style core. [`update`] takes what happened and answers with effects, [`view`] draws the model;
//! neither touches the world. From the ground up: `ground`, `widgets`, `screens`, `shell`.

mod ground;
mod screens;
mod shell;
#[cfg(test)]
mod tests;
mod widgets;

pub use ground::saver::{Ask, Reply};
pub use ground::{Asks, Command, Keymap, Layer, Remote, SwitchTo, Unanswered};
pub use screens::account::KnownProfile;
pub use screens::products::{Change, Facets, Memory, Query, Row, Seen, description_lines};
pub use screens::{account, inspector, products, projects, steps, videos, webhooks};
pub use shell::{Begin, Credential, Left, Model, effect, event, left, reading, twin, update, view};
pub use widgets::chooser::{FolderEntry, FolderList};
pub use widgets::graph as canvas;
pub use widgets::qr::Code as QrCode;
pub use widgets::{Ink, films, pictures};
