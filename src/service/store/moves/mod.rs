//! A workspace moves between the database of a folder and one of PostgreSQL: every table, row by row in the order of its
//! keys, a chunk at a time. Each chunk is kept whole or not at all, so a move that was cut off goes on behind the last row
//! that arrived. Each table is counted and hashed on both sides afterwards.

mod digest;
mod marks;
mod tables;

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::db::{self, Connection, Mark, OptionalExtension as _, Session, TransactionBehavior};
use super::{DATABASE, DatabasePlace, StoreError, connection, schema};
use digest::Digest;
use tables::{TABLES, Table};

pub(in crate::service) use marks::check;
pub(super) use marks::check_shared;

/// Which way a workspace moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the folder into the database.
    ToDatabase,
    /// From the database into the folder.
    ToFolder,
}

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveProgress {
    /// Rows that arrived, of all tables, and how many there are.
    pub rows: (u64, u64),
    /// A table that is there whole, and how many rows it has.
    pub done: Option<(&'static str, u64)>,
}

/// A table that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedTable {
    /// Its name.
    pub table: &'static str,
    /// How many rows it has, on both sides.
    pub rows: u64,
    /// The hash of its rows, on both sides.
    pub blake3: String,
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The tables, those first that others refer to.
    pub tables: Vec<MovedTable>,
    /// The ids of the uploaded videos whose files are in a folder.
    pub files: Vec<String>,
}

/// How often, and how long between, others are looked for who use a database: one that was just killed may be on its list
/// for a moment.
const LOOKS: (u32, Duration) = (20, Duration::from_millis(100));

fn refused<T>(why: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Moving(why.into()))
}

/// Moves the workspace of a folder, which nobody else may serve meanwhile, into an empty database, or back. What was moved
/// away stays where it was, marked, so that nobody uses it by mistake.
///
/// # Errors
/// [`StoreError::Moving`] where there is nothing to move, the place isn't empty, others use it, or it can't be moved; else
/// where one of the two can't be read or written. What arrived stays, and the same move goes on from there.
pub(in crate::service) fn run(
    data: &Path,
    place: &DatabasePlace,
    way: Way,
    tell: &mut dyn FnMut(MoveProgress),
) -> Result<Moved, StoreError> {
    match way {
        Way::ToDatabase => to_database(data, place, tell),
        Way::ToFolder => to_folder(data, place, tell),
    }
}

fn to_database(data: &Path, place: &DatabasePlace, tell: &mut dyn FnMut(MoveProgress)) -> Result<Moved, StoreError> {
    if !data.join(DATABASE).is_file() {
        return refused(format!("{} contains no workspace", data.display()));
    }
    if marks::filled(data).exists() {
        check(data)?;
    }
    let mut target = session(place)?;
    db::prepare_shared(&target)?;
    let mark = Mark::of(&target)?;
    if mark != Some(Mark::Moving) {
        check(data)?;
    }
    let mut source = file(&data.join(DATABASE))?;
    let source = source.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables = tables(&source)?;
    let goes_on = mark == Some(Mark::Moving);
    // Another move into it, or what a killed one has the server do still.
    is_alone(&target)?;
    is_meant(&source, &target, &tables, goes_on, || place.shown())?;
    {
        let turn = target.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Who opened it since was before this in the turn, and may have written; who opens it from now on finds the mark.
        is_alone(&turn)?;
        is_meant(&source, &turn, &tables, goes_on, || place.shown())?;
        Mark::Moving.set(&turn)?;
        turn.commit()?;
    }
    if let Err(why) = fits(&source, &mut target, &tables) {
        if !goes_on {
            Mark::Moving.remove(&target)?;
        }
        return Err(why);
    }
    let moved = copy(&source, &mut target, &tables, tell)?;
    if let Some(session) = target.postgres() {
        // Pages are planned by what the tables have.
        session.batch("ANALYZE")?;
        session.batch("SET synchronous_commit = on")?;
    }
    // All of it is on the server's disk before the folder says that it is elsewhere.
    target.transaction_with_behavior(TransactionBehavior::Immediate)?.commit()?;
    marks::leave(data, &place.shown())?;
    Mark::Moving.remove(&target)?;
    Ok(moved)
}

