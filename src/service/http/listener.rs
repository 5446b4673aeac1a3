//! Where connections come from: ports, and sockets in the file system.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use super::slowing::Peer;
use super::tls::Tls;

/// Which way a request came in, and with it what it may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// From a process of the same user, by the door of the data folder.
    Own,
    /// By the address that the service was told to listen on.
    Listen,
    /// By the port for browsers, behind which there is no key: only what anybody may ask for is answered there.
    Browser,
}

/// Hands out connections.
pub(in crate::service) trait Listener: Send {
    /// What a connection is read from and written to.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Whether only this machine reaches it by an address that any name may be given: a loopback port.
    fn is_loopback(&self) -> bool {
        false
    }

    /// The next connection, and who is at its other end.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, Peer)>> + Send;

    /// Stops listening; those who have connected and not been accepted yet, where they can be known.
    fn close(self) -> Vec<(Self::Stream, Peer)>;
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

    fn close(self) -> Vec<(TcpStream, Peer)> {
        Vec::new()
    }
}

/// Whoever has this user's socket in hand is this machine.
#[cfg(unix)]
const HERE: Peer = Peer(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

#[cfg(unix)]
impl Listener for UnixListener {
    type Stream = UnixStream;

    /// The next connection of a process of this user's; others, who can't come here while the folder is what it should
    /// be, are hung up on.
    async fn accept(&self) -> io::Result<(UnixStream, Peer)> {
        loop {
            let (stream, _) = UnixListener::accept(self).await?;
            if is_own(&stream) {
                return Ok((stream, HERE));
            }
            tracing::warn!("a process of another user connected to the socket of the local workspace");
        }
    }

    fn close(self) -> Vec<(UnixStream, Peer)> {
        let mut waiting = Vec::new();
        let Ok(listener) = self.into_std() else { return waiting };
        while let Ok((stream, _)) = listener.accept() {
            let stream = stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream));
            waiting.extend(stream.ok().filter(is_own).map(|stream| (stream, HERE)));
        }
        waiting
    }
}

/// Whether the process at the other end is this user's.
#[cfg(unix)]
fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == crate::service::private::user())
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
