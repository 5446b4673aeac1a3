//! The real terminal: taken and given back, also when something panics, read, and written to.

mod anchors;
mod arrival;
mod capability;
mod cells;
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
mod shortcuts;
mod slide;
mod terminfo;

pub use anchors::Anchor;
pub use arrival::{Answer, Arrival, Maker};
pub use capability::{Answers, Capability, Keyboard};
pub use held::{is_foreground, leaving};
pub use input::Decoder;
pub use link::Link;
pub use outbox::Outbox;
pub use pacer::{Pacer, Pulse, STATUS_QUERY};
pub use placed::{PLACEHOLDER, Placed, marker};
pub use reader::{Reader, Stdin, read_within};
pub use screen::{Screen, Written};
pub use session::{
    Desktop, REPEATS_QUERY, Session, cell_size, clipboard, entering, keyboard_protocol, progress, questions,
    questions_through_tmux, size, tell,
};
pub use shortcuts::Shortcuts;
pub use terminfo::Terminfo;
