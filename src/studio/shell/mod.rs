//! What belongs to no screen: the model around them, what happens to it, what lies over them, and how all of it looks.

mod begin;
pub mod effect;
pub mod event;
pub(in crate::studio) mod hints;
mod left;
mod model;
pub(in crate::studio) mod notices;
pub(in crate::studio) mod overlays;
pub mod plain;
mod reading;
mod resume;
mod screen;
mod screens;
pub mod sharing;
mod signing;
mod silence;
mod state;
pub mod twin;
mod typing;
mod update;
mod view;
pub mod watched;

pub use begin::{Begin, Credential, GuestOf};
pub use left::left;
pub use model::Model;
pub use reading::reading;
pub use resume::Left;
#[cfg(test)]
pub(super) use state::Sent;
pub use typing::Typed;
#[cfg(test)]
pub(in crate::studio) use update::take_turn;
pub use update::update;
pub use view::{view, view_with_links};
