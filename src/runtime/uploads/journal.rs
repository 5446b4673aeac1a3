//! The journal on the disk. Several processes write to it, each with the lock, and read what the others wrote; what was
//! said to be kept is on the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::folder::QueueFolder;
use crate::client::fingerprint;
use crate::settings::{open_regular, open_regular_with, read_open};
use crate::uploads::{Destination, Entry, Queue, UploadId, VideoFile, journal};

/// A journal with so many more bytes than a short one would have is written again.
const SLACK: u64 = 64 * 1024;
/// A journal with more bytes is none that was written here: it would be some hundred thousand uploads.
const MOST_BYTES: u64 = 64 << 20;

/// The journal of one queue, and the queue as far as it was read.
#[derive(Debug)]
pub struct Journal {
    folder: QueueFolder,
    queue: Queue,
    /// How far it was read, and of which file: one that was written again is another.
    read: u64,
    of: Option<(u64, u64)>,
    /// Kept open, so that no other file gets its number.
    file: Option<File>,
    /// How long it was when it was written again or opened.
    short: u64,
    broken: usize,
    /// How often the queue changed.
    changes: u64,
}

impl Journal {
    /// Reads the journal in a folder; an empty one where there is none.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn open(folder: QueueFolder) -> io::Result<Self> {
        let mut journal =
            Self { folder, queue: Queue::default(), read: 0, of: None, file: None, short: 0, broken: 0, changes: 0 };
        journal.refresh()?;
        Ok(journal)
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &QueueFolder {
        &self.folder
    }

    /// How often the queue changed since the journal was opened.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How many lines could not be read.
    #[must_use]
    pub fn broken(&self) -> usize {
        self.broken
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    /// Reads what others wrote; whether there was something.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn refresh(&mut self) -> io::Result<bool> {
        let mut file = match open_regular(&self.path()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let now = fingerprint(&file.metadata()?);
        let again = self.of != now.inode || now.size < self.read;
        if !again && now.size == self.read {
            return Ok(false);
        }
        if again {
            self.queue = Queue::default();
            (self.read, self.of, self.broken) = (0, now.inode, 0);
        }
        file.seek(SeekFrom::Start(self.read))?;
        let bytes = read_open(&mut file, MOST_BYTES)?;
        // What another is writing this moment is read when it is whole.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (entries, broken) = journal::read(bytes.get(..whole).unwrap_or_default()).map_err(|newer| {
            self.queue = Queue::default();
            (self.read, self.of) = (0, None);
            io::Error::other(newer)
        })?;
        self.read += whole as u64;
        if again {
            self.short = self.read;
            self.file = Some(file);
        }
        self.broken += broken;
        self.changes += 1;
        for entry in &entries {
            self.queue.apply(entry);
        }
        Ok(!entries.is_empty() || again)
    }

    /// Writes entries down, all or none, and returns when they are on the disk.
    ///
    /// # Errors
    /// Where they can't be kept: then nothing happened.
    pub fn append(&mut self, entries: &[Entry]) -> io::Result<()> {
        let _lock = self.lock()?;
        self.refresh()?;
        self.write(entries)
    }

    /// Queues files, for a step where one is named; their numbers.
    ///
    /// # Errors
    /// Where that can't be kept: then none is queued.
    pub fn add(
        &mut self,
        files: Vec<VideoFile>,
        destination: Option<&Destination>,
        at_ms: i64,
    ) -> io::Result<Vec<UploadId>> {
        let _lock = self.lock()?;
        self.refresh()?;
        let first = self.queue.next_id().0;
        let numbered = (first..).map(UploadId).zip(files);
        let added = |(id, file)| Entry::Added {
            id,
            at_ms,
            file: Box::new(file),
            destination: destination.cloned().map(Box::new),
        };
        let entries: Vec<Entry> = numbered.map(added).collect();
        self.write(&entries)?;
        Ok((first..).map(UploadId).take(entries.len()).collect())
    }

    fn lock(&self) -> io::Result<File> {
        let path = self.folder.path().join("lock");
        let mut options = OpenOptions::new();
        let file = open_regular_with(options.read(true).write(true).create(true).truncate(false), &path)?;
        file.lock()?;
        Ok(file)
    }

    fn write(&mut self, entries: &[Entry]) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut file = open_regular_with(owners_only().append(true).create(true), &self.path())?;
        let before = file.metadata()?.len();
        let text: String = entries.iter().map(journal::line).collect();
        let text = if before == 0 { journal::heading() + &text } else { text };
        // Where a process died in the middle of a line, what comes next begins on its own.
        let text = if before > self.read { format!("\n{text}") } else { text };
        if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.sync_data()) {
            // A part of it would be read as all of it.
            let _ = file.set_len(before);
            return Err(error);
        }
        self.refresh()?;
        // What could not be read stays as it is: a later version may know it.
        if self.broken == 0 && self.read > self.short.saturating_mul(2).saturating_add(SLACK) {
            // It is only long: where this fails, the next one tries again.
            if let Err(error) = self.rewrite() {
                tracing::debug!(%error, "the journal of the uploads could not be shortened");
            }
        }
        Ok(())
    }

    /// Writes the shortest journal of the same queue in its place.
    fn rewrite(&mut self) -> io::Result<()> {
        let fresh = self.folder.path().join("journal.new");
        let _ = fs::remove_file(&fresh);
        let mut file = owners_only().write(true).create_new(true).open(&fresh)?;
        let text: String =
            std::iter::once(journal::heading()).chain(self.queue.compacted().iter().map(journal::line)).collect();
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, self.path())?;
        File::open(self.folder.path())?.sync_all()?;
        let (of, length) = (fingerprint(&file.metadata()?).inode, text.len() as u64);
        (self.of, self.read, self.short, self.broken) = (of, length, length, 0);
        self.file = Some(file);
        self.folder.forget(|id| self.queue.get(id).is_some());
        Ok(())
    }
}

