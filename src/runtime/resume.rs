//! Where each profile's studio was left: a file in the state folder, or of a guest in a database, written while it runs and
//! when it ends.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::host::Own;
use crate::domain::{ProjectId, StoreUrl};
use crate::settings::{Folders, alone, read_text_bounded, write_private};
use crate::studio::steps::Place;
use crate::studio::{Left, Spot, Typed};

/// Profiles remembered at most; the file is no archive.
const MOST: usize = 200;

/// The most bytes of the file: as many profiles, with the most that is kept of each.
const MOST_BYTES: u64 = 16 << 20;

/// The version of the file; the first files have none.
const VERSION: i64 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(default = "this_version")]
    version: i64,
    /// By the profile's name. What can't be read of one of them stays as it is.
    #[serde(default)]
    profiles: BTreeMap<String, toml::Value>,
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

/// What was kept; nothing where nothing was.
fn text(own: Own<'_>) -> io::Result<Option<String>> {
    if let Some(home) = own.home {
        return home.note(FILE).map_err(io::Error::other);
    }
    let Some(path) = path(own) else { return Ok(None) };
    match read_text_bounded(&path, MOST_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    }
}

/// The file in a text. One of a newer program is not read.
fn read(text: Option<&str>) -> io::Result<File> {
    let Some(text) = text else { return Ok(File::default()) };
    if later(text).is_some() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    toml::from_str(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.message().to_owned()))
}

/// The version of a file of a newer program.
fn later(text: &str) -> Option<i64> {
    toml::from_str::<Version>(text).ok().map(|file| file.version).filter(|version| *version > VERSION)
}

/// What to say where a newer program wrote the file, or it can't be read: nothing of it is used then, and it is left as it is.
#[must_use]
pub fn unread<'a>(own: impl Into<Own<'a>>) -> Option<String> {
    let own = own.into();
    let text = text(own);
    let shown = match own.home {
        Some(_) => "Where your studio was left".to_owned(),
        None => path(own)?.display().to_string(),
    };
    if let Some(version) = text.as_ref().ok().and_then(Option::as_deref).and_then(later) {
        return Some(format!(
            "{shown} was written by a newer version of Cutaway (format {version}); the studio starts from the beginning. Update Cutaway to continue where you left off"
        ));
    }
    let why = text.and_then(|text| read(text.as_deref())).err()?;
    Some(format!(
        "{shown} can't be read: {why}. The studio starts from the beginning, and doesn't save where you leave off until you fix or delete it"
    ))
}

/// Where a profile's studio was left.
#[must_use]
pub fn take_up<'a>(own: impl Into<Own<'a>>, profile: &str) -> Option<Left> {
    let mut file = read(text(own.into()).ok()?.as_deref()).ok()?;
    let entry = file.profiles.remove(profile)?.try_into().ok()?;
    let Entry { screen, store, row, outline, project, steps, spots, places, typing } = entry;
    let project = project.map(|id| (ProjectId::from(id), steps));
    Some(Left { screen, store: store.map(StoreUrl::from), row, outline, project, spots, places, typing })
}

/// Keeps where a profile's studio was left. Where that can't be written, the next start begins at the beginning.
pub fn leave<'a>(own: impl Into<Own<'a>>, profile: &str, left: &Left) {
    change(own.into(), |file| {
        if file.profiles.len() >= MOST && !file.profiles.contains_key(profile) {
            // What can't be read stays as it is.
            let is_read = |entry: &toml::Value| entry.clone().try_into::<Entry>().is_ok();
            let gone = file.profiles.iter().find(|(_, entry)| is_read(entry)).map(|(name, _)| name.clone());
            gone.and_then(|name| file.profiles.remove(&name));
        }
        let Left { screen, store, row, outline, project, spots, places, typing } = left.clone();
        let (project, steps) = project.map_or((None, None), |(id, steps)| (Some(id.to_string()), steps));
        let store = store.map(|store| store.to_string());
        let entry = Entry { screen, store, row, outline, project, steps, spots, places, typing };
        if let Ok(entry) = toml::Value::try_from(entry) {
            file.profiles.insert(profile.to_owned(), entry);
        }
    });
}

