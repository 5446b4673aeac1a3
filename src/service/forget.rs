//! Forgetting a person: in the database, in the files beside it, and in logs.

use std::fs::{DirEntry, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::needle::Needle;

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

/// The program's logs in its state folder, and what it remembers of services for completions; whatever else is there is its
/// user's own.
pub(super) fn logs(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = files(&folder.join("completions"))?;
    for entry in entries(folder)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        let log = name.starts_with("cutaway.") && Path::new(&name).extension().is_some_and(|ending| ending == "log");
        if (log || name == "internal-errors.log") && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Overwrites the address in a file, in as many bytes. Whether it was there.
pub(super) fn overwrite(file: &Path, needle: &Needle) -> io::Result<bool> {
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        // It ended meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let overlap = needle.most().saturating_sub(1);
    let (mut piece, mut kept, mut at, mut found) = (vec![0; PIECE + overlap], 0, 0_u64, false);
    loop {
        let space = piece.get_mut(kept..).unwrap_or_default();
        let room = space.len();
        let read = fill(&mut opened, space)?;
        let end = kept + read;
        let Some(bytes) = piece.get_mut(..end) else { break };
        if needle.overwrite(bytes) {
            found = true;
            let mut writing = OpenOptions::new().write(true).open(file)?;
            writing.seek(SeekFrom::Start(at))?;
            writing.write_all(bytes)?;
            writing.sync_data()?;
        }
        if read < room {
            break;
        }
        // The address may lie across two pieces.
        let from = end.saturating_sub(overlap);
        bytes.copy_within(from.., 0);
        at += from as u64;
        kept = end - from;
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
    fn an_address_across_two_pieces_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let needle = Needle::new("ann@shop.example").unwrap();
        for before in [0, 1, PIECE - 20, PIECE - 3, PIECE, PIECE + 10, 2 * PIECE - 1, 2 * PIECE + 7] {
            let file = folder.path().join("file");
            let text = [vec![b'.'; before], b"ANN@shop.example".to_vec(), vec![b'.'; 30]].concat();
            std::fs::write(&file, &text).unwrap();
            assert!(overwrite(&file, &needle).unwrap(), "{before}");
            let should = [vec![b'.'; before], vec![b'x'; 16], vec![b'.'; 30]].concat();
            assert!(std::fs::read(&file).unwrap() == should, "{before}");
            assert!(!overwrite(&file, &needle).unwrap());
        }
    }
}
