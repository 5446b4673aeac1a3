//! What the service keeps, and the one room that knows SQL. Every function is async: SQLite runs on threads of its own
//! behind them (`workers`), and another database could.

mod audit;
mod bearers;
mod bitmaps;
mod bulk;
#[cfg(test)]
mod bulk_rows_tests;
mod captions;
mod chunk_tokens;
mod codes;
mod columns;
mod connection;
mod creations;
mod credentials;
mod db;
mod deliveries;
mod depths;
mod devices;
mod documents;
#[cfg(test)]
mod engine;
mod forget;
mod funnel;
#[cfg(test)]
pub(crate) mod funnel_oracle;
mod funnel_read;
mod grant_records;
mod grants;
mod guests;
mod kept_sums;
mod keys;
mod ledger;
mod lists;
mod moves;
#[cfg(test)]
mod oracle;
mod pages;
mod play;
mod play_products;
mod player_settings;
mod posting;
mod postings;
mod products;
mod project_rows;
mod projects;
mod readiness;
mod replica;
mod revision;
mod rules;
mod sample;
mod sample_visits;
mod schema;
#[cfg(test)]
mod shared_pages;
mod sharing;
mod shelf;
mod shops;
mod slowing;
mod snapshot;
mod steps;
mod stores;
mod strides;
mod sweep;
#[cfg(test)]
mod two_processes;
mod videos;
mod visitor_use;
mod visits;
mod walk;
mod webhooks;
mod windows;
mod workers;
mod writing;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::OpenFlags;

pub use audit::{AuditRecord, Entry};
pub use captions::{NewCaption, PlayedCaptions};
pub use creations::{Created, CreationKey};
pub use credentials::{Credential, Identity, TOKEN_SECONDS, fresh_key};
pub(super) use db::TURN;
pub use db::{DatabasePlace, DatabasePlaceError};
pub use deliveries::{Candidate, DeliveryRecord, Due, Round};
pub use devices::{DeviceAnswer, DeviceAsker, DeviceCode, DeviceState};
pub use documents::PageWish;
pub use forget::Forgotten;
pub use funnel_read::FunnelDays;
pub use grant_records::GrantRecord;
pub use grants::{Granted, Lifetimes};
pub use guests::{DraftAsked, DraftPlace, GuestDraft, GuestNote, HeldDraft, LeftDraft, ListedDraft, TakenDraft};
pub use kept_sums::{DaySums, KeptChanges, KeptSums, ProjectSums, VisitMark};
pub use keys::{KeyRecord, NewKey, RevokedKey};
pub use ledger::{FIRST_FENCE, Lapsed};
pub use moves::{MoveProgress, Moved, MovedTable, Way};
pub use pages::{Page, PageAsk};
pub use play::{Played, PlayedAnswer, PlayedStep, PlayedVideo};
pub use play_products::PlayedProduct;
pub use player_settings::{Agreed, consent_version};
pub use products::{Imported, NewProduct};
pub use replica::FromReplica;
pub use rules::outcome::{Outcome, Said, SwitchOff};
pub use rules::payload::Collected;
pub use rules::prepared::SAMPLE_SCHEME;
pub use rules::revision::Precondition;
pub use sample::{SampleProject, SampleStep, SampleWorkspace};
pub use shops::ShopOfPlayer;
pub use slowing::{FORGOTTEN, Failed};
pub use stores::{NewStore, StoreRow};
pub use sweep::Swept;
pub use videos::{DeletedVideo, FileHash, NewVideoRow, VideoFile};
pub(super) use visits::is_reserved;
pub use visits::{BegunVisit, Purchase, Told, VisitEvent};
pub use webhooks::Secrets;

pub(super) use moves::{check as check_moved, run as move_workspace};
pub(super) use snapshot::{snapshot, uploads_in_s3, uploads_of};

use crate::domain::{Finding, StoreUrl};
use crate::settings::leave_to_owner;
use bearers::Asking;
use bitmaps::Bitmaps;
use db::Connection;
use replica::Replica;
use workers::Workers;
use writing::again;

/// The file of the database in a data folder.
pub(super) const DATABASE: &str = "cutaway.sqlite3";

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

