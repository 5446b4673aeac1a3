//! The journal of a draft: one line a record, each with its number, its length and a sum of itself, so that a journal
//! that was cut off anywhere tells everything up to the cut, and one that is damaged in the middle what comes after it.
//!
//! The first line is `cutaway-draft 2 SUM`, then `NUMBER LENGTH SUM JSON` follows on each line. A sum is the first 16
//! digits of a SHA-256: of the words `cutaway-draft 2`, and of `NUMBER LENGTH JSON`. The numbers count the lines from 1.
//! Whatever a draft stands on is written twice, one line after the other ([`Record::Again`]).
//!
//! Journals of version 1 are read too: `cutaway-draft 1`, then `SUM JSON` on each line, where the sum is of the JSON alone.

use std::ops::Range;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::draft::Draft;
use super::record::Record;
use crate::domain::Project;

/// The version written here; a journal of a later one is left alone.
pub const VERSION: u32 = 2;

/// What the names of journals end with.
pub const ENDING: &str = ".draft";

/// A longer journal is not read: it can't be one that a person made.
pub const MOST_BYTES: u64 = 64 << 20;

/// What every journal begins with.
const MARK: &str = "cutaway-draft ";

/// What journals of version 1 begin with.
const OLD_HEADING: &str = "cutaway-draft 1";

/// Digits of a line's sum.
const SUM: usize = 16;

/// Why a journal is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JournalError {
    /// A later Cutaway wrote it.
    #[error(
        "the draft was written by a newer version of Cutaway (format {0}); open it with that version, or discard it"
    )]
    Newer(u32),
    /// It is no journal.
    #[error("the file is not a draft")]
    Foreign,
}

/// A journal that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// The draft as far as nothing is missing; none where not even its beginning can be read.
    pub draft: Option<Draft>,
    /// How many records tell of it.
    pub records: usize,
    /// The number of the last line that can be read.
    pub last: u64,
    /// The version of its form.
    pub version: u32,
    /// Whether it ends in a whole line. Otherwise the next one has to begin with a line feed.
    pub is_closed: bool,
    /// What is wrong with it, where something is. Then it is not to be written on.
    pub damage: Option<Damage>,
}

/// What is wrong with a journal, and what of it can be had all the same.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Damage {
    /// Whether its last line was not written to its end and nothing else is wrong: what happens when everything ends
    /// while a record is being written, before it was called kept.
    pub is_torn: bool,
    /// How many records are known to be missing; those that were being written are not counted.
    pub missing: usize,
    /// The records after the first one that is missing. They can be read.
    pub later: Vec<Record>,
}

impl Damage {
    /// How many records can be read that stand after the first one that is missing.
    #[must_use]
    pub fn later(&self) -> usize {
        self.later.len()
    }

    /// The draft with what stands after the damage. What it goes on from is the draft up to there; where there is none,
    /// the project as the service has it.
    #[must_use]
    pub fn rescue(&self, draft: Draft) -> Draft {
        let mut rescued = draft;
        for record in &self.later {
            rescued.take_later(record.clone());
        }
        rescued.loosen_missing();
        rescued
    }

    /// The same where not even the draft's beginning can be read: its later edits on a project as it is now. None where
    /// there is nothing that could be taken.
    #[must_use]
    pub fn rescue_on(&self, workspace: &str, project: Project) -> Option<Draft> {
        (!self.later.is_empty()).then(|| self.rescue(Draft::new(workspace, project)))
    }
}

/// The first line of a journal.
#[must_use]
pub fn heading() -> String {
    let words = format!("{MARK}{VERSION}");
    format!("{words} {}\n", sum(&[words.as_bytes()]))
}

/// The lines of a record, and the number of the last one of them. `last` is the number of the line before.
#[must_use]
pub fn lines(record: &Record, last: u64) -> (String, u64) {
    let first = line(record, last + 1);
    match record {
        Record::Begun(begun) => (first + &line(&Record::Again(begun.clone()), last + 2), last + 2),
        _ => (first, last + 1),
    }
}

/// A whole journal of these records, and the number of its last line.
#[must_use]
pub fn whole(records: &[Record]) -> (String, u64) {
    let (mut text, mut last) = (heading(), 0);
    for record in records {
        let (lines, number) = lines(record, last);
        text.push_str(&lines);
        last = number;
    }
    (text, last)
}

fn line(record: &Record, number: u64) -> String {
    // Keys are texts and numbers are finite: nothing of a record can't be written.
    let json = serde_json::to_string(record).unwrap_or_default();
    let head = format!("{number} {} ", json.len());
    format!("{head}{} {json}\n", sum(&[head.as_bytes(), json.as_bytes()]))
}

