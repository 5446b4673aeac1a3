//! Uploads as they are carried out: files looked at, the journal on the disk, who sends what, and the background part.

mod asked;
pub mod background;
mod changes;
mod driver;
mod folder;
mod guard;
mod handle;
mod journal;
mod lengths;
mod library;
mod look;
mod matroska;
mod measure;
mod measures;
mod sender;
mod sending;
mod settling;
mod showing;

pub use asked::{Ask, Options, Seen, Stopped};
pub use folder::{QueueFolder, QueueName};
pub use guard::Guard;
pub use handle::Uploads;
pub use journal::Journal;
pub use lengths::Lengths;
pub use look::{LookError, look};
pub use measure::measure;
pub use measures::Measures;
