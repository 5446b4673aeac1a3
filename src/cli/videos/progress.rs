//! How uploads go, on standard error: one line that is written over on a terminal, a line an upload elsewhere.

use std::collections::HashSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::text;
use crate::uploads::{Overview, State, UploadId, bytes, rate};

/// How often the line is written over.
const EVERY: Duration = Duration::from_millis(200);

/// Says how uploads go.
pub(super) struct Telling {
    terminal: bool,
    told: HashSet<(UploadId, String)>,
    shown: Option<Instant>,
    fault: Option<String>,
}

impl Telling {
    pub(super) fn new() -> Self {
        crate::cli::telling::shows_progress();
        Self { terminal: io::stderr().is_terminal(), told: HashSet::new(), shown: None, fault: None }
    }

    /// Says what is new of these.
    pub(super) fn tell(&mut self, overview: &Overview, ids: &[UploadId]) {
        for upload in overview.queue.uploads().iter().filter(|upload| ids.contains(&upload.id)) {
            let name = &upload.file.name;
            let say = match &upload.state {
                State::Retrying { why, .. } => format!("{name}: {why}; trying again"),
                State::Failed { why, fix, .. } => format!("{name}: {why}; {fix}"),
                State::Cancelled { .. } => format!("{name}: cancelled"),
                State::Paused => format!("{name}: paused"),
                State::Done { found: true, .. } => format!("{name}: done, though the response was lost"),
                _ => continue,
            };
            if self.told.insert((upload.id, format!("{say}{}", upload.breaks))) {
                self.line(&say);
            }
        }
        if self.fault != overview.fault {
            self.fault.clone_from(&overview.fault);
            if let Some(fault) = &overview.fault {
                self.line(fault);
            }
        }
        if self.terminal && self.shown.is_none_or(|shown| shown.elapsed() >= EVERY) {
            self.shown = Some(Instant::now());
            let sum = overview.sum();
            let left = sum.left().map(|left| format!(" · {} left", clock(left))).unwrap_or_default();
            let speed = if sum.per_second > 0 { format!(" · {}", rate(sum.per_second)) } else { String::new() };
            let (done, all) = (sum.done, sum.count());
            let say = format!("{done} of {all} · {} of {}{speed}{left}", bytes(sum.sent), bytes(sum.size));
            let _ = write!(io::stderr(), "\r\x1b[K{say}");
        }
    }

    /// Says something on a line of its own.
    pub(super) fn line(&mut self, say: &str) {
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        let _ = writeln!(io::stderr(), "{clear}cutaway: {}", text::line(say));
    }

    /// Takes the line away.
    pub(super) fn end(&self) {
        if self.terminal && self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A time that is left: `0:06`, `1:02:03`.
fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}
