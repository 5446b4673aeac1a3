//! Keeps what the Products screen remembers: one file, always whole, shared by all studios of a person. That of a guest is
//! in the database, where several processes share one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::host::Own;
use super::tasks::Tasks;
use crate::service::guests::GuestHome;
use crate::settings::{Place, open_regular_with, read_bounded};
use crate::studio::event::Event;
use crate::studio::{Change, Memory};

/// What changes within so long is written at once.
const GATHER: Duration = Duration::from_millis(300);
/// A larger file is none of ours, bytes.
const MOST_BYTES: u64 = 8 << 20;

/// Writes changes, one after the other.
pub struct Remember {
    changes: UnboundedSender<Change>,
    writing: JoinHandle<()>,
}

/// What the file is called, one for each service: what was searched for in one is not the other's, though they may have the same store.
fn name(place: &Place) -> String {
    match place {
        Place::Local => "products.json".to_owned(),
        Place::Remote(hosts) => {
            let hash = Sha256::digest(hosts.base.as_str().as_bytes());
            let short: String = hash.iter().take(8).fold(String::new(), |sum, byte| format!("{sum}{byte:02x}"));
            format!("products-{short}.json")
        }
    }
}

/// Where it is.
#[derive(Clone)]
enum At {
    File(PathBuf),
    Home(GuestHome, String),
}

impl At {
    fn of(own: Own<'_>, place: &Place) -> Option<Self> {
        let name = name(place);
        match own.home {
            Some(home) => Some(Self::Home(home.clone(), name)),
            None => own.folders.state().ok().map(|folder| Self::File(folder.join(name))),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Home(_, name) => format!("{name} in the service's database"),
        }
    }

    fn load(&self) -> io::Result<Memory> {
        match self {
            Self::File(path) => load(path),
            Self::Home(home, name) => {
                home.note(name)?.map_or_else(|| Ok(Memory::default()), |text| of_json(text.as_bytes()))
            }
        }
    }

    fn change(&self, changes: &[Change]) -> io::Result<()> {
        let (home, name) = match self {
            Self::File(path) => return change(path, changes),
            Self::Home(home, name) => (home, name),
        };
        home.change_note(name, |text| {
            // What can't be read is not written over.
            let before = text.map_or_else(|| Ok(Memory::default()), |text| of_json(text.as_bytes()))?;
            let mut memory = before.clone();
            for change in changes {
                memory.apply(change);
            }
            Ok((memory != before).then(|| memory.to_json().to_string()))
        })
    }
}

/// What a text of it says.
fn of_json(bytes: &[u8]) -> io::Result<Memory> {
    let kept = serde_json::from_slice(bytes)?;
    match Memory::newer(&kept) {
        Some(version) => Err(newer(version)),
        None => Ok(Memory::from_json(&kept)),
    }
}

/// What was kept, and what is wrong with it.
#[must_use]
pub fn read<'a>(own: impl Into<Own<'a>>, place: &Place) -> (Memory, Option<String>) {
    let Some(at) = At::of(own.into(), place) else { return (Memory::default(), None) };
    match at.load() {
        Ok(memory) => (memory, None),
        Err(error) => (Memory::default(), Some(format!("{}: {error}; saved searches can't be read", at.shown()))),
    }
}

fn load(file: &Path) -> io::Result<Memory> {
    match read_bounded(file, MOST_BYTES) {
        Ok(bytes) => of_json(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::default()),
        Err(error) => Err(error),
    }
}

fn newer(version: u64) -> io::Error {
    let said = format!("it was written by a newer version of Cutaway (format {version}); update Cutaway");
    io::Error::new(io::ErrorKind::Unsupported, said)
}

impl Remember {
    /// Writes below the state folder; what can't be kept is reported.
    #[must_use]
    pub fn new<'a>(own: impl Into<Own<'a>>, place: &Place, tasks: &Tasks, events: UnboundedSender<Event>) -> Self {
        let (changes, arriving) = unbounded_channel();
        let writing = tasks.spawn_to_end(write_all(At::of(own.into(), place), arriving, events));
        Self { changes, writing }
    }

    /// Keeps a change, soon.
    pub fn keep(&self, change: Change) {
        let _ = self.changes.send(change);
    }

    /// Keeps what is left, now.
    pub async fn finish(self) {
        drop(self.changes);
        let _ = tokio::time::timeout(Duration::from_secs(2), self.writing).await;
    }
}

