//! The real terminal: taken and given back, read, and written to.

mod capability;
mod input;
mod pen;
mod reader;
mod screen;
mod session;

pub use capability::Capability;
pub use input::{Answer, Arrival, Decoder};
pub use reader::Reader;
pub use screen::{Screen, Written};
pub use session::{QUERIES, Session, clipboard, progress, size};
