//! Events that are counted together: each once, whatever of their visits was told before.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::num::NonZero;
use std::path::Path;

use serde_json::Value;

use super::log::Log;
use crate::domain::told_counts::{ToldCounts, told};
use crate::domain::{KeptVisit, ToldVisit};
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
}

impl Prepared {
    fn new(kept: KeptVisit, line: String) -> Self {
        Self { visit: mark(&[&kept.project, &kept.session]), mark: mark(&[&line]), kept, line }
    }

    /// Of a payload; nothing where it tells of no visit.
    pub(super) fn of_payload(payload: &Value) -> Option<Self> {
        let kept = KeptVisit::of(payload).ok()?;
        let line = serde_json::to_string(&kept).ok()?;
        Some(Self::new(kept, line))
    }

    /// Of a line that was written before.
    pub(super) fn of_line(line: String) -> Option<Self> {
        Some(Self::new(serde_json::from_str(&line).ok()?, line))
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

/// The visits of events that are counted together.
pub(super) struct Batch<'a> {
    sums: &'a KeptSums,
    visits: HashMap<VisitMark, Told>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(sums: &'a KeptSums) -> Self {
        Self { sums, visits: HashMap::new() }
    }

    /// Takes the next event, whose line is at this place, or will be. Says whether it is new.
    pub(super) fn take(&mut self, event: Prepared, place: u64) -> io::Result<bool> {
        let visit = match self.visits.entry(event.visit) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(vacant) => {
                let places = self.sums.places(&event.visit).map_err(io::Error::other)?.unwrap_or_default();
                vacant.insert(Told { known: places.len(), places, ..Told::default() })
            }
        };
        let is_known = visit.knows(event.mark);
        if !is_known {
            visit.places.extend(place.to_le_bytes());
            visit.places.extend(event.mark);
            visit.fresh.push(event.kept);
        }
        Ok(!is_known)
    }

    /// What they change. What the same visits brought before is read in the file.
    pub(super) fn changes(self, log: &Path) -> io::Result<KeptChanges> {
        let mut changes = KeptChanges::default();
        let told = self.visits.into_iter().filter(|(_, told)| !told.fresh.is_empty()).map(|(mark, told)| {
            changes.visits.push((mark, told.places.clone()));
            told
        });
        let mut parts = Vec::new();
        let mut rest = told.collect::<Vec<_>>().into_iter().peekable();
        while rest.peek().is_some() {
            parts.push(rest.by_ref().take(AT_A_TIME).collect::<Vec<_>>());
        }
        let counted = on_all(parts, 2, |part| counts(part, log));
        for counted in counted {
            for (day, sums) in counted? {
                let all = changes.sums.entry(day).or_default();
                for (key, more) in sums {
                    let sum = all.entry(key).or_default();
                    *sum = (sum.0 + more.0, sum.1 + more.1);
                }
            }
        }
        Ok(changes)
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