/// Reads a journal.
///
/// # Errors
/// Where it is none, or of a later version: then it is not to be touched.
pub fn read(bytes: &[u8]) -> Result<Journal, JournalError> {
    let heading = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let version = version(heading);
    let from = match version {
        // Its line feed may be all that is damaged.
        Heading::Broken if bytes.starts_with(OLD_HEADING.as_bytes()) => OLD_HEADING.len() + 1,
        Heading::Broken => 0,
        Heading::Whole(..) | Heading::Cut => heading.len(),
    };
    let lines = Lines::read(bytes, from);
    let version = match version {
        Heading::Whole(version, is_sure) if version > VERSION && (is_sure || lines.sound.is_empty()) => {
            return Err(JournalError::Newer(version));
        }
        Heading::Broken if lines.sound.is_empty() => return Err(JournalError::Foreign),
        Heading::Whole(version, _) if version <= VERSION => version,
        Heading::Whole(..) | Heading::Broken => 0,
        Heading::Cut => return Ok(nothing(Some(Damage { is_torn: true, ..Damage::default() }))),
    };
    Ok(lines.into_journal(version))
}

fn nothing(damage: Option<Damage>) -> Journal {
    Journal { draft: None, records: 0, last: 0, version: VERSION, is_closed: true, damage }
}

/// The first line of a file.
enum Heading {
    /// It tells the version; whether its sum says that it is the one that was written.
    Whole(u32, bool),
    /// It was cut off.
    Cut,
    /// It is no heading, or a damaged one.
    Broken,
}

fn version(heading: &[u8]) -> Heading {
    let Ok(text) = std::str::from_utf8(heading) else { return Heading::Broken };
    let Some(whole) = text.strip_suffix('\n') else {
        let own = self::heading();
        return if own.starts_with(text) || OLD_HEADING.starts_with(text) { Heading::Cut } else { Heading::Broken };
    };
    let Some(rest) = whole.strip_prefix(MARK) else { return Heading::Broken };
    let (number, told) = rest.split_once(' ').map_or((rest, None), |(number, told)| (number, Some(told)));
    let Ok(number) = number.parse::<u32>() else { return Heading::Broken };
    let sum = sum(&[format!("{MARK}{number}").as_bytes()]);
    match told {
        // The first version had no sum, and later ones may have more behind theirs.
        None if number != VERSION => Heading::Whole(number, false),
        Some(told) if told.split(' ').next() == Some(sum.as_str()) => Heading::Whole(number, true),
        _ => Heading::Broken,
    }
}

/// The lines of a file that can be read, and where some can't.
struct Lines {
    /// Each with how many are missing before it, where that is known.
    sound: Vec<Sound>,
    /// Whole lines at the end that can't be read.
    missing_at_end: usize,
    /// Whether the last line was not written to its end.
    is_torn: bool,
    /// Whether it ends in a line feed.
    is_closed: bool,
    /// Whether some byte between the lines is not what it was.
    is_scratched: bool,
}

struct Sound {
    record: Record,
    /// Its number; none in a journal of version 1.
    number: Option<u64>,
    /// Lines right before it that can't be read.
    broken: usize,
}

impl Lines {
    fn read(bytes: &[u8], from: usize) -> Self {
        let mut lines =
            Self { sound: Vec::new(), missing_at_end: 0, is_torn: false, is_closed: true, is_scratched: false };
        let (mut at, mut broken) = (from, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some((record, number, len)) = sound(rest) {
                lines.sound.push(Sound { record, number, broken: std::mem::take(&mut broken) });
                lines.is_closed = rest.get(len) == Some(&b'\n');
                lines.is_scratched |= rest.get(len).is_some_and(|byte| *byte != b'\n');
                at += len + 1;
            } else if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                broken += 1;
                at += end + 1;
            } else {
                lines.is_torn = true;
                at = bytes.len();
            }
        }
        lines.missing_at_end = broken;
        lines
    }

    /// `version` is 0 where the heading can't be read.
    fn into_journal(self, version: u32) -> Journal {
        let mut journal = nothing(None);
        (journal.version, journal.is_closed) = (version, self.is_closed);
        let mut damage = Damage::default();
        let (mut is_whole, mut may_lack_copy) = (version > 0 && !self.is_scratched, false);
        for (nth, Sound { record, number, broken }) in self.sound.into_iter().enumerate() {
            is_whole &= broken == 0;
            let gap = match number {
                Some(number) => usize::try_from(number.saturating_sub(journal.last + 1)).unwrap_or(usize::MAX),
                // A heading that can't be read is no record that is missing.
                None => broken.saturating_sub(usize::from(version == 0 && nth == 0)),
            };
            journal.last = number.unwrap_or(journal.last + 1);
            damage.missing += gap.saturating_sub(usize::from(may_lack_copy));
            may_lack_copy = false;
            match record {
                // What stands before a beginning, or is missing there, does not count any more.
                Record::Begun(begun) => {
                    (journal.draft, journal.records) = (Some(Draft::from_begun(begun)), 1);
                    damage = Damage::default();
                    may_lack_copy = number.is_some();
                }
                Record::Again(begun) if gap > 0 => {
                    (journal.draft, journal.records) = (Some(Draft::from_begun(begun)), 1);
                    damage = Damage::default();
                }
                Record::Again(_) | Record::Claimed => {}
                record if damage.missing > 0 => damage.later.push(record),
                record => {
                    if let Some(draft) = &mut journal.draft {
                        draft.take(record);
                        journal.records += 1;
                    } else {
                        damage.missing = 1;
                        damage.later.push(record);
                    }
                }
            }
        }
        damage.missing += self.missing_at_end.saturating_sub(usize::from(may_lack_copy));
        is_whole &= self.missing_at_end == 0;
        // Whoever makes a journal writes more than its heading.
        let is_cut = self.is_torn || (journal.last == 0 && version > 0);
        damage.is_torn = is_cut && is_whole && damage.missing == 0;
        journal.damage = (is_cut || !is_whole || damage.missing > 0).then_some(damage);
        journal
    }
}

