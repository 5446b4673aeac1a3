//! Where the pure rooms meet the world: connections to services, the loop, and one driver per kind of effect.

pub mod account;
pub mod bundle;
pub mod caption_file;
pub mod children;
pub mod connection;
pub mod desk;
pub mod editor;
pub mod export;
pub mod inspector;
pub mod journals;
pub mod listen;
pub mod own_files;
pub mod pictures;
pub mod products;
pub mod profiles;
pub mod projects;
pub mod remember;
pub mod renaming;
mod replays;
pub mod resume;
pub mod saving;
pub mod script;
pub mod signing;
pub mod steps;
pub mod studio;
pub mod surface;
pub mod themes;
pub mod traffic;
pub mod tty;
pub mod uploads;
pub mod videos;
pub mod webhooks;
pub mod world;

use crate::client::ClientError;
use crate::studio::event::Failure;

/// What a screen is told of a call that failed.
fn failure(error: &ClientError) -> Failure {
    let missing = error.status() == Some(404);
    Failure { what: error.to_string(), unauthorized: error.needs_sign_in(), missing }
}
