//! The settings of connections to the database.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::StoreError;

/// How long a database that another process keeps locked is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Settings of every connection. The page cache is small: the operating system keeps the file in its own.
pub(super) fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.set_prepared_statement_cache_capacity(48);
    Ok(())
}

/// Settings of connections that read a database of so many bytes: the pages that lead to products stay in memory also of
/// a million of them, and are not asked of the operating system again and again. A small store takes little.
pub(super) fn prepare_reader(connection: &Connection, bytes: u64) -> Result<(), StoreError> {
    prepare(connection)?;
    let kibibytes = i64::try_from(bytes / 1024 / 64).unwrap_or(i64::MAX).clamp(1024, 8192);
    connection.pragma_update(None, "cache_size", -kibibytes)?;
    Ok(())
}

/// Settings of the connection that writes: what was acknowledged survives a crash of the machine.
pub(super) fn prepare_writer(connection: &Connection) -> Result<(), StoreError> {
    // Holds on a new database only. Documents have about 2 kB: of pages of 4 kB nearly half would stay empty.
    connection.pragma_update(None, "page_size", 8192)?;
    use_log(connection)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // What is deleted is overwritten wherever that costs no further page.
    connection.pragma_update(None, "secure_delete", "fast")?;
    Ok(())
}

/// Has changes go to a log first. SQLite refuses that at once where another process opens the same new database, without
/// waiting as it does for everything else.
fn use_log(connection: &Connection) -> Result<(), StoreError> {
    const BETWEEN: Duration = Duration::from_millis(5);
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && begun.elapsed() < PATIENCE => {
                std::thread::sleep(BETWEEN);
            }
            done => return Ok(done?),
        }
    }
}