async fn write_all(at: Option<At>, mut changes: UnboundedReceiver<Change>, events: UnboundedSender<Event>) {
    let mut told = false;
    let mut open = true;
    while open {
        let Some(first) = changes.recv().await else { return };
        let mut batch = vec![first];
        let until = tokio::time::Instant::now() + GATHER;
        loop {
            match tokio::time::timeout_at(until, changes.recv()).await {
                Ok(Some(change)) => batch.push(change),
                Ok(None) => open = false,
                Err(_) => break,
            }
            if !open {
                break;
            }
        }
        let Some(at) = at.clone() else { continue };
        let shown = at.shown();
        let written = tokio::task::spawn_blocking(move || at.change(&batch)).await;
        if let Ok(Err(error)) = written
            && !told
        {
            told = true;
            let _ = events.send(Event::NotKept(format!("Couldn't store searches: {shown}: {error}")));
        }
    }
}

/// Applies changes to what is in the file by now: another studio may have written since it was read.
fn change(file: &Path, changes: &[Change]) -> io::Result<()> {
    let folder = file.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    fs::create_dir_all(folder)?;
    let mut options = File::options();
    let options = options.create(true).truncate(false).write(true);
    let lock = open_regular_with(options, &file.with_extension("lock"))?;
    lock.lock()?;
    let mut memory = load(file).or_else(|error| {
        // A newer Cutaway is going to read it again.
        if error.kind() == io::ErrorKind::Unsupported {
            return Err(error);
        }
        // What can't be read is not written over, but moved out of the way.
        fs::rename(file, file.with_extension("broken")).map_err(|_| error)?;
        Ok::<_, io::Error>(Memory::default())
    })?;
    let before = memory.clone();
    for change in changes {
        memory.apply(change);
    }
    if memory == before {
        return Ok(());
    }
    let mut whole = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut whole, &memory.to_json())?;
    whole.write_all(b"\n")?;
    whole.as_file().sync_all()?;
    whole.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Folders;

    #[tokio::test]
    async fn two_studios_keep_what_each_of_them_saved() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        let (events, mut told) = unbounded_channel();
        let tasks = Tasks::new(events.clone());
        let studios = [(); 2].map(|()| Remember::new(&folders, &Place::Local, &tasks, events.clone()));
        for (studio, name) in studios.iter().zip(["one", "two"]) {
            studio.keep(Change::Save("https://nordlys.example".into(), name.into(), crate::studio::Query::default()));
        }
        for studio in studios {
            studio.finish().await;
        }
        let (memory, fault) = read(&folders, &Place::Local);
        let saved = memory.searches(&"https://nordlys.example".into()).saved;
        assert_eq!((saved.keys().map(String::as_str).collect::<Vec<_>>(), fault), (vec!["one", "two"], None));
        assert!(told.try_recv().is_err());
    }

    #[tokio::test]
    async fn what_is_broken_is_said_and_moved_away() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        let file = folders.state().unwrap().join(name(&Place::Local));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{ not JSON").unwrap();
        assert!(read(&folders, &Place::Local).1.unwrap().contains("saved searches can't be read"));
        let (events, _told) = unbounded_channel();
        let studio = Remember::new(&folders, &Place::Local, &Tasks::new(events.clone()), events);
        studio.keep(Change::Thumbnails(true));
        studio.finish().await;
        assert!(read(&folders, &Place::Local).0.thumbnails);
        assert_eq!(fs::read_to_string(file.with_extension("broken")).unwrap(), "{ not JSON");
    }

    #[tokio::test]
    async fn one_of_a_newer_version_is_said_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        let file = folders.state().unwrap().join(name(&Place::Local));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = r#"{ "version": 2, "thumbnails": false }"#;
        fs::write(&file, text).unwrap();
        let said = read(&folders, &Place::Local).1.unwrap();
        assert!(said.contains("written by a newer version of Cutaway (format 2); update Cutaway"), "{said}");
        let (events, mut told) = unbounded_channel();
        let studio = Remember::new(&folders, &Place::Local, &Tasks::new(events.clone()), events);
        studio.keep(Change::Thumbnails(true));
        studio.finish().await;
        assert!(matches!(told.recv().await, Some(Event::NotKept(said)) if said.contains("format 2")));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }

    #[tokio::test]
    async fn where_nothing_can_be_written_that_is_said_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let folders = Folders::under(file.path());
        let (events, mut told) = unbounded_channel();
        let studio = Remember::new(&folders, &Place::Local, &Tasks::new(events.clone()), events);
        studio.keep(Change::Thumbnails(true));
        studio.finish().await;
        assert!(matches!(told.recv().await, Some(Event::NotKept(_))));
    }
}
