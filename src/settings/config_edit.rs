//! Changing `config.toml`: whole or not at all, with its comments and what this program does not know kept, and never over
//! what someone else changed meanwhile.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};
use url::Url;

use super::bounded::{MOST_SETTINGS, read_text_bounded};
use super::config::{CONFIG_VERSION, Config, LOCAL_PROFILE, Profile};
use super::files::{alone, replace_private};

/// Why the configuration was not changed. The file is as it was.
#[derive(Debug, Error)]
pub enum ConfigEditError {
    /// It can't be read or written.
    #[error("{}: {why}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// It can't be read as what it is, so it is not written either.
    #[error("{0}; fix it first: it won't be overwritten")]
    Broken(String),
    /// Someone else changed the profile meanwhile.
    #[error("the profile {0:?} was changed meanwhile, in another window or in the file; check it and try again")]
    Changed(String),
    /// There is no such profile.
    #[error("there is no profile {0:?}")]
    Missing(String),
    /// There is one already.
    #[error("the profile {0:?} already exists")]
    Taken(String),
    /// The local workspace is always there.
    #[error("local is the local workspace: it can have a theme and stores, but no addresses and no other name")]
    Local,
}

/// The file while it is changed.
pub struct ConfigEdit {
    document: DocumentMut,
    config: Config,
}

/// Changes the file while no other process of Cutaway does; makes it where there is none.
///
/// # Errors
/// What [`ConfigEditError`] lists; the file is then as it was.
pub fn edit_config<T>(
    path: &Path,
    change: impl FnOnce(&mut ConfigEdit) -> Result<T, ConfigEditError>,
) -> Result<T, ConfigEditError> {
    let file = |why| ConfigEditError::File { path: path.to_owned(), why };
    alone(path, || {
        let text = match read_text_bounded(path, MOST_SETTINGS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(file)?,
        };
        let config = Config::parse(&text, &path.display().to_string());
        let newer = config.fault.as_ref().filter(|fault| fault.contains("newer version of Cutaway"));
        if let Some(fault) = newer.or(config.fault.as_ref().filter(|_| config.unreadable)) {
            return Err(ConfigEditError::Broken(fault.clone()));
        }
        let document: DocumentMut =
            text.parse().map_err(|_| ConfigEditError::Broken(format!("{} can't be read", path.display())))?;
        let mut edit = ConfigEdit { document, config };
        let result = change(&mut edit)?;
        let new = edit.document.to_string();
        if new != text {
            // A link to a file in a folder of dotfiles stays a link.
            let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            replace_private(&target, &new).map_err(file)?;
        }
        Ok(result)
    })
    .map_err(file)?
}

impl ConfigEdit {
    /// What the file says now.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Writes a profile: what is absent in `profile` is taken out of the file, what this program does not know stays.
    /// `before` is what the person saw, where they saw one: another state of the file is not written over.
    ///
    /// # Errors
    /// [`ConfigEditError::Changed`], [`ConfigEditError::Taken`] or [`ConfigEditError::Local`].
    pub fn set_profile(
        &mut self,
        name: &str,
        before: Option<&Profile>,
        profile: &Profile,
    ) -> Result<(), ConfigEditError> {
        let there = self.config.profiles.get(name);
        match (before, there) {
            (None, Some(_)) if name != LOCAL_PROFILE => return Err(ConfigEditError::Taken(name.to_owned())),
            (Some(before), there) if there.unwrap_or(&Profile::default()) != before => {
                return Err(ConfigEditError::Changed(name.to_owned()));
            }
            _ => {}
        }
        if name == LOCAL_PROFILE && profile.base_url.is_some() {
            return Err(ConfigEditError::Local);
        }
        let table = self.table(name)?;
        write_profile(table, profile);
        self.config.profiles.insert(name.to_owned(), profile.clone());
        Ok(())
    }

    /// Takes a profile out, and the default with it where it was that.
    ///
    /// # Errors
    /// [`ConfigEditError::Missing`].
    pub fn remove_profile(&mut self, name: &str) -> Result<(), ConfigEditError> {
        let profiles = self.document.get_mut("profiles").and_then(Item::as_table_like_mut);
        if profiles.and_then(|profiles| profiles.remove(name)).is_none() {
            return Err(ConfigEditError::Missing(name.to_owned()));
        }
        self.config.profiles.remove(name);
        if self.document.get("default_profile").and_then(Item::as_str) == Some(name) {
            self.document.remove("default_profile");
            self.config.default_profile = None;
        }
        Ok(())
    }

