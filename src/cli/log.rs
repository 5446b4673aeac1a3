//! The log: a file in the state folder, never the terminal. Nothing secret is ever given to it.

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

use crate::settings::{Environment, Folders};

/// Starts the log where `CUTAWAY_LOG` asks for one (`debug`, `cutaway=trace`), or `always`. Where its folder can't be
/// written to there is none: a log is no reason to fail. Ends when the guard is dropped.
pub(super) fn start(folders: &Folders, environment: &Environment, always: bool) -> Option<WorkerGuard> {
    let asked = environment.get("CUTAWAY_LOG");
    if asked.is_none() && !always {
        return None;
    }
    let folder = folders.state().ok()?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("cutaway")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let filter = EnvFilter::try_new(asked.unwrap_or("cutaway=info")).unwrap_or_else(|_| EnvFilter::new("cutaway=info"));
    let subscriber = tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_env_filter(filter).finish();
    tracing::subscriber::set_global_default(subscriber).ok()?;
    Some(guard)
}
