//! What a session changed of the terminal, and how all of it is undone: by the session, or when something panics.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crossterm::cursor;
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, PopKeyboardEnhancementFlags};
use crossterm::terminal::{self, LeaveAlternateScreen};

/// What has to be undone. Shared with the panic hook.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) entered: AtomicBool,
    pub(super) keyboard: AtomicBool,
}

/// The session that is given back when something panics.
static HELD: OnceLock<Arc<State>> = OnceLock::new();

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

/// Undoes everything, once. Errors are passed over: the terminal may be gone.
pub(super) fn give_back(state: &State) {
    if !state.entered.swap(false, Ordering::SeqCst) {
        return;
    }
    let bytes = leaving(state.keyboard.load(Ordering::SeqCst));
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes.as_bytes());
    let _ = out.flush();
    let _ = terminal::disable_raw_mode();
}

/// What gives a terminal back, as it was before [`entering`](super::entering).
#[must_use]
pub fn leaving(keyboard: bool) -> String {
    let mut bytes = String::from("\x1b[?2026l\x1b[m");
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
