//! How the queue's journal is written: `cutaway-uploads 1`, then `SUM JSON` a line, where the sum is the first 16 digits of
//! the JSON's SHA-256. A line that was cut off or changed is left out; those after it still count, as several processes
//! write to it. The first journals have no heading; one of a later version is left alone.

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::bytes::hex;
use super::entry::Entry;

/// The version written here.
pub const VERSION: u32 = 1;

/// What the heading begins with.
const MARK: &str = "cutaway-uploads ";

/// A later version wrote the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the upload queue was written by a newer version of Cutaway (format {0}); update Cutaway")]
pub struct Newer(pub u32);

/// Digits of a line's sum.
const SUM: usize = 16;

/// The first line.
#[must_use]
pub fn heading() -> String {
    format!("{MARK}{VERSION}\n")
}

/// The line of an entry.
#[must_use]
pub fn line(entry: &Entry) -> String {
    // Keys are texts and there are no fractions: nothing of an entry can't be written.
    let json = serde_json::to_string(entry).unwrap_or_default();
    format!("{} {json}\n", sum(json.as_bytes()))
}

/// Reads whole lines; how many of them were no entries.
///
/// # Errors
/// [`Newer`] where one of them is the heading of a later version.
pub fn read(bytes: &[u8]) -> Result<(Vec<Entry>, usize), Newer> {
    let (mut entries, mut broken) = (Vec::new(), 0);
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match (entry(line), version(line)) {
            (Some(entry), _) => entries.push(entry),
            (None, Some(version)) if version > VERSION => return Err(Newer(version)),
            (None, Some(_)) => {}
            (None, None) => broken += 1,
        }
    }
    Ok((entries, broken))
}

/// The version that a heading says.
fn version(line: &[u8]) -> Option<u32> {
    let number = std::str::from_utf8(line).ok()?.strip_prefix(MARK)?;
    number.parse().ok().filter(|version| *version > 0)
}

fn entry(line: &[u8]) -> Option<Entry> {
    let (said, json) = (line.get(..SUM)?, line.get(SUM + 1..)?);
    if line.get(SUM) != Some(&b' ') {
        return None;
    }
    (said == sum(json).as_bytes()).then(|| serde_json::from_slice(json).ok())?
}

fn sum(json: &[u8]) -> String {
    hex(Sha256::digest(json).get(..SUM / 2).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uploads::UploadId;

    #[test]
    fn what_was_cut_off_or_changed_is_left_out() {
        let entries = [Entry::Paused { id: UploadId(1) }, Entry::Limited { per_second: Some(5) }];
        let text: String = entries.iter().map(line).collect();
        assert_eq!(read(text.as_bytes()), Ok((entries.to_vec(), 0)), "as the first journals were");
        assert_eq!(read((heading() + &text).as_bytes()), Ok((entries.to_vec(), 0)));
        for cut in 0..text.len() {
            let (read, _) = read(&text.as_bytes()[..cut]).unwrap();
            assert!(entries.starts_with(&read));
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            let (read, broken) = read(&changed).unwrap();
            assert!(broken > 0 && read.len() < 2, "{at}");
            assert!(read.iter().all(|entry| entries.contains(entry)), "{at}");
        }
        // What was torn does not take the next one with it.
        let torn = format!("{}\n{}", text.get(..9).unwrap(), line(&entries[1]));
        assert_eq!(read(torn.as_bytes()), Ok((vec![entries[1].clone()], 1)));
    }

    #[test]
    fn one_of_a_later_version_is_refused_wherever_that_is_said() {
        let entry = line(&Entry::Paused { id: UploadId(1) });
        for text in ["cutaway-uploads 2\n".to_owned() + &entry, heading() + &entry + "cutaway-uploads 2\n"] {
            assert_eq!(read(text.as_bytes()), Err(Newer(2)));
        }
        assert!(Newer(2).to_string().contains("written by a newer version of Cutaway (format 2); update Cutaway"));
        for odd in ["cutaway-uploads 0\n", "cutaway-uploads two\n", "cutaway-uploads\n"] {
            assert_eq!(read(odd.as_bytes()), Ok((Vec::new(), 1)), "{odd}");
        }
    }
}
