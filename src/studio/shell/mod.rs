//! What belongs to no screen: the model around them, what happens to it, what lies over them, and how all of it looks.

mod begin;
pub mod effect;
pub mod event;
pub(in crate::studio) mod hints;
mod model;
mod notices;
mod overlays;
mod reading;
mod resume;
mod screen;
mod signing;
pub mod twin;
mod update;
mod view;

pub use begin::{Begin, Credential};
pub use model::Model;
pub use reading::reading;
pub use resume::{Left, left};
pub use update::update;
pub use view::view;
