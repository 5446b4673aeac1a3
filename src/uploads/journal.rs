//! How the queue's journal is written: `SUM JSON` a line, where the sum is the first 16 digits of the JSON's SHA-256. A
//! line that was cut off or changed is left out; those after it still count, as several processes write to it.

use sha2::{Digest as _, Sha256};

use super::bytes::hex;
use super::entry::Entry;

/// Digits of a line's sum.
const SUM: usize = 16;

/// The line of an entry.
#[must_use]
pub fn line(entry: &Entry) -> String {
    // Keys are texts and there are no fractions: nothing of an entry can't be written.
    let json = serde_json::to_string(entry).unwrap_or_default();
    format!("{} {json}\n", sum(json.as_bytes()))
}

/// Reads whole lines; how many of them were no entries.
#[must_use]
pub fn read(bytes: &[u8]) -> (Vec<Entry>, usize) {
    let mut broken = 0;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let entries = lines.filter_map(|line| {
        let entry = entry(line);
        broken += usize::from(entry.is_none());
        entry
    });
    (entries.collect(), broken)
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
        assert_eq!(read(text.as_bytes()), (entries.to_vec(), 0));
        for cut in 0..text.len() {
            let (read, _) = read(&text.as_bytes()[..cut]);
            assert!(entries.starts_with(&read));
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            let (read, broken) = read(&changed);
            assert!(broken > 0 && read.len() < 2, "{at}");
            assert!(read.iter().all(|entry| entries.contains(entry)), "{at}");
        }
        // What was torn does not take the next one with it.
        let torn = format!("{}\n{}", &text[..9], line(&entries[1]));
        assert_eq!(read(torn.as_bytes()), (vec![entries[1].clone()], 1));
    }
}
