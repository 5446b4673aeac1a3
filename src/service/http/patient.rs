//! A stream that a client can't hold for ever: heads of requests have to arrive, and answers have to be taken, in time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::activity::{Activity, Phase};
use super::framing::Framing;

/// How long the head of a request may take to arrive, from its first byte; and how long the first one may be awaited.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// How long a connection may stay open with nothing asked: longer than clients keep theirs, short enough that idle ones
/// don't hold all the places for ever.
const IDLE_TIME: Duration = Duration::from_secs(120);

/// How long a client may take none of an answer's bytes.
const STALL_TIME: Duration = Duration::from_secs(60);

/// A stream on which a request's head has to arrive in time and an answer has to be taken.
pub(super) struct Patient<S> {
    stream: S,
    activity: Arc<Activity>,
    framing: Framing,
    /// When the patience of a phase ends.
    until: Option<(Phase, Pin<Box<Sleep>>)>,
    stalled: Option<Pin<Box<Sleep>>>,
    /// The service ends: nothing is awaited from one who has said nothing yet. Known until the first byte.
    stop: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl<S> Patient<S> {
    /// A stream of a connection whose activity this is.
    pub(super) fn new(stream: S, activity: Arc<Activity>, stop: CancellationToken) -> Self {
        let stop = Some(Box::pin(stop.cancelled_owned()));
        Self { stream, activity, framing: Framing::default(), until: None, stalled: None, stop }
    }

    /// Gives up on a reader that takes nothing for too long.
    fn written(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.stall(written.is_pending());
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

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let new = buf.filled().get(before..).unwrap_or_default();
        if read.is_ready() && !new.is_empty() {
            if let Some(request) = self.framing.take(new) {
                self.activity.note_ambiguous(request);
            }
            if self.activity.is_unused() {
                self.activity.begin(Phase::Head);
            }
            self.stop = None;
        }
        let phase = self.activity.phase();
        let patience = match phase {
            Phase::Opened | Phase::Head => HEAD_TIME,
            Phase::Idle => IDLE_TIME,
            Phase::Busy | Phase::Answer => {
                self.until = None;
                return read;
            }
        };
        if read.is_pending() {
            if self.stop.as_mut().is_some_and(|stop| stop.as_mut().poll(cx).is_ready()) {
                return Poll::Ready(Ok(()));
            }
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

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
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
