//! Events that are counted together: each once, whatever of their visits was told before.

use std::collections::{BTreeMap, HashMap, HashSet, btree_map};
use std::io;
use std::num::NonZero;
use std::path::Path;

use serde_json::Value;

use super::log::Log;
use crate::domain::told_counts::{ToldCounts, told};
use crate::domain::{BorrowedJson, KeptVisit, LeftOut, ToldVisit};
use crate::service::store::{DaySums, KeptChanges, KeptSums, VisitMark};

/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;
/// What tells the lines of a visit from each other.
type LineMark = [u8; 8];
/// Bytes of a place: where the line is, and its mark.
const PLACE: usize = 16;
/// Lines of a visit that are looked through.
const FEW: usize = 32;
/// Visits that are counted in one go.
const AT_A_TIME: usize = 512;

fn mark<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    let mut mark = [0; N];
    mark.iter_mut().zip(hasher.finalize().as_bytes()).for_each(|(to, from)| *to = *from);
    mark
}

/// An event that can be kept.
pub(super) struct Prepared {
    kept: KeptVisit,
    /// As it is written.
    pub(super) line: String,
    visit: VisitMark,
    mark: LineMark,
    /// What of it is not kept.
    pub(super) left: LeftOut,
}

impl Prepared {
    fn new(kept: KeptVisit, line: String, left: LeftOut) -> Self {
        Self { visit: mark(&[&kept.project, &kept.session]), mark: mark(&[&line]), kept, line, left }
    }

    /// Of a payload; what is missing, where it tells of no visit.
    pub(super) fn of_payload(payload: &Value) -> Result<Self, &'static str> {
        Self::of_told(KeptVisit::told(&BorrowedJson::from(payload))?)
    }

    /// Of a payload as it was written.
    pub(super) fn of_text(payload: &str) -> Result<Self, &'static str> {
        Self::of_told(KeptVisit::told(&BorrowedJson::of(payload).map_err(|_| "it is no JSON")?)?)
    }

    fn of_told((kept, left): (KeptVisit, LeftOut)) -> Result<Self, &'static str> {
        let line = serde_json::to_string(&kept).map_err(|_| "it can't be written")?;
        Ok(Self::new(kept, line, left))
    }

    /// Of a line that was written before.
    pub(super) fn of_line(line: String) -> Option<Self> {
        Some(Self::new(serde_json::from_str(&line).ok()?, line, LeftOut::default()))
    }
}

/// Does the same to each, in their order, and on all processors where they are at least so many.
pub(super) fn on_all<T: Send, R: Send>(items: Vec<T>, many: usize, each: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(8);
    if threads == 1 || items.len() < many {
        return items.into_iter().map(each).collect();
    }
    let (size, each) = (items.len().div_ceil(threads), &each);
    let mut rest = items.into_iter();
    std::thread::scope(|scope| {
        let start = |_| {
            let part: Vec<T> = rest.by_ref().take(size).collect();
            scope.spawn(move || part.into_iter().map(each).collect::<Vec<R>>())
        };
        let threads: Vec<_> = (0..threads).map(start).collect();
        let ended = threads.into_iter().flat_map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect()
    })
}

/// A visit of which something new was told.
#[derive(Default)]
struct Told {
    /// Where all its lines are.
    places: Vec<u8>,
    /// How many bytes of that were known before.
    known: usize,
    /// What tells its lines from each other, where they are many.
    marks: HashSet<LineMark>,
    fresh: Vec<KeptVisit>,
}

impl Told {
    /// Whether a line was told; of many lines it is asked once each.
    fn knows(&mut self, mark: LineMark) -> bool {
        if self.places.len() <= FEW * PLACE {
            return self.places.chunks_exact(PLACE).any(|place| place.ends_with(&mark));
        }
        if self.marks.is_empty() {
            let marks = self.places.chunks_exact(PLACE).filter_map(|place| place.last_chunk().copied());
            self.marks = marks.collect();
        }
        !self.marks.insert(mark)
    }
}