    /// Gives a profile another name; all that is written in it stays, comments too.
    ///
    /// # Errors
    /// [`ConfigEditError::Missing`], [`ConfigEditError::Taken`] or [`ConfigEditError::Local`].
    pub fn rename_profile(&mut self, from: &str, to: &str) -> Result<(), ConfigEditError> {
        if from == LOCAL_PROFILE || to == LOCAL_PROFILE {
            return Err(ConfigEditError::Local);
        }
        let profiles = self.document.get_mut("profiles").and_then(Item::as_table_like_mut);
        let profiles = profiles.ok_or_else(|| ConfigEditError::Missing(from.to_owned()))?;
        if profiles.contains_key(to) {
            return Err(ConfigEditError::Taken(to.to_owned()));
        }
        let profile = profiles.remove(from).ok_or_else(|| ConfigEditError::Missing(from.to_owned()))?;
        profiles.insert(to, profile);
        if let Some(profile) = self.config.profiles.remove(from) {
            self.config.profiles.insert(to.to_owned(), profile);
        }
        if self.document.get("default_profile").and_then(Item::as_str) == Some(from) {
            self.set_default(to)?;
        }
        Ok(())
    }

    /// Opens this profile when none is named.
    ///
    /// # Errors
    /// [`ConfigEditError::Missing`].
    pub fn set_default(&mut self, name: &str) -> Result<(), ConfigEditError> {
        if name != LOCAL_PROFILE && !self.config.profiles.contains_key(name) {
            return Err(ConfigEditError::Missing(name.to_owned()));
        }
        self.begin();
        set(self.document.as_table_mut(), "default_profile", Some(name.into()));
        self.config.default_profile = Some(name.to_owned());
        Ok(())
    }

    /// A file that is new says its form.
    fn begin(&mut self) {
        if self.document.is_empty() {
            self.document.insert("version", value(CONFIG_VERSION));
        }
    }

    fn table(&mut self, name: &str) -> Result<&mut dyn toml_edit::TableLike, ConfigEditError> {
        self.begin();
        let broken = |what: &str| ConfigEditError::Broken(format!("{what} is not a table"));
        let implicit = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let profiles = self.document.entry("profiles").or_insert_with(implicit);
        let profiles = profiles.as_table_like_mut().ok_or_else(|| broken("profiles"))?;
        let profile = profiles.entry(name).or_insert_with(|| Item::Table(Table::new()));
        profile.as_table_like_mut().ok_or_else(|| broken(name))
    }
}

fn write_profile(table: &mut dyn toml_edit::TableLike, profile: &Profile) {
    let address = |url: &Option<Url>| url.as_ref().map(|url| url.as_str().trim_end_matches('/').into());
    set(table, "base_url", address(&profile.base_url));
    set(table, "lb_base_url", address(&profile.lb_base_url));
    set(table, "upload_url", address(&profile.upload_url));
    set(table, "auth_url", address(&profile.auth_url));
    set(table, "app_url", profile.app_url.as_ref().map(|url| url.as_str().into()));
    let stores: Array = profile
        .stores
        .iter()
        .map(|store| match &store.name {
            None => Value::from(store.url.as_str()),
            Some(name) => Value::InlineTable(InlineTable::from_iter([
                ("url", Value::from(store.url.as_str())),
                ("name", Value::from(name.as_str())),
            ])),
        })
        .collect();
    set(table, "stores", (!stores.is_empty()).then_some(Value::Array(stores)));
    set(table, "read_only", profile.read_only.then(|| true.into()));
    set(table, "live", profile.live.then(|| true.into()));
    // What it was called before.
    table.remove("colour");
    set(table, "color", profile.colour.as_deref().map(Into::into));
    set(table, "theme", profile.theme.as_deref().map(Into::into));
}

