//! `config.toml`: profiles, and what is preferred.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;
use toml::Spanned;
use url::Url;

use super::hosts::host_url;
use crate::domain::StoreUrl;

/// The profile that needs no configuration: the local workspace.
pub const LOCAL_PROFILE: &str = "local";

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
    pub stores: Vec<StoreUrl>,
    /// Refuse whatever writes.
    pub read_only: bool,
    /// The theme while this profile is open.
    pub theme: Option<String>,
}

/// What `config.toml` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The profile that is opened when none is named.
    pub default_profile: Option<String>,
    /// The theme where the profile names none.
    pub theme: Option<String>,
    /// The profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// What is wrong in the file, each with file, line and column. What is wrong is left out.
    pub warnings: Vec<String>,
    /// Whether the file could not be read at all, so that a profile missing here may well be in it.
    pub unreadable: bool,
}

#[derive(Deserialize)]
struct File {
    default_profile: Option<Spanned<String>>,
    theme: Option<String>,
    #[serde(default)]
    profiles: BTreeMap<String, Section>,
    #[serde(flatten)]
    unknown: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct Section {
    base_url: Option<String>,
    lb_base_url: Option<String>,
    upload_url: Option<String>,
    auth_url: Option<String>,
    app_url: Option<String>,
    #[serde(default)]
    stores: Vec<String>,
    #[serde(default)]
    read_only: bool,
    theme: Option<String>,
    #[serde(flatten)]
    unknown: BTreeMap<String, toml::Value>,
}

impl Config {
    /// Reads the file. Where there is none, or it can't be read, the defaults are used and a warning says so.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, &path.display().to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => Self {
                warnings: vec![format!("{}: {error}; the defaults are used", path.display())],
                unreadable: true,
                ..Self::default()
            },
        }
    }

    /// Reads the text of a file called `name`.
    #[must_use]
    pub fn parse(text: &str, name: &str) -> Self {
        let file: File = match toml::from_str(text) {
            Ok(file) => file,
            Err(error) => {
                let (line, column) = line_of(text, error.span());
                let why = error.message().lines().next().unwrap_or_default().to_owned();
                return Self {
                    warnings: vec![format!("{name}:{line}:{column}: {why}; the defaults are used")],
                    unreadable: true,
                    ..Self::default()
                };
            }
        };
        let mut warnings = Vec::new();
        let mut warn = |at: Option<Range<usize>>, what: String| {
            let (line, column) = line_of(text, at);
            warnings.push(format!("{name}:{line}:{column}: {what}"));
        };
        for key in file.unknown.keys() {
            warn(key_span(text, None, key), format!("{key} is not a setting; it is ignored"));
        }
        let mut profiles = BTreeMap::new();
        for (profile, section) in file.profiles {
            for key in section.unknown.keys() {
                warn(
                    key_span(text, Some(&profile), key),
                    format!("{key} is not a setting of a profile; it is ignored"),
                );
            }
            let mut address = |key: &str, value: Option<String>| {
                let read = host_url(&value?);
                read.map_err(|why| warn(key_span(text, Some(&profile), key), format!("{key}: {why}"))).ok()
            };
            let read = Profile {
                base_url: address("base_url", section.base_url),
                lb_base_url: address("lb_base_url", section.lb_base_url),
                upload_url: address("upload_url", section.upload_url),
                auth_url: address("auth_url", section.auth_url),
                app_url: section.app_url.map(StoreUrl::new),
                stores: section.stores.into_iter().map(StoreUrl::new).collect(),
                read_only: section.read_only,
                theme: section.theme,
            };
            profiles.insert(profile, read);
        }
        let default_profile = file.default_profile.filter(|profile| {
            let known = profile.get_ref() == LOCAL_PROFILE || profiles.contains_key(profile.get_ref());
            if !known {
                warn(Some(profile.span()), format!("default_profile: there is no profile {:?}", profile.get_ref()));
            }
            known
        });
        let default_profile = default_profile.map(Spanned::into_inner);
        Self { default_profile, theme: file.theme, profiles, warnings, unreadable: false }
    }
}

/// Line and column of a place in a text, from 1; columns count characters.
pub(super) fn line_of(text: &str, at: Option<Range<usize>>) -> (usize, usize) {
    let before = text.get(..at.map_or(0, |at| at.start)).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Where a key stands: flattened members have no span of their own, so its line is looked for in its section.
fn key_span(text: &str, profile: Option<&str>, key: &str) -> Option<Range<usize>> {
    let mut section = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') {
            trimmed.trim_end().trim_matches(['[', ']']).replace(['"', '\''], "").clone_into(&mut section);
        }
        let here = profile.map_or(section.is_empty(), |profile| section == format!("profiles.{profile}"));
        let named = trimmed.trim_start_matches('[').trim_start_matches(['"', '\'']).strip_prefix(key);
        let is_key = named.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'));
        if is_key && (here || profile.is_none() && trimmed.starts_with('[')) {
            let start = at + (line.len() - trimmed.len());
            return Some(start..start + key.len());
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_read() {
        let config = Config::parse(
            "default_profile = \"shop\"\ntheme = \"day\"\n[profiles.shop]\nbase_url = \"https://a.example\"\n\
             lb_base_url = \"https://b.example\"\nstores = [\"https://one.example\"]\nread_only = true\n",
            "config.toml",
        );
        assert_eq!(config.warnings, [] as [&str; 0]);
        assert_eq!(config.default_profile.as_deref(), Some("shop"));
        let shop = &config.profiles["shop"];
        assert_eq!(shop.lb_base_url.as_ref().unwrap().as_str(), "https://b.example/");
        assert!(shop.read_only);
        assert_eq!(shop.stores, [StoreUrl::from("https://one.example")]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let config = Config::parse(
            "colour = 1\n[profiles.shop]\n  base_url = \"nonsense\"\n  speed = 3\n[extra]\nx = 1\n",
            "config.toml",
        );
        let warnings = config.warnings.join("\n");
        assert!(warnings.contains("config.toml:1:1: colour is not a setting"), "{warnings}");
        assert!(warnings.contains("config.toml:3:3: base_url: \"nonsense\" is not an address"), "{warnings}");
        assert!(warnings.contains("config.toml:4:3: speed is not a setting of a profile"), "{warnings}");
        assert!(warnings.contains("config.toml:5:1: extra is not a setting"), "{warnings}");
        assert!(!config.unreadable);
        let unknown = Config::parse("default_profile = \"gone\"", "c");
        assert_eq!(unknown.warnings, ["c:1:19: default_profile: there is no profile \"gone\""]);
        assert_eq!(unknown.default_profile, None);
    }

    #[test]
    fn a_broken_file_gives_the_defaults_and_its_place() {
        let config = Config::parse("theme = \"day\"\n[profiles.shop\n", "config.toml");
        assert!(config.unreadable && config.theme.is_none());
        assert!(config.warnings[0].starts_with("config.toml:2:"), "{:?}", config.warnings);
        let mistyped = Config::parse("[profiles.a]\nread_only = \"yes\"\n", "config.toml");
        assert!(mistyped.warnings[0].starts_with("config.toml:2:13:"), "{:?}", mistyped.warnings);
    }
}
