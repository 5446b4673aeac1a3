//! Where the pure rooms meet the world: connections to services, the loop, one driver per kind of
//! effect, and the life of a studio. What a studio may touch is its host; what studios share is the house.

pub mod bundle;
pub mod caption_file;
pub mod checking;
pub mod connection;
pub mod console;
pub mod drivers;
pub mod event_loop;
pub mod export;
pub mod host;
pub mod house;
pub mod journals;
pub mod kept_visits;
pub mod lines;
pub mod listen;
pub mod own_files;
pub mod pictures;
pub mod plain;
pub mod profiles;
pub mod remember;
pub mod remote;
pub mod renaming;
mod replays;
pub mod resume;
pub mod saving;
mod secrets;
pub mod signing;
pub mod sitting;
pub mod surface;
pub mod tasks;
pub mod terminfo;
#[cfg(test)]
mod tests;
pub mod themes;
pub mod traffic;
pub mod tty;
pub mod uploads;
pub mod watching;

use crate::client::ClientError;
use crate::studio::event::Failure;

/// What a screen is told of a call that failed.
fn failure(error: &ClientError) -> Failure {
    let missing = error.status() == Some(404);
    Failure { what: error.to_string(), unauthorized: error.needs_sign_in(), missing }
}
