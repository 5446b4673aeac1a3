//! Why nobody can be let in.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

use super::keys::KeyError;
use crate::service::ServiceError;

/// Why the server can't be started, or a connection ended.
#[derive(Debug, Error)]
pub enum SshError {
    /// The address can't be listened on.
    #[error("{addr}: {error}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The host key can't be used.
    #[error("{}: {why}", path.display())]
    HostKey {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The database with the guests can't be asked.
    #[error(transparent)]
    Database(#[from] io::Error),
    /// The file of the keys can't be read.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The workspace of a key can't be served.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The connection broke, or broke the protocol.
    #[error(transparent)]
    Protocol(#[from] russh::Error),
    /// Something of the program itself ended early.
    #[error("{0}")]
    Internal(String),
}
