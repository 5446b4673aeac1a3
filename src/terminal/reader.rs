//! Waits for bytes from the terminal.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncReadExt as _, Interest, ReadBuf};
use tokio::time::Instant;

use super::input::{Arrival, Decoder};

/// How long the rest of a cut sequence is waited for: an escape alone is the Esc key after that. Long enough for a
/// sequence cut in two by a slow line, short enough not to be felt.
const ESCAPE: Duration = Duration::from_millis(40);

/// How long the rest of a paste is waited for, after its last byte: its end may have been lost.
const PASTE: Duration = Duration::from_secs(2);

/// The process's standard input, where that is a terminal.
#[derive(Debug)]
pub struct Stdin {
    terminal: AsyncFd<OwnedFd>,
}

impl Stdin {
    /// Opens it.
    ///
    /// # Errors
    /// Where standard input can't be waited for.
    pub fn open() -> io::Result<Self> {
        Self::of(io::stdin().as_fd().try_clone_to_owned()?)
    }

    fn of(terminal: OwnedFd) -> io::Result<Self> {
        // The file description is shared with whoever else has the terminal, so it stays blocking: bytes are only
        // read when there are some.
        #[expect(deprecated, reason = "its successor is unsafe to call; an OwnedFd can't lie about what it owns")]
        let terminal = AsyncFd::with_interest(terminal, Interest::READABLE)?;
        Ok(Self { terminal })
    }
}

impl AsyncRead for Stdin {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.terminal.poll_read_ready(context))?;
            if has_bytes(guard.get_inner())? {
                let read = rustix::io::read(guard.get_inner(), into.initialize_unfilled())?;
                into.advance(read);
                return Poll::Ready(Ok(()));
            }
            guard.clear_ready();
        }
    }
}

/// Reads a terminal's input. Dropping it leaves the input to others.
#[derive(Debug)]
pub struct Reader<R> {
    terminal: R,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// Since when the rest of a sequence is waited for. It is not waited for again each time this is cancelled: where
    /// something happens all the time, an Esc would never be heard.
    waits_since: Option<Instant>,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Reads from a terminal.
    #[must_use]
    pub fn new(terminal: R) -> Self {
        Self { terminal, decoder: Decoder::default(), buffer: vec![0; 16 * 1024], waits_since: None }
    }

    /// What arrived next, in order; `None` at the end of the input.
    ///
    /// Safe to be cancelled: bytes that were read stay.
    ///
    /// # Errors
    /// What the terminal says.
    pub async fn next(&mut self, unambiguous: bool) -> io::Result<Option<Vec<Arrival>>> {
        let mut arrivals = Vec::new();
        loop {
            let reading = self.terminal.read(&mut self.buffer);
            let read = if self.decoder.is_waiting() || self.decoder.is_pasting() {
                let patience = match (self.decoder.is_pasting(), unambiguous) {
                    (true, _) => PASTE,
                    (false, true) => ESCAPE * 5,
                    (false, false) => ESCAPE,
                };
                let until = *self.waits_since.get_or_insert_with(Instant::now) + patience;
                // Bytes that are there go before the time that has passed.
                let Ok(read) = tokio::time::timeout_at(until, reading).await else {
                    self.waits_since = None;
                    self.decoder.give_up(&mut arrivals);
                    if arrivals.is_empty() {
                        continue;
                    }
                    return Ok(Some(arrivals));
                };
                read?
            } else {
                reading.await?
            };
            if read == 0 {
                return Ok(None);
            }
            self.waits_since = None;
            self.decoder.take(self.buffer.get(..read).unwrap_or_default(), &mut arrivals);
            if !arrivals.is_empty() {
                return Ok(Some(arrivals));
            }
        }
    }
}

fn has_bytes(terminal: &OwnedFd) -> io::Result<bool> {
    let mut fds = [PollFd::new(terminal, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::settings::{Key, KeyCode};

    #[tokio::test]
    async fn an_escape_is_heard_though_something_else_happens_all_the_time() {
        let (read, mut write) = io::pipe().unwrap();
        let mut reader = Reader::new(Stdin::of(OwnedFd::from(read)).unwrap());
        write.write_all(b"\x1b").unwrap();
        // What else happens cancels the waiting, more often than an escape alone takes.
        for _ in 0..2_000 {
            if let Ok(arrived) = tokio::time::timeout(ESCAPE / 8, reader.next(false)).await {
                assert_eq!(arrived.unwrap(), Some(vec![Arrival::Key(Key::plain(KeyCode::Esc))]));
                return;
            }
        }
        panic!("the escape was never heard");
    }
}
