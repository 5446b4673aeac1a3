//! Bytes on their way to a terminal that takes them when it likes: whoever draws never waits for it.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// A write that takes longer means that the way to the person is slow.
const SLOW: Duration = Duration::from_millis(20);

/// How much is written at once, bytes: what a slow terminal takes soon, so that it is told from one that takes nothing.
pub(super) const CHUNK: usize = 2048;

/// The longest that is waited for a terminal that takes what is on its way slowly.
const LONGEST: Duration = Duration::from_secs(10);

/// Takes bytes at once and has a thread of its own write them: what is flushed together is one write.
#[derive(Debug)]
pub struct Outbox {
    collected: Vec<u8>,
    way: Sender<Vec<u8>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    progress: Mutex<Progress>,
    /// For those who wait on a thread, and for those who wait in a task.
    moved: Condvar,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Progress {
    /// How many writes were wanted, and how many are done.
    wanted: u64,
    done: u64,
    /// How many parts of them are written.
    chunks: u64,
    /// Whether the last one took long.
    slow: bool,
    /// Why nothing more can be written.
    fault: Option<Fault>,
}

#[derive(Debug, Clone, Copy)]
struct Fault {
    kind: io::ErrorKind,
    code: Option<i32>,
}

impl Fault {
    fn of(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error() }
    }

    fn error(self) -> io::Error {
        self.code.map_or_else(|| self.kind.into(), io::Error::from_raw_os_error)
    }
}

impl Progress {
    fn is_busy(&self) -> bool {
        self.done < self.wanted
    }
}

impl State {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox {
    /// Writes to `out` for as long as it `is_ours`: what comes later than that is passed over.
    ///
    /// # Errors
    /// Where there can be no more threads.
    pub fn new(mut out: impl Write + Send + 'static, is_ours: impl Fn() -> bool + Send + 'static) -> io::Result<Self> {
        let (way, arriving) = channel::<Vec<u8>>();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let ended = Arc::new(AtomicBool::new(false));
        thread::Builder::new().name("terminal".to_owned()).spawn(move || {
            for bytes in arriving {
                let since = Instant::now();
                let mut written = Ok(());
                for chunk in bytes.chunks(CHUNK) {
                    if written.is_ok() && is_ours() && !ended.load(Ordering::Relaxed) {
                        written = out.write_all(chunk).and_then(|()| out.flush());
                    }
                    shared.progress().chunks += 1;
                    shared.moved.notify_all();
                }
                let mut progress = shared.progress();
                progress.done += 1;
                progress.slow = since.elapsed() > SLOW;
                if let Err(error) = written {
                    ended.store(true, Ordering::Relaxed);
                    progress.fault = Some(Fault::of(&error));
                }
                drop(progress);
                shared.moved.notify_all();
                shared.emptied.notify_waiters();
            }
        })?;
        Ok(Self { collected: Vec::new(), way, state })
    }

    /// Whether something is on its way still.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state.progress().is_busy()
    }

    /// How many writes were wanted so far.
    #[must_use]
    pub fn wanted(&self) -> u64 {
        self.state.progress().wanted
    }

    /// Whether so many of them are done.
    #[must_use]
    pub fn has_done(&self, writes: u64) -> bool {
        let progress = self.state.progress();
        progress.done >= writes || progress.fault.is_some()
    }

    /// Whether the last write took long.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.state.progress().slow
    }

    /// Waits until nothing is on its way. Safe to be cancelled.
    ///
    /// # Errors
    /// Why nothing more can be written.
    pub fn emptied(&self) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let state = Arc::clone(&self.state);
        async move {
            loop {
                let emptied = state.emptied.notified();
                {
                    let progress = state.progress();
                    match progress.fault {
                        Some(fault) => return Err(fault.error()),
                        None if !progress.is_busy() => return Ok(()),
                        None => {}
                    }
                }
                emptied.await;
            }
        }
    }

    /// Waits on this thread until nothing is on its way, for as long as the terminal takes something within this time;
    /// whether nothing is.
    pub fn drain(&self, patience: Duration) -> bool {
        let since = Instant::now();
        let mut progress = self.state.progress();
        while progress.is_busy() && progress.fault.is_none() {
            let before = progress.chunks;
            let still =
                |progress: &mut Progress| progress.is_busy() && progress.fault.is_none() && progress.chunks == before;
            let waited = self.state.moved.wait_timeout_while(progress, patience, still);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() || since.elapsed() > LONGEST {
                return !now.is_busy();
            }
            progress = now;
        }
        true
    }
}

impl Clone for Outbox {
    /// Another way to the same terminal; what was not flushed yet stays behind.
    fn clone(&self) -> Self {
        Self { collected: Vec::new(), way: self.way.clone(), state: Arc::clone(&self.state) }
    }
}

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.collected.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.collected.is_empty() {
            return Ok(());
        }
        let mut progress = self.state.progress();
        if let Some(fault) = progress.fault {
            return Err(fault.error());
        }
        progress.wanted += 1;
        drop(progress);
        self.way.send(std::mem::take(&mut self.collected)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[tokio::test]
    async fn who_writes_to_a_terminal_that_takes_nothing_does_not_wait() {
        let (mut read, write) = io::pipe().unwrap();
        let mut outbox = Outbox::new(write, || true).unwrap();
        // More than any pipe holds: nobody reads it.
        let frame = vec![b'x'; 4 << 20];
        outbox.write_all(&frame).unwrap();
        outbox.flush().unwrap();
        outbox.write_all(b"the next").unwrap();
        outbox.flush().unwrap();
        assert!(outbox.is_busy() && !outbox.drain(Duration::ZERO));
        let mut taken = vec![0; frame.len() + b"the next".len()];
        let reading = tokio::task::spawn_blocking(move || read.read_exact(&mut taken).map(|()| (taken, read)));
        let (taken, read) = reading.await.unwrap().unwrap();
        assert!(taken.ends_with(b"xthe next"));
        outbox.emptied().await.unwrap();
        assert!(!outbox.is_busy());
        // The terminal is gone: that is said, and nothing waits for ever.
        drop(read);
        outbox.write_all(b"y").unwrap();
        outbox.flush().unwrap();
        assert_eq!(outbox.emptied().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        outbox.write_all(b"z").unwrap();
        assert!(outbox.flush().is_err());
    }

    /// A terminal that takes a little at a time.
    struct Slow;

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(60));
            Ok(bytes.len().min(CHUNK))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_slow_terminal_is_waited_for_as_long_as_it_takes_something() {
        let mut outbox = Outbox::new(Slow, || true).unwrap();
        outbox.write_all(&vec![b'x'; 40 * CHUNK]).unwrap();
        outbox.flush().unwrap();
        // All of it takes longer than patience lasts, each part much less.
        let (patience, since) = (Duration::from_secs(2), Instant::now());
        assert!(outbox.drain(patience));
        assert!(since.elapsed() > patience && !outbox.is_busy());
    }

    #[test]
    fn what_comes_after_the_terminal_was_given_back_is_passed_over() {
        let (mut read, write) = io::pipe().unwrap();
        let ours = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&ours);
        let mut outbox = Outbox::new(write, move || asked.load(Ordering::SeqCst)).unwrap();
        outbox.write_all(b"shown").unwrap();
        outbox.flush().unwrap();
        while outbox.is_busy() {
            outbox.drain(Duration::from_secs(60));
        }
        ours.store(false, Ordering::SeqCst);
        outbox.write_all(b"late").unwrap();
        outbox.flush().unwrap();
        drop(outbox);
        let mut all = String::new();
        read.read_to_string(&mut all).unwrap();
        assert_eq!(all, "shown");
    }
}
