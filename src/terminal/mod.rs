//! The real terminal: taken and given back, also when something panics, read, and written to.

mod capability;
mod held;
mod input;
mod link;
mod outbox;
mod pacer;
pub mod panics;
mod pen;
mod placed;
mod reader;
mod screen;
mod session;
mod shift;

pub use capability::{Answers, Capability};
pub use held::leaving;
pub use input::{Answer, Arrival, Decoder, Maker};
pub use link::Link;
pub use outbox::Outbox;
pub use pacer::{Pacer, STATUS_QUERY};
pub use placed::{PLACEHOLDER, Placed, marker};
pub use reader::{Reader, Stdin, read_within};
pub use screen::{Screen, Written};
pub use session::{
    Desktop, KEYBOARD_QUERIES, PICTURE_QUERIES, Session, cell_size, clipboard, entering, keyboard_protocol, progress,
    size,
};
