//! Choosing files: a folder is shown, typing finds in it, Tab marks (and Space, where nothing is typed), Enter opens a
//! folder or takes the files.

mod dropped;
mod view;

use std::collections::BTreeSet;
use std::path::PathBuf;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::layout::Rect;

use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Hint, Remote};
use crate::studio::widgets::Select;
use crate::studio::widgets::paint::inside;

pub use dropped::paths;

/// A folder of this machine, as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderList {
    /// Which one.
    pub path: PathBuf,
    /// The folder above it.
    pub above: Option<PathBuf>,
    /// What is in it: folders first, then files, each by name.
    pub entries: Vec<FolderEntry>,
    /// Whose files these are, where they are not at hand: the machine at the other end of the line.
    pub machine: Option<String>,
}

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderEntry {
    /// Its path, of any bytes.
    pub path: PathBuf,
    /// Its name, harmless already.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Bytes of a file.
    pub size: u64,
}

/// The files being chosen.
#[derive(Debug, Clone, Default)]
pub struct Chooser {
    /// The folder.
    pub folder: Remote<FolderList>,
    /// Those that are marked, in any folder.
    pub marked: BTreeSet<PathBuf>,
    /// Whether one file is wanted and no more: then none is marked.
    pub one: bool,
    /// The entry that the mouse pressed last.
    pressed: Option<PathBuf>,
    /// What is in the folder and was found, by its place there; what is typed finds some, or is a path.
    pub found: Select<usize>,
}

/// What came of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// Nothing to be done.
    Nothing,
    /// Show this folder.
    Folder(PathBuf),
    /// Take these files.
    Files(Vec<PathBuf>),
    /// Nothing to be done, for this reason.
    Refused(&'static str),
}

impl Chooser {
    /// One that takes a single file.
    #[must_use]
    pub fn of_one() -> Self {
        Self { one: true, ..Self::default() }
    }

    /// What is in the folder and was found.
    pub fn rows(&self) -> impl Iterator<Item = &FolderEntry> {
        let entries = self.folder.known().map(|folder| folder.entries.as_slice()).unwrap_or_default();
        self.found.rows().iter().filter_map(|at| entries.get(*at))
    }

    /// The selected one.
    #[must_use]
    pub fn current(&self) -> Option<&FolderEntry> {
        self.folder.known()?.entries.get(*self.found.current()?)
    }

    /// Takes a folder that was read.
    pub fn take(&mut self, folder: Result<FolderList, String>) {
        let arrived = folder.is_ok();
        self.folder.settle(folder);
        if arrived {
            self.found.clear_query();
            self.searched();
        } else {
            // What was read before stays, and where one is in it.
            self.found.show(self.find());
        }
    }

    /// What is searched for is another: the best of what is found is selected.
    fn searched(&mut self) {
        self.found.show_found(self.find());
    }

