//! Where connections come from: ports, and sockets in the file system.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

use super::slowing::Peer;
use super::tls::Tls;

/// Hands out connections.
pub(super) trait Listener: Send {
    /// What a connection is read from and written to.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Whether only this machine reaches it by an address that any name may be given: a loopback port.
    fn is_loopback(&self) -> bool {
        false
    }

    /// The next connection, and who is at its other end.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, Peer)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    fn is_loopback(&self) -> bool {
        self.local_addr().is_ok_and(|address| address.ip().to_canonical().is_loopback())
    }

    async fn accept(&self) -> io::Result<(TcpStream, Peer)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        let _ = stream.set_nodelay(true);
        Ok((stream, Peer(peer.ip())))
    }
}

/// A port that is held and not served yet.
pub(crate) struct Bound {
    pub(super) listener: TcpListener,
    /// What its connections are secured with.
    pub(super) tls: Option<Arc<Tls>>,
    /// The address, with the port that was found.
    pub(crate) addr: SocketAddr,
}

/// Takes a port.
pub(crate) async fn listen(addr: SocketAddr) -> io::Result<Bound> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    Ok(Bound { listener, tls: None, addr })
}

impl Bound {
    /// The same with connections that are secured, where there is something to do it with.
    pub(crate) fn secured(self, tls: Option<Arc<Tls>>) -> Self {
        Self { tls, ..self }
    }
}