/// The place of a line in its eight bytes.
fn place_of(place: &[u8]) -> u64 {
    place.iter().take(PLACE - size_of::<LineMark>()).rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// Visits that are kept back at most.
const MOST_VISITS: usize = 200_000;
/// Sums that are kept back at most.
const MOST_SUMS: usize = 200_000;
/// Bytes of the places of lines that are kept back at most: a few visits may have very many lines.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What was counted and isn't written yet. The marks of visits lie all over their table, so writing a few of them changes
/// nearly all of its pages; whoever counts many events writes seldom. What is lost of it follows from the file.
#[derive(Default)]
pub(super) struct Pending {
    visits: HashMap<VisitMark, Vec<u8>>,
    /// Bytes of the places of these visits.
    bytes: usize,
    sums: Sums,
    unread: u64,
    /// How much of the file the numbers cover, and how much they will with this.
    covers: Option<(u64, u64)>,
}

impl Pending {
    /// Whether this is what is missing in the numbers of a file of this length. Else somebody else has counted it.
    pub(super) fn completes(&self, covered: u64, length: u64) -> bool {
        self.covers == Some((covered, length))
    }

    /// How much of the file is covered with this; nothing where there is none of it.
    pub(super) fn covers_to(&self) -> Option<u64> {
        self.covers.map(|(_, to)| to)
    }

    /// Whether it has to be written before more is counted.
    pub(super) fn is_much(&self) -> bool {
        self.visits.len() >= MOST_VISITS
            || self.bytes >= MOST_BYTES
            || self.sums.values().map(HashMap::len).sum::<usize>() >= MOST_SUMS
    }

    /// Adds what a batch changed, which covers the file up to here.
    pub(super) fn add(&mut self, changes: Changes, unread: u64, (from, to): (u64, u64)) {
        for (visit, places) in changes.visits {
            self.bytes += places.len();
            let before = self.visits.insert(visit, places).map_or(0, |places| places.len());
            self.bytes = self.bytes.saturating_sub(before);
        }
        merge(&mut self.sums, changes.sums);
        self.unread += unread;
        self.covers = Some((self.covers.map_or(from, |(begun, _)| begun), to));
    }

    /// Writes all of it.
    pub(super) fn write(&mut self, sums: &mut KeptSums) -> io::Result<()> {
        let Self { visits, sums: more, unread, covers, .. } = std::mem::take(self);
        let Some((_, covered)) = covers else { return Ok(()) };
        let changes = KeptChanges { visits: visits.into_iter().collect(), sums: more, unread, covered };
        sums.write(changes).map_err(io::Error::other)
    }
}

/// What a batch changes.
#[derive(Default)]
pub(super) struct Changes {
    visits: Vec<(VisitMark, Vec<u8>)>,
    sums: Sums,
}

/// The visits of events that are counted together.
#[derive(Default)]
pub(super) struct Batch {
    visits: HashMap<VisitMark, Told>,
}

impl Batch {
    /// With what is known of the visits of these events. They are looked for in the order of the table, so that each of its
    /// pages is read once.
    pub(super) fn of<'a>(
        events: impl Iterator<Item = &'a Prepared>,
        pending: &Pending,
        sums: &KeptSums,
    ) -> io::Result<Self> {
        let mut marks: Vec<VisitMark> = events.map(|event| event.visit).collect();
        marks.sort_unstable();
        marks.dedup();
        let mut visits = HashMap::with_capacity(marks.len());
        for mark in marks {
            let places = match pending.visits.get(&mark) {
                Some(places) => places.clone(),
                None => sums.places(&mark).map_err(io::Error::other)?.unwrap_or_default(),
            };
            visits.insert(mark, Told { known: places.len(), places, ..Told::default() });
        }
        Ok(Self { visits })
    }

    /// Takes the next event, whose line is at this place, or will be. Says whether it is new.
    pub(super) fn take(&mut self, event: Prepared, place: u64) -> bool {
        let visit = self.visits.entry(event.visit).or_default();
        let is_known = visit.knows(event.mark);
        if !is_known {
            visit.places.extend(place.to_le_bytes());
            visit.places.extend(event.mark);
            visit.fresh.push(event.kept);
        }
        !is_known
    }

    /// What they change. What the same visits brought before is read in the file.
    pub(super) fn changes(self, log: &Path) -> io::Result<Changes> {
        let mut changes = Changes::default();
        let told = self.visits.into_iter().filter(|(_, told)| !told.fresh.is_empty()).map(|(mark, told)| {
            changes.visits.push((mark, told.places.clone()));
            told
        });
        let mut parts = Vec::new();
        let mut rest = told.collect::<Vec<_>>().into_iter().peekable();
        while rest.peek().is_some() {
            parts.push(rest.by_ref().take(AT_A_TIME).collect::<Vec<_>>());
        }
        for counted in on_all(parts, 2, |part| counts(part, log)) {
            merge(&mut changes.sums, counted?);
        }
        Ok(changes)
    }
}