    /// What is found in the folder, the best first.
    fn find(&self) -> Vec<usize> {
        let entries = self.folder.known().map(|folder| folder.entries.as_slice()).unwrap_or_default();
        let query = self.found.query().trim();
        if query.is_empty() || is_path(query) {
            return (0..entries.len()).collect();
        }
        let pattern = Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        let scored = entries.iter().enumerate().filter_map(|(at, entry)| {
            let score = pattern.score(Utf32Str::new(&entry.name, &mut letters), &mut matcher)?;
            Some((std::cmp::Reverse(score), at))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_unstable();
        scored.into_iter().map(|(_, at)| at).collect()
    }

    /// What the last line shows while files are chosen.
    #[must_use]
    pub fn hints(&self) -> &'static [Hint] {
        const ABOVE: Hint = Hint::own(Key::plain(KeyCode::Left), "parent folder");
        const OPEN: Hint = Hint::of(Command::Open);
        const BACK: Hint = Hint::of(Command::Back).saying("cancel");
        const ONE: &[Hint] = &[Hint::moves(), OPEN.saying("upload"), ABOVE, BACK];
        const MANY: &[Hint] = &[Hint::moves(), Hint::own(Key::char(' '), "select"), OPEN.saying("upload"), ABOVE, BACK];
        const FOLDER: &[Hint] = &[Hint::moves(), OPEN.saying("open folder"), ABOVE, BACK];
        match self.current() {
            Some(entry) if entry.is_folder => FOLDER,
            _ if self.one => ONE,
            _ => MANY,
        }
    }

    /// Takes a key that is no command.
    pub fn key(&mut self, key: Key) -> Chosen {
        let nothing_typed = self.found.query().is_empty();
        match key.code {
            // In names that are looked for a space says little, in a path it is part of it.
            KeyCode::Char(' ') if !is_path(self.found.query()) => return self.mark(),
            KeyCode::Backspace | KeyCode::Left if nothing_typed => return self.above(),
            KeyCode::Right if nothing_typed => {
                if let Some(folder) = self.current().filter(|entry| entry.is_folder) {
                    return Chosen::Folder(folder.path.clone());
                }
            }
            _ => {
                if self.found.key(key) {
                    self.searched();
                }
            }
        }
        Chosen::Nothing
    }

    /// Takes a press of the mouse where it is drawn into this area: goes to the entry. A second press opens a folder, or takes
    /// the file: with those that are marked where it is one of them.
    pub fn press(&mut self, area: Rect, x: u16, y: u16) -> Chosen {
        let was_current = self.current().map(|entry| entry.path.clone());
        let pressed = self.pressed.take().filter(|pressed| was_current.as_ref() == Some(pressed));
        if self.found.press(Self::rows_in(inside(area)), 1, x, y).is_none() {
            return Chosen::Nothing;
        }
        let Some(FolderEntry { path, is_folder, .. }) = self.current().cloned() else { return Chosen::Nothing };
        if pressed.as_ref() != Some(&path) {
            self.pressed = Some(path);
            return Chosen::Nothing;
        }
        if is_folder {
            return Chosen::Folder(path);
        }
        let is_marked = self.marked.contains(&path);
        Chosen::Files(if is_marked { self.marked.iter().cloned().collect() } else { vec![path] })
    }

    /// Takes pasted text that is no list of files.
    pub fn paste(&mut self, pasted: &str) {
        if self.found.paste(pasted) {
            self.searched();
        }
    }

    /// The folder above.
    #[must_use]
    pub fn above(&self) -> Chosen {
        let above = self.folder.known().and_then(|folder| folder.above.clone());
        above.map_or(Chosen::Nothing, Chosen::Folder)
    }

    /// Marks the selected file, or takes its mark away.
    pub fn mark(&mut self) -> Chosen {
        let path = match self.current() {
            None => return Chosen::Nothing,
            Some(_) if self.one => return Chosen::Refused("A step has one video: Enter chooses the current file."),
            Some(entry) if entry.is_folder => {
                return Chosen::Refused("A folder can't be selected. Enter opens it.");
            }
            Some(entry) => entry.path.clone(),
        };
        if !self.marked.remove(&path) {
            self.marked.insert(path);
        }
        self.found.step(1);
        Chosen::Nothing
    }

    /// Opens the folder that is selected or typed, or takes the files that are marked, else the one that is selected.
    #[must_use]
    pub fn open(&self) -> Chosen {
        let typed = self.found.query().trim();
        if is_path(typed) {
            // What is relative begins at the folder that is seen.
            let shown = self.folder.known().filter(|_| typed.starts_with('.'));
            return Chosen::Folder(shown.map_or_else(|| PathBuf::from(typed), |shown| shown.path.join(typed)));
        }
        match self.current() {
            Some(entry) if entry.is_folder => Chosen::Folder(entry.path.clone()),
            _ if !self.marked.is_empty() => Chosen::Files(self.marked.iter().cloned().collect()),
            Some(entry) => Chosen::Files(vec![entry.path.clone()]),
            None => Chosen::Nothing,
        }
    }
}

fn is_path(text: &str) -> bool {
    ["/", "~", "./", "../"].iter().any(|begin| text.starts_with(begin))
}
