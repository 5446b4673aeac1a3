//! The journals of drafts: a file a project in the state folder, written to the disk before anything is called kept. Those
//! of guests whose service works on a shared database are in that (`shared`).

mod file;
mod handing;
mod shared;
#[cfg(test)]
mod tests;
mod waiting;
mod watch;

pub use file::kept_aside;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::house::House;
use super::tasks::Tasks;
use crate::domain::ProjectId;
use crate::draft::journal::{ENDING, MOST_BYTES};
use crate::draft::{Draft, Record, journal};
use crate::service::guests::GuestHome;
use crate::studio::event::Event;
use crate::studio::steps::{self, Found};
pub use watch::TakenOver;
use watch::Watch;

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
    /// Hold the journal that another studio holds, once it has let go of it.
    TakeOver(String, ProjectId),
    /// It has, or has not: this was found.
    TakenOver(ProjectId, TakenOver),
    /// Something happened to this file; without one, to any.
    Look(Option<PathBuf>),
}

/// Starts the thread that keeps the journals of a folder, or those of a guest in the `home` that they have in a database.
/// It ends when nothing can be wished for any more, with everything written.
#[must_use]
pub fn start(
    folder: PathBuf,
    home: Option<GuestHome>,
    house: &Arc<House>,
    tasks: &Tasks,
    events: UnboundedSender<Event>,
) -> UnboundedSender<Wish> {
    let (sender, wished) = unbounded_channel();
    let watch = Watch::new(house, tasks, &sender);
    // It ends by itself; whoever ends the tasks waits for it.
    drop(tasks.block(move || match home {
        Some(home) => shared::serve(&home, wished, &events),
        None => serve(&folder, wished, &events, watch),
    }));
    sender
}

fn serve(folder: &Path, mut wished: UnboundedReceiver<Wish>, events: &UnboundedSender<Event>, watch: Watch) {
    file::remove_unfinished(folder);
    file::remove_old(folder, std::time::SystemTime::now(), None);
    let mut keeper = Keeper {
        folder,
        events,
        watch,
        open: HashMap::new(),
        told: HashSet::new(),
        known: waiting::Known::default(),
        asking: HashMap::new(),
    };
    while let Some(wish) = wished.blocking_recv() {
        keeper.take(wish);
        // Others can ask for a journal once there is one.
        if keeper.open.values().any(|held| held.opened.is_some()) && keeper.watch.begin(folder) {
            keeper.look(None);
        }
    }
}

/// Keeps the journals of a folder.
struct Keeper<'a> {
    folder: &'a Path,
    events: &'a UnboundedSender<Event>,
    watch: Watch,
    open: HashMap<ProjectId, Held>,
    told: HashSet<PathBuf>,
    known: waiting::Known,
    /// What ends the waiting for journals of others.
    asking: HashMap<ProjectId, CancellationToken>,
}

impl Keeper<'_> {
    fn take(&mut self, wish: Wish) {
        match wish {
            Wish::Find(workspace, project) => {
                // What this studio holds itself would look as if another one held it.
                self.leave(&project);
                let path = self.folder.join(file_name(&workspace, &project));
                let (found, opened) = file::find(&path);
                self.found(project, path, found, opened);
            }
            Wish::TakeOver(workspace, project) => {
                self.leave(&project);
                let over = self.watch.take_over(self.folder.join(file_name(&workspace, &project)), &project);
                self.asking.insert(project, over);
            }
            Wish::TakenOver(project, TakenOver { path, found, opened, over }) => {
                // Nobody waits for it any more where the project was left meanwhile: it is let go of at once.
                if !over.is_cancelled() {
                    self.asking.remove(&project);
                    self.found(project, path, found, opened);
                }
            }
            Wish::Keep(project, records) => self.keep(project, records),
            Wish::Claim(project) => {
                let Some(held) = self.open.get_mut(&project) else { return };
                if held.opened.is_none() {
                    held.opened = file::create(&held.path, &[Record::Claimed]).ok();
                }
                let held = held.opened.is_some();
                self.tell(steps::Event::Claimed { project, held });
            }
            Wish::Drop(project) => {
                if let Some(held) = self.open.get_mut(&project) {
                    held.remove();
                }
            }
            Wish::Leave(project) => self.leave(&project),
            Wish::Look(path) => self.look(path.as_deref()),
            Wish::List(workspace) => self.list(&workspace),
        }
    }

    /// Lets go of a journal, and waits for it no longer.
    fn leave(&mut self, project: &ProjectId) {
        drop(self.open.remove(project));
        if let Some(over) = self.asking.remove(project) {
            over.cancel();
        }
    }

    fn tell(&self, event: steps::Event) {
        let _ = self.events.send(Event::Steps(event));
    }

    fn found(&mut self, project: ProjectId, path: PathBuf, found: Found, opened: Option<Opened>) {
        self.open.insert(project.clone(), Held::of(path, &found, opened));
        self.tell(steps::Event::JournalFound { project, found });
    }

    fn keep(&mut self, project: ProjectId, records: Vec<Record>) {
        let Some(held) = self.open.get_mut(&project) else { return };
        held.owed.extend(records);
        let is_withdrawn = held.is_noted && !handing::still_waits(&held.path);
        held.is_noted &= !is_withdrawn;
        let kept = held.keep();
        if is_withdrawn {
            self.tell(steps::Event::Withdrawn { project: project.clone() });
        }
        match kept {
            Ok(kept) => self.tell(steps::Event::Kept { project, records: Ok(kept) }),
            Err(Unkept::Failed(why)) => self.tell(steps::Event::Kept { project, records: Err(why) }),
            Err(Unkept::Seized) => {
                self.open.remove(&project);
                self.tell(steps::Event::Seized { project });
            }
        }
    }

    /// Asks for the projects that other studios want, and tells of those that they took.
    fn look(&mut self, path: Option<&Path>) {
        let wanted = path.and_then(handing::wanted);
        let concerned = |held: &Held| path.is_none() || [wanted.as_deref(), path].contains(&Some(held.path.as_path()));
        let (mut seized, mut told) = (Vec::new(), Vec::new());
        for (project, held) in self.open.iter_mut().filter(|(_, held)| concerned(held)) {
            let Some(opened) = &held.opened else { continue };
            if opened.place(&held.path) == InPlace::Another {
                seized.push(project.clone());
            } else if handing::take_note(&held.path) {
                held.is_noted = true;
                told.push(steps::Event::Wanted { project: project.clone() });
            } else if held.is_noted && !handing::still_waits(&held.path) {
                held.is_noted = false;
                told.push(steps::Event::Withdrawn { project: project.clone() });
            }
        }
        for event in told {
            self.tell(event);
        }
        for project in seized {
            self.open.remove(&project);
            self.tell(steps::Event::Seized { project });
        }
    }

    fn list(&mut self, workspace: &str) {
        let (drafts, unreadable) = self.known.waiting(self.folder, workspace);
        tracing::debug!(drafts = drafts.len(), read = self.known.read, "looked for drafts");
        let _ = self.events.send(Event::DraftsFound(drafts));
        for path in unreadable {
            if self.told.insert(path.clone()) {
                let _ = self.events.send(Event::DraftUnreadable(path.display().to_string()));
            }
        }
    }
}

