//! What holds of drafts, whatever is done to them.

mod edits;
mod generate;
mod journal;
