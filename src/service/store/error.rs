//! Why the store could not do what it was asked, and what of that may work later.

use super::db;
use crate::domain::{Finding, StoreUrl};

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the database: {0}")]
    Database(#[source] db::Error),
    /// The file system or a thread refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The database was written by a later version of the program.
    #[error("the database has version {found}, but this version of Cutaway supports up to {known}; update Cutaway")]
    Newer {
        /// The version found.
        found: usize,
        /// The last version known here.
        known: usize,
    },
    /// The database was made by an earlier version of the program, and is shared with other processes.
    #[error("the database has version {found}, but this version of Cutaway needs {known}; run: cutaway serve migrate")]
    Older {
        /// The version found.
        found: usize,
        /// The version needed.
        known: usize,
    },
    /// The database keeps text in a way that not every text has a place in.
    #[error(
        "the database has the encoding {0}, but Cutaway needs UTF8; create it with: createdb --encoding UTF8 --template template0"
    )]
    Encoding(String),
    /// The workspace is being moved, was moved, or can't be; the sentence says why.
    #[error("{0}")]
    Moving(String),
    /// A stored or given document has no JSON form, or another than expected.
    #[error("a document could not be written or read: {0}")]
    Document(String),
    /// The operating system gave no random numbers.
    #[error("couldn't get random numbers: {0}")]
    Random(String),
    /// The workspace has no such store.
    #[error("the workspace has no store {0}")]
    UnknownStore(StoreUrl),
    /// The workspace does not have what was asked for; the sentence says what.
    #[error("{0}")]
    Missing(&'static str),
    /// The request is wrong in these places.
    #[error("{} fields are wrong", .0.len())]
    Invalid(Vec<Finding>),
    /// The request can't be done as things stand; the sentence says why.
    #[error("{0}")]
    Conflict(String),
    /// A project's visitors wrote more than they may.
    #[error("This project's visitors have sent too much data; try again later.")]
    TooMuch {
        /// When there may be room again, seconds from now.
        seconds: u64,
    },
    /// What was to be changed is another one by now than the request was made for.
    #[error("it was changed since it was read")]
    Changed,
    /// The key of a creation came with something else before.
    #[error("the key came with something else before")]
    OtherCreation,
    /// The file of an upload was given up meanwhile, because whoever brought it in was silent for too long.
    #[error("the upload was given up")]
    Lapsed,
    /// Others kept the database busy for too long.
    #[error("the database was busy for too long")]
    Busy,
    /// The work stopped halfway through a fault of the program.
    #[error("the database stopped answering")]
    Lost,
}

impl StoreError {
    /// Why the database can't be asked at the moment, as a sentence; nothing where that is not what happened. Nothing
    /// was changed then, and the same request may work later.
    #[must_use]
    pub fn unavailable(&self) -> Option<&'static str> {
        match self {
            Self::Busy => Some(db::BUSY),
            Self::Lapsed => Some("The service could not store the file in time. Try again."),
            Self::Io(_) => Some(db::AWAY),
            Self::Database(error) => error.unavailable(),
            _ => None,
        }
    }

    /// The end of a transaction that nobody answered.
    #[cfg(test)]
    pub(in crate::service) fn unanswered() -> Self {
        Self::Database(db::Error::Unknown)
    }

    /// What is said where nobody knows whether something was stored.
    pub(in crate::service) fn unknown(&self) -> Option<&'static str> {
        matches!(self, Self::Database(db::Error::Unknown)).then_some(db::UNKNOWN)
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Document(error.to_string())
    }
}

impl From<db::Error> for StoreError {
    fn from(error: db::Error) -> Self {
        if error.is_too_long() {
            return Self::Conflict("A name or id is too long for the service's database.".to_owned());
        }
        Self::Database(error)
    }
}

/// What SQLite alone says, where only its databases are asked.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        db::Error::from(error).into()
    }
}
