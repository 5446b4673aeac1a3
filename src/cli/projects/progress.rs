//! How far a project is made: one line on a terminal that is written over, and gone at the end.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use crate::cli::{streams, telling};
use crate::runtime::saving::Told;

/// How often the line is written over.
const EVERY: Duration = Duration::from_millis(100);

/// The line, where there is a terminal to show it on.
pub(super) struct Progress {
    shows: bool,
    done: usize,
    shown: Option<Instant>,
}

impl Progress {
    pub(super) fn begin() -> Self {
        let shows = telling::wanted() && streams::errors_are_shown();
        if shows {
            telling::shows_progress();
        }
        Self { shows, done: 0, shown: None }
    }

    /// Takes note of a request that is about to be sent.
    pub(super) fn note(&mut self, told: &Told<'_>) {
        let Told::Call(call, left) = told else { return };
        let line = format!("{} of {} requests: {}", self.done, self.done + left, call.title());
        self.done += 1;
        if self.shows && self.shown.is_none_or(|shown| shown.elapsed() >= EVERY) {
            self.shown = Some(Instant::now());
            let line = crate::domain::text::line(&line).into_owned();
            let width = crossterm::terminal::size().map_or(79, |(columns, _)| usize::from(columns).saturating_sub(1));
            let line: String = line.chars().take(width.max(20)).collect();
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
