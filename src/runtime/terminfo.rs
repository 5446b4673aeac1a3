//! The terminal database of this machine.

use std::path::{Path, PathBuf};

use crate::settings::read_bounded;
use crate::terminal::Terminfo;

/// Where systems have it.
const USUAL: [&str; 4] = ["/etc/terminfo", "/lib/terminfo", "/usr/lib/terminfo", "/usr/share/terminfo"];

/// No entry is larger, bytes.
const LONGEST: u64 = 32 * 1024;

/// What the database says of a terminal, and in which file: in the folders of a person and then in those of the system. It reads files.
#[must_use]
pub fn terminfo(own: impl IntoIterator<Item = PathBuf>, term: &str) -> Option<(PathBuf, Terminfo)> {
    let folders = own.into_iter().chain(USUAL.map(PathBuf::from));
    let mut files = folders.flat_map(|folder| Terminfo::places(term).map(move |place| folder.join(place)));
    files.find_map(|file: PathBuf| read(&file).map(|known| (file, known)))
}

fn read(file: &Path) -> Option<Terminfo> {
    Terminfo::parse(&read_bounded(file, LONGEST).ok()?)
}
