//! The public keys of those who may come in over SSH. They are kept in a file of the data folder, `ssh/keys.toml`, that
//! `serve ssh-key` changes and a running server reads; where several processes serve one database, that file is in it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use russh::keys::ssh_key::Algorithm;
use russh::keys::{HashAlg, PublicKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::domain::text;
use crate::service::guests::{GuestBook, GuestHome};
use crate::settings::{alone, write_private};

/// The folder of what belongs to SSH, in the data folder.
pub(super) const FOLDER: &str = crate::service::SSH;

/// The file of the keys, in that folder.
pub(super) const FILE: &str = "keys.toml";

/// Digits of a key's id.
const ID_DIGITS: usize = 12;

/// The longest name of a key or workspace, characters.
const LONGEST_NAME: usize = 64;

/// Why keys can't be read or changed.
#[derive(Debug, Error)]
pub enum KeyError {
    /// What was given is no public key, or one that is not accepted.
    #[error("{0}")]
    Refused(String),
    /// There is no such key.
    #[error("there is no SSH key with this name or ID")]
    Missing,
    /// Several keys have the name.
    #[error("{} SSH keys have this name; give the ID of one of them: {}", .0.len(), .0.join(", "))]
    Ambiguous(Vec<String>),
    /// The file of the keys is no such file.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        why: String,
    },
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// A key that may come in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestKey {
    /// The first digits of the hash of its key: the same key has the same id again, and with it its drafts.
    pub id: String,
    /// A name to know it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The workspace that it opens; the data folder's own without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Whether it may only read.
    #[serde(default)]
    pub read_only: bool,
    /// The key as OpenSSH writes it, without a comment.
    pub key: String,
    /// When it was added.
    pub created_at: String,
    /// When it came in last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

impl GuestKey {
    /// What `ssh-keygen -l` calls it; empty where the file has something else than a key.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        PublicKey::from_openssh(&self.key).map(|key| fingerprint(&key)).unwrap_or_default()
    }

    /// `read-write` or `read-only`.
    #[must_use]
    pub fn scope(&self) -> &'static str {
        if self.read_only { "read-only" } else { "read-write" }
    }

    /// Whether it is the same key, and may do the same.
    pub(super) fn has_same_rights(&self, other: &Self) -> bool {
        self.key == other.key && self.read_only == other.read_only && self.workspace == other.workspace
    }

    /// The name of the folder of its drafts, session and settings. The whole hash: nobody can make a key whose hash comes
    /// to the same.
    pub(super) fn home(&self) -> Option<String> {
        digits(&PublicKey::from_openssh(&self.key).ok()?).ok()
    }

    /// What it is called where people read it.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

/// How a key is to come in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewGuestKey {
    /// A name to know it by; the comment of the key without.
    pub name: Option<String>,
    /// The workspace that it opens; the data folder's own without.
    pub workspace: Option<String>,
    /// Whether it may only read.
    pub read_only: bool,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    key: Vec<GuestKey>,
}

impl From<io::Error> for KeyError {
    fn from(error: io::Error) -> Self {
        Self::Io { path: IN_DATABASE.into(), error }
    }
}

/// What the file is called where it is in a database.
const IN_DATABASE: &str = "the SSH keys in the database";

/// The keys of a data folder, or of a database.
#[derive(Debug, Clone)]
pub struct GuestKeys {
    at: At,
}

#[derive(Debug, Clone)]
enum At {
    File(PathBuf),
    Home(GuestHome),
}

impl GuestKeys {
    /// Those of this data folder; nothing is read yet.
    #[must_use]
    pub fn of(data: &Path) -> Self {
        Self { at: At::File(data.join(FOLDER).join(FILE)) }
    }

    /// Those of this database; nothing is read yet. They may only be asked for on a thread that may wait.
    #[must_use]
    pub fn in_database(book: &GuestBook) -> Self {
        Self { at: At::Home(book.home("")) }
    }

    fn path(&self) -> PathBuf {
        match &self.at {
            At::File(path) => path.clone(),
            At::Home(_) => IN_DATABASE.into(),
        }
    }

    fn read(&self, text: &str) -> Result<Vec<GuestKey>, KeyError> {
        let read: Result<File, _> = toml::from_str(text);
        read.map(|file| file.key)
            .map_err(|error| KeyError::Damaged { path: self.path(), why: error.message().to_owned() })
    }

    fn written(&self, keys: Vec<GuestKey>) -> Result<String, KeyError> {
        toml::to_string(&File { key: keys })
            .map_err(|error| KeyError::Damaged { path: self.path(), why: error.to_string() })
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// Where the file can't be read, or is damaged. Nobody comes in then.
    pub fn all(&self) -> Result<Vec<GuestKey>, KeyError> {
        let text = match &self.at {
            At::Home(home) => home.note(FILE)?.unwrap_or_default(),
            At::File(path) => match fs::read_to_string(path) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(self.io(error)),
            },
        };
        self.read(&text)
    }

