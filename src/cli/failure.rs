//! How a command fails, and the exit code of that (contract, section 1).

use std::io;

use thiserror::Error;

use crate::client::ClientError;
use crate::domain::text;
use crate::runtime::connection::ConnectError;
use crate::settings::TargetError;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum Failure {
    /// The command line, its environment or the configuration is wrong.
    #[error("{0}")]
    Usage(String),
    /// There is no target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// There is no credential; the sentence says what to do.
    #[error("{0}")]
    NoCredential(String),
    /// The service has no such thing.
    #[error("{0}")]
    NotFound(String),
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// No connection came about.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The service can't be served.
    #[error(transparent)]
    Serve(#[from] super::serve::ServeError),
    /// Standard output can't be written to.
    #[error("standard output: {0}")]
    Output(io::Error),
    /// Anything else.
    #[error("{0:#}")]
    Other(color_eyre::Report),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Target(_) => 2,
            Self::NoCredential(_) => 3,
            Self::NotFound(_) => 4,
            Self::Client(error) => error.exit_code(),
            Self::Serve(error) => error.exit_code(),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Connect(_) | Self::Output(_) | Self::Other(_) => 1,
        }
    }

    /// What to say, on one line that a terminal can be given; nothing where the reader of the output went away, which
    /// is how `head` ends a pipe.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            failure => Some(text::line(&failure.to_string()).into_owned()),
        }
    }
}
