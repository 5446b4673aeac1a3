//! A project being edited: edits that can be undone, a journal that loses nothing, the merge with what others did
//! meanwhile, and the plan: the calls that make the service say what the draft says. Pure: no files, no network, no clock.

mod align;
mod along;
mod applying;
mod as_before;
mod as_read;
mod base;
mod call;
mod change;
mod conflict;
mod content;
mod difference;
#[allow(clippy::module_inception)]
mod draft;
mod edit;
mod edit_answers;
mod edit_project;
mod edit_replace;
mod edit_steps;
mod export;
mod extensions;
mod file;
mod file_products;
mod history;
mod import;
mod index;
pub mod journal;
mod matching;
mod merge;
mod merger;
mod moved;
mod outcome;
mod plan;
mod products;
mod queue;
mod record;
mod refs;
mod renewed;
mod replace;
mod sequence;
mod settling;
mod work;

#[cfg(test)]
mod tests;

pub use applying::{Applying, Next, Reading, Seen, SendOptions};
pub use as_read::Told;
pub use base::Base;
pub use call::{Call, Named, NewStep, ProjectFields, Request, SentAnswer, StepFields};
pub use conflict::{Conflict, Merge, Spot};
pub use content::{Content, DraftAnswer, Head, OrderEntry, StepContent};
pub use difference::{AnswerDifference, Difference, Fate, ProductDifference, Words, words};
pub use draft::{Draft, Gone};
pub use edit::{Edit, Edited, Incoming, Refused};
pub use edit_steps::Deletion;
pub use export::ProjectFormat;
pub use file::{FileAnswer, FileError, FileFormat, FileStep, Library, ProjectFile};
pub use file_products::FileProduct;
pub use import::Imported;
pub use outcome::{Outcome, Stopped};
pub use plan::{Plan, Planned};
pub use products::products_told;
pub use record::Record;
pub use refs::{AnswerRef, StepRef, Target};
pub use replace::{Find, Hit, Place};
pub use sequence::Side;
pub use settling::{Settled, Stranger};