/// Refuses, by the names of its table and column, what PostgreSQL can't store.
fn fits(source: &Connection, target: &mut Connection, tables: &[Table]) -> Result<(), StoreError> {
    for table in tables {
        let name = table.name;
        if let Some(column) = table.zeros(source)? {
            return refused(format!("{name}.{column} contains a text with U+0000, which PostgreSQL can't store"));
        }
        for keys in table.keys(target)? {
            if table.exceeds(source, target, &keys)? {
                let keys = keys.join(", ");
                return refused(format!("{name} ({keys}) contains a value that is too long for PostgreSQL's indexes"));
            }
        }
    }
    Ok(())
}

fn to_folder(data: &Path, place: &DatabasePlace, tell: &mut dyn FnMut(MoveProgress)) -> Result<Moved, StoreError> {
    let goes_on = marks::filled(data).exists();
    if !goes_on && data.join(DATABASE).exists() && marks::gone(data).is_none() {
        return refused(format!("{} isn't empty; a workspace can be moved only into an empty folder", data.display()));
    }
    let mut source = session(place)?;
    has_workspace(&source, place)?;
    if Mark::of(&source)? == Some(Mark::Moving) || !goes_on {
        check_shared(&source)?;
    }
    is_alone(&source)?;
    let source = source.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Who opened it since was before this in the turn; who opens it from now on waits, and finds the mark.
    is_alone(&source)?;
    let mut target = file(&marks::filled(data))?;
    target.pragma_update(None, "synchronous", "normal")?;
    let tables = tables(&target)?;
    is_meant(&source, &target, &tables, goes_on, || data.display().to_string())?;
    let moved = copy(&source, &mut target, &tables, tell)?;
    target.sqlite_batch("PRAGMA synchronous = full; PRAGMA wal_checkpoint(TRUNCATE)")?;
    drop(target);
    if let Some(session) = source.postgres() {
        // The mark is on the server's disk before the folder may be served.
        session.batch("SET LOCAL synchronous_commit = on")?;
    }
    Mark::Moved.set(&source)?;
    source.commit()?;
    marks::arrive(data)?;
    Ok(moved)
}

/// The rows of a table, as every database has them.
#[cfg(test)]
pub(super) fn rows(connection: &Connection, name: &'static str) -> Vec<Vec<db::Value>> {
    let mut sqlite = Connection::open_in_memory().unwrap();
    schema::migrate(&mut sqlite).unwrap();
    let mut rows = Vec::new();
    let see = |chunk: Vec<_>| {
        rows.extend(chunk);
        Ok(())
    };
    Table::of(&sqlite, name).unwrap().chunks(connection, None, see).unwrap();
    rows
}

/// A connection to PostgreSQL on which a long statement, and a long pause, are no failure.
fn session(place: &DatabasePlace) -> Result<Connection, StoreError> {
    let mut connection = Connection::from(Session::of_a_move(place.clone()));
    connection.ready()?;
    if let Some(session) = connection.postgres() {
        session.waits_long(true);
        // What arrived last may be lost with the machine; it is looked at again when the move goes on.
        session.batch(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET synchronous_commit = off",
        )?;
    }
    Ok(connection)
}

/// The database of a folder, or the one that becomes it, of this program's version.
fn file(path: &Path) -> Result<Connection, StoreError> {
    super::make(path)?;
    let connection = rusqlite::Connection::open(path)?;
    connection::prepare(&connection)?;
    connection::prepare_writer(&connection)?;
    let mut connection = Connection::from(connection);
    schema::migrate(&mut connection)?;
    Ok(connection)
}

fn tables(sqlite: &Connection) -> Result<Vec<Table>, StoreError> {
    TABLES.into_iter().map(|name| Table::of(sqlite, name)).collect()
}

