//! The journals of drafts: a file a project in the state folder, written to the disk before anything is called kept.

mod file;
#[cfg(test)]
mod tests;
mod waiting;

pub use file::kept_aside;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::tasks::Tasks;
use crate::domain::ProjectId;
use crate::draft::journal::{ENDING, MOST_BYTES};
use crate::draft::{Record, journal};
use crate::studio::event::Event;
use crate::studio::steps::{self, Found};

/// A shorter journal is not worth being written again, bytes.
const COMPACT_FROM: u64 = 128 * 1024;

/// What is wanted of the journals. All of it is done by one thread, in its order.
#[derive(Debug)]
pub enum Wish {
    /// Find the draft of a project and hold its journal.
    Find(String, ProjectId),
    /// Write records.
    Keep(ProjectId, Vec<Record>),
    /// Hold the journal of a project that is not edited yet, so that no other studio begins to.
    Claim(ProjectId),
    /// Take the journal away.
    Drop(ProjectId),
    /// Let go of the journal.
    Leave(ProjectId),
    /// Tell the drafts that wait in a workspace.
    List(String),
}

/// Starts the thread that keeps the journals of a folder. It ends when nothing can be wished for any more, with
/// everything written.
#[must_use]
pub fn start(folder: PathBuf, tasks: &Tasks, events: UnboundedSender<Event>) -> UnboundedSender<Wish> {
    let (sender, wished) = unbounded_channel();
    // It ends by itself; whoever ends the tasks waits for it.
    drop(tasks.block(move || serve(&folder, wished, &events)));
    sender
}

fn serve(folder: &Path, mut wished: UnboundedReceiver<Wish>, events: &UnboundedSender<Event>) {
    file::remove_unfinished(folder);
    let mut open: HashMap<ProjectId, Held> = HashMap::new();
    let mut told: HashSet<PathBuf> = HashSet::new();
    let mut known = waiting::Known::default();
    let tell = |event| drop(events.send(Event::Steps(event)));
    while let Some(wish) = wished.blocking_recv() {
        match wish {
            Wish::Find(workspace, project) => {
                // What this studio holds itself would look as if another one held it.
                open.remove(&project);
                let path = folder.join(file_name(&workspace, &project));
                let (found, opened) = file::find(&path);
                open.insert(project.clone(), Held::of(path, &found, opened));
                tell(steps::Event::JournalFound { project, found });
            }
            Wish::Keep(project, records) => {
                let Some(held) = open.get_mut(&project) else { continue };
                held.owed.extend(records);
                let kept = held.keep();
                tell(steps::Event::Kept { project, records: kept });
            }
            Wish::Claim(project) => {
                let Some(held) = open.get_mut(&project) else { continue };
                if held.opened.is_none() {
                    held.opened = file::create(&held.path, &[Record::Claimed]).ok();
                }
                tell(steps::Event::Claimed { project, held: held.opened.is_some() });
            }
            Wish::Drop(project) => {
                if let Some(held) = open.get_mut(&project) {
                    held.records = 0;
                    held.owed.clear();
                    // The lock goes last: nobody else may take a file that is about to be removed.
                    if let Some(opened) = held.opened.take() {
                        let _ = std::fs::remove_file(&held.path);
                        drop(opened);
                    }
                }
            }
            Wish::Leave(project) => drop(open.remove(&project)),
            Wish::List(workspace) => {
                let (drafts, unreadable) = known.waiting(folder, &workspace);
                tracing::debug!(drafts = drafts.len(), read = known.read, "looked for drafts");
                let _ = events.send(Event::DraftsFound(drafts));
                for path in unreadable {
                    if told.insert(path.clone()) {
                        let _ = events.send(Event::DraftUnreadable(path.display().to_string()));
                    }
                }
            }
        }
    }
}

/// A journal that is open and locked.
struct Opened {
    file: File,
    /// The number of its last line.
    last: u64,
    /// How long it was when it was written again, bytes.
    compact: u64,
}

struct Held {
    path: PathBuf,
    /// The journal; none before the first record.
    opened: Option<Opened>,
    /// How many of the records that were handed over are in it.
    records: u64,
    /// What could not be written yet: it is tried again with the next record, in its order.
    owed: Vec<Record>,
}

impl Held {
    fn of(path: PathBuf, found: &Found, opened: Option<Opened>) -> Self {
        let records = match found {
            Found::Draft { records, .. } => *records,
            Found::Damaged(damaged) => damaged.records,
            Found::Nothing | Found::Taken | Found::Unusable(_) => 0,
        };
        Self { path, opened, records, owed: Vec::new() }
    }

    /// Writes what is owed; how many records are on the disk by now.
    fn keep(&mut self) -> Result<u64, String> {
        match &mut self.opened {
            None => self.opened = Some(file::create(&self.path, &self.owed)?),
            Some(opened) => opened.write(&self.owed).map_err(|error| error.to_string())?,
        }
        self.records += u64::try_from(self.owed.len()).unwrap_or(u64::MAX);
        self.owed.clear();
        if let Some(opened) = &mut self.opened {
            opened.compact(&self.path);
        }
        Ok(self.records)
    }
}

impl Opened {
    fn write(&mut self, records: &[Record]) -> io::Result<()> {
        let (mut text, mut last) = (String::new(), self.last);
        for record in records {
            let (lines, number) = journal::lines(record, last);
            text.push_str(&lines);
            last = number;
        }
        let end = self.file.metadata()?.len();
        if let Err(error) = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data()) {
            // Half a line would hide whatever is written after it.
            let _ = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::End(0)).map(|_| ()));
            return Err(error);
        }
        self.last = last;
        Ok(())
    }

    /// Writes a journal that has grown again, with what still counts of it. Where that can't be done it stays as it is.
    fn compact(&mut self, path: &Path) {
        let Ok(len) = self.file.metadata().map(|meta| meta.len()) else { return };
        if len < COMPACT_FROM || len / 2 < self.compact {
            return;
        }
        // Not tried again at once, whatever comes of it.
        self.compact = len;
        if let Some(opened) = self.compacted(path) {
            *self = opened;
        }
    }

    fn compacted(&mut self, path: &Path) -> Option<Opened> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        self.file.seek(SeekFrom::End(0)).ok()?;
        read.ok()?;
        let journal = journal::read(&bytes).ok().filter(|journal| journal.damage.is_none())?;
        file::replace(path, &journal.draft?).ok()
    }
}

/// The name of a project's journal: of both, but telling neither.
fn file_name(workspace: &str, project: &ProjectId) -> String {
    use std::fmt::Write as _;
    let sum = Sha256::new().chain_update(workspace).chain_update([0]).chain_update(project.as_str()).finalize();
    let mut name = String::new();
    for byte in sum.iter().take(12) {
        let _ = write!(name, "{byte:02x}");
    }
    name.push_str(ENDING);
    name
}
