//! Standard output.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use super::Failure;
use crate::client::{Answer, ClientError, json};

/// Standard output, buffered: Rust's own writes at every line feed.
pub(super) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    /// Columns of the terminal, where it is one.
    pub(super) width: Option<usize>,
}

impl Output {
    pub(super) fn open() -> Self {
        let stdout = io::stdout();
        let size = if stdout.is_terminal() { crossterm::terminal::size().ok() } else { None };
        Self { out: BufWriter::with_capacity(64 * 1024, stdout.lock()), width: size.map(|(columns, _)| columns.into()) }
    }

    /// Prints the service's own body as one document.
    pub(super) fn document(mut self, answer: &Answer<()>) -> Result<(), Failure> {
        let document = json::document(&answer.body).map_err(|what| unreadable(answer, what))?;
        json::escape_for_terminal(document, &mut self.out)?;
        self.out.write_all(b"\n")?;
        Ok(self.out.flush()?)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An answer that can't be read, with what it is.
pub(super) fn unreadable<T>(answer: &Answer<T>, what: String) -> Failure {
    let request_id = answer.request_id.clone();
    Failure::Client(ClientError::Unreadable { status: answer.status, what, request_id })
}
