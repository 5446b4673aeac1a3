//! Waits for bytes from the terminal.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncReadExt as _, Interest, ReadBuf};
use tokio::time::Instant;

use super::arrival::Arrival;
use super::held::is_foreground;
use super::input::Decoder;

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
            if !is_foreground() {
                // What is typed is for whoever has the terminal. Who is brought back is sent a signal, and polls this again.
                return Poll::Pending;
            }
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
    begun: Instant,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Reads from a terminal.
    #[must_use]
    pub fn new(terminal: R) -> Self {
        Self { terminal, decoder: Decoder::default(), buffer: vec![0; 16 * 1024], begun: Instant::now() }
    }

    /// What arrived next, in order; `None` at the end of the input. `unambiguous` says whether the terminal tells the Esc
    /// key from an escape that begins a sequence.
    ///
    /// Safe to be cancelled: bytes that were read stay, and so does the time until which the rest of them is waited for.
    /// Were it to begin again with each call, an Esc would never be heard where something happens all the time.
    ///
    /// # Errors
    /// What the terminal says.
    pub async fn next(&mut self, unambiguous: bool) -> io::Result<Option<Vec<Arrival>>> {
        let mut arrivals = Vec::new();
        self.decoder.set_unambiguous(unambiguous);
        loop {
            let reading = self.terminal.read(&mut self.buffer);
            let read = match self.decoder.waits_until() {
                // Bytes that are there go before the time that has passed.
                Some(until) => {
                    if let Ok(read) = tokio::time::timeout_at(self.begun + until, reading).await {
                        read?
                    } else {
                        self.decoder.give_up(&mut arrivals);
                        if arrivals.is_empty() {
                            continue;
                        }
                        return Ok(Some(arrivals));
                    }
                }
                None => reading.await?,
            };
            if read == 0 {
                return Ok(None);
            }
            self.decoder.take(self.begun.elapsed(), self.buffer.get(..read).unwrap_or_default(), &mut arrivals);
            if !arrivals.is_empty() {
                return Ok(Some(arrivals));
            }
        }
    }
}

/// Reads what arrives from standard input in this time, on this thread; `None` where nothing does, or where a signal cuts
/// the waiting short: what is to happen then is for whoever listens for the signal.
///
/// # Errors
/// What the terminal says, or that it is gone.
pub fn read_within(patience: Duration) -> io::Result<Option<Vec<u8>>> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.min(Duration::from_millis(999)).subsec_nanos()) };
    let mut bytes = vec![0; 4096];
    let read = match poll(&mut fds, Some(&patience)) {
        Ok(0) => return Ok(None),
        Ok(_) => rustix::io::read(&stdin, bytes.as_mut_slice()),
        Err(error) => Err(error),
    };
    let read = match read {
        Err(rustix::io::Errno::INTR) => return Ok(None),
        read => read?,
    };
    bytes.truncate(read);
    if bytes.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Some(bytes)) }
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
            if let Ok(arrived) = tokio::time::timeout(Duration::from_millis(5), reader.next(false)).await {
                assert_eq!(arrived.unwrap(), Some(vec![Arrival::Key(Key::plain(KeyCode::Esc))]));
                return;
            }
        }
        panic!("the escape was never heard");
    }
}