/// Adds sums to others.
fn merge(all: &mut Sums, more: Sums) {
    for (day, sums) in more {
        match all.entry(day) {
            btree_map::Entry::Vacant(none) => drop(none.insert(sums)),
            btree_map::Entry::Occupied(found) => {
                let all = found.into_mut();
                for (key, more) in sums {
                    let sum = all.entry(key).or_default();
                    *sum = (sum.0 + more.0, sum.1 + more.1);
                }
            }
        }
    }
}

type Sums = BTreeMap<(String, i64), DaySums>;

/// What a visit adds to its day.
fn add(sums: &mut Sums, project: &str, visit: &ToldVisit, sign: i32) {
    let day = visit.begun().div_euclid(DAY);
    let counts: ToldCounts = told(visit);
    let sums = sums.entry((project.to_owned(), day)).or_default();
    for (key, (count, amount)) in counts {
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + count * i64::from(sign), sum.1 + amount * f64::from(sign));
    }
}

/// What visits add, beside what they added before.
fn counts(visits: Vec<Told>, log: &Path) -> io::Result<Sums> {
    let (mut sums, mut reading) = (Sums::new(), None);
    for told in visits {
        let Some(project) = told.fresh.first().map(|kept| kept.project.clone()) else { continue };
        let mut visit = ToldVisit::default();
        let known = told.places.get(..told.known).unwrap_or_default();
        if !known.is_empty() {
            let log = match &mut reading {
                Some(log) => log,
                none => none.insert(Log::open(log)?),
            };
            for place in known.chunks_exact(PLACE) {
                if let Ok(kept) = serde_json::from_str(&log.at(place_of(place))?) {
                    visit.take(kept);
                }
            }
            add(&mut sums, &project, &visit, -1);
        }
        for kept in told.fresh {
            visit.take(kept);
        }
        add(&mut sums, &project, &visit, 1);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_visits_with_very_many_lines_are_much() {
        let changes = |visit: u8| Changes { visits: vec![([visit; 16], vec![0; MOST_BYTES / 2])], sums: Sums::new() };
        let mut pending = Pending::default();
        for _ in 0..3 {
            // The places of a visit take the room of those before them.
            pending.add(changes(1), 0, (0, 1));
            assert!(!pending.is_much());
        }
        pending.add(changes(2), 0, (1, 2));
        assert!(pending.is_much());
        let folder = tempfile::tempdir().unwrap();
        let mut sums = KeptSums::open(&folder.path().join("a.sqlite3")).unwrap();
        pending.write(&mut sums).unwrap();
        assert_eq!((pending.bytes, pending.is_much(), sums.covered().unwrap()), (0, false, (2, 0)));
    }
}
