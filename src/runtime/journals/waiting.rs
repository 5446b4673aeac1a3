//! The drafts that wait in a workspace, whoever holds them.

use std::fs;
use std::path::{Path, PathBuf};

use super::MOST_BYTES;
use super::file::is_journal;
use crate::draft::journal;
use crate::settings::read_bounded;
use crate::studio::event::Waiting;

/// The drafts of a workspace with edits that are not saved, and the files of drafts of which nobody can tell what they
/// are of.
pub(super) fn waiting(folder: &Path, workspace: &str) -> (Vec<Waiting>, Vec<PathBuf>) {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_one = is_journal(&entry.file_name().to_string_lossy());
        let Some(bytes) = is_one.then(|| read_bounded(&entry.path(), MOST_BYTES).ok()).flatten() else { continue };
        let Ok(read) = journal::read(&bytes) else { continue };
        match (read.draft, read.damage) {
            (Some(draft), damage) if draft.workspace() == workspace => {
                let is_damaged = damage.as_ref().is_some_and(|damage| damage.missing > 0);
                let draft = damage.map_or(draft.clone(), |damage| damage.rescue(draft));
                if is_damaged || !draft.is_saved() {
                    found.push(Waiting {
                        project: draft.project_id().clone(),
                        name: draft.content().head().name().to_owned(),
                        edits: draft.unsaved_edits().max(usize::from(is_damaged)),
                        profile: draft.profile().map(ToOwned::to_owned),
                    });
                }
            }
            (None, Some(damage)) if !damage.is_torn => unreadable.push(entry.path()),
            _ => {}
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    (found, unreadable)
}
