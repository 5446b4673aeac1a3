//! A stream that can be closed from outside, whatever its other end does.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Reading and writing fail once the token is cancelled, so that whoever works with it ends.
pub(super) struct Closable<S> {
    stream: S,
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    is_closed: bool,
    heard: Arc<AtomicBool>,
}

impl<S> Closable<S> {
    /// `heard` is set once its other end has said anything.
    pub(super) fn new(stream: S, close: CancellationToken, heard: Arc<AtomicBool>) -> Self {
        Self { stream, closed: Box::pin(close.cancelled_owned()), is_closed: false, heard }
    }

    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        self.is_closed = self.is_closed || self.closed.as_mut().poll(cx).is_ready();
        if self.is_closed { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Closable<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.heard.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Closable<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn who_waits_for_a_byte_is_woken_when_it_is_closed() {
        let (_silent, stream) = tokio::io::duplex(64);
        let close = CancellationToken::new();
        let mut closable = Closable::new(stream, close.clone(), Arc::default());
        let reading = tokio::spawn(async move { closable.read_u8().await });
        close.cancel();
        assert_eq!(reading.await.unwrap().unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
    }
}
