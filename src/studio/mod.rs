//! The studio: an Elm-style core. [`update`] takes what happened and answers with effects, [`view`] draws the model;
//! neither touches the world. From the ground up: `ground`, `widgets`, `screens`, `shell`.

mod ground;
mod screens;
mod shell;
#[cfg(test)]
mod tests;
mod widgets;

pub use ground::saver::{Ask, Reply};
pub use ground::{Answers, Asks, Command, Keymap, Layer, Remote, Spot, SwitchTo, Unanswered, Zone};
pub use screens::account::KnownProfile;
pub use screens::products::{Change, Facets, Memory, Query, Row, Seen, description_lines};
pub use shell::{
    Begin, Credential, GuestOf, Left, Model, Typed, effect, event, left, plain, reading, sharing, twin, update, view,
    view_with_links, watched,
};
pub use widgets::chooser::{FolderEntry, FolderList};
pub use widgets::graph as canvas;
pub use widgets::qr::Code as QrCode;
pub use widgets::{Ink, Linked, films, pictures, problems};

use ground::every_screen;

/// Names every screen where those find it who carry out what it asks.
macro_rules! named {
    ($( $screen:ident $name:ident )*) => {
        pub use screens::{$( $screen ),*};
    };
}

every_screen!(named);
