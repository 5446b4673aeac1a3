//! One end of a channel, as those who run in it see it: bytes that are written on a thread of their own and wait there for
//! the client's window, and how it ends.

use std::io::{self, Write};
use std::pin::Pin;

use russh::ChannelId;
use russh::server::Handle;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What a channel is given to show. Writing waits until the client takes more, so it is done on a thread where that holds up
/// nobody; it fails once the connection is closed.
pub(super) struct Output {
    writer: Pin<Box<dyn AsyncWrite + Send>>,
    runtime: runtime::Handle,
    close: CancellationToken,
    /// Whether lines end as on a terminal that nobody turns line feeds into more for.
    is_raw: bool,
    _written: oneshot::Sender<()>,
}

/// Resolves when an [`Output`] is dropped: everything that was written is on its way then.
pub(super) type Written = oneshot::Receiver<()>;

impl Output {
    /// Writes to this end of a channel. To be made within the runtime.
    pub(super) fn new(writer: impl AsyncWrite + Send + 'static, close: CancellationToken) -> (Self, Written) {
        let (written, is_written) = oneshot::channel();
        let runtime = runtime::Handle::current();
        (Self { writer: Box::pin(writer), runtime, close, is_raw: false, _written: written }, is_written)
    }

    /// The same for a terminal in raw mode: a line feed goes with a carriage return.
    pub(super) fn raw(self, is_raw: bool) -> Self {
        Self { is_raw, ..self }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let Self { writer, runtime, close, is_raw, .. } = self;
        let with_returns = is_raw.then(|| returned(bytes));
        let all = with_returns.as_deref().unwrap_or(bytes);
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = close.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
                written = writer.write_all(all) => written,
            }
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