    /// The entry of a key that is offered, where it may come in.
    ///
    /// # Errors
    /// As [`Self::all`].
    pub fn find(&self, offered: &PublicKey) -> Result<Option<GuestKey>, KeyError> {
        let is_it = |key: &GuestKey| {
            PublicKey::from_openssh(&key.key).is_ok_and(|known| known.key_data() == offered.key_data())
        };
        Ok(self.all()?.into_iter().find(is_it))
    }

    /// Lets a key in, as its public half is written in a `.pub` file.
    ///
    /// # Errors
    /// Where the text is no public key of an accepted kind, the key is there already, a name is no name, or the file
    /// can't be written.
    pub fn add(&self, text: &str, new: NewGuestKey, now: String) -> Result<GuestKey, KeyError> {
        let key = public_key(text)?;
        if let Some(workspace) = &new.workspace {
            is_workspace_name(workspace)?;
        }
        let named = new.name.or_else(|| Some(key.comment().to_string()));
        let name = named.map(|name| text::line(name.trim()).into_owned()).filter(|name| !name.is_empty());
        if name.as_ref().is_some_and(|name| name.chars().count() > LONGEST_NAME) {
            return Err(KeyError::Refused(format!("the name is longer than {LONGEST_NAME} characters; give --name")));
        }
        let refused = |error: russh::keys::ssh_key::Error| KeyError::Refused(format!("not a public key: {error}"));
        let id = digits(&key).map_err(refused)?.chars().take(ID_DIGITS).collect();
        let mut bare = key;
        bare.set_comment("");
        let entry = GuestKey {
            id,
            name,
            workspace: new.workspace,
            read_only: new.read_only,
            key: bare.to_openssh().map_err(refused)?,
            created_at: now,
            last_used_at: None,
        };
        let added = entry.clone();
        self.change(move |keys| {
            if let Some(known) = keys.iter().find(|known| known.key == entry.key) {
                let why = format!("this key is there already: {} ({}); revoke it first", known.shown(), known.id);
                return Err(KeyError::Refused(why));
            }
            keys.push(entry.clone());
            Ok(())
        })?;
        Ok(added)
    }

    /// Shuts a key out, known by its id or name; a running server ends its sessions.
    ///
    /// # Errors
    /// Where there is no such key, several have the name, or the file can't be read or written.
    pub fn revoke(&self, wanted: &str) -> Result<GuestKey, KeyError> {
        self.change(|keys| {
            let at = |position: usize, keys: &mut Vec<GuestKey>| Ok(keys.remove(position));
            if let Some(position) = keys.iter().position(|key| key.id == wanted) {
                return at(position, keys);
            }
            let is_named = |key: &GuestKey| key.name.as_deref() == Some(wanted);
            let ids: Vec<String> = keys.iter().filter(|key| is_named(key)).map(|key| key.id.clone()).collect();
            match (keys.iter().position(is_named), ids.len()) {
                (Some(position), 1) => at(position, keys),
                (None, _) => Err(KeyError::Missing),
                _ => Err(KeyError::Ambiguous(ids)),
            }
        })
    }

    /// Records that a key came in.
    ///
    /// # Errors
    /// Where the file can't be read or written.
    pub fn note_use(&self, id: &str, now: String) -> Result<(), KeyError> {
        self.change(|keys| {
            keys.iter_mut().filter(|key| key.id == id).for_each(|key| key.last_used_at = Some(now.clone()));
            Ok(())
        })
    }

    fn change<T>(&self, change: impl Fn(&mut Vec<GuestKey>) -> Result<T, KeyError>) -> Result<T, KeyError> {
        let path = match &self.at {
            At::File(path) => path,
            At::Home(home) => {
                let mut result = Err(KeyError::Missing);
                home.change_note(FILE, |text| {
                    let mut keys = self.read(text.unwrap_or_default())?;
                    result = Ok(change(&mut keys)?);
                    self.written(keys).map(Some)
                })?;
                return result;
            }
        };
        let changed = alone(path, || {
            let mut keys = self.all()?;
            let result = change(&mut keys)?;
            let text = self.written(keys)?;
            write_private(path, &text).map_err(|error| self.io(error))?;
            Ok(result)
        });
        changed.map_err(|error| self.io(error))?
    }

    fn io(&self, error: io::Error) -> KeyError {
        KeyError::Io { path: self.path(), error }
    }
}

/// What `ssh-keygen -l` calls a key.
pub(super) fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// The hash of a key in hexadecimal digits.
fn digits(key: &PublicKey) -> Result<String, russh::keys::ssh_key::Error> {
    Ok(Sha256::digest(key.to_bytes()?).iter().fold(String::new(), |mut digits, byte| {
        // A text takes what is written to it.
        let _ = write!(digits, "{byte:02x}");
        digits
    }))
}

