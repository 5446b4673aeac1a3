//! The journals of drafts: a file a project in the state folder, written to the disk before anything is called kept.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::domain::ProjectId;
use crate::draft::{Draft, Record, journal};
use crate::settings::{open_regular_with, read_bounded, read_open};
use crate::studio::event::{Event, Moment, Waiting};
use crate::studio::steps::{self, Found};

/// A longer journal is not read: it can't be one that a person made.
const MOST_BYTES: u64 = 64 << 20;

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
pub fn start(folder: PathBuf, events: UnboundedSender<Event>) -> UnboundedSender<Wish> {
    let (sender, wished) = unbounded_channel();
    tokio::task::spawn_blocking(move || serve(&folder, wished, &events));
    sender
}

fn serve(folder: &Path, mut wished: UnboundedReceiver<Wish>, events: &UnboundedSender<Event>) {
    let mut open: HashMap<ProjectId, Held> = HashMap::new();
    let tell = |event| drop(events.send(Event::Steps(event)));
    while let Some(wish) = wished.blocking_recv() {
        match wish {
            Wish::Find(workspace, project) => {
                let path = folder.join(file_name(&workspace, &project));
                let (found, file) = find(&path);
                let records = if let Found::Draft { records, .. } = found { records } else { 0 };
                open.insert(project.clone(), Held { path, file, records, ..Held::default() });
                tell(steps::Event::JournalFound { project, found });
            }
            Wish::Keep(project, records) => {
                let Some(held) = open.get_mut(&project) else { continue };
                held.owe(&records);
                let kept = held.keep();
                tell(steps::Event::Kept { project, records: kept });
            }
            Wish::Claim(project) => {
                let Some(held) = open.get_mut(&project) else { continue };
                if held.file.is_none() {
                    held.file = create(&held.path).ok();
                }
                tell(steps::Event::Claimed { project, held: held.file.is_some() });
            }
            Wish::Drop(project) => {
                if let Some(held) = open.get_mut(&project) {
                    (held.records, held.owed_records) = (0, 0);
                    held.owed.clear();
                    if held.file.take().is_some() {
                        let _ = std::fs::remove_file(&held.path);
                    }
                }
            }
            Wish::Leave(project) => drop(open.remove(&project)),
            Wish::List(workspace) => {
                let _ = events.send(Event::DraftsFound(waiting(folder, &workspace)));
            }
        }
    }
}

#[derive(Default)]
struct Held {
    path: PathBuf,
    /// The journal, locked; none before the first record.
    file: Option<File>,
    /// How many records are in it.
    records: u64,
    /// What could not be written yet: it is tried again with the next record, in its order.
    owed: String,
    owed_records: u64,
}

impl Held {
    fn owe(&mut self, records: &[Record]) {
        self.owed.extend(records.iter().map(journal::line));
        self.owed_records += u64::try_from(records.len()).unwrap_or(u64::MAX);
    }

    /// Writes what is owed; how many records are on the disk by now.
    fn keep(&mut self) -> Result<u64, String> {
        let said = |error: io::Error| error.to_string();
        if self.file.is_none() {
            self.file = Some(create(&self.path)?);
        }
        let Some(file) = &mut self.file else { return Ok(self.records) };
        let end = file.metadata().map_err(said)?.len();
        let written = file.write_all(self.owed.as_bytes()).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // Half a line would hide whatever is written after it.
            let _ = file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0)).map(|_| ()));
            return Err(said(error));
        }
        self.owed.clear();
        self.records += std::mem::take(&mut self.owed_records);
        Ok(self.records)
    }
}

/// A new journal, locked, that only its owner can read.
fn create(path: &Path) -> Result<File, String> {
    let said = |error: io::Error| error.to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(said)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = open_regular_with(&mut options, path).map_err(said)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err("another studio began to edit this project".to_owned()),
        Err(TryLockError::Error(error)) => return Err(said(error)),
    }
    if file.metadata().map_err(said)?.len() > 0 {
        return Err("another studio left a draft of this project".to_owned());
    }
    if let Err(error) = file.write_all(journal::heading().as_bytes()) {
        // Half a heading would be taken for another studio's draft.
        let _ = file.set_len(0);
        return Err(said(error));
    }
    // The name has to be on the disk as well, where folders can be synced at all.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(file)
}

