//! The drafts that wait in a workspace, whoever holds them.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::MOST_BYTES;
use super::file::is_journal;
use crate::draft::journal;
use crate::settings::{open_regular, read_bounded};
use crate::studio::event::Waiting;

/// What is known of the journals of a folder. Of another workspace's only the beginning is read, and no journal is read
/// again that is as it was.
#[derive(Debug, Default)]
pub(super) struct Known {
    journals: HashMap<PathBuf, (Stamp, Of)>,
    /// How many bytes were read in all.
    pub read: usize,
}

/// What a file that was written to differs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    written: Option<SystemTime>,
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        Self { length: meta.len(), written: meta.modified().ok() }
    }
}

/// What a journal is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    /// Of a draft of this workspace; what waits in it is not known.
    Workspace(String),
    /// Of a draft of this workspace in which this waits, or nothing.
    Draft(String, Option<Waiting>),
    /// Nobody can tell.
    Unreadable,
    /// Of nothing: no draft, or one whose beginning was being written.
    Nothing,
}

impl Known {
    /// The drafts of a workspace with edits that are not saved, and the files of drafts of which nobody can tell what they
    /// are of.
    pub fn waiting(&mut self, folder: &Path, workspace: &str) -> (Vec<Waiting>, Vec<PathBuf>) {
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        let mut before = std::mem::take(&mut self.journals);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(meta) = entry.metadata() else { continue };
            if !is_journal(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let stamp = Stamp::of(&meta);
            let known = before.remove(&path).filter(|(known, _)| *known == stamp).map(|(_, of)| of);
            let Ok(of) = self.look(&path, workspace, known) else { continue };
            match &of {
                Of::Draft(of, Some(waiting)) if of == workspace => found.push(waiting.clone()),
                Of::Unreadable => unreadable.push(path.clone()),
                _ => {}
            }
            self.journals.insert(path, (stamp, of));
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        (found, unreadable)
    }

    fn look(&mut self, path: &Path, workspace: &str, known: Option<Of>) -> io::Result<Of> {
        match known {
            Some(Of::Workspace(of)) if of == workspace => {}
            Some(of) => return Ok(of),
            None => {
                let head = self.head(path)?;
                let of =
                    journal::read(&head).ok().and_then(|read| read.draft).map(|draft| draft.workspace().to_owned());
                if let Some(of) = of.filter(|of| of != workspace) {
                    return Ok(Of::Workspace(of));
                }
            }
        }
        let bytes = read_bounded(path, MOST_BYTES)?;
        self.read += bytes.len();
        Ok(whole(&bytes))
    }

    /// A journal's heading and its first record.
    fn head(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = BufReader::new(open_regular(path)?.take(MOST_BYTES));
        let mut head = Vec::new();
        for _ in 0..2 {
            file.read_until(b'\n', &mut head)?;
        }
        self.read += head.len();
        Ok(head)
    }
}

/// What a whole journal says.
pub(super) fn whole(bytes: &[u8]) -> Of {
    let Ok(read) = journal::read(bytes) else { return Of::Nothing };
    let (draft, damage) = match (read.draft, read.damage) {
        (Some(draft), damage) => (draft, damage),
        (None, Some(damage)) if !damage.is_torn => return Of::Unreadable,
        (None, _) => return Of::Nothing,
    };
    let is_damaged = damage.as_ref().is_some_and(|damage| damage.missing > 0);
    let draft = damage.map_or(draft.clone(), |damage| damage.rescue(draft));
    let waits = is_damaged || !draft.is_saved();
    let waiting = waits.then(|| Waiting {
        project: draft.project_id().clone(),
        name: draft.content().head().name().to_owned(),
        edits: draft.unsaved_edits().max(usize::from(is_damaged)),
        profile: draft.profile().map(ToOwned::to_owned),
    });
    Of::Draft(draft.workspace().to_owned(), waiting)
}