/// Refuses a database without a workspace, and one of another version.
fn has_workspace(source: &Connection, place: &DatabasePlace) -> Result<(), StoreError> {
    db::is_known(source)?;
    match db::versions(source)? {
        (0, _) => return refused(format!("{} contains no workspace", place.shown())),
        (found, known) if found < known => return Err(StoreError::Older { found, known }),
        _ => {}
    }
    if !source.prepare("SELECT 1 FROM workspace")?.exists([])? {
        return refused(format!("{} contains no workspace", place.shown()));
    }
    Ok(())
}

/// Refuses a database that somebody serves.
fn is_alone(source: &Connection) -> Result<(), StoreError> {
    let others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND application_name = 'cutaway'";
    for _ in 0..LOOKS.0 {
        // A transaction sees the list that it saw first, unless it is told to look again.
        source.prepare("SELECT pg_stat_clear_snapshot()::text")?.exists([])?;
        if !source.prepare(others)?.exists([])? {
            return Ok(());
        }
        std::thread::sleep(LOOKS.1);
    }
    refused("the database is being served; stop every process that serves it first")
}

/// Refuses a place that has something of its own, or that another workspace was being moved to.
fn is_meant(
    source: &Connection,
    target: &Connection,
    tables: &[Table],
    goes_on: bool,
    shown: impl Fn() -> String,
) -> Result<(), StoreError> {
    // Each workspace has another one, and it arrives before everything else.
    let known_by = |connection: &Connection| {
        let sql = "SELECT value FROM setting WHERE name = 'cursor_key'";
        connection.query_row(sql, [], |row| row.get::<Vec<u8>>(0)).optional()
    };
    if goes_on {
        let there = known_by(target)?;
        if there.is_some() && there != known_by(source)? {
            return refused(format!("{} contains an unfinished move of another workspace", shown()));
        }
        return Ok(());
    }
    for table in tables {
        if table.count(target)? > 0 {
            return refused(format!("{} isn't empty; a workspace can be moved only into an empty one", shown()));
        }
    }
    Ok(())
}

/// Copies every table, and looks at each on both sides.
fn copy(
    source: &Connection,
    target: &mut Connection,
    tables: &[Table],
    tell: &mut dyn FnMut(MoveProgress),
) -> Result<Moved, StoreError> {
    let counts: Vec<u64> = tables.iter().map(|table| table.count(source)).collect::<Result<_, _>>()?;
    let (of, mut before) = (counts.iter().sum::<u64>(), 0);
    let mut moved = Vec::with_capacity(tables.len());
    for table in tables {
        let mut arrived = |rows: u64| tell(MoveProgress { rows: (before + rows, of), done: None });
        let (rows, blake3) = copy_table(source, target, table, &mut arrived)?;
        before += rows;
        tell(MoveProgress { rows: (before, of), done: Some((table.name, rows)) });
        moved.push(MovedTable { table: table.name, rows, blake3 });
    }
    let files = "SELECT id FROM video WHERE size IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = video.id) ORDER BY number";
    let mut statement = source.prepare(files)?;
    let files = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Moved { tables: moved, files })
}

/// Copies one table. What an earlier attempt left is kept where it is the beginning of the table; where anything of it is
/// different, the table is copied again.
fn copy_table(
    source: &Connection,
    target: &mut Connection,
    table: &Table,
    arrived: &mut dyn FnMut(u64),
) -> Result<(u64, String), StoreError> {
    if let Some(last) = table.last(target)? {
        let mut rows = table.count(target)?;
        table.chunks(source, Some(last), |chunk| {
            table.insert(target, &chunk)?;
            rows += chunk.len() as u64;
            arrived(rows);
            Ok(())
        })?;
        let sum = table.digest(source)?.sum();
        if table.digest(target)?.sum() == sum {
            return Ok(sum);
        }
        table.clear(target)?;
    }
    let (mut digest, mut rows) = (Digest::default(), 0);
    table.chunks(source, None, |chunk| {
        digest.add(&chunk);
        table.insert(target, &chunk)?;
        rows += chunk.len() as u64;
        arrived(rows);
        Ok(())
    })?;
    let sum = digest.sum();
    if table.digest(target)?.sum() != sum {
        return refused(format!("table {} arrived with other rows than it had; nothing was removed", table.name));
    }
    Ok(sum)
}
