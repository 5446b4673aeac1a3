//! Credentials, apart from the configuration: a file that only its owner can read.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::{Table, Value};

use super::Secret;
use super::bounded::{MOST_SETTINGS, read_text_bounded};
use super::files::{alone, is_open_to_others, replace_private};

/// Why credentials can't be read or kept. Holds no line of the file.
#[derive(Debug, Error)]
pub enum CredentialsError {
    /// It can't be read or written.
    #[error("{}: {why}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// Others could have read it.
    #[error("other users can read {path}; run: chmod 600 {path}", path = .0.display())]
    OpenToOthers(PathBuf),
    /// It is not as it was written.
    #[error("{}:{line}: not a credential file; sign in again or fix that line", .path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
    },
    /// A later Cutaway wrote it.
    #[error("{} was written by a newer version of Cutaway (format {version}); update Cutaway, or move the file away and sign in again", .path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// The form that it says to have.
        version: i64,
    },
    /// The keyring has it and does not hand it out.
    #[error("the keyring: {0}; unlock it, or sign in again")]
    Keyring(String),
}

/// The form of the file that is written.
const VERSION: i64 = 1;

/// Where a profile's credential is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// In the file itself.
    Here(Secret),
    /// In the platform's keyring.
    Keyring,
}

/// The credentials of profiles, in `credentials.toml`:
/// ```toml
/// version = 1
/// [profiles.NAME]
/// api_key = "…"
/// [profiles.OTHER]
/// access_token = "…"
/// refresh_token = "…"
/// expires_at = "2026-01-31T12:00:00Z"
/// issuer = "https://…"
/// [profiles.THIRD]
/// keyring = true
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Credentials {
    entries: BTreeMap<String, Entry>,
    /// What is there and is no credential as far as this program knows: left as it is.
    unread: Table,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("entries", &self.entries).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads the file; where there is none, there are no credentials.
    ///
    /// # Errors
    /// Where it can't be read, is broken, newer than this program, or others can read it.
    pub fn read(path: &Path) -> Result<Self, CredentialsError> {
        let file = |why| CredentialsError::File { path: path.to_owned(), why };
        let text = match read_text_bounded(path, MOST_SETTINGS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.map_err(file)?,
        };
        if is_open_to_others(path).map_err(file)? {
            return Err(CredentialsError::OpenToOthers(path.to_owned()));
        }
        let table: Table = text.parse().map_err(|error: toml::de::Error| CredentialsError::Broken {
            path: path.to_owned(),
            line: super::config::line_of(&text, error.span()).0,
        })?;
        let broken = |word: &str| CredentialsError::Broken {
            path: path.to_owned(),
            line: text.lines().position(|line| line.contains(word)).unwrap_or(0) + 1,
        };
        match table.get("version") {
            None => {}
            Some(Value::Integer(version)) if (1..=VERSION).contains(version) => {}
            Some(Value::Integer(version)) if *version > VERSION => {
                return Err(CredentialsError::Newer { path: path.to_owned(), version: *version });
            }
            Some(_) => return Err(broken("version")),
        }
        let mut read = Self::default();
        let profiles = match table.get("profiles") {
            None => return Ok(read),
            Some(profiles) => profiles.as_table().ok_or_else(|| broken("profiles"))?,
        };
        for (name, profile) in profiles {
            let entry = profile.as_table().and_then(|profile| match profile.get("keyring").and_then(Value::as_bool) {
                Some(true) => Some(Entry::Keyring),
                _ => Secret::of_table(profile).map(Entry::Here),
            });
            match entry {
                Some(entry) => drop(read.entries.insert(name.clone(), entry)),
                None => drop(read.unread.insert(name.clone(), profile.clone())),
            }
        }
        Ok(read)
    }

    /// Where the credential of a profile is.
    #[must_use]
    pub fn entry(&self, profile: &str) -> Option<&Entry> {
        self.entries.get(profile)
    }

    /// Whether there is anything under this name, also what this program can't read.
    #[must_use]
    pub fn has(&self, profile: &str) -> bool {
        self.entries.contains_key(profile) || self.unread.contains_key(profile)
    }

    /// Keeps where the credential of a profile is.
    pub fn set(&mut self, profile: &str, entry: Entry) {
        self.unread.remove(profile);
        self.entries.insert(profile.to_owned(), entry);
    }

    /// Forgets a credential, and says where it was.
    pub fn forget(&mut self, profile: &str) -> Option<Entry> {
        self.unread.remove(profile);
        self.entries.remove(profile)
    }

    /// Changes the file while no other process does, whole or not at all.
    ///
    /// # Errors
    /// Where it can't be read or written.
    pub fn change<T>(path: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, CredentialsError> {
        let file = |why| CredentialsError::File { path: path.to_owned(), why };
        alone(path, || {
            let mut credentials = Self::read(path)?;
            let before = credentials.clone();
            let result = change(&mut credentials);
            if credentials != before {
                replace_private(path, &credentials.text()).map_err(file)?;
            }
            Ok(result)
        })
        .map_err(file)?
    }

    fn text(&self) -> String {
        let table = |entry: &Entry| match entry {
            Entry::Here(secret) => secret.to_table(),
            Entry::Keyring => Table::from_iter([("keyring".to_owned(), Value::from(true))]),
        };
        let mut profiles = self.unread.clone();
        profiles.extend(self.entries.iter().map(|(name, entry)| (name.clone(), Value::Table(table(entry)))));
        let file = Table::from_iter([
            ("version".to_owned(), Value::from(VERSION)),
            ("profiles".to_owned(), Value::Table(profiles)),
        ]);
        format!("# Written by cutaway. Whoever can read this can act as you.\n{file}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::ApiKey;

    fn key(text: &str) -> Entry {
        Entry::Here(Secret::Key(ApiKey::new(text)))
    }

    #[test]
    fn keys_come_back_and_only_the_owner_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/credentials.toml");
        assert_eq!(Credentials::read(&path).unwrap(), Credentials::default());
        Credentials::change(&path, |credentials| {
            credentials.set("a.b c", key("k\"1"));
            credentials.set("ring", Entry::Keyring);
            credentials.set("gone", key("k2"));
        })
        .unwrap();
        let forget = |credentials: &mut Credentials| credentials.forget("gone");
        assert_eq!(Credentials::change(&path, forget).unwrap(), Some(key("k2")));
        assert_eq!(Credentials::change(&path, forget).unwrap(), None);
        let read = Credentials::read(&path).unwrap();
        assert_eq!((read.entry("a.b c"), read.entry("ring")), (Some(&key("k\"1")), Some(&Entry::Keyring)));
        assert!(!format!("{read:?}").contains("k\"1"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let refused = Credentials::read(&path).unwrap_err();
            assert!(refused.to_string().contains("chmod 600"), "{refused}");
        }
    }

    #[test]
    fn a_broken_or_newer_file_is_named_without_its_text_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        for (text, said) in [
            ("[profiles.a]\napi_key = \"secret-key\nx", "credentials.toml:"),
            ("version = 9\n[profiles.a]\napi_key = \"secret-key\"\n", "newer version of Cutaway (format 9)"),
            ("# mine\nversion = \"2\"\n[profiles.a]\napi_key = \"secret-key\"\n", "credentials.toml:2: "),
            ("profiles = [\"secret-key\"]\n", "credentials.toml:1: "),
        ] {
            replace_private(&path, text).unwrap();
            let error = Credentials::change(&path, |credentials| credentials.set("b", key("k"))).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(said) && !error.contains("secret-key"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_credential_as_far_as_is_known_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        let passkey = "[profiles.b]\npasskey = \"secret-key\"\n";
        replace_private(&path, &format!("version = 1\n[profiles.a]\napi_key = \"k\"\n{passkey}")).unwrap();
        let read = Credentials::read(&path).unwrap();
        assert_eq!((read.entry("a"), read.entry("b")), (Some(&key("k")), None));
        assert!(!format!("{read:?}").contains("secret-key"));
        Credentials::change(&path, |credentials| credentials.forget("a")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains(passkey));
        Credentials::change(&path, |credentials| credentials.set("b", key("k2"))).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains("passkey"));
    }

    #[test]
    fn a_file_without_a_version_is_the_first_form() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        replace_private(&path, "[profiles.a]\napi_key = \"k\"\n").unwrap();
        assert_eq!(Credentials::read(&path).unwrap().entry("a"), Some(&key("k")));
    }
}
