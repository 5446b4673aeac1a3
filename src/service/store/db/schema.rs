//! The tables of PostgreSQL, version by version.

use super::{Connection, Error, Result};
use crate::service::store::StoreError;

/// What brings a database from one version to the next.
const MIGRATIONS: [&str; 8] = [
    include_str!("sql/0001.sql"),
    include_str!("sql/0002.sql"),
    include_str!("sql/0003.sql"),
    include_str!("sql/0004.sql"),
    include_str!("sql/0005.sql"),
    include_str!("sql/0006.sql"),
    include_str!("sql/0007.sql"),
    include_str!("sql/0008.sql"),
];

/// The first version whose programs work on the tables as they are now. A migration that adds something leaves it, so that
/// processes go on while others are upgraded; one that takes away what programs of a version use raises it beyond that version.
const LEAST: usize = 6;

/// The number under which those who migrate wait for each other.
const LOCK: i64 = 0x6375_7461_7761_7900;

/// The version of a database; none where nothing of ours is in it.
fn version(connection: &Connection) -> Result<usize> {
    let is_there =
        "SELECT 1 FROM pg_tables WHERE tablename = 'schema_version' AND schemaname = ANY (current_schemas(false))";
    if !connection.prepare(is_there)?.exists([])? {
        return Ok(0);
    }
    let version: i64 = connection.query_row("SELECT version FROM schema_version", [], |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// The version that a database has, and the one that this program knows.
pub(in crate::service::store) fn versions(connection: &Connection) -> Result<(usize, usize)> {
    Ok((version(connection)?, MIGRATIONS.len()))
}

/// Refuses a database of a later version that programs of this one can't work on.
pub(in crate::service::store) fn is_known(connection: &Connection) -> std::result::Result<(), StoreError> {
    let (found, known) = versions(connection)?;
    if found > known && least(connection)? > known {
        return Err(StoreError::Newer { found, known });
    }
    Ok(())
}

/// The first version whose programs work on it.
fn least(connection: &Connection) -> Result<usize> {
    let least: i64 = connection.query_row("SELECT least FROM schema_version", [], |row| row.get(0))?;
    Ok(usize::try_from(least).unwrap_or(usize::MAX))
}

/// Makes the tables of an empty database; one of an earlier version is left to whoever runs all of its processes.
pub(in crate::service::store) fn prepare_shared(connection: &Connection) -> std::result::Result<(), StoreError> {
    let encoding: String = connection.query_row("SELECT current_setting('server_encoding')", [], |row| row.get(0))?;
    if encoding != "UTF8" {
        return Err(StoreError::Encoding(encoding));
    }
    is_known(connection)?;
    match version(connection)? {
        0 => migrate(connection),
        found if found < MIGRATIONS.len() => Err(StoreError::Older { found, known: MIGRATIONS.len() }),
        _ => Ok(()),
    }
}

/// Brings the database to the version that this program knows. Of several processes that start at once one does it, and
/// the others wait.
pub(in crate::service::store) fn migrate(connection: &Connection) -> std::result::Result<(), StoreError> {
    let session = connection.postgres().ok_or_else(|| Error::Away("this is not PostgreSQL".to_owned()))?;
    is_known(connection)?;
    if version(connection)? >= MIGRATIONS.len() {
        return Ok(());
    }
    // Others may migrate for a long time, and so may this process.
    session.waits_long(true);
    let done = (|| {
        session.batch(&format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock({LOCK})"
        ))?;
        let found = version(connection)?;
        if found > 0 {
            session.batch("SELECT one FROM turn FOR UPDATE")?;
        }
        for step in MIGRATIONS.iter().skip(found) {
            session.batch(step)?;
        }
        // A later version may have been quicker.
        let reached = format!("version = {}, least = greatest(least, {LEAST})", MIGRATIONS.len());
        let asked = format!("UPDATE schema_version SET {reached} WHERE version < {}; COMMIT", MIGRATIONS.len());
        session.batch(&asked)
    })();
    session.waits_long(false);
    if done.is_err() {
        session.abandon();
    }
    Ok(done?)
}
