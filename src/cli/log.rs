//! The log: a file in the state folder, never the terminal. Nothing secret is ever given to it, and what other crates
//! say is left out: they may print headers.

use std::fmt::{Debug, Write as _};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::runtime::sitting::INTERNAL_ERRORS;
use crate::settings::{Environment, Folders, open_regular_with};
use crate::terminal::panics::{Listening, Panicked, listen};

/// A longer file of internal errors is not written on, bytes.
const MOST_ERRORS: u64 = 1 << 20;

/// Logs of so many days are kept.
const MOST_DAYS: usize = 7;
/// Lines that wait to be written at most; what comes beyond is left out, and nothing waits for the disk.
const MOST_WAITING: usize = 10_000;

/// Starts the log where `CUTAWAY_LOG` asks for one (`error`, `warn`, `info`, `debug`; what isn't a level is `info` and said), or
/// `always`. Where its folder can't be written to there is none: a log is no reason to fail. Ends when the value is dropped.
pub(super) fn start(folders: &Folders, environment: &Environment, always: bool) -> Option<Log> {
    let asked = environment.get("CUTAWAY_LOG");
    if asked.is_none() && !always {
        return None;
    }
    let folder = folders.state().ok()?;
    make_folder(folder).ok()?;
    let (log, lines) = Log::in_folder(folder).ok()?;
    let named = asked.map(|level| level.trim().to_ascii_lowercase());
    let level = match named.as_deref() {
        Some("off") => Some(LevelFilter::OFF),
        Some("error") => Some(LevelFilter::ERROR),
        Some("warn") => Some(LevelFilter::WARN),
        None | Some("info") => Some(LevelFilter::INFO),
        Some("debug" | "trace") => Some(LevelFilter::DEBUG),
        Some(_) => None,
    };
    tracing::subscriber::set_global_default(Own { level: level.unwrap_or(LevelFilter::INFO), lines }).ok()?;
    if level.is_none() {
        tracing::warn!("CUTAWAY_LOG is none of error, warn, info, and debug: this log is at info");
    }
    Some(log)
}

/// The log that is written; dropped, it is on the disk with everything that was said.
pub(super) struct Log {
    /// What ends the writing, by being dropped.
    lines: Arc<Mutex<Option<SyncSender<Vec<u8>>>>>,
    writing: Option<JoinHandle<()>>,
}

impl Log {
    /// A log in a folder, and what hands lines to it.
    fn in_folder(folder: &Path) -> io::Result<(Self, Lines)> {
        let mut days = Days { folder: folder.to_owned(), today: None };
        days.write(today(), b"")?;
        let (sender, lines) = sync_channel::<Vec<u8>>(MOST_WAITING);
        let writing = std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            for line in lines {
                // A full disk costs the line and nothing more.
                let _ = days.write(today(), &line);
            }
        })?;
        let sender = Arc::new(Mutex::new(Some(sender)));
        Ok((Self { lines: Arc::clone(&sender), writing: Some(writing) }, Lines(sender)))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        drop(self.lines.lock().map(|mut lines| lines.take()));
        let _ = self.writing.take().map(JoinHandle::join);
    }
}

/// Hands lines to the thread that writes them.
struct Lines(Arc<Mutex<Option<SyncSender<Vec<u8>>>>>);

impl Lines {
    fn hand(&self, line: String) {
        if let Ok(lines) = self.0.lock()
            && let Some(lines) = &*lines
        {
            let _ = lines.try_send(line.into_bytes());
        }
    }
}

/// What the program itself says, a line an event: when, how grave, where, and what. There are no spans.
struct Own {
    level: LevelFilter,
    lines: Lines,
}

impl Subscriber for Own {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().split("::").next() == Some("cutaway") && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut said = Said::new();
        event.record(&mut said);
        let (now, level, target) = (Timestamp::now(), metadata.level().as_str(), metadata.target());
        self.lines.hand(format!("{now:.6} {level:>5} {target}: {}{}\n", said.message, said.fields));
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// What is said in a line is written into this: what would end the line, or do something to a terminal, as an escape.
struct OneLine<'a>(&'a mut String);

impl std::fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let mut rest = text;
        while let Some((at, control)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            let (plain, from) = rest.split_at(at);
            self.0.push_str(plain);
            self.0.extend(control.escape_default());
            rest = from.get(control.len_utf8()..).unwrap_or_default();
        }
        self.0.push_str(rest);
        Ok(())
    }
}

/// The message of an event and its fields.
struct Said {
    message: String,
    fields: String,
}

