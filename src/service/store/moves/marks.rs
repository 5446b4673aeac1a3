//! What tells that a workspace is being moved here, or was moved away: a file in a folder, a setting in PostgreSQL.
//! Whatever has such a mark isn't opened by anything but a move.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::super::db::{Connection, Mark};
use super::super::{DATABASE, StoreError};

/// The database of a folder while a move fills it.
const FILLED: &str = "cutaway.sqlite3.moving";
/// Where the workspace of a folder went.
const GONE: &str = "moved.json";

impl Mark {
    /// The mark that a database has.
    pub(super) fn of(connection: &Connection) -> Result<Option<Self>, StoreError> {
        let name: Option<String> = connection.query_row(Self::ASKED, [], |row| row.get(0))?;
        Ok(name.and_then(|name| Self::named(&name)))
    }

    pub(super) fn set(self, connection: &Connection) -> Result<(), StoreError> {
        connection.execute("INSERT OR IGNORE INTO setting (name, value) VALUES (?1, x'01')", [self.name()])?;
        Ok(())
    }

    pub(super) fn remove(self, connection: &Connection) -> Result<(), StoreError> {
        connection.execute("DELETE FROM setting WHERE name = ?1", [self.name()])?;
        Ok(())
    }
}

/// Refuses a database of PostgreSQL with a mark.
pub(in crate::service::store) fn check_shared(connection: &Connection) -> Result<(), StoreError> {
    match Mark::of(connection)? {
        None => Ok(()),
        Some(mark) => Err(StoreError::Moving(mark.why().to_owned())),
    }
}

/// Refuses a folder with a mark.
pub(in crate::service) fn check(folder: &Path) -> Result<(), StoreError> {
    if filled(folder).exists() {
        return Err(StoreError::Moving(format!(
            "{} contains an unfinished move; finish it by running the same cutaway serve move again",
            folder.display()
        )));
    }
    match gone(folder) {
        None => Ok(()),
        Some(to) => Err(StoreError::Moving(format!(
            "the workspace of {} was moved to {to}; use --database-url, or move it back with cutaway serve move --from",
            folder.display()
        ))),
    }
}

/// The database of a folder while a move fills it.
pub(super) fn filled(folder: &Path) -> PathBuf {
    folder.join(FILLED)
}

/// Where the workspace of a folder went, if it did.
pub(super) fn gone(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(GONE)).ok()?;
    let said: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    let to = said.as_ref().and_then(|said| said.get("to")?.as_str());
    Some(to.unwrap_or("a database").chars().filter(|c| !c.is_control()).collect())
}

/// Says in a folder where its workspace went.
pub(super) fn leave(folder: &Path, to: &str) -> Result<(), StoreError> {
    let said = serde_json::json!({ "to": to, "at": super::super::now_text() });
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{said}")?;
    file.as_file().sync_all()?;
    file.persist(folder.join(GONE)).map_err(|error| error.error)?;
    sync(folder)
}

/// The filled database takes its place. What was there is the workspace as it was when it was moved away.
pub(super) fn arrive(folder: &Path) -> Result<(), StoreError> {
    File::open(filled(folder))?.sync_all()?;
    // While the filled one is there nobody opens the folder, so in this order nothing is half done.
    for left in [GONE.to_owned(), format!("{DATABASE}-wal"), format!("{DATABASE}-shm")] {
        match fs::remove_file(folder.join(left)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    sync(folder)?;
    fs::rename(filled(folder), folder.join(DATABASE))?;
    sync(folder)
}

/// What was renamed or removed in a folder survives a crash of the machine.
fn sync(folder: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