/// Reads the one public key of a text, of a kind that is accepted.
fn public_key(text: &str) -> Result<PublicKey, KeyError> {
    let refused = |why: String| Err(KeyError::Refused(why));
    if text.contains("PRIVATE KEY") {
        return refused("this is a private key; give the public one, which ends in .pub".to_owned());
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = match (lines.next(), lines.next()) {
        (Some(line), None) => line,
        (None, _) => return refused("there is no public key in it".to_owned()),
        _ => return refused("there are several keys in it; add them one by one".to_owned()),
    };
    if line.starts_with("ssh-rsa ") || line.starts_with("ssh-dss ") {
        return refused("RSA and DSA keys aren't accepted; make one with: ssh-keygen -t ed25519".to_owned());
    }
    let key = PublicKey::from_openssh(line)
        .map_err(|error| KeyError::Refused(format!("not a public key as OpenSSH writes it: {error}")))?;
    match key.algorithm() {
        Algorithm::Ed25519 | Algorithm::Ecdsa { .. } | Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256 => Ok(key),
        other => refused(format!("{other} keys aren't accepted; make one with: ssh-keygen -t ed25519")),
    }
}

/// That a workspace's name can be the name of a folder anywhere, and is one word in tables.
fn is_workspace_name(name: &str) -> Result<(), KeyError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
        return Ok(());
    }
    let why =
        format!("a workspace's name has at most {LONGEST_NAME} characters, of a to z, digits, - and _; found {name:?}");
    Err(KeyError::Refused(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti alice@laptop";
    const BOB: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB7ZtkKOjEIKGKdHZ3bsoVyqfuB9z5zYpNuMJqQEr1nz";

    fn now() -> String {
        "2026-03-10T12:00:00.000Z".to_owned()
    }

    #[test]
    fn keys_are_added_found_and_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let keys = GuestKeys::of(folder.path());
        assert_eq!(keys.all().unwrap(), []);
        let alice = keys.add(ALICE, NewGuestKey::default(), now()).unwrap();
        assert_eq!(alice.name.as_deref(), Some("alice@laptop"));
        let with = NewGuestKey { name: Some("support".into()), workspace: Some("demo".into()), read_only: true };
        let bob = keys.add(&format!("# Bob's\n{BOB}\n"), with, now()).unwrap();
        assert_eq!((bob.scope(), bob.workspace.as_deref()), ("read-only", Some("demo")));
        let offered = PublicKey::from_openssh(BOB).unwrap();
        assert_eq!(keys.find(&offered).unwrap().unwrap(), bob);
        assert!(bob.fingerprint().starts_with("SHA256:") && bob.home().unwrap().starts_with(&bob.id));
        assert_ne!(alice.id, bob.id);

        keys.note_use(&bob.id, "2026-03-11T12:00:00.000Z".into()).unwrap();
        assert!(keys.find(&offered).unwrap().unwrap().last_used_at.unwrap().starts_with("2026-03-11"));
        assert!(matches!(keys.add(BOB, NewGuestKey::default(), now()), Err(KeyError::Refused(_))));
        assert!(matches!(keys.revoke("nobody"), Err(KeyError::Missing)));
        assert_eq!(keys.revoke("support").unwrap().id, bob.id);
        assert_eq!(keys.find(&offered).unwrap(), None);
        assert_eq!(keys.all().unwrap(), [alice]);
    }

    #[test]
    fn of_two_with_one_name_the_id_says_which() {
        let folder = tempfile::tempdir().unwrap();
        let keys = GuestKeys::of(folder.path());
        let named = || NewGuestKey { name: Some("twin".into()), ..NewGuestKey::default() };
        let first = keys.add(ALICE, named(), now()).unwrap();
        keys.add(BOB, named(), now()).unwrap();
        assert!(keys.revoke("twin").unwrap_err().to_string().contains(&first.id));
        assert_eq!(keys.revoke(&first.id).unwrap(), first);
        keys.revoke("twin").unwrap();
    }

    #[test]
    fn what_is_no_public_key_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let keys = GuestKeys::of(folder.path());
        for (text, why) in [
            ("", "no public key"),
            ("ssh-ed25519 AAAA", "not a public key"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----", "private key"),
            ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7", "ed25519"),
            (&*format!("{ALICE}\n{BOB}"), "one by one"),
            (&*format!("command=\"sh\" {BOB}"), "not a public key"),
        ] {
            let said = keys.add(text, NewGuestKey::default(), now()).unwrap_err().to_string();
            assert!(said.contains(why), "{text}: {said}");
        }
        for name in ["", "..", "a/b", "Shop", "x y", &"a".repeat(65)] {
            let new = NewGuestKey { workspace: Some(name.into()), ..NewGuestKey::default() };
            assert!(keys.add(ALICE, new, now()).is_err(), "{name}");
        }
        assert!(!folder.path().join("ssh").exists(), "what is refused leaves nothing behind");
    }

    #[test]
    fn a_damaged_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let keys = GuestKeys::of(folder.path());
        keys.add(ALICE, NewGuestKey::default(), now()).unwrap();
        fs::write(folder.path().join("ssh/keys.toml"), "[[key]]\nid = 3").unwrap();
        assert!(matches!(keys.find(&PublicKey::from_openssh(ALICE).unwrap()), Err(KeyError::Damaged { .. })));
        assert!(keys.add(BOB, NewGuestKey::default(), now()).is_err(), "nor is it written over");
    }
}
