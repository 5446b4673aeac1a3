//! Waits for bytes from the terminal.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::input::{Arrival, Decoder};

/// How long the rest of a cut sequence is waited for: an escape alone is the Esc key after that. Long enough for a
/// sequence cut in two by a slow line, short enough not to be felt.
const ESCAPE: Duration = Duration::from_millis(40);

/// How long the rest of a paste is waited for, after its last byte: its end may have been lost.
const PASTE: Duration = Duration::from_secs(2);

/// Reads the terminal's input. Dropping it leaves the terminal's input to others.
#[derive(Debug)]
pub struct Reader {
    terminal: AsyncFd<OwnedFd>,
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl Reader {
    /// Reads from standard input.
    ///
    /// # Errors
    /// Where standard input can't be waited for.
    pub fn open() -> io::Result<Self> {
        let terminal = io::stdin().as_fd().try_clone_to_owned()?;
        // The file description is shared with whoever else has the terminal, so it stays blocking: bytes are only
        // read when there are some.
        #[expect(deprecated, reason = "its successor is unsafe to call; an OwnedFd can't lie about what it owns")]
        let terminal = AsyncFd::with_interest(terminal, Interest::READABLE)?;
        Ok(Self { terminal, decoder: Decoder::default(), buffer: vec![0; 16 * 1024] })
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
            let ready = if self.decoder.is_waiting() || self.decoder.is_pasting() {
                let patience = match (self.decoder.is_pasting(), unambiguous) {
                    (true, _) => PASTE,
                    (false, true) => ESCAPE * 5,
                    (false, false) => ESCAPE,
                };
                let Ok(ready) = tokio::time::timeout(patience, self.terminal.readable()).await else {
                    self.decoder.give_up(&mut arrivals);
                    if arrivals.is_empty() {
                        continue;
                    }
                    return Ok(Some(arrivals));
                };
                ready
            } else {
                self.terminal.readable().await
            };
            let mut guard = ready?;
            while has_bytes(guard.get_inner())? {
                let read = rustix::io::read(guard.get_inner(), &mut self.buffer)?;
                if read == 0 {
                    return Ok(None);
                }
                self.decoder.take(self.buffer.get(..read).unwrap_or_default(), &mut arrivals);
            }
            guard.clear_ready();
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
