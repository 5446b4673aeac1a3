//! What a session changed of the terminal, and how all of it is undone: by the session, or when something panics.
//!
//! There is one file that the terminal is written to, and one writer at a time: frames and what gives the terminal back
//! never mix, and after that nothing more is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::cursor;
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, PopKeyboardEnhancementFlags};
use crossterm::terminal::{self, LeaveAlternateScreen};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, tcgetattr, tcgetpgrp};

use super::outbox::CHUNK;

/// So long is waited for a terminal that takes nothing, before it is given back without having been told so.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long a write waits for a terminal before it looks whether it is still ours.
const SLICE: Duration = Duration::from_millis(50);

/// What has to be undone. Shared with the panic hook.
#[derive(Debug)]
pub(super) struct State {
    pub(super) entered: AtomicBool,
    pub(super) keyboard: AtomicBool,
    /// Whether links are written.
    pub(super) links: AtomicBool,
    /// Whether what was written last may end within a frame.
    is_cut: AtomicBool,
    /// The terminal. Whoever has it is the only one who writes.
    out: Mutex<File>,
}

/// The session that is given back when something panics.
static HELD: OnceLock<Arc<State>> = OnceLock::new();

impl State {
    /// Of the terminal on standard output, that was not taken yet.
    ///
    /// # Errors
    /// That no more files can be opened.
    pub(super) fn of_stdout() -> io::Result<Self> {
        let out = Mutex::new(open_terminal()?);
        let off = || AtomicBool::new(false);
        Ok(Self { entered: off(), keyboard: off(), links: off(), is_cut: off(), out })
    }

    /// The terminal, where whoever writes to it is done with that in this time.
    fn out_within(&self, patience: Duration) -> Option<MutexGuard<'_, File>> {
        let since = Instant::now();
        loop {
            match self.out.try_lock() {
                Ok(out) => return Some(out),
                Err(TryLockError::Poisoned(out)) => return Some(out.into_inner()),
                Err(TryLockError::WouldBlock) if since.elapsed() > patience => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

/// Opens the terminal for writing, apart from everybody else who has it: so that writes which it does not take at once
/// come back, for us alone.
fn open_terminal() -> io::Result<File> {
    let stdout = io::stdout();
    let own = rustix::termios::ttyname(&stdout, Vec::new()).ok().and_then(|name| {
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        OpenOptions::new().write(true).custom_flags(i32::try_from(flags.bits()).ok()?).open(path).ok()
    });
    // Not `io::stdout()` itself: that one splits a frame at its line feeds into several writes.
    own.map_or_else(|| Ok(File::from(stdout.as_fd().try_clone_to_owned()?)), Ok)
}

/// Writes to the terminal for as long as the session has it; what comes later is passed over.
#[derive(Debug)]
pub(super) struct Out(pub(super) Arc<State>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            // Whoever gives the terminal back first says so, and then takes it: never waits for more than this write.
            let out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
            if !self.0.entered.load(Ordering::SeqCst) {
                return Ok(bytes.len());
            }
            if takes_more(&out, Duration::ZERO)? {
                match (&*out).write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => {
                        // More follows where not all was taken, or where it was a full part of something longer.
                        let is_cut = !matches!(written, Ok(taken) if taken == bytes.len() && taken < CHUNK);
                        self.0.is_cut.store(is_cut, Ordering::SeqCst);
                        return written;
                    }
                }
            }
            let waited = out.try_clone();
            drop(out);
            takes_more(&waited?, SLICE)?;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the terminal takes bytes, in this time.
fn takes_more(out: &File, within: Duration) -> io::Result<bool> {
    let mut fds = [PollFd::new(out, PollFlags::OUT)];
    let within = Timespec { tv_sec: 0, tv_nsec: i64::from(within.subsec_nanos()) };
    match poll(&mut fds, Some(&within)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the terminal is this process's to read and to set. The system stops one in the background that does either.
#[must_use]
pub fn is_foreground() -> bool {
    !tcgetpgrp(io::stdin()).is_ok_and(|group| group != getpgrp())
}

/// Whether the system would stop this process for writing to the terminal, too.
fn is_stopped_by_writing() -> bool {
    !is_foreground() && tcgetattr(io::stdout()).is_ok_and(|set| set.local_modes.contains(LocalModes::TOSTOP))
}

/// From now on this is the session that is given back when something panics.
pub(super) fn hold(state: &Arc<State>) {
    let _ = HELD.set(Arc::clone(state));
}

/// Gives the terminal back where a session has it; for when something panicked. Whether there is a session.
pub(super) fn give_back_held() -> bool {
    let held = HELD.get();
    if let Some(state) = held {
        give_back(state);
    }
    held.is_some()
}

/// Undoes everything, once. Errors are passed over: the terminal may be gone. One that takes nothing is not waited for
/// without end; what was typed is echoed again in any case. In the background the shell has the terminal, and has set
/// that for itself.
pub(super) fn give_back(state: &State) {
    if !state.entered.swap(false, Ordering::SeqCst) {
        return;
    }
    let since = Instant::now();
    if !is_stopped_by_writing()
        && let Some(mut out) = state.out_within(PATIENCE)
    {
        // The string that a frame was cut off in, maybe, ends first.
        let end = if state.is_cut.load(Ordering::SeqCst) { "\x1b\\" } else { "" };
        let (keyboard, links) = (state.keyboard.load(Ordering::SeqCst), state.links.load(Ordering::SeqCst));
        let bytes = format!("{end}{}", leaving(keyboard, links));
        let mut rest = bytes.as_bytes();
        while !rest.is_empty() && since.elapsed() < PATIENCE {
            match takes_more(&out, SLICE).and_then(|takes| if takes { out.write(rest) } else { Ok(0) }) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => break,
            }
        }
    }
    if is_foreground() {
        let _ = terminal::disable_raw_mode();
    }
}

/// What gives a terminal back, as it was before [`entering`](super::entering): one that tells keys apart, and one that has links.
/// The last frame may have been cut off within a link, or where a region of the page was set.
#[must_use]
pub fn leaving(keyboard: bool, links: bool) -> String {
    let mut bytes = String::from("\x1b[?2026l\x1b[?7h\x1b[?69l\x1b[r\x1b[m");
    if links {
        bytes.push_str("\x1b]8;;\x1b\\");
    }
    if keyboard {
        ansi(&mut bytes, PopKeyboardEnhancementFlags);
    }
    ansi(&mut bytes, DisableMouseCapture);
    ansi(&mut bytes, DisableFocusChange);
    ansi(&mut bytes, DisableBracketedPaste);
    ansi(&mut bytes, LeaveAlternateScreen);
    ansi(&mut bytes, cursor::Show);
    bytes
}

pub(super) fn ansi(bytes: &mut String, command: impl crossterm::Command) {
    let _ = command.write_ansi(bytes);
}
