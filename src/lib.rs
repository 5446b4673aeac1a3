//! Cutaway: a terminal studio for interactive shopping video. The rooms, from the ground up; a room imports only from
//! floors below its own (`tests/architecture.rs` holds that).

pub mod domain;

pub mod api;
pub mod graph;
pub mod lint;

pub mod draft;
pub mod settings;
pub mod uploads;

pub mod client;
pub mod service;
pub mod studio;
pub mod terminal;

pub mod runtime;

pub mod ssh;

pub mod cli;
