//! Standard output.

use std::io::{self, BufWriter, Write};

use super::{Failure, streams};
use crate::client::{Answer, ClientError, json};

/// Standard output, buffered: Rust's own writes at every line feed.
pub(super) struct Output {
    out: BufWriter<Box<dyn Write>>,
    /// How wide a table may be, columns; nothing where nobody says.
    pub(super) width: Option<usize>,
}

impl Output {
    pub(super) fn open() -> Self {
        Self { out: BufWriter::with_capacity(64 * 1024, streams::output()), width: columns() }
    }

    /// What goes somewhere else.
    pub(super) fn to(out: Box<dyn Write>) -> Self {
        Self { out: BufWriter::new(out), width: None }
    }

    /// Prints the service's own body as one document.
    pub(super) fn document(mut self, answer: &Answer<()>) -> Result<(), Failure> {
        let document = json::document(&answer.body).map_err(|what| unreadable(answer, what))?;
        json::escape_for_terminal(document, &mut self.out)?;
        self.out.write_all(b"\n")?;
        Ok(self.out.flush()?)
    }
}

/// What `COLUMNS` says, else how wide the terminal is. One that says it has no columns (a serial line, some consoles of
/// containers) does not say how wide it is.
fn columns() -> Option<usize> {
    if streams::given().is_some() {
        return None;
    }
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse::<usize>().ok());
    let of_terminal = || {
        let size = if streams::is_shown() { crossterm::terminal::size().ok() } else { None };
        size.map(|(columns, _)| columns.into())
    };
    told.filter(|columns| *columns > 0).or_else(of_terminal).filter(|columns| *columns > 0)
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
