//! Where there are no sockets in files: the local workspace is reached by an address, and these are never used.

use std::io;
use std::path::Path;

use tokio::net::TcpStream;

use super::{ClientError, Limits};

/// None.
#[derive(Default)]
pub(super) struct Sockets;

impl Sockets {
    pub(super) async fn send(
        &self,
        socket: &Path,
        _request: http::Request<reqwest::Body>,
        _limits: &Limits,
    ) -> Result<reqwest::Response, ClientError> {
        Err(ClientError::Request(format!("{}: Unix domain sockets aren't supported here", socket.display())))
    }
}

pub(super) async fn open(socket: &Path) -> io::Result<TcpStream> {
    Err(io::Error::other(format!("{}: Unix domain sockets aren't supported here", socket.display())))
}
