//! The journal of a draft: one line a record, each with a sum of itself, so that a journal that was cut off anywhere tells
//! everything up to the cut.
//!
//! The first line is `cutaway-draft 1`, then `SUM JSON` follows on each line, where the sum is the first 16 digits of the
//! JSON's SHA-256.

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::draft::Draft;
use super::record::Record;

/// The version written here; a journal of a later one is left alone.
const VERSION: u32 = 1;

/// What every journal begins with.
const MARK: &str = "cutaway-draft ";

/// Digits of a line's sum.
const SUM: usize = 16;

/// Why a journal is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JournalError {
    /// A later Cutaway wrote it.
    #[error("the draft was written by a newer Cutaway (format {0}); open it with that one, or discard it")]
    Newer(u32),
    /// It is no journal.
    #[error("the file is no draft")]
    Foreign,
}

/// A journal that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// The draft; none where not even its beginning was kept.
    pub draft: Option<Draft>,
    /// How many records tell of it.
    pub records: usize,
    /// How many bytes of the journal tell of it. What comes after is cut off or broken, and is to be written over.
    pub sound: usize,
}

/// The first line of a journal.
#[must_use]
pub fn heading() -> String {
    format!("{MARK}{VERSION}\n")
}

/// The line of a record.
#[must_use]
pub fn line(record: &Record) -> String {
    // Keys are texts and numbers are finite: nothing of a record can't be written.
    let json = serde_json::to_string(record).unwrap_or_default();
    format!("{} {json}\n", sum(json.as_bytes()))
}

/// Reads a journal as far as it is sound.
///
/// # Errors
/// Where it is none, or of a later version: then it is not to be touched.
pub fn read(bytes: &[u8]) -> Result<Journal, JournalError> {
    let heading = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(version) = version(heading)? else { return Ok(Journal { draft: None, records: 0, sound: 0 }) };
    if version > VERSION {
        return Err(JournalError::Newer(version));
    }
    let mut journal = Journal { draft: None, records: 0, sound: heading.len() };
    let lines = bytes.get(heading.len()..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
    for line in lines {
        let Some(record) = record(line) else { break };
        match (&mut journal.draft, record) {
            (None, Record::Begun(begun)) => journal.draft = Some(Draft::from_begun(begun)),
            (None, _) => break,
            (Some(draft), record) => draft.take(record),
        }
        journal.records += 1;
        journal.sound += line.len();
    }
    Ok(journal)
}

/// The version of a whole heading; none where it was cut off.
fn version(heading: &[u8]) -> Result<Option<u32>, JournalError> {
    let text = std::str::from_utf8(heading).map_err(|_| JournalError::Foreign)?;
    match text.strip_suffix('\n') {
        Some(whole) => {
            let version = whole.strip_prefix(MARK).and_then(|version| version.parse().ok());
            version.map(Some).ok_or(JournalError::Foreign)
        }
        None if MARK.starts_with(text) || text.strip_prefix(MARK).is_some_and(|rest| rest.parse::<u32>().is_ok()) => {
            Ok(None)
        }
        None => Err(JournalError::Foreign),
    }
}

fn record(line: &[u8]) -> Option<Record> {
    let line = line.strip_suffix(b"\n")?;
    let (told, json) = (line.get(..SUM)?, line.get(SUM + 1..)?);
    (sum(json).as_bytes() == told).then(|| serde_json::from_slice(json).ok())?
}

fn sum(json: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut sum = String::with_capacity(SUM);
    for byte in Sha256::digest(json).iter().take(SUM / 2) {
        let _ = write!(sum, "{byte:02x}");
    }
    sum
}
