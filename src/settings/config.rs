//! `config.toml`: profiles, and what is preferred.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use strum::{EnumIter, EnumString, IntoStaticStr};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use url::Url;

use super::bounded::{MOST_SETTINGS, read_text_bounded};
use super::color::is_colour;
use super::hosts::host_url;
use super::terminal::{SetBy, TerminalSetting, TerminalSettings};
use crate::domain::StoreUrl;
use crate::domain::wire::shown_word;

/// The profile that needs no configuration: the local workspace.
pub const LOCAL_PROFILE: &str = "local";

/// The form of the file that this program knows.
pub const CONFIG_VERSION: i64 = 1;

/// The settings of the file, as it names them, beside those of the terminal: what reads it and what describes it both go by
/// these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Setting {
    Version,
    DefaultProfile,
    Theme,
    Resume,
    LostAfterMinutes,
    Profiles,
}

/// The settings of a profile, likewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum ProfileSetting {
    BaseUrl,
    LbBaseUrl,
    UploadUrl,
    AuthUrl,
    AppUrl,
    Stores,
    ReadOnly,
    Live,
    /// It was called `colour` before.
    #[strum(to_string = "color", serialize = "colour")]
    Color,
    Theme,
}

/// The members of a store that has a name, likewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum StoreSetting {
    Url,
    Name,
}

/// How long a terminal may be silent, in minutes.
pub(super) const LOST_AFTER_MINUTES: std::ops::RangeInclusive<u64> = 1..=10_080;

/// A store of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileStore {
    /// Its address.
    pub url: StoreUrl,
    /// What people call it.
    pub name: Option<String>,
}

/// Reads a profile's name: what a person can type, and what fits into a file and a command line as it is.
///
/// # Errors
/// A sentence that says what it has to be.
pub fn profile_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    if text.is_empty() || text.chars().count() > 64 || !text.chars().all(plain) {
        return Err("a profile's name is 1 to 64 letters, digits, spaces, dots and dashes".to_owned());
    }
    Ok(text.to_owned())
}

/// A service as the configuration names it. What is absent follows from the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// `{base_url}`
    pub base_url: Option<Url>,
    /// `{lb_base_url}`
    pub lb_base_url: Option<Url>,
    /// `{upload_url}`
    pub upload_url: Option<Url>,
    /// `{auth_url}`
    pub auth_url: Option<Url>,
    /// The store to begin with.
    pub app_url: Option<StoreUrl>,
    /// The stores to choose from.
    pub stores: Vec<ProfileStore>,
    /// Refuse whatever writes.
    pub read_only: bool,
    /// Whether what is changed here is seen by customers at once: writes then ask, and the frame has the colour.
    pub live: bool,
    /// The colour of the frame, as themes write colours.
    pub colour: Option<String>,
    /// The theme while this profile is open.
    pub theme: Option<String>,
}

/// How long a terminal at the other end of a line may be silent, where nothing else is set.
const LOST_AFTER: Duration = Duration::from_secs(600);

/// What `config.toml` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The profile that is opened when none is named.
    pub default_profile: Option<String>,
    /// The theme where the profile names none.
    pub theme: Option<String>,
    /// Whether the studio starts where it was left.
    pub resume: bool,
    /// What it sets of the terminal.
    pub terminal: TerminalSettings,
    /// How long a terminal at the other end of a line may be silent until its studio ends.
    pub lost_after: Duration,
    /// The profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// What is wrong in the file, each with file, line and column. What is wrong is left out.
    pub warnings: Vec<String>,
    /// Whether the file could not be read at all, so that a profile missing here may well be in it.
    pub unreadable: bool,
    /// Of each profile in which something is wrong the first fault, with file, line and column.
    pub profile_faults: BTreeMap<String, String>,
    /// The first fault that may be why no profile is the default one: of the file, of `default_profile`, or of any
    /// profile.
    pub fault: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            default_profile: None,
            theme: None,
            resume: true,
            terminal: TerminalSettings::default(),
            lost_after: LOST_AFTER,
            profiles: BTreeMap::new(),
            warnings: Vec::new(),
            unreadable: false,
            profile_faults: BTreeMap::new(),
            fault: None,
        }
    }
}

