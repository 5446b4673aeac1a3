//! Videos on their way to the service, §4.5: the queue as a value, and what its journal keeps of it. Pure: files, clock
//! and wire are the business of the driver.

mod bytes;
mod changes;
mod destination;
mod entry;
mod file;
pub mod journal;
mod overview;
mod queue;
mod speed;
mod upload;
mod verdict;
mod words;

pub use bytes::{Limit, bytes, hex, rate, read_rate};
pub use destination::{Destination, Placement, StepKey};
pub use entry::Entry;
pub use file::{FileChange, FilePath, Fingerprint, VideoFile};
pub use overview::{Course, Overview, Sum};
pub use queue::{MOST_AT_ONCE, Queue};
pub use speed::{Speed, time_left};
pub use upload::{State, Taken, Upload, UploadId};
pub use verdict::{Trouble, Verdict, verdict};
pub use words::{aim, next_count, seconds_left, short_words, words};
