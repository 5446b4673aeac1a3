//! A project being edited: edits that can be undone, a journal that loses nothing, the merge with what others did
//! meanwhile, and the plan: the calls that make the service say what the draft says. Pure: no files, no network, no clock.

mod base;
mod change;
mod content;
#[allow(clippy::module_inception)]
mod draft;
mod edit;
mod edit_answers;
mod edit_project;
mod edit_steps;
mod history;
pub mod journal;
mod record;
mod refs;
mod replace;

#[cfg(test)]
mod tests;

pub use base::Base;
pub use content::{Content, DraftAnswer, Head, OrderEntry, StepContent};
pub use draft::{Draft, Gone};
pub use edit::{Edit, Edited, Incoming, Refused};
pub use edit_steps::Deletion;
pub use record::Record;
pub use refs::{AnswerRef, StepRef, Target};
pub use replace::{Find, Hit, Place};
