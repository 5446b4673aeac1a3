//! The log: a file in the state folder, never the terminal. Nothing secret is ever given to it, and what other crates
//! say is left out: they may print headers.

use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::runtime::sitting::INTERNAL_ERRORS;
use crate::settings::{Environment, Folders, open_regular_with};
use crate::terminal::panics::{Listening, Panicked, listen};

/// A longer file of internal errors is not written on, bytes.
const MOST_ERRORS: u64 = 1 << 20;

/// Starts the log where `CUTAWAY_LOG` asks for one (`debug`, `info`, `warn`), or `always`. Where its folder can't be
/// written to there is none: a log is no reason to fail. Ends when the guard is dropped.
pub(super) fn start(folders: &Folders, environment: &Environment, always: bool) -> Option<WorkerGuard> {
    let asked = environment.get("CUTAWAY_LOG");
    if asked.is_none() && !always {
        return None;
    }
    let folder = folders.state().ok()?;
    make_folder(folder).ok()?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("cutaway")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let level = asked.and_then(|level| level.trim().parse::<LevelFilter>().ok()).unwrap_or(LevelFilter::INFO);
    let filter = EnvFilter::new(format!("off,cutaway={level}"));
    let subscriber = tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_env_filter(filter).finish();
    tracing::subscriber::set_global_default(subscriber).ok()?;
    Some(guard)
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
    let (now, version) = (jiff::Timestamp::now(), env!("CARGO_PKG_VERSION"));
    file.write_all(format!("{now:.0} cutaway {version} thread {thread} at {at}: {what}\n").as_bytes())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut making = DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder)
}
