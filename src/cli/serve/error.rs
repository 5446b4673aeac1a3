//! Why `cutaway serve` failed, and what it ends with then.

use std::io;

use crate::service::ServiceError;
use crate::service::store::StoreError;
use crate::ssh::SshError;
use crate::ssh::keys::KeyError;

/// Why `cutaway serve` failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The command line asks for what is not allowed.
    #[error("{0}")]
    Usage(String),
    /// It was asked, and the answer was no.
    #[error("{0}")]
    Refused(String),
    /// The service refused.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The SSH keys can't be read or changed.
    #[error(transparent)]
    SshKeys(#[from] KeyError),
    /// Guests can't be let in.
    #[error("SSH: {0}")]
    Ssh(#[from] SshError),
    /// Standard output or a signal could not be used.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl ServeError {
    /// The exit code of the contract: 2 where the command line is wrong, 4 where something is not
    /// there, 0 where whoever read the output has seen enough; else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::SshKeys(KeyError::Refused(_))
            | Self::Service(ServiceError::Tls(_) | ServiceError::Email(_)) => 2,
            Self::Service(ServiceError::Store(StoreError::Missing(_))) | Self::SshKeys(KeyError::Missing) => 4,
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            _ => 1,
        }
    }
}
