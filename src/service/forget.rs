//! Forgetting a person: in the database, in the files beside it, and in logs.

use std::fs::{DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::needle::{BESIDE, Needle, Parts};
use crate::draft::journal;

/// Bytes of a file looked at together.
const PIECE: usize = 1024 * 1024;

/// The regular files below a folder.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in entries(&folder)? {
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}

/// The files of the state folder: the program's logs and what it remembers of services for completions, and, apart from
/// them, what is its user's own: drafts, and where the studio was.
pub(super) fn state(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let remembered = folder.join("completions");
    let of_program = |file: &PathBuf| {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let log = name.starts_with("cutaway.") && Path::new(&name).extension().is_some_and(|ending| ending == "log");
        let beside = file.parent() == Some(folder);
        file.starts_with(&remembered) || (beside && (log || name == "internal-errors.log"))
    };
    Ok(files(folder)?.into_iter().partition(of_program))
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Overwrites the address in a file, in as many bytes. Whether it was there.
pub(super) fn overwrite(file: &Path, needle: &Needle, parts: Parts) -> io::Result<bool> {
    through(file, needle, |bytes, begins, at| {
        let found = needle.overwrite(bytes, begins, parts);
        if found {
            let mut writing = OpenOptions::new().write(true).open(file)?;
            writing.seek(SeekFrom::Start(at))?;
            writing.write_all(bytes)?;
            writing.sync_data()?;
        }
        Ok(found)
    })
}

/// Overwrites the address in the records of a draft, in as many bytes, with their sums, so that the draft is as sound as
/// before. Nothing where the file is no draft, or where none of its records holds the address; else whether a studio has
/// it open. What stands in damaged lines is left to [`overwrite`].
pub(super) fn overwrite_draft(file: &Path, needle: &Needle) -> io::Result<Option<bool>> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(journal::ENDING) {
        return Ok(None);
    }
    let mut opened = match OpenOptions::new().read(true).write(true).open(file) {
        Ok(opened) => opened,
        // It was saved or discarded meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if opened.metadata()?.len() > journal::MOST_BYTES {
        return Ok(None);
    }
    // Whoever opens the draft in this moment waits or is told that it is open. Its studio writes at its end only.
    let is_open = matches!(opened.try_lock(), Err(TryLockError::WouldBlock));
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes)?;
    let changed = journal::overwrite(&mut bytes, |json| {
        let found = needle.overwrite(json, 0..json.len(), Parts::Whole);
        if found {
            // What an edit is called quotes the beginning of its text.
            needle.overwrite_cut(json);
        }
        found
    });
    for place in &changed {
        opened.seek(SeekFrom::Start(place.start as u64))?;
        opened.write_all(bytes.get(place.clone()).unwrap_or_default())?;
    }
    if changed.is_empty() {
        return Ok(None);
    }
    opened.sync_data()?;
    Ok(Some(is_open))
}

/// Whether a file holds the address; it stays as it is.
pub(super) fn holds(file: &Path, needle: &Needle) -> io::Result<bool> {
    through(file, needle, |bytes, begins, _| Ok(!needle.found(bytes, begins, Parts::Whole).is_empty()))
}

/// Does something with the pieces of a file: with bytes, where in them it is looked for what begins, and where in the file
/// they stand. Around that part are as many bytes as tell whether an address is a part of a longer one. Whether any of it
/// said yes.
fn through(
    file: &Path,
    needle: &Needle,
    mut with: impl FnMut(&mut [u8], Range<usize>, u64) -> io::Result<bool>,
) -> io::Result<bool> {
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        // It ended meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let behind = needle.most() + BESIDE;
    let mut piece = vec![0; BESIDE + PIECE + behind];
    let (mut kept, mut begin, mut at, mut found) = (0, 0, 0_u64, false);
    loop {
        let space = piece.get_mut(kept..).unwrap_or_default();
        let room = space.len();
        let read = fill(&mut opened, space)?;
        let end = kept + read;
        let is_last = read < room;
        let Some(bytes) = piece.get_mut(..end) else { break };
        let until = if is_last { end } else { end.saturating_sub(behind) };
        found |= with(bytes, begin..until, at)?;
        if is_last {
            break;
        }
        let from = until.saturating_sub(BESIDE);
        bytes.copy_within(from.., 0);
        at += from as u64;
        kept = end - from;
        begin = until - from;
    }
    Ok(found)
}

/// Reads until the buffer is full or the file over.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The hash of a file, as uploads are kept with.
pub(super) fn hash(file: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut File::open(file)?, &mut hasher)?;
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_across_two_pieces_is_found_and_a_longer_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let needle = Needle::new("ann@shop.example").unwrap();
        let edges = [PIECE, PIECE + BESIDE, 2 * PIECE, 2 * PIECE + BESIDE];
        let near = edges.into_iter().flat_map(|edge| (edge - 40..edge + 40).step_by(3));
        for before in near.chain([0, 1, 300]) {
            let file = folder.path().join("file");
            let text = |middle: &[u8]| [vec![b' '; before], middle.to_vec(), vec![b' '; 30]].concat();
            std::fs::write(&file, text(b"ANN@shop.example")).unwrap();
            assert!(holds(&file, &needle).unwrap(), "{before}");
            assert!(overwrite(&file, &needle, Parts::Whole).unwrap(), "{before}");
            assert!(std::fs::read(&file).unwrap() == text(&[b'x'; 16]), "{before}");
            assert!(!overwrite(&file, &needle, Parts::Whole).unwrap() && !holds(&file, &needle).unwrap());
            for longer in [&b"mary-ann@shop.example"[..], b"ann@shop.example.org"] {
                std::fs::write(&file, text(longer)).unwrap();
                assert!(!overwrite(&file, &needle, Parts::Whole).unwrap(), "{before}");
                assert!(std::fs::read(&file).unwrap() == text(longer), "{before}");
            }
        }
    }
}
