//! Connections: bounded in number, patient only so long, ended gracefully.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

use super::App;
use super::routes::respond;
use super::slowing::Peer;

/// Connections served at once; more wait in the listener's queue.
const MOST_CONNECTIONS: usize = 1024;

/// How long the head of a request may take to arrive, from its first byte (from the connection's begin: the first one).
const HEAD_TIME: Duration = Duration::from_secs(15);

/// How long a connection may stay open with nothing asked: longer than clients keep theirs, short enough that idle ones
/// don't hold all the places for ever.
const IDLE_TIME: Duration = Duration::from_secs(120);

/// How long a client may take none of an answer's bytes.
const STALL_TIME: Duration = Duration::from_secs(60);

/// How long requests in flight may take to finish when the service stops.
const STOP_TIME: Duration = Duration::from_secs(10);

/// Bytes that a connection buffers at most; longer heads are refused. An upload is read in pieces of this size, which
/// costs an eighth less of a core than pieces of 64 KiB.
const MOST_BUFFER: usize = 256 * 1024;

/// A port that is held and not served yet.
pub(crate) struct Bound {
    listener: TcpListener,
    /// The address, with the port that was found.
    pub(crate) addr: SocketAddr,
}

/// Takes a port.
pub(crate) async fn listen(addr: SocketAddr) -> io::Result<Bound> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    Ok(Bound { listener, addr })
}

impl Bound {
    /// Serves until `stop`, then lets the requests in flight finish.
    pub(crate) async fn serve(self, app: Arc<App>, router: Router, stop: CancellationToken) {
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            let place = tokio::select! {
                () = stop.cancelled() => break,
                place = Arc::clone(&places).acquire_owned() => place,
            };
            let Ok(place) = place else { break };
            let (stream, peer) = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let _ = stream.set_nodelay(true);
                        (stream, Peer(peer.ip()))
                    }
                    Err(error) => {
                        // Out of descriptors, mostly: the others have to end first.
                        tracing::warn!(%error, "a connection could not be accepted");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        continue;
                    }
                },
            };
            let (app, router) = (Arc::clone(&app), router.clone());
            let phase = Arc::new(AtomicU8::new(HEAD));
            let patient = Patient { stream, phase: Arc::clone(&phase), until: None, stalled: None };
            let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                phase.store(BUSY, Ordering::Relaxed);
                let (app, router, phase) = (Arc::clone(&app), router.clone(), Arc::clone(&phase));
                async move {
                    let mut request = request.map(Body::new);
                    request.extensions_mut().insert(peer);
                    let response = respond(app, router, request).await;
                    phase.store(IDLE, Ordering::Relaxed);
                    Ok::<_, std::convert::Infallible>(response)
                }
            });
            let mut builder = http1::Builder::new();
            builder.header_read_timeout(None).max_buf_size(MOST_BUFFER);
            let connection = graceful.watch(builder.serve_connection(TokioIo::new(patient), service));
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection broke");
                }
                drop(place);
            });
        }
        drop(self.listener);
        if tokio::time::timeout(STOP_TIME, graceful.shutdown()).await.is_err() {
            tracing::warn!("requests still running after 10 seconds were cut off");
        }
    }
}

/// The head of a request is awaited, with a limit.
const HEAD: u8 = 0;
/// A request is answered; its handler minds the time.
const BUSY: u8 = 1;
/// Nothing is asked.
const IDLE: u8 = 2;

/// A stream on which a request's head has to arrive in time and an answer has to be taken.
struct Patient {
    stream: TcpStream,
    phase: Arc<AtomicU8>,
    /// When the patience of a phase ends.
    until: Option<(u8, Pin<Box<Sleep>>)>,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Gives up on a reader that takes nothing for too long.
    fn written(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + STALL_TIME)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() && buf.filled().len() > before {
            let _ = self.phase.compare_exchange(IDLE, HEAD, Ordering::Relaxed, Ordering::Relaxed);
        }
        let phase = self.phase.load(Ordering::Relaxed);
        let patience = match phase {
            HEAD => HEAD_TIME,
            IDLE => IDLE_TIME,
            _ => {
                self.until = None;
                return read;
            }
        };
        if read.is_pending() {
            if self.until.as_ref().is_none_or(|(of, _)| *of != phase) {
                self.until = Some((phase, Box::pin(tokio::time::sleep_until(Instant::now() + patience))));
            }
            if let Some((_, until)) = &mut self.until {
                ready!(until.as_mut().poll(cx));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        read
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, written)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(cx, written)
    }
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
