//! The journals of drafts in the state folder: one file a draft, written by one studio at a time.
//!
//! `drafts/` holds a folder for each workspace and in it a journal for each project, both named by a sum, so that nothing
//! a service says becomes a path. A journal is held by a lock while a studio edits it; the lock goes with the process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use url::Url;

use crate::domain::{AppKey, ProjectId};
use crate::draft::journal::{self, JournalError};
use crate::draft::{Draft, Record};
use crate::settings::{Folders, NoHome, Target};

/// The drafts of this person on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drafts {
    folder: PathBuf,
}

/// A draft that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its journal.
    pub path: PathBuf,
    /// When something was last done to it.
    pub changed: Option<SystemTime>,
    /// What it is, or why it can't be read.
    pub draft: Result<Summary, JournalError>,
}

/// A draft, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its workspace.
    pub workspace: String,
    /// Its project; empty where that is to be created.
    pub project: ProjectId,
    /// The project's name, as the draft has it.
    pub name: String,
    /// How many edits are made.
    pub edits: usize,
    /// How many calls saving would take; 0 is a draft that says what the service said.
    pub calls: usize,
    /// Whether a creation was asked for without its answer being known.
    pub unsettled: bool,
}

/// Why a draft can't be opened or kept.
#[derive(Debug, Error)]
pub enum DraftError {
    /// Another studio edits it.
    #[error("the draft is being edited in another Cutaway")]
    Held,
    /// There is one of that project already.
    #[error("there is a draft of this project already")]
    Exists,
    /// The journal is not ours to touch.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal tells nothing.
    #[error("nothing of the draft was kept")]
    Empty,
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// What tells the drafts of one workspace from those of others: the profile's service and account. Nothing secret is in it.
#[must_use]
pub fn workspace(target: &Target, base_url: &Url, account: Option<&AppKey>) -> String {
    // The local workspace comes at another port every time.
    let place = if target.is_local() { "local".to_owned() } else { base_url.as_str().trim_end_matches('/').to_owned() };
    match account {
        Some(account) => format!("{place} {}", sum(account.expose())),
        None => place,
    }
}

fn sum(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).fold(String::new(), |sum, byte| format!("{sum}{byte:02x}"))
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> DraftError + '_ {
    move |error| DraftError::Io { path: path.to_owned(), error }
}

impl Drafts {
    /// Those of the state folder.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn of(folders: &Folders) -> Result<Self, NoHome> {
        Ok(Self { folder: folders.state()?.join("drafts") })
    }

    /// Where the journal of a project is, whether there is one or not.
    #[must_use]
    pub fn path(&self, workspace: &str, project: &ProjectId) -> PathBuf {
        self.folder.join(sum(workspace)).join(format!("{}.draft", sum(project.as_str())))
    }

    /// The drafts of a workspace, the newest first.
    pub async fn list(&self, workspace: &str) -> Vec<Found> {
        let folder = self.folder.join(sum(workspace));
        let listing = tokio::task::spawn_blocking(move || {
            let mut found: Vec<Found> =
                fs::read_dir(folder).into_iter().flatten().filter_map(|entry| found(entry.ok()?.path())).collect();
            found.sort_by_key(|found| std::cmp::Reverse(found.changed));
            found
        });
        listing.await.unwrap_or_default()
    }

    /// Begins the journal of a draft.
    ///
    /// # Errors
    /// [`DraftError::Exists`] where its project has one, and where the file system refuses.
    pub async fn begin(&self, draft: &Draft) -> Result<JournalFile, DraftError> {
        let (folder, begun) = (self.folder.join(sum(draft.workspace())), draft.begun());
        let project = draft.project_id().clone();
        let named = self.path(draft.workspace(), &project);
        let making = tokio::task::spawn_blocking(move || {
            private_folder(&folder).map_err(io_error(&folder))?;
            let paths: Box<dyn Iterator<Item = PathBuf>> = if project.is_empty() {
                // Several new projects may be drafted side by side.
                Box::new((1..1_000).map(|nth| folder.join(format!("new-{nth}.draft"))))
            } else {
                Box::new(std::iter::once(named))
            };
            for path in paths {
                let mut held = match hold(&path, true) {
                    Err(DraftError::Held) => continue,
                    held => held?,
                };
                if held.read()?.draft.is_some() {
                    continue;
                }
                held.sound = 0;
                held.owed = format!("{}{}", journal::heading(), journal::line(&begun)).into_bytes();
                held.write().map_err(io_error(&path))?;
                // Without this the file's name could be lost with the power.
                File::open(&folder).and_then(|folder| folder.sync_all()).map_err(io_error(&folder))?;
                return Ok(held);
            }
            Err(DraftError::Exists)
        });
        Ok(JournalFile::of(making.await.map_err(lost)??))
    }

    /// Opens a draft again, as it was when it was last kept.
    ///
    /// # Errors
    /// Where another studio holds it, it can't be read, or a newer Cutaway wrote it: it is left as it is then.
    pub async fn resume(&self, path: &Path) -> Result<(JournalFile, Draft), DraftError> {
        let path = path.to_owned();
        let opening = tokio::task::spawn_blocking(move || {
            let mut held = hold(&path, false)?;
            let draft = held.read()?.draft.ok_or(DraftError::Empty)?;
            Ok::<_, DraftError>((held, draft))
        });
        let (held, draft) = opening.await.map_err(lost)??;
        Ok((JournalFile::of(held), draft))
    }

    /// Throws a draft away that no studio edits.
    ///
    /// # Errors
    /// Where one does, or the file system refuses.
    pub async fn discard(&self, path: &Path) -> Result<(), DraftError> {
        let path = path.to_owned();
        let discarding = tokio::task::spawn_blocking(move || {
            let _held = hold(&path, false)?;
            fs::remove_file(&path).map_err(io_error(&path))
        });
        discarding.await.map_err(lost)?
    }
}