/// Changes the file while no other studio does. One that can't be read is left as it is.
fn change(own: Own<'_>, change: impl Fn(&mut File)) {
    let changed = |text: Option<&str>| {
        let mut file = read(text).ok()?;
        change(&mut file);
        toml::to_string(&file).ok().filter(|text| text.len() as u64 <= MOST_BYTES)
    };
    if let Some(home) = own.home {
        let _ = home.change_note(FILE, |text| Ok::<_, io::Error>(changed(text)));
        return;
    }
    let Some(path) = path(own) else { return };
    let _ = alone(&path, || {
        if let Some(text) = text(own).ok().and_then(|text| changed(text.as_deref())) {
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
        assert!(kept.starts_with("version = 1\n") && unread(&folders).is_none(), "{kept}");
        let first = kept.replacen("version = 1\n", "", 1);
        std::fs::write(&path, first).unwrap();
        assert_eq!(take_up(&folders, "stall"), Some(left(7)), "as the first files were");
        let later = kept.replacen("version = 1", "version = 2", 1);
        std::fs::write(&path, &later).unwrap();
        leave(&folders, "stall", &left(1));
        assert_eq!((take_up(&folders, "stall"), std::fs::read_to_string(&path).unwrap()), (None, later));
        assert!(unread(&folders).unwrap().contains("written by a newer version of Cutaway (format 2)"));
    }

    #[test]
    fn of_too_many_profiles_one_is_forgotten_and_none_that_cannot_be_read() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        let left = |row| Left { screen: "Videos".to_owned(), row, ..Left::default() };
        leave(&folders, "z", &left(7));
        let path = folders.state().unwrap().join("session.toml");
        let mut file: toml::Table = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let profiles = file["profiles"].as_table_mut().unwrap();
        let known = profiles["z"].clone();
        profiles.insert("a odd".into(), toml::from_str("row = \"seven\"").unwrap());
        profiles.extend((2..MOST).map(|at| (format!("shop {at:03}"), known.clone())));
        std::fs::write(&path, toml::to_string(&file).unwrap()).unwrap();
        leave(&folders, "new", &left(9));
        let file: toml::Table = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let profiles = file["profiles"].as_table().unwrap();
        assert!(profiles.len() == MOST && profiles.contains_key("a odd") && !profiles.contains_key("shop 002"));
        assert_eq!((take_up(&folders, "new"), take_up(&folders, "z")), (Some(left(9)), Some(left(7))));
    }

    #[test]
    fn what_cannot_be_read_is_never_written_over() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        let left = |row| Left { screen: "Videos".to_owned(), row, ..Left::default() };
        leave(&folders, "shop", &left(7));
        let path = folders.state().unwrap().join("session.toml");
        let kept = || std::fs::read_to_string(&path).unwrap();
        // One odd entry, as another version or a person may have written it: the others are read, and it stays.
        std::fs::write(&path, format!("{}\n[profiles.odd]\nrow = \"seven\"\nmore = [1, {{ a = 2 }}]\n", kept()))
            .unwrap();
        assert_eq!((take_up(&folders, "shop"), take_up(&folders, "odd")), (Some(left(7)), None));
        leave(&folders, "shop", &left(8));
        rename(&folders, "odd", "odder");
        assert_eq!((take_up(&folders, "shop"), unread(&folders)), (Some(left(8)), None));
        let odd: toml::Table = toml::from_str(&kept()).unwrap();
        assert_eq!(odd["profiles"]["odder"], toml::from_str("row = \"seven\"\nmore = [1, { a = 2 }]").unwrap());
        leave(&folders, "odder", &left(9));
        assert_eq!(take_up(&folders, "odder"), Some(left(9)));
        // A file that is no TOML, one that is no text, and one that can't be read at all.
        for odd in [&b"not toml ["[..], b"\xff\xfe", b"profiles = 7"] {
            std::fs::write(&path, odd).unwrap();
            leave(&folders, "shop", &left(1));
            assert_eq!((std::fs::read(&path).unwrap().as_slice(), take_up(&folders, "shop")), (odd, None));
            assert!(unread(&folders).unwrap().contains("session.toml can't be read: "));
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        leave(&folders, "shop", &left(1));
        assert!(path.is_dir() && unread(&folders).is_some());
        std::fs::remove_dir(&path).unwrap();
        leave(&folders, "shop", &left(1));
        assert_eq!(take_up(&folders, "shop"), Some(left(1)));
    }
}
