//! The door for guests: the studio and the data commands over SSH, for those whose public keys the owner of the data folder let in. Terminals are
//! channels of russh, which only this room knows.
//!
//! [`Server::start`] listens. A connection that has shown no key yet has a place in `hall`; one that has is in `session`,
//! and its channels are studios (`studio`) commands (`command`) and files that are put here (`sftp`); whoever shows a code instead watches a studio (`watching`). What a guest may touch is made in `guest`, and the workspace of their key in
//! `rooms`.

mod channel;
mod closable;
mod command;
mod error;
mod guest;
mod hall;
mod host_key;
pub mod keys;
mod limits;
mod line;
mod rooms;
mod server;
mod session;
mod sessions;
mod sftp;
mod shop;
mod slowness;
mod source;
mod studio;
mod turn;
mod watching;

pub use command::{Call, Commands};
pub use error::SshError;
pub use limits::Limits;
pub use server::{Options, Running, Server};
