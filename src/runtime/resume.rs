//! Where each profile's studio was left: a file in the state folder, written while it runs and when it ends.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::domain::{ProjectId, StoreUrl};
use crate::settings::{Folders, MOST_SETTINGS, alone, read_text_bounded, write_private};
use crate::studio::Left;
use crate::studio::steps::Place;

/// Profiles remembered at most; the file is no archive.
const MOST: usize = 200;

#[derive(Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    profiles: BTreeMap<String, Entry>,
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
    /// Where one was in projects whose steps were open.
    places: Vec<Place>,
}

fn path(folders: &Folders) -> Option<PathBuf> {
    folders.state().ok().map(|folder| folder.join("session.toml"))
}

fn read(folders: &Folders) -> File {
    // What can't be read is not worth a word: the studio starts at its beginning.
    let text = path(folders).and_then(|path| read_text_bounded(&path, MOST_SETTINGS).ok());
    text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
}

/// Where a profile's studio was left.
#[must_use]
pub fn take_up(folders: &Folders, profile: &str) -> Option<Left> {
    let Entry { screen, store, row, outline, project, steps, places } = read(folders).profiles.remove(profile)?;
    let project = project.map(|id| (ProjectId::from(id), steps));
    Some(Left { screen, store: store.map(StoreUrl::from), row, outline, project, places })
}

/// Keeps where a profile's studio was left. Where that can't be written, the next start begins at the beginning.
pub fn leave(folders: &Folders, profile: &str, left: &Left) {
    change(folders, |file| {
        if file.profiles.len() >= MOST && !file.profiles.contains_key(profile) {
            file.profiles.clear();
        }
        let Left { screen, store, row, outline, project, places } = left.clone();
        let (project, steps) = project.map_or((None, None), |(id, steps)| (Some(id.to_string()), steps));
        let store = store.map(|store| store.to_string());
        let entry = Entry { screen, store, row, outline, project, steps, places };
        file.profiles.insert(profile.to_owned(), entry);
    });
}

/// Changes the file while no other studio does.
fn change(folders: &Folders, change: impl FnOnce(&mut File)) {
    let Some(path) = path(folders) else { return };
    let _ = alone(&path, || {
        let mut file = read(folders);
        change(&mut file);
        if let Ok(text) = toml::to_string(&file) {
            let _ = write_private(&path, &text);
        }
    });
}

/// A profile has another name now.
pub fn rename(folders: &Folders, from: &str, to: &str) {
    change(folders, |file| {
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
            places: vec![serde_json::from_str(r#"{"project":"p1","step":3,"walked":[4],"x":-2}"#).unwrap()],
        };
        leave(&folders, "shop", &left(7));
        leave(&folders, "other", &left(1));
        assert_eq!(take_up(&folders, "shop"), Some(left(7)));
        rename(&folders, "shop", "stall");
        assert_eq!((take_up(&folders, "shop"), take_up(&folders, "stall")), (None, Some(left(7))));
        std::fs::write(folders.state().unwrap().join("session.toml"), "not toml [").unwrap();
        assert_eq!(take_up(&folders, "stall"), None);
    }
}