/// Why records are not on the disk.
#[derive(Debug)]
enum Unkept {
    /// In words.
    Failed(String),
    /// Another studio has put a journal of its own in the place of this one.
    Seized,
}

impl From<io::Error> for Unkept {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A journal that is open and locked.
#[derive(Debug)]
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
    /// Whether another studio asked for it, and it was taken note of.
    is_noted: bool,
}

/// What stands where a journal was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InPlace {
    /// The journal.
    Own,
    /// One that another studio put there.
    Another,
    /// Nothing: somebody removed it.
    Nothing,
}

impl Held {
    fn of(path: PathBuf, found: &Found, opened: Option<Opened>) -> Self {
        let records = match found {
            Found::Draft { records, .. } => *records,
            Found::Damaged(damaged) => damaged.records,
            Found::Nothing | Found::Taken | Found::Unusable(_) => 0,
        };
        Self { path, opened, records, owed: Vec::new(), is_noted: false }
    }

    /// Removes the journal.
    fn remove(&mut self) {
        self.records = 0;
        self.owed.clear();
        // The lock goes last: nobody else may take a file that is about to be removed.
        if let Some(opened) = self.opened.take() {
            // Another studio may have put a journal of its own in its place.
            if opened.place(&self.path) == InPlace::Own {
                let _ = std::fs::remove_file(&self.path);
            }
            drop(opened);
        }
    }

    /// Writes what is owed; how many records are on the disk by now.
    fn keep(&mut self) -> Result<u64, Unkept> {
        match &mut self.opened {
            None => self.opened = Some(file::create(&self.path, &self.owed).map_err(Unkept::Failed)?),
            Some(opened) => {
                opened.write(&self.owed)?;
                // Looked at afterwards: what was written before another studio took the journal is in theirs.
                match opened.place(&self.path) {
                    InPlace::Own => {}
                    InPlace::Another => return Err(Unkept::Seized),
                    InPlace::Nothing => opened.put_back(&self.path)?,
                }
            }
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
    /// What stands in the place of this journal.
    fn place(&self, path: &Path) -> InPlace {
        match (self.file.metadata(), std::fs::symlink_metadata(path)) {
            (Ok(own), Ok(there)) if !file::is_same(&own, &there) => InPlace::Another,
            (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => InPlace::Nothing,
            // Where that can't be known, what is written is written as long as that can be done.
            _ => InPlace::Own,
        }
    }

    /// Gives a journal that was removed its place again: without a name all of it would be lost at the end.
    fn put_back(&mut self, path: &Path) -> Result<(), Unkept> {
        let draft = self.draft().ok_or_else(|| Unkept::Failed("its file was removed".to_owned()))?;
        *self = match file::put(path, &draft) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(Unkept::Seized),
            Err(error) => return Err(error.into()),
        };
        Ok(())
    }

    /// The draft that it holds.
    fn draft(&mut self) -> Option<Draft> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        self.file.seek(SeekFrom::End(0)).ok()?;
        read.ok()?;
        journal::read(&bytes).ok().filter(|journal| journal.damage.is_none())?.draft
    }

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
        let draft = self.draft()?;
        file::replace_if(path, &draft, || self.place(path) == InPlace::Own).ok()
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