fn owners_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uploads::{FilePath, Fingerprint};

    fn file(name: &str) -> VideoFile {
        VideoFile {
            path: FilePath(format!("/clips/{name}").into()),
            name: name.to_owned(),
            fingerprint: Fingerprint { size: 100, modified_ns: Some(1), inode: None },
            content_type: "video/mp4".to_owned(),
            duration_ms: None,
            picture: None,
        }
    }

    fn folder(root: &tempfile::TempDir) -> QueueFolder {
        QueueFolder::at(root.path().join("q")).unwrap()
    }

    #[test]
    fn two_that_write_come_to_the_same_queue_and_no_number_is_given_twice() {
        let root = tempfile::tempdir().unwrap();
        let mut one = Journal::open(folder(&root)).unwrap();
        let mut two = Journal::open(folder(&root)).unwrap();
        for round in 0..400u64 {
            let ids = one.add(vec![file("a"), file("b")], None, 1).unwrap();
            assert_eq!(ids, [UploadId(3 * round + 1), UploadId(3 * round + 2)]);
            assert_eq!(two.add(vec![file("c")], None, 2).unwrap(), [UploadId(3 * round + 3)]);
            two.append(&[Entry::Cancelled { id: ids[0], at_ms: 3 }, Entry::Cleared { ids }]).unwrap();
        }
        // It was written again meanwhile, by either.
        assert!(fs::metadata(root.path().join("q/journal")).unwrap().len() < 1_000_000);
        one.refresh().unwrap();
        assert_eq!(one.queue(), two.queue());
        assert_eq!(Journal::open(folder(&root)).unwrap().queue(), two.queue());
    }

    #[test]
    fn one_of_a_later_version_is_neither_read_nor_written_to() {
        let root = tempfile::tempdir().unwrap();
        let mut open = Journal::open(folder(&root)).unwrap();
        open.add(vec![file("a")], None, 1).unwrap();
        let path = root.path().join("q/journal");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("cutaway-uploads 1\n"), "{text}");
        let newer = text.replacen("cutaway-uploads 1", "cutaway-uploads 2", 1) + "cutaway-uploads 2\n";
        fs::write(&path, &newer).unwrap();
        for error in [Journal::open(folder(&root)).unwrap_err(), open.add(vec![file("b")], None, 2).unwrap_err()] {
            assert!(error.to_string().contains("newer version of Cutaway (format 2)"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    }

    #[test]
    fn what_was_torn_costs_only_itself() {
        let root = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder(&root)).unwrap();
        journal.add(vec![file("a")], None, 1).unwrap();
        let path = root.path().join("q/journal");
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"0123456789abcdef {\"what\":\"add").unwrap();
        let mut journal = Journal::open(folder(&root)).unwrap();
        journal.add(vec![file("b")], None, 1).unwrap();
        let after = Journal::open(folder(&root)).unwrap();
        assert_eq!(after.queue().uploads().len(), 2);
        assert_eq!(after.broken(), 1);
    }
}