impl Config {
    /// Reads the file. Where there is none, or it can't be read, the defaults are used and a warning says so.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        match read_text_bounded(path, MOST_SETTINGS) {
            Ok(text) => Self::parse(&text, &path.display().to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => Self { unreadable: true, ..Self::faulty(format!("{}: {error}", path.display())) },
        }
    }

    fn faulty(fault: String) -> Self {
        Self { warnings: vec![format!("{fault}; the defaults are used")], fault: Some(fault), ..Self::default() }
    }

    /// Reads the text of a file called `name`. What is wrong in it is left out, and nothing else.
    #[must_use]
    pub fn parse(text: &str, name: &str) -> Self {
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let (line, column) = line_of(text, error.span());
                let why = error.message().lines().next().unwrap_or_default().to_owned();
                let fault = format!("{name}:{line}:{column}: {why}");
                return Self { unreadable: true, ..Self::faulty(fault) };
            }
        };
        let mut config = Self::default();
        let mut said = Said { text, name, notes: Vec::new() };
        config.take(&table, &mut said);
        config.fault = said.first_fault(0);
        said.notes.sort_by_key(|note| note.at);
        config.warnings = said.notes.into_iter().map(|note| note.what).collect();
        config
    }

    /// Takes the settings of a file.
    fn take(&mut self, table: &DeTable<'_>, said: &mut Said<'_>) {
        let mut default_profile = None;
        for (key, value) in table {
            if let Ok(setting) = TerminalSetting::from_str(key.get_ref()) {
                said.terminal(setting, value, &mut self.terminal);
                continue;
            }
            let Ok(setting) = Setting::from_str(key.get_ref()) else {
                said.ignore(key, format!("{} is not a setting; it is ignored", key.get_ref()));
                continue;
            };
            match setting {
                Setting::Version => said.version(value),
                Setting::DefaultProfile => {
                    default_profile = said.string("default_profile", value).map(|name| (name, value));
                }
                Setting::Theme => self.theme = said.theme(value),
                Setting::Resume => match value.get_ref().as_bool() {
                    Some(resume) => self.resume = resume,
                    None => said.ignore(key, "resume: must be a boolean; it is ignored".to_owned()),
                },
                Setting::LostAfterMinutes => {
                    match value.get_ref().as_integer().and_then(|it| it.as_str().parse::<u64>().ok()) {
                        Some(minutes) if LOST_AFTER_MINUTES.contains(&minutes) => {
                            self.lost_after = Duration::from_secs(minutes * 60);
                        }
                        _ => said.ignore(key, "lost_after_minutes: must be 1 to 10080; it is ignored".to_owned()),
                    }
                }
                Setting::Profiles => self.take_profiles(value, said),
            }
        }
        if let Some((profile, value)) = default_profile {
            if profile == LOCAL_PROFILE || self.profiles.contains_key(&profile) {
                self.default_profile = Some(profile);
            } else {
                said.fault(value.span(), &format!("default_profile: there is no profile {:?}", shown_word(&profile)));
            }
        }
    }

    fn take_profiles(&mut self, value: &Given<'_>, said: &mut Said<'_>) {
        let DeValue::Table(profiles) = value.get_ref() else {
            return said.mistyped("profiles", "a table", value);
        };
        for (profile, section) in profiles {
            let before = said.notes.len();
            let read = said.profile(profile.get_ref(), section);
            if let Some(first) = said.first_fault(before) {
                self.profile_faults.insert(profile.get_ref().to_string(), first);
            }
            self.profiles.insert(profile.get_ref().to_string(), read);
        }
    }
}

/// What is said about a file while it is read.
struct Said<'a> {
    text: &'a str,
    name: &'a str,
    notes: Vec<Note>,
}

/// Something that is odd in the file.
struct Note {
    /// The byte of the file.
    at: usize,
    /// What it is, with its place.
    what: String,
    /// Whether it may change where commands work, or how guarded they are.
    matters: bool,
}

type Given<'a> = Spanned<DeValue<'a>>;

