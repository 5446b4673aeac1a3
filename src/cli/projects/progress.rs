//! How far a project is made.

use crate::cli::progress_line::ProgressLine;
use crate::runtime::saving::Told;

/// The line that says it.
pub(super) struct Progress {
    line: ProgressLine,
    done: usize,
}

impl Progress {
    pub(super) fn begin() -> Self {
        Self { line: ProgressLine::begin(), done: 0 }
    }

    /// Takes note of a request that is about to be sent.
    pub(super) fn note(&mut self, told: &Told<'_>) {
        let Told::Call(call, left) = told else { return };
        let done = self.done;
        self.done += 1;
        self.line.say(|| format!("{done} of {} requests: {}", done + left, call.title()));
    }
}