/// Looks for a draft, and holds its journal where there is one.
fn find(path: &Path) -> (Found, Option<File>) {
    let unusable = |why: String| (Found::Unusable(why), None);
    let mut file = match open_regular_with(OpenOptions::new().read(true).write(true), path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (Found::Nothing, None),
        Err(error) => return unusable(error.to_string()),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return (Found::Taken, None),
        Err(TryLockError::Error(error)) => return unusable(error.to_string()),
    }
    let meta = match file.metadata() {
        Ok(meta) => meta,
        Err(error) => return unusable(error.to_string()),
    };
    let bytes = match read_open(&mut file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return unusable(error.to_string()),
    };
    let read = match journal::read(&bytes) {
        Ok(read) => read,
        Err(error) => return unusable(error.to_string()),
    };
    let Some(draft) = read.draft else {
        // Not even its beginning was written: nothing was called kept.
        let _ = std::fs::remove_file(path);
        return (Found::Nothing, None);
    };
    let sound = u64::try_from(read.sound).unwrap_or(0);
    if let Err(error) = file.set_len(sound).and_then(|()| file.seek(SeekFrom::End(0))) {
        return unusable(error.to_string());
    }
    let written = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let written = Moment(written.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0));
    let records = u64::try_from(read.records).unwrap_or(0);
    (Found::Draft { draft: Box::new(draft), written, records }, Some(file))
}

/// The drafts that wait in a workspace, whoever holds them.
fn waiting(folder: &Path, workspace: &str) -> Vec<Waiting> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<Waiting> = files
        .filter_map(|entry| journal::read(&read_bounded(&entry.path(), MOST_BYTES).ok()?).ok()?.draft)
        .filter(|draft: &Draft| draft.workspace() == workspace && !draft.is_saved())
        .map(|draft| Waiting {
            project: draft.project_id().clone(),
            name: draft.content().head().name().to_owned(),
            edits: draft.unsaved_edits(),
            profile: draft.profile().map(ToOwned::to_owned),
        })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// The name of a project's journal: of both, but telling neither.
fn file_name(workspace: &str, project: &ProjectId) -> String {
    use std::fmt::Write as _;
    let sum = Sha256::new().chain_update(workspace).chain_update([0]).chain_update(project.as_str()).finalize();
    let mut name = String::new();
    for byte in sum.iter().take(12) {
        let _ = write!(name, "{byte:02x}");
    }
    name.push_str(".draft");
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Project;
    use crate::draft::Edit;

    fn draft() -> Draft {
        Draft::new("local", Project { id: "p".into(), name: Some("One".into()), ..Project::default() })
    }

    #[test]
    fn what_was_kept_is_found_up_to_where_it_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drafts").join(file_name("local", &"p".into()));
        let mut draft = draft();
        let begun = draft.begun();
        let edit = draft.apply(&Edit::Name { name: "Two".into() }).unwrap().record.unwrap();
        let mut held = Held { path: path.clone(), ..Held::default() };
        held.owe(&[begun, edit]);
        assert_eq!(held.keep(), Ok(2));
        assert_eq!(find(&path).0, Found::Taken, "one studio at a time");
        drop(held);
        let whole = std::fs::read(&path).unwrap();
        let (found, file) = find(&path);
        assert!(matches!(found, Found::Draft { draft: found, records: 2, .. } if *found == draft));
        drop(file);
        let list = waiting(path.parent().unwrap(), "local");
        assert_eq!(list, [Waiting { project: "p".into(), name: "Two".into(), edits: 1, profile: None }]);
        assert_eq!(waiting(path.parent().unwrap(), "elsewhere"), []);
        // Cut anywhere, it is some beginning of the draft, and can be written on.
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (found, file) = find(&path);
            match found {
                Found::Nothing => assert!(file.is_none()),
                Found::Draft { records: 1, .. } => {}
                other => panic!("{other:?}"),
            }
        }
        std::fs::write(&path, "cutaway-draft 99\n").unwrap();
        assert!(matches!(find(&path).0, Found::Unusable(why) if why.contains("newer")));
        assert_eq!(std::fs::read(&path).unwrap(), b"cutaway-draft 99\n", "and left as it is");
    }
}