impl Said<'_> {
    fn place(&self, at: Range<usize>, what: &str) -> String {
        let (line, column) = line_of(self.text, Some(at));
        format!("{}:{line}:{column}: {what}", self.name)
    }

    /// The first fault that matters, of those noted after so many others.
    fn first_fault(&self, after: usize) -> Option<String> {
        let faults = self.notes.iter().skip(after).filter(|note| note.matters);
        faults.min_by_key(|note| note.at).map(|note| note.what.clone())
    }

    fn note(&mut self, at: Range<usize>, what: &str, matters: bool) {
        self.notes.push(Note { at: at.start, what: self.place(at, what), matters });
    }

    fn fault(&mut self, at: Range<usize>, what: &str) {
        self.note(at, what, true);
    }

    fn ignore<T>(&mut self, key: &Spanned<T>, what: String) {
        self.note(key.span(), &what, false);
    }

    fn mistyped(&mut self, key: &str, expected: &str, found: &Given<'_>) {
        self.fault(found.span(), &format!("{key}: must be {expected}, found {}", found.get_ref().type_str()));
    }

    /// Looks whether the file is of a version that is known.
    fn version(&mut self, value: &Given<'_>) {
        match value.get_ref().as_integer().and_then(|number| number.as_str().parse::<i64>().ok()) {
            Some(version) if version > CONFIG_VERSION => {
                self.fault(
                    value.span(),
                    &format!("written by a newer version of Cutaway (format {version}); update Cutaway"),
                );
            }
            Some(_) => {}
            None => self.mistyped("version", "a number", value),
        }
    }

    fn string(&mut self, key: &str, value: &Given<'_>) -> Option<String> {
        let read = value.get_ref().as_str().map(str::to_owned);
        if read.is_none() {
            self.mistyped(key, "a string", value);
        }
        read
    }

    /// A theme; a wrong one changes no place.
    fn theme(&mut self, value: &Given<'_>) -> Option<String> {
        let read = self.string("theme", value);
        if let (None, Some(note)) = (&read, self.notes.last_mut()) {
            note.matters = false;
        }
        read
    }

    /// A setting of the terminal; a wrong one changes no place.
    fn terminal(&mut self, setting: TerminalSetting, value: &Given<'_>, settings: &mut TerminalSettings) {
        let word = self.string(setting.name(), value);
        if let Some(word) = word {
            if let Err(why) = settings.set(setting, &word, SetBy::File) {
                self.note(value.span(), &why, false);
            }
        } else if let Some(note) = self.notes.last_mut() {
            note.matters = false;
        }
    }

    fn address(&mut self, key: &Spanned<DeString<'_>>, value: &Given<'_>) -> Option<Url> {
        let text = self.string(key.get_ref(), value)?;
        host_url(&text).map_err(|why| self.fault(key.span(), &format!("{}: {why}", key.get_ref()))).ok()
    }

    fn stores(&mut self, value: &Given<'_>) -> Vec<ProfileStore> {
        let Some(stores) = value.get_ref().as_array() else {
            self.mistyped("stores", "an array", value);
            return Vec::new();
        };
        stores.iter().filter_map(|store| self.store(store)).collect()
    }

    /// A store: its address, or `{ url = "…", name = "…" }`.
    fn store(&mut self, value: &Given<'_>) -> Option<ProfileStore> {
        let DeValue::Table(members) = value.get_ref() else {
            let url = self.string("stores", value)?;
            return Some(ProfileStore { url: StoreUrl::new(url), name: None });
        };
        let (mut url, mut name) = (None, None);
        for (key, value) in members {
            match StoreSetting::from_str(key.get_ref()) {
                Ok(StoreSetting::Url) => url = self.string("stores: url", value),
                Ok(StoreSetting::Name) => name = self.string("stores: name", value),
                Err(_) => self.ignore(key, format!("{} is not a setting of a store; it is ignored", key.get_ref())),
            }
        }
        let Some(url) = url else {
            self.fault(value.span(), "stores: a store needs its url");
            return None;
        };
        Some(ProfileStore { url: StoreUrl::new(url), name })
    }

    fn profile(&mut self, name: &str, section: &Given<'_>) -> Profile {
        let mut read = Profile::default();
        let DeValue::Table(settings) = section.get_ref() else {
            self.mistyped(name, "a table", section);
            return read;
        };
        for (key, value) in settings {
            let Ok(setting) = ProfileSetting::from_str(key.get_ref()) else {
                self.ignore(key, format!("{} is not a setting of a profile; it is ignored", key.get_ref()));
                continue;
            };
            match setting {
                ProfileSetting::BaseUrl => read.base_url = self.address(key, value),
                ProfileSetting::LbBaseUrl => read.lb_base_url = self.address(key, value),
                ProfileSetting::UploadUrl => read.upload_url = self.address(key, value),
                ProfileSetting::AuthUrl => read.auth_url = self.address(key, value),
                ProfileSetting::AppUrl => read.app_url = self.string("app_url", value).map(StoreUrl::new),
                ProfileSetting::Stores => read.stores = self.stores(value),
                ProfileSetting::ReadOnly => {
                    // Whoever wrote something here wanted a guard: a wrong word does not take it away.
                    read.read_only = value.get_ref().as_bool().unwrap_or_else(|| {
                        self.mistyped("read_only", "a boolean", value);
                        true
                    });
                }
                ProfileSetting::Live => {
                    read.live = value.get_ref().as_bool().unwrap_or_else(|| {
                        self.mistyped("live", "a boolean", value);
                        true
                    });
                }
                ProfileSetting::Color => {
                    if key.get_ref() == "colour" {
                        let is_twice = settings.iter().any(|(other, _)| other.get_ref() == "color");
                        let then = if is_twice { "it is ignored beside color" } else { "rename it to color" };
                        self.ignore(key, format!("{} is called color now; {then}", key.get_ref()));
                        if is_twice {
                            continue;
                        }
                    }
                    let colour = self.string("color", value);
                    read.colour = colour.filter(|colour| match is_colour(colour) {
                        Ok(()) => true,
                        Err(why) => {
                            self.ignore(key, format!("color: {why}"));
                            false
                        }
                    });
                }
                ProfileSetting::Theme => read.theme = self.theme(value),
            }
        }
        read
    }
}

/// Line and column of a place in a text, from 1; columns count characters.
pub(super) fn line_of(text: &str, at: Option<Range<usize>>) -> (usize, usize) {
    let before = text.get(..at.map_or(0, |at| at.start)).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
