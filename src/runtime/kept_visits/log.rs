//! The file of the events that are kept: one JSON object a line, in the order in which they came.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The longest line that is read, bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// A line as it was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Without its end. One that is too long is an empty object.
    pub(super) text: String,
    /// How many bytes it has with its end.
    pub(super) bytes: u64,
    /// Whether its end was there.
    pub(super) is_whole: bool,
}

/// The next line; none at the end. Of one that is too long everything is passed over.
pub(super) fn line_of(from: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read = io::Read::take(&mut *from, LONGEST).read_until(b'\n', &mut bytes)? as u64;
    if read == 0 {
        return Ok(None);
    }
    if read == LONGEST && !bytes.ends_with(b"\n") {
        let rest = from.skip_until(b'\n')? as u64;
        return Ok(Some(Line { text: "{}".to_owned(), bytes: read + rest, is_whole: true }));
    }
    let is_whole = bytes.ends_with(b"\n");
    let mut text =
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(Some(Line { text, bytes: read, is_whole }))
}

/// How long a file is; nothing where it isn't there.
pub(super) fn length(file: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(file) {
        Ok(found) => Ok(Some(found.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file of events to read in.
pub(super) struct Log(BufReader<File>);

impl Log {
    pub(super) fn open(file: &Path) -> io::Result<Self> {
        Ok(Self(BufReader::new(File::open(file)?)))
    }

    pub(super) fn go_to(&mut self, place: u64) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(place)).map(drop)
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        line_of(&mut self.0)
    }

    /// The line at a place.
    pub(super) fn at(&mut self, place: u64) -> io::Result<String> {
        self.go_to(place)?;
        Ok(self.next()?.unwrap_or_default().text)
    }
}

/// Writes behind the end of a file that only its owner may read.
pub(super) fn append(file: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}

/// Waits until what was written to a file is on the disk.
pub(super) fn sync(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_a_line_is_passed_over() {
        let long = format!("{}\nnext\r\nlast", "x".repeat(usize::try_from(LONGEST).unwrap() + 5));
        let mut from = long.as_bytes();
        let line = |text: &str, bytes, is_whole| Some(Line { text: text.to_owned(), bytes, is_whole });
        assert_eq!(line_of(&mut from).unwrap(), line("{}", LONGEST + 6, true));
        assert_eq!(line_of(&mut from).unwrap(), line("next", 6, true));
        assert_eq!(line_of(&mut from).unwrap(), line("last", 4, false));
        assert_eq!(line_of(&mut from).unwrap(), None);
    }
}
