//! Files that are given to commands; standard input where one is `-`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{Failure, streams};

/// A file longer than this is none of ours, bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What a file is called for people.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a text file, or standard input where it is `-`.
///
/// # Errors
/// Where there is none, it is no text, or it is too long to be meant.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    streams::may_use(path)?;
    let failed = |why: String| Failure::Usage(format!("{}: {why}", shown(path)));
    let input: Box<dyn Read> = if path == Path::new("-") {
        if streams::is_typed() {
            return Err(failed("standard input is a terminal; pipe a file in or name one".to_owned()));
        }
        streams::input()
    } else {
        Box::new(File::open(path).map_err(|error| failed(error.to_string()))?)
    };
    let mut bytes = Vec::new();
    let read = input.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > LONGEST {
        return Err(failed("is longer than 64 MiB".to_owned()));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| failed(format!("isn't UTF-8 text: byte {} is wrong", error.utf8_error().valid_up_to() + 1)))?;
    // What editors of one system put before a text is no part of it.
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}
