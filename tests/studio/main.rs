//! The real binary in a pseudo-terminal: what a person at a terminal sees, and what is left when they go.
//!
//! Nothing here waits for time: every test waits until the screen shows what it should, and fails with the screen that
//! it saw instead.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr
)] // All of it is tests.

mod account;
#[path = "../approval/mod.rs"]
mod approval;
mod by_hand;
mod bytes;
mod cast;
mod children;
#[path = "../faults/dice.rs"]
mod dice;
mod faults;
mod films;
mod graphics;
mod hands;
mod hostile;
mod inspector;
#[cfg(target_os = "linux")]
mod levels_off;
#[path = "../line/mod.rs"]
mod line;
mod link;
mod multiplexers;
mod outgoing;
mod output;
mod panics;
mod picture;
mod plain;
mod problems;
#[path = "../programs/mod.rs"]
mod programs;
mod projects;
#[path = "../faults/proxy.rs"]
mod proxy;
mod read_only;
mod readme_tour;
mod recording;
mod scrolling;
mod secrets;
mod service;
#[path = "../serving/mod.rs"]
mod serving;
mod sharing;
mod signals;
mod silent;
mod sizes;
mod sshd;
mod steps;
mod taking;
mod terminal;
mod tour;
mod uploads;
mod webhooks;
mod work;
