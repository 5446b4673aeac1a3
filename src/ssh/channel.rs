//! One end of a channel, as those who run in it see it: bytes that are written on a thread of their own and wait there for
//! the client's window, and how it ends.

use std::io::{self, Write};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use russh::ChannelId;
use russh::server::Handle;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::turn::Turn;

/// What a channel is given to show. Writing waits until the client takes more, so it is done on a thread where that holds up
/// nobody; it fails once the connection is closed.
pub(super) struct Output {
    writer: Pin<Box<dyn AsyncWrite + Send>>,
    close: CancellationToken,
    /// Whether lines end as on a terminal that nobody turns line feeds into more for.
    is_raw: bool,
    /// Cancelled where nobody waits for what is written any more.
    end: Option<CancellationToken>,
    /// Cancelled as soon as anything is written.
    wrote: Option<CancellationToken>,
    /// The place of what writes, which is given back while the client takes nothing.
    turn: Option<Arc<Turn>>,
    _written: oneshot::Sender<()>,
}

/// Resolves when an [`Output`] is dropped: everything that was written is on its way then.
pub(super) type Written = oneshot::Receiver<()>;

impl Output {
    /// Writes to this end of a channel.
    pub(super) fn new(writer: impl AsyncWrite + Send + 'static, close: CancellationToken) -> (Self, Written) {
        let (written, is_written) = oneshot::channel();
        let writer = Box::pin(writer);
        let output = Self { writer, close, is_raw: false, end: None, wrote: None, turn: None, _written: written };
        (output, is_written)
    }

    /// The same for a terminal in raw mode: a line feed goes with a carriage return.
    pub(super) fn raw(self, is_raw: bool) -> Self {
        Self { is_raw, ..self }
    }

    /// The same, which fails where it would wait though this has ended.
    pub(super) fn until(self, end: CancellationToken) -> Self {
        Self { end: Some(end), ..self }
    }

    /// The same, which says that something is written before it waits for that.
    pub(super) fn announced(self, wrote: CancellationToken) -> Self {
        Self { wrote: Some(wrote), ..self }
    }

    /// The same of a command that has this place among others.
    pub(super) fn giving_way(self, turn: Arc<Turn>) -> Self {
        Self { turn: Some(turn), ..self }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let Self { writer, close, is_raw, end, wrote, turn, .. } = self;
        wrote.iter().for_each(CancellationToken::cancel);
        let ended = async {
            match end {
                Some(end) => end.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let with_returns = is_raw.then(|| returned(bytes));
        let all = with_returns.as_deref().unwrap_or(bytes);
        let writing = async {
            match turn {
                Some(turn) => turn.waits(writer.write_all(all)).await,
                None => writer.write_all(all).await,
            }
        };
        wait(async {
            tokio::select! {
                biased;
                () = close.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
                written = writing => written,
                () = ended => Err(io::ErrorKind::BrokenPipe.into()),
            }
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits on this thread for something that needs no runtime to happen. The runtime's own way of waiting can't be used where
/// a command, which waits for other things, writes in between.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = Waker::from(Arc::new(Waiting(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn returned(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len() + 16);
    for byte in bytes {
        if *byte == b'\n' {
            all.push(b'\r');
        }
        all.push(*byte);
    }
    all
}

/// Ends a channel as a program ends: with its exit code. The client may be gone.
pub(super) async fn end(handle: &Handle, channel: ChannelId, exit_code: u8) {
    let _ = handle.exit_status_request(channel, exit_code.into()).await;
    let _ = handle.eof(channel).await;
    let _ = handle.close(channel).await;
}
