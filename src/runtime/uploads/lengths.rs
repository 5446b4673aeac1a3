//! How long the videos of a workspace play, by their ids: learned from the files that were uploaded, kept beside the
//! queue, so that what depends on it can be checked long after the file is gone.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::QueueFolder;
use crate::domain::VideoId;
use crate::settings::{open_regular, open_regular_with};

/// Of a longer file the end is read: so many bytes are tens of thousands of videos.
const MOST: u64 = 4 * 1024 * 1024;

/// The lengths that are known, and the file they are kept in: a line each, `["ID",MILLISECONDS]`.
#[derive(Debug)]
pub struct Lengths {
    path: PathBuf,
    read: u64,
    known: Arc<HashMap<VideoId, u64>>,
}

impl Lengths {
    /// Those of a queue's workspace. What can't be read is not known.
    #[must_use]
    pub fn open(folder: &QueueFolder) -> Self {
        let mut lengths = Self { path: folder.path().join("lengths"), read: 0, known: Arc::default() };
        lengths.refresh();
        lengths
    }

    /// Milliseconds of each video.
    #[must_use]
    pub fn known(&self) -> &Arc<HashMap<VideoId, u64>> {
        &self.known
    }

    /// Takes what others learned.
    pub(super) fn refresh(&mut self) {
        if let Err(error) = self.take_new() {
            tracing::debug!(%error, "the lengths of videos could not be read");
        }
    }

    fn take_new(&mut self) -> io::Result<()> {
        let mut file = match open_regular(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        if length == self.read {
            return Ok(());
        }
        let begin = if length < self.read { 0 } else { self.read }.max(length.saturating_sub(MOST));
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes)?;
        // What is being written this moment is read when it is whole.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.read = begin + whole as u64;
        let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
        Arc::make_mut(&mut self.known).extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
        Ok(())
    }

    /// Keeps one. It is for checks only: where it can't be written it is known until this process ends.
    pub(super) fn note(&mut self, video: &VideoId, ms: u64) {
        if self.known.get(video) == Some(&ms) {
            return;
        }
        Arc::make_mut(&mut self.known).insert(video.clone(), ms);
        let line = serde_json::to_string(&(video, ms)).map(|line| line + "\n").unwrap_or_default();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = open_regular_with(&mut options, &self.path).and_then(|mut file| file.write_all(line.as_bytes()));
        if let Err(error) = written {
            tracing::debug!(%error, "the length of a video could not be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_shared_and_what_was_torn_costs_only_itself() {
        let root = tempfile::tempdir().unwrap();
        let folder = QueueFolder::at(root.path().join("q")).unwrap();
        let (mut one, mut two) = (Lengths::open(&folder), Lengths::open(&folder));
        one.note(&"v-1".into(), 1500);
        let path = root.path().join("q/lengths");
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"[\"v-9\n").unwrap();
        one.note(&"v\n2".into(), 2500);
        one.note(&"v-1".into(), 1500);
        two.refresh();
        assert_eq!(two.known(), Lengths::open(&folder).known());
        assert_eq!(two.known().get(&"v-1".into()), Some(&1500));
        assert_eq!(two.known().get(&"v\n2".into()), Some(&2500));
        assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 3, "each is written once");
    }
}
