//! A connection of its own for one upload, where nothing lies between: a service that refuses a file early answers and
//! closes while the file is still being written, and the broken writing must not hide the answer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use url::{Host, Url};

/// A line that goes on listening when it can't be spoken to any more.
struct Listening {
    line: TokioIo<TcpStream>,
    broken: bool,
}

impl Listening {
    /// What came of speaking; of a line that broke nothing ever comes, and what is read says how it ends.
    fn heard<T>(&mut self, spoken: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match spoken {
            Poll::Ready(Err(error)) if is_hung_up(&error) => {
                self.broken = true;
                Poll::Pending
            }
            spoken => spoken,
        }
    }
}

fn is_hung_up(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::BrokenPipe | Kind::ConnectionReset | Kind::ConnectionAborted)
}

impl Read for Listening {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_read(cx, into)
    }
}

impl Write for Listening {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.line).poll_write(cx, bytes);
        self.heard(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.line).poll_write_vectored(cx, pieces);
        self.heard(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.line.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken {
            return Poll::Pending;
        }
        let flushed = Pin::new(&mut self.line).poll_flush(cx);
        self.heard(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.line).poll_shutdown(cx)
    }
}

/// What came of sending over a line of its own. The line is let go when the last field is dropped.
pub(super) struct Spoken {
    pub(super) answer: http::Response<Incoming>,
    /// Carries the bytes of the answer.
    pub(super) carrier: AbortOnDropHandle<()>,
}

/// Opens a line to the host of an address.
pub(super) async fn open(url: &Url) -> io::Result<TcpStream> {
    let port = url.port_or_known_default().unwrap_or(80);
    let line = match url.host() {
        Some(Host::Domain(name)) => TcpStream::connect((name, port)).await?,
        Some(Host::Ipv4(address)) => TcpStream::connect((address, port)).await?,
        Some(Host::Ipv6(address)) => TcpStream::connect((address, port)).await?,
        None => return Err(io::Error::other("the address has no host")),
    };
    line.set_nodelay(true)?;
    Ok(line)
}

/// Sends a request over it, and returns with the answer's head.
pub(super) async fn speak(line: TcpStream, request: http::Request<reqwest::Body>) -> hyper::Result<Spoken> {
    let line = Listening { line: TokioIo::new(line), broken: false };
    let (mut sender, connection) = hyper::client::conn::http1::handshake(line).await?;
    let carrier = AbortOnDropHandle::new(tokio::spawn(async move {
        // How it ended is told to whoever waits for the answer.
        let _ = connection.await;
    }));
    let answer = sender.send_request(request).await?;
    Ok(Spoken { answer, carrier })
}
