//! Credentials, apart from the configuration: a file that only its owner can read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use super::files::{is_open_to_others, replace_private};
use crate::domain::ApiKey;

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
    #[error("{path} can be read by others; make it yours alone: chmod 600 {path}", path = .0.display())]
    OpenToOthers(PathBuf),
    /// It is not as it was written.
    #[error("{}:{line}: not a credential file; sign in again or mend that line", .path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
    },
}

/// The API keys of profiles, in `credentials.toml`:
/// ```toml
/// [profiles.NAME]
/// api_key = "…"
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Credentials {
    keys: BTreeMap<String, ApiKey>,
}

impl Credentials {
    /// Reads the file; where there is none, there are no credentials.
    ///
    /// # Errors
    /// Where it can't be read, is broken, or others can read it.
    pub fn read(path: &Path) -> Result<Self, CredentialsError> {
        let file = |why| CredentialsError::File { path: path.to_owned(), why };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.map_err(file)?,
        };
        if is_open_to_others(path).map_err(file)? {
            return Err(CredentialsError::OpenToOthers(path.to_owned()));
        }
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| CredentialsError::Broken {
            path: path.to_owned(),
            line: super::config::line_of(&text, error.span()).0,
        })?;
        let profiles = table.get("profiles").and_then(toml::Value::as_table);
        let keys = profiles.into_iter().flatten().filter_map(|(name, profile)| {
            let key = ApiKey::new(profile.get("api_key")?.as_str()?);
            (!key.expose().is_empty()).then(|| (name.clone(), key))
        });
        Ok(Self { keys: keys.collect() })
    }

    /// The key of a profile.
    #[must_use]
    pub fn key(&self, profile: &str) -> Option<&ApiKey> {
        self.keys.get(profile)
    }

    /// Keeps a key.
    pub fn set(&mut self, profile: &str, key: ApiKey) {
        self.keys.insert(profile.to_owned(), key);
    }

    /// Forgets a key. Whether there was one.
    pub fn forget(&mut self, profile: &str) -> bool {
        self.keys.remove(profile).is_some()
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write(&self, path: &Path) -> Result<(), CredentialsError> {
        let profile =
            |key: &ApiKey| toml::Value::Table(toml::Table::from_iter([("api_key".to_owned(), key.expose().into())]));
        let profiles: toml::Table = self.keys.iter().map(|(name, key)| (name.clone(), profile(key))).collect();
        let file = toml::Table::from_iter([("profiles".to_owned(), toml::Value::Table(profiles))]);
        let text = format!("# Written by cutaway. Whoever can read this can act as you.\n{file}");
        replace_private(path, &text).map_err(|why| CredentialsError::File { path: path.to_owned(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_and_only_the_owner_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/credentials.toml");
        assert_eq!(Credentials::read(&path).unwrap(), Credentials::default());
        let mut credentials = Credentials::default();
        credentials.set("a.b c", ApiKey::new("k\"1"));
        credentials.set("gone", ApiKey::new("k2"));
        assert!(credentials.forget("gone") && !credentials.forget("gone"));
        credentials.write(&path).unwrap();
        assert_eq!(Credentials::read(&path).unwrap(), credentials);
        assert!(!format!("{credentials:?}").contains("k\"1"));
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
    fn a_broken_file_is_named_without_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        replace_private(&path, "[profiles.a]\napi_key = \"secret-key\nx").unwrap();
        let error = Credentials::read(&path).unwrap_err().to_string();
        assert!(error.contains("credentials.toml:") && !error.contains("secret-key"), "{error}");
    }
}
