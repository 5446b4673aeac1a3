//! The real terminal: taken and given back, also when something panics, read, and written to.

mod capability;
mod held;
mod input;
pub mod panics;
mod pen;
mod placed;
mod reader;
mod screen;
mod session;
mod shift;

pub use capability::{Answers, Capability};
pub use input::{Answer, Arrival, Decoder, Maker};
pub use placed::{PLACEHOLDER, Placed, marker};
pub use reader::Reader;
pub use screen::{Screen, Written};
pub use session::{Desktop, KEYBOARD_QUERIES, PICTURE_QUERIES, Session, cell_size, clipboard, progress, size};
