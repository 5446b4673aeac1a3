//! What a command reads from, writes to and finds around it: the process's own streams, or what it was given by whoever
//! runs it for somebody else. Commands ask here and never the process, so that many of them can run in one.

use std::io::{self, IsTerminal as _, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Arc, Mutex, PoisonError};

use super::Failure;
use crate::domain::{ApiKey, text};
use crate::settings::Folders;

/// How much is said beside the output where nothing else is wanted.
pub(super) const USUAL: u8 = 1;

tokio::task_local! {
    /// What the command of this task was given. A value of the task's own, not of the process.
    static GIVEN: Arc<Given>;
}

/// What a command works with in place of the process's own.
pub(super) struct Given {
    /// Where files of Cutaway's own are, and the workspace.
    pub(super) folders: Folders,
    /// What the workspace is worked with.
    pub(super) key: ApiKey,
    /// Whether it may only read.
    pub(super) read_only: bool,
    /// A video that is uploaded has at most so many bytes.
    most_upload: u64,
    /// How much is said beside the output.
    pub(super) loudness: AtomicU8,
    /// Whether times are shown as the service gives them.
    pub(super) is_exact: AtomicBool,
    input: Mutex<Box<dyn Read + Send>>,
    output: Mutex<Box<dyn Write + Send>>,
    errors: Mutex<Box<dyn Write + Send>>,
}

impl Given {
    /// These streams, for a guest of the workspace that is in the folders.
    pub(super) fn new(
        (folders, key, read_only): (Folders, ApiKey, bool),
        most_upload: u64,
        (input, output, errors): (Box<dyn Read + Send>, Box<dyn Write + Send>, Box<dyn Write + Send>),
    ) -> Arc<Self> {
        let (input, output, errors) = (Mutex::new(input), Mutex::new(output), Mutex::new(errors));
        let (loudness, is_exact) = (AtomicU8::new(USUAL), AtomicBool::new(false));
        Arc::new(Self { folders, key, read_only, most_upload, loudness, is_exact, input, output, errors })
    }
}

/// Runs a command with what it was given.
pub(super) async fn with<T>(given: Arc<Given>, command: impl Future<Output = T>) -> T {
    GIVEN.scope(given, command).await
}

/// What the command of this task was given; nothing where it has the process's own.
pub(super) fn given() -> Option<Arc<Given>> {
    GIVEN.try_with(Arc::clone).ok()
}

/// Standard output.
pub(super) fn output() -> Box<dyn Write> {
    match given() {
        Some(given) => Box::new(Part { given, of: |given| &given.output }),
        None => Box::new(io::stdout().lock()),
    }
}

/// Standard error.
pub(super) fn errors() -> Box<dyn Write> {
    errors_of(given())
}

/// Standard error of a command that was given something, for what goes on beside it.
pub(super) fn errors_of(given: Option<Arc<Given>>) -> Box<dyn Write> {
    match given {
        Some(given) => Box::new(Part { given, of: |given| &given.errors }),
        None => Box::new(io::stderr()),
    }
}

/// Standard input.
pub(super) fn input() -> Box<dyn Read> {
    match given() {
        Some(given) => Box::new(Reading(given)),
        None => Box::new(io::stdin().lock()),
    }
}

/// How many bytes a video may have that comes by standard input, where that is bounded here.
pub(super) fn most_upload() -> Option<u64> {
    given().map(|given| given.most_upload)
}

/// Whether somebody sits at standard input.
pub(super) fn is_typed() -> bool {
    given().is_none() && io::stdin().is_terminal()
}

/// Whether somebody looks at standard output.
pub(super) fn is_shown() -> bool {
    given().is_none() && io::stdout().is_terminal()
}

/// Whether somebody looks at standard error.
pub(super) fn errors_are_shown() -> bool {
    given().is_none() && io::stderr().is_terminal()
}

/// That a file of this machine may be used: where somebody else runs the command, none may.
///
/// # Errors
/// Where it may not.
pub(super) fn may_use(file: &Path) -> Result<(), Failure> {
    if given().is_none() || file == Path::new("-") {
        return Ok(());
    }
    let file = file.display().to_string();
    Err(Failure::Usage(format!(
        "{}: files can't be read or written on this machine; use - and a pipe",
        text::line(&file)
    )))
}

/// That what needs this machine may be done.
///
/// # Errors
/// Where somebody else runs the command.
pub(super) fn is_at_home(what: &str) -> Result<(), Failure> {
    match given() {
        None => Ok(()),
        Some(_) => Err(Failure::Usage(format!("{what} isn't available over SSH"))),
    }
}

/// One of the streams to write to.
struct Part {
    given: Arc<Given>,
    of: fn(&Given) -> &Mutex<Box<dyn Write + Send>>,
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.of)(&self.given).lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.of)(&self.given).lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

struct Reading(Arc<Given>);

impl Read for Reading {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.input.lock().unwrap_or_else(PoisonError::into_inner).read(bytes)
    }
}
