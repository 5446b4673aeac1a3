//! What goes wrong between the client and a service, and what becomes of projects then: every operation with every fault,
//! random saves while others edit, and services that tell what they were given in their own way.
//!
//! Bounded by default. The long form, with its counts printed:
//! `CUTAWAY_FAULTS_SAVES=10000 CUTAWAY_FAULTS_PAIRS=10000 CUTAWAY_FAULTS_SCREENS=200 CUTAWAY_FAULTS_VIEWS=200
//! CUTAWAY_FAULTS_ACTIONS=2000 cargo test --release --test faults -- --nocapture`.
//! `CUTAWAY_FAULTS_SEED=N` repeats a run.

#![allow(
    clippy::print_stderr,
    clippy::redundant_closure_for_method_calls,
    clippy::type_complexity,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::string_slice,
    dead_code,
    clippy::panic,
    clippy::indexing_slicing
)] // Helpers of tests are tests too.

#[cfg(unix)]
mod actions;
mod cases;
mod dice;
mod direct;
#[cfg(unix)]
mod keys;
#[path = "../line/mod.rs"]
mod line;
mod matrix;
mod proxy;
mod saves;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod screens;
#[path = "../serving/mod.rs"]
mod serving;
#[cfg(unix)]
#[path = "../studio/terminal.rs"]
mod terminal;
mod tries;

use direct::Direct;
use serving::Served;

/// The service as others ask it.
fn direct(served: &Served) -> Direct {
    Direct { base: served.base().to_owned(), key: served.key().to_owned() }
}
