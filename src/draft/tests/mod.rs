//! What holds of drafts, whatever is done to them.

mod edits;
mod files;
mod generate;
mod growth;
mod journal;
mod late;
mod merges;
mod plans;
mod player;
mod service;
mod settling;