impl Said {
    fn new() -> Self {
        // Of a request: it is said of each.
        Self { message: String::with_capacity(64), fields: String::with_capacity(256) }
    }
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let name = field.name();
        if name == "message" {
            let _ = write!(OneLine(&mut self.message), "{value:?}");
        } else {
            let _ = write!(self.fields, " {name}=");
            let _ = write!(OneLine(&mut self.fields), "{value:?}");
        }
    }
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// A file a day, `cutaway.2026-11-23.log`, by the date in UTC.
struct Days {
    folder: PathBuf,
    today: Option<(Date, File)>,
}

impl Days {
    fn write(&mut self, date: Date, line: &[u8]) -> io::Result<()> {
        if self.today.as_ref().is_none_or(|(of, _)| *of != date) {
            let mut options = File::options();
            options.append(true).create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            self.today =
                Some((date, open_regular_with(&mut options, &self.folder.join(format!("cutaway.{date}.log")))?));
            self.forget();
        }
        self.today.as_mut().map_or(Ok(()), |(_, file)| file.write_all(line))
    }

    /// Removes the logs of days long gone: their names are in the order of their days.
    fn forget(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
        let mut logs: Vec<String> = entries.filter_map(name).filter(|name| is_log(name)).collect();
        logs.sort_unstable();
        for log in logs.iter().rev().skip(MOST_DAYS) {
            let _ = fs::remove_file(self.folder.join(log));
        }
    }
}

fn is_log(name: &str) -> bool {
    let date = name.strip_prefix("cutaway.").and_then(|rest| rest.strip_suffix(".log"));
    date.is_some_and(|date| date.parse::<Date>().is_ok())
}

/// Writes down what panics on other threads than the one that has the terminal, for as long as the value lives.
pub(super) fn keep_internal_errors(folders: &Folders) -> Option<Listening> {
    let folder = folders.state().ok()?.to_owned();
    Some(listen(move |panicked| {
        // Where it can't be written, the studio's notice is all there is.
        let _ = write_down(&folder, panicked);
    }))
}

fn write_down(folder: &Path, Panicked { thread, at, what, .. }: &Panicked) -> io::Result<()> {
    make_folder(folder)?;
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = open_regular_with(&mut options, &folder.join(INTERNAL_ERRORS))?;
    if file.metadata()?.len() > MOST_ERRORS {
        return Ok(());
    }
    let (now, version) = (Timestamp::now(), env!("CARGO_PKG_VERSION"));
    file.write_all(format!("{now:.0} cutaway {version} thread {thread} at {at}: {what}\n").as_bytes())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut making = DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_its_file_and_a_week_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cutaway.log"), "mine").unwrap();
        let mut days = Days { folder: folder.path().to_owned(), today: None };
        let first: Date = "2026-11-23".parse().unwrap();
        for day in 0..10 {
            let date = first.saturating_add(jiff::Span::new().days(day));
            days.write(date, b"one\n").unwrap();
            days.write(date, b"two\n").unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(
            (names.len(), names[0].as_str(), names[6].as_str()),
            (8, "cutaway.2026-11-26.log", "cutaway.2026-12-02.log")
        );
        assert_eq!(fs::read_to_string(folder.path().join(&names[6])).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_line_says_when_how_grave_and_what() {
        let folder = tempfile::tempdir().unwrap();
        let (log, lines) = Log::in_folder(folder.path()).unwrap();
        tracing::subscriber::with_default(Own { level: LevelFilter::INFO, lines }, || {
            tracing::warn!(bytes = 7, name = "a b", error = %"no\u{1b}[2J", "it failed\nagain");
            tracing::debug!("too little to say");
            tracing::error!(target: "another::crate", "of somebody else");
            tracing::error!(target: "cutaway_like", "of somebody else");
        });
        drop(log);
        let text = fs::read_to_string(folder.path().join(format!("cutaway.{}.log", today()))).unwrap();
        let (when, rest) = text.split_once(' ').unwrap();
        assert!(when.parse::<Timestamp>().is_ok() && when.len() == "2026-11-23T17:43:04.123456Z".len(), "{when}");
        let place = "cutaway::cli::log::tests";
        assert_eq!(rest, format!(" WARN {place}: it failed\\nagain bytes=7 name=\"a b\" error=no\\u{{1b}}[2J\n"));
    }

    #[test]
    fn what_was_said_is_written_when_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (log, lines) = Log::in_folder(folder.path()).unwrap();
        for line in 0..500 {
            lines.hand(format!("{line}\n"));
        }
        drop(log);
        // It is over: what comes now goes nowhere.
        lines.hand("late\n".to_owned());
        let text = fs::read_to_string(folder.path().join(format!("cutaway.{}.log", today()))).unwrap();
        assert_eq!(text.lines().count(), 500, "{text}");
    }
}
