//! The database of a data folder, copied as it is at one moment while others read and write it.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{DATABASE, StoreError};

/// How long a copy waits for a database that others keep busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// Copies the database of a data folder into a file, in place of what it holds.
///
/// # Errors
/// [`StoreError`] where one of the two can't be read or written.
pub(in crate::service) fn snapshot(data: &Path, into: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(data.join(DATABASE), flags)?;
    from.busy_timeout(Duration::from_secs(10))?;
    let mut copy = Connection::open(into)?;
    {
        let backup = Backup::new(&from, &mut copy)?;
        // In one step, so in one transaction: writers go on meanwhile, and what they write is not in it.
        let until = Instant::now() + PATIENCE;
        while backup.step(-1)? != StepResult::Done {
            if Instant::now() > until {
                return Err(StoreError::Busy);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // One file, without a log beside it.
    copy.pragma_update(None, "journal_mode", "delete")?;
    copy.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// The ids of the uploaded videos that a copy names and whose files are in the folder.
///
/// # Errors
/// [`StoreError`] where it can't be read.
pub(in crate::service) fn uploads_of(copy: &Path) -> Result<Vec<String>, StoreError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version < 2 {
        return Ok(Vec::new());
    }
    // Files in S3 are in no folder.
    let here = if version < 17 { "" } else { "AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = video.id)" };
    let sql = format!("SELECT id FROM video WHERE size IS NOT NULL {here} ORDER BY number");
    let mut statement = connection.prepare(&sql)?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// How many uploaded videos of a copy have their files in S3, and where that is.
///
/// # Errors
/// [`StoreError`] where it can't be read.
pub(in crate::service) fn uploads_in_s3(copy: &Path) -> Result<Option<(u64, String)>, StoreError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version < 17 {
        return Ok(None);
    }
    let sql = "SELECT count(*), max(place) FROM blob WHERE state = 'kept'";
    let (videos, place): (i64, Option<String>) = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(place.map(|place| (u64::try_from(videos).unwrap_or_default(), place)))
}
