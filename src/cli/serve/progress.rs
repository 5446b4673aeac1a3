//! Progress on standard error, where that is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::tell;

/// Progress on standard error, where that is a terminal.
pub(super) struct Bar {
    what: &'static str,
    /// What is counted.
    things: &'static str,
    of: Option<u64>,
    begun: Instant,
    shown: Arc<Mutex<Option<Instant>>>,
}

/// Cells of the bar.
const CELLS: u64 = 30;

impl Bar {
    pub(super) fn new(what: &'static str, of: Option<u64>) -> Self {
        Self { what, things: "products", of, begun: Instant::now(), shown: Arc::default() }
    }

    /// The same for rows of a database.
    pub(super) fn of_rows(what: &'static str, of: u64) -> Self {
        Self { things: "rows", ..Self::new(what, Some(of)) }
    }

    pub(super) fn show(&self, so_far: u64) {
        let done = self.of == Some(so_far);
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = shown.is_some_and(|at| at.elapsed() < Duration::from_millis(100));
        if !io::stderr().is_terminal() || (lately && !done) {
            return;
        }
        *shown = Some(Instant::now());
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let rate = (so_far as f64 / self.begun.elapsed().as_secs_f64().max(0.001)) as u64;
        let mut err = io::stderr().lock();
        let _ = match self.of {
            Some(of) => {
                let full = so_far.saturating_mul(CELLS) / of.max(1);
                let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
                write!(err, "\r{}: {bar} {so_far} of {of} {}, {rate} a second", self.what, self.things)
            }
            None => write!(err, "\r{}: {so_far} products, {rate} a second", self.what),
        };
        if done {
            let _ = writeln!(err);
        }
        let _ = err.flush();
    }

    /// Ends the line where it was not known how many would come.
    pub(super) fn end(&self) {
        if self.shown.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            tell("");
        }
    }
}