/// The database of one data folder.
pub struct Store {
    // In this order, so that the last connection to close is the one that may tidy up the log.
    readers: Workers,
    /// Whose credential it is, apart from the others: no slow search keeps a request waiting at the door.
    bearers: Workers,
    /// Those who wait for that where the database is shared.
    asking: Arc<Asking>,
    writer: Workers,
    /// Whether it takes a write, asked beside those who wait for their turn; of SQLite the writer is asked.
    prober: Option<Workers>,
    /// What was fetched from a shared database and its copy before.
    bitmaps: Arc<Bitmaps>,
    /// Where pages of catalogs may come from too.
    replica: Option<Replica>,
    cursor_key: [u8; 32],
    /// Set when it closes: a long load ends at its next batch.
    closing: Arc<AtomicBool>,
    is_shared: bool,
}

impl Drop for Store {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

impl Store {
    /// Opens the database of a data folder, or makes it.
    ///
    /// # Errors
    /// [`StoreError`] where the file can't be opened or brought to this program's version.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        #[cfg(test)]
        if let Some(place) = engine::of_folder(folder) {
            return engine::open(place);
        }
        Self::open_waiting(folder, connection::PATIENCE)
    }

    /// The same, with how long to wait for a database that another process keeps locked.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_waiting(folder: &Path, patience: Duration) -> Result<Self, StoreError> {
        const READING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
        moves::check(folder)?;
        let path: PathBuf = folder.join(DATABASE);
        make(&path)?;
        let connection = rusqlite::Connection::open(&path)?;
        connection::prepare(&connection)?;
        connection.busy_timeout(patience)?;
        connection::prepare_writer(&connection)?;
        let mut connection = Connection::from(connection);
        schema::migrate(&mut connection)?;
        let cursor_key = credentials::cursor_key(&mut connection)?;
        let open_writer = {
            let path = path.clone();
            move || {
                let connection = rusqlite::Connection::open(&path)?;
                connection::prepare(&connection)?;
                connection.busy_timeout(patience)?;
                connection::prepare_writer(&connection)?;
                Ok(connection.into())
            }
        };
        let open_bearer = {
            let path = path.clone();
            move || {
                let connection = rusqlite::Connection::open_with_flags(&path, READING)?;
                connection::prepare(&connection)?;
                Ok(connection.into())
            }
        };
        let open_reader = move || {
            let connection = rusqlite::Connection::open_with_flags(&path, READING)?;
            connection::prepare_reader(&connection, std::fs::metadata(&path).map_or(0, |meta| meta.len()))?;
            Ok(connection.into())
        };
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let store = Self {
            writer: Workers::new(1, Box::new(open_writer)),
            readers: Workers::new(cores.clamp(2, 4), Box::new(open_reader)),
            bearers: Workers::new(1, Box::new(open_bearer)),
            prober: None,
            asking: Arc::default(),
            bitmaps: Arc::default(),
            replica: None,
            cursor_key,
            closing: Arc::default(),
            is_shared: false,
        };
        store.writer.start(connection)?;
        Ok(store)
    }

    /// Whether other processes may serve the same database meanwhile.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Which of these ids are those of uploaded videos.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn uploaded(&self, ids: Vec<String>) -> Result<Vec<String>, StoreError> {
        self.readers.run(move |connection| videos::uploaded(connection, &ids)).await
    }

    /// The same after all changes before it: also those whose end nobody was told.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses, as it does while such a change isn't over.
    pub async fn uploaded_in_turn(&self, ids: Vec<String>) -> Result<Vec<String>, StoreError> {
        self.write(move |transaction| videos::uploaded(transaction, &ids)).await
    }

    /// The key that cursors are authenticated with; it lasts as long as the database.
    #[must_use]
    pub fn cursor_key(&self) -> &[u8; 32] {
        &self.cursor_key
    }
}

/// Makes the file where it is missing. It holds hashes of credentials and a workspace's catalog, so only its owner may
/// read it; SQLite gives the files beside it the same rights.
fn make(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let named = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = options.open(path).map_err(named)?;
    if let Some(folder) = path.parent() {
        leave_to_owner(folder, &file)?;
    }
    Ok(())
}

/// A moment in milliseconds since 1970, as the timestamps of §2 are written.
fn moment_text(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default().to_string()
}

/// Now, as the timestamps of §2 are written.
fn now_text() -> String {
    let now = crate::service::timing::timestamp();
    now.round(jiff::Unit::Millisecond).unwrap_or(now).to_string()
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
