//! Requests by a Unix socket: how the local workspace is reached. Before a byte is sent, whoever listens there has to be
//! a process of the same user.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::Uri;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;

use super::error::innermost;
use super::{ClientError, Limits};

/// A client of one socket, with connections that are kept.
type OfSocket = Client<Connect, reqwest::Body>;

/// The client of the socket that was used last: each process that serves the workspace has its own.
#[derive(Default)]
pub(super) struct Sockets {
    last: Mutex<Option<(PathBuf, OfSocket)>>,
}

impl Sockets {
    fn to(&self, socket: &Path) -> OfSocket {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((of, client)) if of == socket => client.clone(),
            _ => {
                let connect = Connect { socket: Arc::from(socket) };
                let client = Client::builder(TokioExecutor::new()).build(connect);
                *last = Some((socket.to_owned(), client.clone()));
                client
            }
        }
    }

    /// Sends a request by a socket, and returns with the answer's head.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`] where nothing of it was sent, else [`ClientError::Broken`].
    pub(super) async fn send(
        &self,
        socket: &Path,
        request: http::Request<reqwest::Body>,
        limits: &Limits,
    ) -> Result<reqwest::Response, ClientError> {
        let host = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        // A socket that nobody listens on is known at once; this is for one whose queue is full.
        let sent = tokio::time::timeout(limits.silence, self.to(socket).request(request)).await;
        match sent {
            Err(_) => Err(ClientError::Silent { host, after: limits.silence }),
            Ok(Ok(answer)) => Ok(reqwest::Response::from(answer.map(reqwest::Body::wrap))),
            Ok(Err(error)) if error.is_connect() => Err(ClientError::Unreachable { host, why: innermost(&error) }),
            Ok(Err(error)) => Err(ClientError::Broken { host, why: innermost(&error) }),
        }
    }
}

/// Connects to one socket, whatever the address.
#[derive(Clone)]
pub(super) struct Connect {
    socket: Arc<Path>,
}

impl tower::Service<Uri> for Connect {
    type Response = TokioIo<Line>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<TokioIo<Line>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let socket = Arc::clone(&self.socket);
        Box::pin(async move { Ok(TokioIo::new(open(&socket).await?)) })
    }
}

/// Connects to a socket whose other end is a process of the same user.
///
/// # Errors
/// Where nobody listens there, or another user does: nothing was sent to them.
pub(super) async fn open(socket: &Path) -> io::Result<Line> {
    let line = UnixStream::connect(socket).await?;
    if line.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("another user listens on the socket of the local workspace"));
    }
    Ok(Line(line))
}

/// A connection by a socket.
#[derive(Debug)]
pub(super) struct Line(UnixStream);

impl Connection for Line {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Line {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