fn lost(error: tokio::task::JoinError) -> DraftError {
    DraftError::Io { path: PathBuf::new(), error: io::Error::other(error) }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut making = fs::DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder)
}

fn found(path: PathBuf) -> Option<Found> {
    if path.extension().is_none_or(|extension| extension != "draft") {
        return None;
    }
    let changed = fs::metadata(&path).and_then(|file| file.modified()).ok();
    let draft = match journal::read(&fs::read(&path).ok()?) {
        Ok(journal) => {
            let draft = journal.draft?;
            Ok(Summary {
                workspace: draft.workspace().to_owned(),
                project: draft.project_id().clone(),
                name: draft.content().head().name().to_owned(),
                edits: draft.at(),
                calls: draft.plan().calls.len(),
                unsettled: draft.is_unsettled(),
            })
        }
        Err(error) => Err(error),
    };
    Some(Found { path, changed, draft })
}

/// A journal that this process holds.
#[derive(Debug)]
struct Held {
    path: PathBuf,
    file: File,
    /// How many bytes of the file are as they should be.
    sound: u64,
    /// What is still to be written.
    owed: Vec<u8>,
}

fn hold(path: &Path, create: bool) -> Result<Held, DraftError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(io_error(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Held { path: path.to_owned(), file, sound: 0, owed: Vec::new() }),
        Err(TryLockError::WouldBlock) => Err(DraftError::Held),
        Err(TryLockError::Error(error)) => Err(io_error(path)(error)),
    }
}

impl Held {
    fn read(&mut self) -> Result<journal::Journal, DraftError> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(io_error(&self.path))?;
        self.file.read_to_end(&mut bytes).map_err(io_error(&self.path))?;
        let journal = journal::read(&bytes)?;
        self.sound = u64::try_from(journal.sound).unwrap_or(u64::MAX);
        Ok(journal)
    }

    /// Writes what is owed behind what is sound. Where that fails it stays owed, and what was half written is written over.
    fn write(&mut self) -> io::Result<()> {
        self.file.set_len(self.sound)?;
        self.file.seek(SeekFrom::Start(self.sound))?;
        self.file.write_all(&self.owed)?;
        self.file.sync_data()?;
        self.sound += u64::try_from(self.owed.len()).unwrap_or(0);
        self.owed.clear();
        Ok(())
    }
}

/// Done once what was asked for is on the disk.
pub type Keeping = BoxFuture<'static, Result<(), String>>;

enum Job {
    Keep(Vec<u8>, oneshot::Sender<Result<(), String>>),
    Discard(oneshot::Sender<Result<(), String>>),
}

/// The journal of the draft that is being edited. Writing goes on in a thread of its own, in the order it was asked for.
#[derive(Debug, Clone)]
pub struct JournalFile {
    jobs: mpsc::UnboundedSender<Job>,
}

impl JournalFile {
    fn of(held: Held) -> Self {
        let (jobs, asked) = mpsc::unbounded_channel();
        std::thread::spawn(move || work(held, asked));
        Self { jobs }
    }

    /// Keeps records. Asked for at once; once the future is done they are on the disk, in the order of asking.
    ///
    /// # Errors
    /// Where the file system refuses. Editing may go on: what is owed is written with the next records.
    pub fn keep<'a>(&self, records: impl IntoIterator<Item = &'a Record>) -> Keeping {
        let lines: String = records.into_iter().map(journal::line).collect();
        self.ask(|reply| Job::Keep(lines.into_bytes(), reply))
    }

    /// Throws the draft away.
    ///
    /// # Errors
    /// Where the file system refuses.
    pub fn discard(self) -> Keeping {
        self.ask(Job::Discard)
    }

    fn ask(&self, job: impl FnOnce(oneshot::Sender<Result<(), String>>) -> Job) -> Keeping {
        let (reply, answered) = oneshot::channel();
        let _ = self.jobs.send(job(reply));
        Box::pin(async { answered.await.unwrap_or_else(|_| Err("the draft's journal is closed".to_owned())) })
    }
}

