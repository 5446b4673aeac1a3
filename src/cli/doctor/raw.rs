//! The terminal in raw mode, for as long as it is asked something.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::signal::unix::{SignalKind, signal};

/// Raw mode. The terminal is as it was afterwards, whatever happens.
pub(super) struct Raw(());

impl Raw {
    pub(super) fn new() -> io::Result<Self> {
        crossterm::terminal::enable_raw_mode()?;
        Ok(Self(()))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

/// From now on a signal that ends the process gives the terminal back first: a shell after it would find it raw. Whoever
/// makes it raw holds `raw` meanwhile, which is never given back once the process ends.
pub(super) fn end_in_order(raw: &Arc<Mutex<()>>) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit(), SignalKind::interrupt()] {
        let mut came = signal(kind)?;
        let raw = Arc::clone(raw);
        tokio::spawn(FutureExt::boxed(async move {
            came.recv().await;
            let _held = raw.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = crossterm::terminal::disable_raw_mode();
            // As a shell counts the signal that ended a process.
            std::process::exit(128 + kind.as_raw_value());
        }));
    }
    Ok(())
}
