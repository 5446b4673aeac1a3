//! Where each profile's studio was left: a file in the state folder, or of a guest in a database, written while it runs and
//! when it ends.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::host::Own;
use crate::domain::{ProjectId, StoreUrl};
use crate::settings::{Folders, MOST_SETTINGS, alone, read_text_bounded, write_private};
use crate::studio::steps::Place;
use crate::studio::{Left, Spot, Typed};

/// Profiles remembered at most; the file is no archive.
const MOST: usize = 200;

/// The version of the file; the first files have none.
const VERSION: i64 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(default = "this_version")]
    version: i64,
    #[serde(default)]
    profiles: BTreeMap<String, Entry>,
}

fn this_version() -> i64 {
    VERSION
}

impl Default for File {
    fn default() -> Self {
        Self { version: VERSION, profiles: BTreeMap::new() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Entry {
    screen: String,
    store: Option<String>,
    row: usize,
    outline: bool,
    /// The selected project.
    project: Option<String>,
    /// Its name, where its steps were open.
    steps: Option<String>,
    /// Where one was on the screens, by their titles.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    spots: BTreeMap<String, Spot>,
    /// Where one was in projects whose steps were open.
    places: Vec<Place>,
    /// What was half typed.
    typing: Option<Typed>,
}

/// The file, and what it is called in a database.
const FILE: &str = "session.toml";

fn path(own: Own<'_>) -> Option<PathBuf> {
    own.folders.state().ok().map(|folder| folder.join(FILE))
}

/// Only of this, whatever else is in the file.
#[derive(Deserialize)]
struct Version {
    version: i64,
}

fn text(own: Own<'_>) -> Option<String> {
    match own.home {
        Some(home) => home.note(FILE).ok().flatten(),
        None => path(own).and_then(|path| read_text_bounded(&path, MOST_SETTINGS).ok()),
    }
}

fn read(text: Option<&str>) -> File {
    // What can't be read is not worth a word: the studio starts at its beginning.
    let file = text.filter(|text| later(text).is_none());
    file.and_then(|text| toml::from_str(text).ok()).unwrap_or_default()
}

/// The version of a file of a newer program.
fn later(text: &str) -> Option<i64> {
    toml::from_str::<Version>(text).ok().map(|file| file.version).filter(|version| *version > VERSION)
}

/// What to say where a newer program wrote the file: nothing of it is used then, and it is left as it is.
#[must_use]
pub fn newer<'a>(own: impl Into<Own<'a>>) -> Option<String> {
    let own = own.into();
    let version = text(own).as_deref().and_then(later)?;
    let file = match own.home {
        Some(_) => "Where your studio was left".to_owned(),
        None => path(own)?.display().to_string(),
    };
    Some(format!(
        "{file} was written by a newer version of Cutaway (format {version}); the studio starts from the beginning. Update Cutaway to continue where you left off"
    ))
}

/// Where a profile's studio was left.
#[must_use]
pub fn take_up<'a>(own: impl Into<Own<'a>>, profile: &str) -> Option<Left> {
    let mut file = read(text(own.into()).as_deref());
    let Entry { screen, store, row, outline, project, steps, spots, places, typing } = file.profiles.remove(profile)?;
    let project = project.map(|id| (ProjectId::from(id), steps));
    Some(Left { screen, store: store.map(StoreUrl::from), row, outline, project, spots, places, typing })
}

/// Keeps where a profile's studio was left. Where that can't be written, the next start begins at the beginning.
pub fn leave<'a>(own: impl Into<Own<'a>>, profile: &str, left: &Left) {
    change(own.into(), |file| {
        if file.profiles.len() >= MOST && !file.profiles.contains_key(profile) {
            file.profiles.clear();
        }
        let Left { screen, store, row, outline, project, spots, places, typing } = left.clone();
        let (project, steps) = project.map_or((None, None), |(id, steps)| (Some(id.to_string()), steps));
        let store = store.map(|store| store.to_string());
        let entry = Entry { screen, store, row, outline, project, steps, spots, places, typing };
        file.profiles.insert(profile.to_owned(), entry);
    });
}

/// Changes the file while no other studio does.
fn change(own: Own<'_>, change: impl Fn(&mut File)) {
    let changed = |text: Option<&str>| {
        if text.is_some_and(|text| later(text).is_some()) {
            return None;
        }
        let mut file = read(text);
        change(&mut file);
        toml::to_string(&file).ok()
    };
    if let Some(home) = own.home {
        let _ = home.change_note(FILE, |text| Ok::<_, io::Error>(changed(text)));
        return;
    }
    let Some(path) = path(own) else { return };
    let _ = alone(&path, || {
        if let Some(text) = changed(text(own).as_deref()) {
            let _ = write_private(&path, &text);
        }
    });
}

/// A profile has another name now.
pub fn rename(folders: &Folders, from: &str, to: &str) {
    change(folders.into(), |file| {
        if let Some(entry) = file.profiles.remove(from) {
            file.profiles.insert(to.to_owned(), entry);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_is_taken_up_where_it_was_left() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        assert_eq!(take_up(&folders, "shop"), None);
        let left = |row| Left {
            screen: "Webhooks".to_owned(),
            store: Some("https://a.example".into()),
            row,
            outline: true,
            project: Some(("p1".into(), (row > 1).then(|| "Tour".to_owned()))),
            spots: [("Products".to_owned(), Spot { id: Some(format!("p{row}")), row, ..Spot::default() })].into(),
            places: vec![serde_json::from_str(r#"{"project":"p1","step":3,"walked":[4],"x":-2}"#).unwrap()],
            typing: (row > 1).then(|| Typed {
                screen: "Projects".into(),
                title: "Name".into(),
                text: "Half \"a".into(),
            }),
        };
        leave(&folders, "shop", &left(7));
        leave(&folders, "other", &left(1));
        assert_eq!(take_up(&folders, "shop"), Some(left(7)));
        rename(&folders, "shop", "stall");
        assert_eq!((take_up(&folders, "shop"), take_up(&folders, "stall")), (None, Some(left(7))));
        let path = folders.state().unwrap().join("session.toml");
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(kept.starts_with("version = 1\n") && newer(&folders).is_none(), "{kept}");
        let first = kept.replacen("version = 1\n", "", 1);
        std::fs::write(&path, first).unwrap();
        assert_eq!(take_up(&folders, "stall"), Some(left(7)), "as the first files were");
        let later = kept.replacen("version = 1", "version = 2", 1);
        std::fs::write(&path, &later).unwrap();
        leave(&folders, "stall", &left(1));
        assert_eq!((take_up(&folders, "stall"), std::fs::read_to_string(&path).unwrap()), (None, later));
        assert!(newer(&folders).unwrap().contains("written by a newer version of Cutaway (format 2)"));
        std::fs::write(&path, "not toml [").unwrap();
        assert_eq!(take_up(&folders, "stall"), None);
    }
}
