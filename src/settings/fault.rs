//! What is wrong in a file of settings, and where.

use std::path::Path;
use std::{fmt, io};

use super::bounded::{MOST_SETTINGS, read_bounded};

/// A fault in a settings file. The defaults are used in place of what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// The file as people know it: `keymap.toml`.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

impl FileFault {
    /// The fault at a byte of the file's text.
    #[must_use]
    pub fn at(file: &str, text: &str, byte: usize, what: impl Into<String>) -> Self {
        let before = text.get(..byte.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            what: what.into(),
        }
    }

    /// The fault of a TOML error.
    #[must_use]
    pub fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        Self::at(file, text, error.span().map_or(0, |span| span.start), error.message().replace('\n', ", "))
    }
}

/// Reads a file of settings; `None` where there is none.
///
/// # Errors
/// Where it is there but can't be read, is no file or too large, or is not UTF-8: with the place of the first byte that is not.
pub fn read_text(path: &Path) -> Result<Option<String>, FileFault> {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let bytes = match read_bounded(path, MOST_SETTINGS) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileFault { file: file.into_owned(), line: 1, column: 1, what: error.to_string() }),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
        FileFault::at(&file, &text, good, "is not UTF-8 text")
    })
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.what)
    }
}
