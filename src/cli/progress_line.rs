//! How far something is: one line on a terminal that is written over, and gone at the end.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use super::{streams, telling};

/// How often the line is written over.
const EVERY: Duration = Duration::from_millis(100);

/// The line, where there is a terminal to show it on.
pub(super) struct ProgressLine {
    shows: bool,
    shown: Option<Instant>,
}

impl ProgressLine {
    pub(super) fn begin() -> Self {
        let shows = telling::wanted() && streams::errors_are_shown();
        if shows {
            telling::shows_progress();
        }
        Self { shows, shown: None }
    }

    /// Says how far it is, where that was not said a moment ago.
    pub(super) fn say(&mut self, words: impl FnOnce() -> String) {
        if !self.shows || self.shown.is_some_and(|shown| shown.elapsed() < EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        let words = words();
        let line = crate::domain::text::line(&words);
        let width = crossterm::terminal::size().map_or(79, |(columns, _)| usize::from(columns).saturating_sub(1));
        let line: String = line.chars().take(width.max(20)).collect();
        telling::line_is_shown();
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        telling::clear_line();
    }
}
