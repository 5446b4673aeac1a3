//! The bytes of a picture as a decoder reads them: in small pieces, and only for as long as decoding it may take.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A picture may cost so much of a processor's time. The largest that is decoded takes half a second.
pub const BUDGET: Duration = Duration::from_secs(6);
/// So many bytes are handed out between two looks at the clock.
const PIECE: usize = 8 << 10;

/// It took longer than it may.
#[derive(Debug, thiserror::Error)]
#[error("decoding takes too long")]
pub struct Spent;

/// Whether an error of reading is that the time was spent.
pub fn is_spent(error: &io::Error) -> bool {
    let why = error.get_ref();
    why.is_some_and(<dyn std::error::Error + Send + Sync>::is::<Spent>)
}

/// Bytes that are handed out until the time is spent: that of this thread, so that a busy machine changes nothing.
#[derive(Debug)]
pub struct Metered<'b> {
    bytes: &'b [u8],
    at: usize,
    until: Duration,
}

impl<'b> Metered<'b> {
    /// These bytes, from now on, for so long.
    pub fn new(bytes: &'b [u8], budget: Duration) -> Self {
        Self { bytes, at: 0, until: time_of_thread() + budget }
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let read = piece.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..read), piece.get(..read)) {
            to.copy_from_slice(from);
        }
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Metered<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Where a piece begins, or again where the decoder went to another place.
        if self.at.is_multiple_of(PIECE) && time_of_thread() > self.until {
            return Err(io::Error::other(Spent));
        }
        let end = (self.at - self.at % PIECE).saturating_add(PIECE).min(self.bytes.len());
        Ok(self.bytes.get(self.at..end).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.at = self.at.saturating_add(amount).min(self.bytes.len());
    }
}

impl Seek for Metered<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (0, i64::try_from(at).unwrap_or(i64::MAX)),
            SeekFrom::End(by) => (self.bytes.len(), by),
            SeekFrom::Current(by) => (self.at, by),
        };
        let at = i64::try_from(from).ok().and_then(|from| from.checked_add(by)).and_then(|at| usize::try_from(at).ok());
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        u64::try_from(self.at).map_err(io::Error::other)
    }
}

/// How long this thread has been at work.
pub fn time_of_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_come_in_their_order_and_none_once_the_time_is_spent() {
        let bytes: Vec<u8> = (0..3 * PIECE + 5).map(|at| at.to_le_bytes()[0]).collect();
        let mut read = Vec::new();
        Metered::new(&bytes, BUDGET).read_to_end(&mut read).unwrap();
        assert!(read == bytes);
        let mut metered = Metered::new(&bytes, BUDGET);
        assert_eq!(metered.seek(SeekFrom::End(-2)).unwrap(), bytes.len() as u64 - 2);
        assert_eq!(metered.fill_buf().unwrap(), &bytes[bytes.len() - 2..]);
        assert_eq!(metered.seek(SeekFrom::Start(1 << 40)).unwrap(), 1 << 40);
        assert_eq!(metered.fill_buf().unwrap(), b"");
        assert!(metered.seek(SeekFrom::Current(-(1 << 41))).is_err());
        let mut spent = Metered::new(&bytes, Duration::ZERO);
        let begun = time_of_thread();
        while time_of_thread() == begun {}
        assert!(spent.read(&mut [0; 9]).is_err_and(|error| is_spent(&error)));
    }
}