/// Writes a value in place of what was there, which keeps the comments around it; nothing takes it out.
fn set(table: &mut dyn toml_edit::TableLike, key: &str, new: Option<Value>) {
    let Some(mut new) = new else {
        table.remove(key);
        return;
    };
    match table.get_mut(key).and_then(Item::as_value_mut) {
        // Written another way it may still say the same: then it stays as the person wrote it.
        Some(old) if plain(old) == plain(&new) => {}
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// A value without the space and comments around it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().trim_end_matches('/').to_owned(),
        Value::Array(members) => members.iter().map(plain).collect::<Vec<_>>().join("\n"),
        Value::InlineTable(members) => {
            members.iter().map(|(key, member)| format!("{key}={}", plain(member))).collect::<Vec<_>>().join(",")
        }
        other => other.to_string().trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ProfileStore;

    const TEXT: &str = "# mine\ntheme = \"day\" # bright\n\n[profiles.shop] # the shop\nbase_url = \"https://a.example\" # first\nspeed = 3\n\n[profiles.other]\nbase_url = \"https://o.example\"\n";

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn profile(base: &str) -> Profile {
        Profile { base_url: Url::parse(base).ok(), ..Profile::default() }
    }

    #[test]
    fn comments_and_unknown_settings_stay() {
        let (_folder, path) = file(TEXT);
        let before = Config::read(&path).profiles["shop"].clone();
        let store = ProfileStore { url: "https://s.example".into(), name: Some("S \"1\"".to_owned()) };
        let after = Profile { live: true, stores: vec![store], ..profile("https://b.example") };
        edit_config(&path, |edit| edit.set_profile("shop", Some(&before), &after)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for kept in ["# mine\n", "theme = \"day\" # bright", "[profiles.shop] # the shop", "# first", "speed = 3"] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert_eq!(Config::read(&path).profiles["shop"], after);
        // The same again changes not a byte.
        edit_config(&path, |edit| edit.set_profile("shop", Some(&after), &after)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        edit_config(&path, |edit| edit.remove_profile("shop")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# mine\n") && !text.contains("b.example") && text.contains("o.example"), "{text}");
    }

    #[test]
    fn a_profile_gets_another_name_and_keeps_what_is_written_in_it() {
        let (_folder, path) = file(&format!("default_profile = \"shop\" # mine, too\n{TEXT}"));
        let before = Config::read(&path).profiles["shop"].clone();
        edit_config(&path, |edit| edit.rename_profile("shop", "my stall")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let config = Config::read(&path);
        assert_eq!((&config.profiles["my stall"], config.profiles.get("shop")), (&before, None));
        assert_eq!(config.default_profile.as_deref(), Some("my stall"));
        for kept in ["# mine, too", "[profiles.\"my stall\"] # the shop", "# first", "speed = 3", "[profiles.other]"] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        for (from, to) in [("shop", "x"), ("my stall", "other"), ("local", "x"), ("my stall", "local")] {
            assert!(edit_config(&path, |edit| edit.rename_profile(from, to)).is_err(), "{from} to {to}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_change_of_another_studio_is_noticed() {
        let (_folder, path) = file(TEXT);
        let seen = Config::read(&path).profiles["shop"].clone();
        edit_config(&path, |edit| edit.set_profile("shop", Some(&seen), &profile("https://theirs.example"))).unwrap();
        let theirs = fs::read_to_string(&path).unwrap();
        let mine = edit_config(&path, |edit| edit.set_profile("shop", Some(&seen), &profile("https://mine.example")));
        assert!(matches!(mine, Err(ConfigEditError::Changed(_))));
        let taken = edit_config(&path, |edit| edit.set_profile("other", None, &profile("https://mine.example")));
        assert!(matches!(taken, Err(ConfigEditError::Taken(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    }

    #[test]
    fn broken_and_newer_files_are_not_written_over() {
        for text in ["[profiles.shop\n", "version = 9\n"] {
            let (_folder, path) = file(text);
            let made = edit_config(&path, |edit| edit.set_profile("new", None, &profile("https://x.example")));
            assert!(matches!(made, Err(ConfigEditError::Broken(_))), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_first_profile_makes_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/config.toml");
        edit_config(&path, |edit| {
            edit.set_profile("my shop", None, &profile("https://x.example"))?;
            edit.set_default("my shop")
        })
        .unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "version = 1\ndefault_profile = \"my shop\"\n\n[profiles.\"my shop\"]\nbase_url = \"https://x.example\"\n"
        );
        let local = edit_config(&path, |edit| edit.set_profile("local", None, &profile("https://x.example")));
        assert!(matches!(local, Err(ConfigEditError::Local)));
        edit_config(&path, |edit| edit.remove_profile("my shop")).unwrap();
        assert_eq!(Config::read(&path).warnings, [] as [&str; 0]);
    }
}
