//! Pictures and films as they are fetched, bounded and made smaller.

mod bombs;
mod films;
#[path = "../host/mod.rs"]
mod host;
#[path = "../programs/mod.rs"]
mod programs;
mod shown;
