//! Uploads as they are carried out: files looked at, the journal on the disk, who sends what, and the background part.

pub mod background;
mod changes;
mod driver;
mod folder;
mod guard;
mod journal;
mod lengths;
mod library;
mod look;
mod matroska;
mod measure;
mod sender;

pub use driver::{Ask, Options, Seen, Stopped, Uploads};
pub use folder::{QueueFolder, QueueName};
pub use guard::Guard;
pub use journal::Journal;
pub use lengths::Lengths;
pub use look::{LookError, look};
pub use measure::{Measures, measure};
