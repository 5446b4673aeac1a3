//! The log: a file in the state folder, never the terminal. Nothing secret is ever given to it, and what other crates
//! say is left out: they may print headers.

use std::fs::DirBuilder;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::settings::{Environment, Folders};

/// Starts the log where `CUTAWAY_LOG` asks for one (`debug`, `info`, `warn`), or `always`. Where its folder can't be
/// written to there is none: a log is no reason to fail. Ends when the guard is dropped.
pub(super) fn start(folders: &Folders, environment: &Environment, always: bool) -> Option<WorkerGuard> {
    let asked = environment.get("CUTAWAY_LOG");
    if asked.is_none() && !always {
        return None;
    }
    let folder = folders.state().ok()?;
    let mut making = DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder).ok()?;
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
