//! The real binary in a pseudo-terminal: what a person at a terminal sees, and what is left when they go.
//!
//! Nothing here waits for time: every test waits until the screen shows what it should, and fails with the screen that
//! it saw instead.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)] // All of it is tests.

mod bytes;
mod faults;
mod graphics;
mod hostile;
mod output;
mod picture;
mod projects;
mod service;
mod steps;
mod terminal;
mod work;