fn work(mut held: Held, mut asked: mpsc::UnboundedReceiver<Job>) {
    while let Some(first) = asked.blocking_recv() {
        // What came meanwhile is written at once: one sync for all of it.
        let mut waiting = Vec::new();
        let mut discard = None;
        let more = std::iter::from_fn(|| asked.try_recv().ok());
        for job in std::iter::once(first).chain(more) {
            match job {
                Job::Keep(lines, reply) => {
                    held.owed.extend(lines);
                    waiting.push(reply);
                }
                Job::Discard(reply) => discard = Some(reply),
            }
        }
        if !waiting.is_empty() {
            let written = held.write().map_err(|error| format!("{}: {error}", held.path.display()));
            for reply in waiting {
                let _ = reply.send(written.clone());
            }
        }
        if let Some(reply) = discard {
            let removed = fs::remove_file(&held.path);
            let _ = reply.send(removed.map_err(|error| format!("{}: {error}", held.path.display())));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Project;
    use crate::draft::Edit;

    fn draft(id: &str) -> Draft {
        Draft::new("w", Project { id: id.into(), name: Some("P".to_owned()), ..Project::default() })
    }

    fn rename(draft: &mut Draft, name: &str) -> Record {
        draft.apply(&Edit::Name { name: name.to_owned() }).unwrap().record.unwrap()
    }

    #[tokio::test]
    async fn a_draft_is_found_again_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let drafts = Drafts::of(&Folders::under(home.path())).unwrap();
        let mut first = draft("1");
        let journal = drafts.begin(&first).await.unwrap();
        assert!(matches!(drafts.begin(&first).await, Err(DraftError::Exists)));
        let records = [rename(&mut first, "A"), rename(&mut first, "B")];
        let kept = records.iter().map(|record| journal.keep([record])).collect::<Vec<_>>();
        for kept in kept {
            kept.await.unwrap();
        }
        let path = drafts.path("w", first.project_id());
        assert!(matches!(drafts.resume(&path).await, Err(DraftError::Held)), "one studio at a time");
        drop(journal);
        let (journal, again) = loop {
            // The lock goes when the thread that wrote has seen that nobody asks any more.
            match drafts.resume(&path).await {
                Err(DraftError::Held) => tokio::task::yield_now().await,
                resumed => break resumed.unwrap(),
            }
        };
        assert_eq!(again, first);
        let others = [drafts.begin(&draft("")).await.unwrap(), drafts.begin(&draft("")).await.unwrap()];
        let found = drafts.list("w").await;
        assert_eq!((found.len(), drafts.list("other").await.len()), (3, 0));
        let summary = found.iter().filter_map(|one| one.draft.as_ref().ok()).find(|one| one.name == "B").unwrap();
        assert_eq!((summary.edits, summary.calls, summary.project.as_str()), (2, 1, "1"));
        drop(others);
        journal.discard().await.unwrap();
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn what_was_cut_off_is_written_over_and_what_is_newer_is_left() {
        let home = tempfile::tempdir().unwrap();
        let drafts = Drafts::of(&Folders::under(home.path())).unwrap();
        let mut first = draft("1");
        let path = drafts.path("w", first.project_id());
        let begun = format!("{}{}", journal::heading(), journal::line(&first.begun()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("{begun}0123456789abcdef {{\"edi")).unwrap();
        let (journal, mut again) = drafts.resume(&path).await.unwrap();
        assert_eq!(again, first);
        journal.keep([&rename(&mut again, "A")]).await.unwrap();
        let record = rename(&mut first, "A");
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{begun}{}", journal::line(&record)));
        let newer = drafts.path("w", &"2".into());
        fs::write(&newer, "cutaway-draft 9\n?").unwrap();
        assert!(matches!(drafts.resume(&newer).await, Err(DraftError::Journal(JournalError::Newer(9)))));
        assert!(matches!(drafts.begin(&draft("2")).await, Err(DraftError::Journal(JournalError::Newer(9)))));
        assert_eq!(fs::read_to_string(&newer).unwrap(), "cutaway-draft 9\n?");
        assert_eq!(drafts.list("w").await.len(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_full_disk_refuses_is_owed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.draft");
        let mut held = hold(&path, true).unwrap();
        held.owed = b"all of it".to_vec();
        let whole = std::mem::replace(&mut held.file, File::open(&path).unwrap());
        held.write().unwrap_err();
        assert_eq!((held.sound, held.owed.len()), (0, 9), "it is read-only: nothing was written");
        held.file = whole;
        held.owed.extend(b", and more");
        held.write().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "all of it, and more");
    }
}