/// The record that begins here, its number, and its length without its line feed.
fn sound(bytes: &[u8]) -> Option<(Record, Option<u64>, usize)> {
    numbered(bytes).or_else(|| old(bytes))
}

fn numbered(bytes: &[u8]) -> Option<(Record, Option<u64>, usize)> {
    let (number, line) = parts(bytes)?;
    Some((serde_json::from_slice(bytes.get(line.json.clone())?).ok()?, Some(number), line.json.end))
}

/// Where in a line its sum and its JSON are. What stands before the sum counts towards it.
struct Parts {
    sum: Range<usize>,
    json: Range<usize>,
}

/// The number of the line that begins here, and its parts; none where its sum is of something else.
fn parts(bytes: &[u8]) -> Option<(u64, Parts)> {
    let digits = |bytes: &[u8]| -> Option<(u64, usize)> {
        let len = bytes.iter().take(20).position(|byte| *byte == b' ')?;
        let text = std::str::from_utf8(bytes.get(..len)?).ok()?;
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| Some((text.parse().ok()?, len + 1)))?
    };
    let (number, first) = digits(bytes)?;
    let (length, second) = digits(bytes.get(first..)?)?;
    let head = bytes.get(..first + second)?;
    let told = head.len()..head.len() + SUM;
    let from = told.end + 1;
    let to = from.checked_add(usize::try_from(length).ok()?)?;
    let json = bytes.get(from..to)?;
    let is_sound = bytes.get(told.end) == Some(&b' ') && sum(&[head, json]).as_bytes() == bytes.get(told.clone())?;
    is_sound.then_some((number, Parts { sum: told, json: from..to }))
}

/// Overwrites parts of the records of a journal with as many other bytes, by a rule that says whether it changed the JSON
/// that it is given; the sums follow, so that the journal is as sound as before. Gives the places that were changed.
/// Lines that can't be read stay as they are, and so do those of journals of version 1.
pub fn overwrite(bytes: &mut [u8], mut change: impl FnMut(&mut [u8]) -> bool) -> Vec<Range<usize>> {
    let (mut at, mut changed) = (0, Vec::new());
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| !rest.is_empty()) {
        if let Some((_, line)) = parts(rest) {
            if rest.get_mut(line.json.clone()).is_some_and(&mut change) {
                let head = rest.get(..line.sum.start).unwrap_or_default();
                let new = sum(&[head, rest.get(line.json.clone()).unwrap_or_default()]);
                if let Some(told) = rest.get_mut(line.sum.clone()) {
                    told.copy_from_slice(new.as_bytes());
                }
                changed.push(at + line.sum.start..at + line.json.end);
            }
            at += line.json.end + 1;
        } else {
            at += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        }
    }
    changed
}

/// A line of a journal of version 1. Its length is not told: where its line feed is damaged, it ends where the next one
/// begins.
fn old(bytes: &[u8]) -> Option<(Record, Option<u64>, usize)> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let is_last = line.len() == bytes.len();
    let begins = |at: usize| {
        let sum = line.get(at..at + SUM).is_some_and(|sum| sum.iter().all(u8::is_ascii_hexdigit));
        (sum && line.get(at + SUM) == Some(&b' ')) || (is_last && at == line.len())
    };
    let ends = std::iter::once(line.len()).chain((SUM + 2..=line.len()).filter(|at| begins(*at)).map(|at| at - 1));
    ends.into_iter().find_map(|end| {
        let (told, json) = (line.get(..SUM)?, line.get(SUM + 1..end)?);
        let is_sound = line.get(SUM) == Some(&b' ') && sum(&[json]).as_bytes() == told;
        is_sound.then(|| Some((serde_json::from_slice(json).ok()?, None, end)))?
    })
}

/// What version 1 wrote of records.
#[cfg(test)]
pub(crate) fn whole_of_version_1(records: &[Record]) -> String {
    records.iter().fold(format!("{OLD_HEADING}\n"), |mut text, record| {
        // It did not note where an undoing began.
        let told = match record {
            Record::Go { to, .. } => Record::Go { to: *to, from: None },
            other => other.clone(),
        };
        let json = serde_json::to_string(&told).unwrap_or_default();
        text.push_str(&sum(&[json.as_bytes()]));
        text.extend([" ", &json, "\n"]);
        text
    })
}

fn sum(parts: &[&[u8]]) -> String {
    use std::fmt::Write as _;
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let mut sum = String::with_capacity(SUM);
    for byte in hash.finalize().iter().take(SUM / 2) {
        let _ = write!(sum, "{byte:02x}");
    }
    sum
}
