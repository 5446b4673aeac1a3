//! The databases, as the rooms of the store see them: one connection, its statements and rows, whichever database is
//! behind. The SQL is written once, in the dialect of SQLite; `dialect` says it to PostgreSQL. Values go by the traits of
//! `rusqlite`, so that a row of SQLite's is read without a copy.

mod dialect;
mod line;
mod mark;
mod pipeline;
mod place;
mod pooler;
mod postgres;
mod refusals;
mod schema;
mod sqlite;
mod tls;
mod values;

use std::ops::Deref;
use std::time::Duration;

pub(super) use rusqlite::types::{FromSql, FromSqlError, ToSql, Value, ValueRef};
pub(super) use rusqlite::{TransactionBehavior, params};

pub(in crate::service) use line::TURN;
pub(super) use mark::Mark;
pub(super) use pipeline::{Listed, Question};
pub use place::{DatabasePlace, DatabasePlaceError};
pub(super) use pooler::refuse_pooler;
pub(super) use postgres::Session;
pub(super) use schema::{is_known, migrate, prepare_shared, versions};

/// What a database says.
pub(super) type Result<T> = std::result::Result<T, Error>;

/// Why a database refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite refused.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL refused, or can't be reached. What it says of the row concerned is left out: it may be anybody's.
    #[error("{}", refusals::sentence(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// A value has another type than expected.
    #[error("a value of the database: {0}")]
    Value(#[from] FromSqlError),
    /// No row is where one has to be.
    #[error("the database has no such row")]
    NoRow,
    /// The connection to the database can't be made or used; the sentence says why.
    #[error("{0}")]
    Away(String),
    /// A transaction's end was not answered, and it was not kept.
    #[error("a transaction was lost with the connection to the database")]
    Undone,
    /// A transaction's end was not answered, and nobody can say whether it was kept.
    #[error("the database didn't say whether it kept a transaction")]
    Unknown,
    /// Something else went wrong while a row was read.
    #[error("{0}")]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// What is said where the database can't be reached.
pub(super) const AWAY: &str = "The service's database can't be reached. Try again later.";
/// What is said where nobody knows whether something was stored.
pub(in crate::service) const UNKNOWN: &str =
    "The service's database stopped answering, so the change may have been made. Look before you try again.";
/// What is said where others keep it busy.
pub(super) const BUSY: &str = "The service's database is busy. Try again.";

impl Error {
    /// Why the database can't be asked at the moment, where that is what happened.
    pub(super) fn unavailable(&self) -> Option<&'static str> {
        use rusqlite::ErrorCode;
        match self {
            Self::Away(_) | Self::Undone => Some(AWAY),
            Self::Postgres(error) => postgres::unavailable(error),
            Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) => match error.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(BUSY),
                ErrorCode::DiskFull => Some("The service's disk is full."),
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NotADatabase => Some(AWAY),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value is longer than PostgreSQL takes into an index.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.code().is_some_and(|code| code.code() == "54000"))
    }

    /// Whether such a row is there already.
    pub(super) fn is_double(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.code().is_some_and(|code| code.code() == "23505"))
    }

    /// Whether others keep the database busy.
    pub(super) fn is_busy(&self) -> bool {
        self.unavailable() == Some(BUSY)
    }

    /// Whether a transaction that ended in this way was not kept, and may be tried again as it was.
    pub(super) fn may_go_again(&self) -> bool {
        match self {
            Self::Undone => true,
            Self::Postgres(error) => postgres::may_go_again(error),
            _ => false,
        }
    }

    fn is_no_row(&self) -> bool {
        matches!(self, Self::NoRow | Self::Sqlite(rusqlite::Error::QueryReturnedNoRows))
    }
}

/// A row that may be missing.
pub(super) trait OptionalExtension<T> {
    /// Nothing where there was no row.
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_no_row() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What fills the places of a statement.
pub(super) trait Params {
    /// Hands over the values in their order.
    fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R;
}

impl Params for &[&dyn ToSql] {
    fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        take(self)
    }
}

impl<const N: usize> Params for &[&dyn ToSql; N] {
    fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        take(self)
    }
}

impl Params for [&dyn ToSql; 0] {
    fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        take(&[])
    }
}

macro_rules! arrays {
    ($($count:literal)*) => {$(
        impl<T: ToSql> Params for [T; $count] {
            fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
                take(&self.each_ref().map(|value| value as &dyn ToSql))
            }
        }
    )*};
}
arrays!(1 2 3 4 5);

impl<A: ToSql, B: ToSql> Params for (A, B) {
    fn with<R>(self, take: impl FnOnce(&[&dyn ToSql]) -> R) -> R {
        take(&[&self.0, &self.1])
    }
}

/// A connection to the database of a service.
pub(super) struct Connection(Inner);

enum Inner {
    Sqlite(rusqlite::Connection),
    Postgres(Box<Session>),
}

impl From<rusqlite::Connection> for Connection {
    fn from(connection: rusqlite::Connection) -> Self {
        Self(Inner::Sqlite(connection))
    }
}

impl From<Session> for Connection {
    fn from(session: Session) -> Self {
        Self(Inner::Postgres(Box::new(session)))
    }
}

impl Connection {
    /// What SQLite alone can do.
    pub(super) fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match &self.0 {
            Inner::Sqlite(connection) => Some(connection),
            Inner::Postgres(_) => None,
        }
    }

    /// What PostgreSQL alone can do.
    pub(super) fn postgres(&self) -> Option<&Session> {
        match &self.0 {
            Inner::Sqlite(_) => None,
            Inner::Postgres(session) => Some(session),
        }
    }

    /// Makes it usable: one to PostgreSQL that was lost, or never made, is made now.
    pub(super) fn ready(&mut self) -> Result<()> {
        match &mut self.0 {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(session) => session.ready(),
        }
    }

    /// How long those who write may wait for their turn from now on, where others may have it.
    pub(super) fn take_turns_within(&self, most: Option<Duration>) {
        if let Some(session) = self.postgres() {
            session.take_turns_within(most);
        }
    }

    /// A statement that is kept for the next time.
    pub(super) fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        match &self.0 {
            Inner::Sqlite(connection) => Ok(Statement(Prepared::Kept(connection.prepare_cached(sql)?))),
            Inner::Postgres(session) => Ok(Statement(Prepared::Postgres(session, session.prepare(sql)?))),
        }
    }

    /// A statement that is seldom asked.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        match &self.0 {
            Inner::Sqlite(connection) => Ok(Statement(Prepared::Once(connection.prepare(sql)?))),
            Inner::Postgres(_) => self.prepare_cached(sql),
        }
    }

    /// Changes rows; how many.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare(sql)?.execute(params)
    }

    /// The first row.
    pub(super) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.prepare(sql)?.query_row(params, read)
    }

    /// Shows the rows of a walk along an index, a number and a key each, until `see` has enough: of SQLite as few are fetched
    /// as that takes. Says whether it had enough.
    pub(super) fn walk<E: From<Error>>(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        mut see: impl FnMut(i64, Option<i64>) -> std::result::Result<bool, E>,
    ) -> std::result::Result<bool, E> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if see(row.get(0)?, row.get(1)?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The end of this transaction need not wait for the disk: it survives the end of the process, and a later
    /// transaction settles it. SQLite is told before the transaction.
    pub(super) fn lightly(&self) -> Result<()> {
        self.postgres().map_or(Ok(()), Session::lightly)
    }

    /// A setting of SQLite's; PostgreSQL has none of these.
    pub(super) fn pragma_update(&self, _: Option<()>, name: &str, value: impl ToSql) -> Result<()> {
        match &self.0 {
            Inner::Sqlite(connection) => Ok(connection.pragma_update(None, name, value)?),
            Inner::Postgres(_) => Ok(()),
        }
    }

    /// A transaction that reads: all of it sees one moment.
    pub(super) fn transaction(&mut self) -> Result<Transaction<'_>> {
        match &mut self.0 {
            Inner::Sqlite(connection) => connection.execute_batch("BEGIN DEFERRED")?,
            Inner::Postgres(session) => session.begin_reading()?,
        }
        Ok(Transaction { connection: self, open: true })
    }

    /// A transaction that writes: nobody else writes meanwhile, so what it reads stays as it is.
    pub(super) fn transaction_with_behavior(&mut self, _: TransactionBehavior) -> Result<Transaction<'_>> {
        match &mut self.0 {
            Inner::Sqlite(connection) => connection.execute_batch("BEGIN IMMEDIATE")?,
            Inner::Postgres(session) => session.begin_writing()?,
        }
        Ok(Transaction { connection: self, open: true })
    }
}

/// A transaction. Dropped, it is rolled back.
pub(super) struct Transaction<'c> {
    connection: &'c Connection,
    open: bool,
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Transaction<'_> {
    /// Keeps what was done.
    pub(super) fn commit(mut self) -> Result<()> {
        match &self.connection.0 {
            Inner::Sqlite(connection) => connection.execute_batch("COMMIT")?,
            Inner::Postgres(session) => session.commit()?,
        }
        self.open = false;
        Ok(())
    }

    /// Takes back what was done.
    pub(super) fn rollback(mut self) -> Result<()> {
        self.open = false;
        match &self.connection.0 {
            Inner::Sqlite(connection) => Ok(connection.execute_batch("ROLLBACK")?),
            Inner::Postgres(session) => session.batch("ROLLBACK"),
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        match &self.connection.0 {
            Inner::Sqlite(connection) if !connection.is_autocommit() => {
                let _ = connection.execute_batch("ROLLBACK");
            }
            Inner::Sqlite(_) => {}
            Inner::Postgres(session) => session.abandon(),
        }
    }
}

/// A statement, ready to be asked.
pub(super) struct Statement<'c>(Prepared<'c>);

enum Prepared<'c> {
    Kept(rusqlite::CachedStatement<'c>),
    Once(rusqlite::Statement<'c>),
    Postgres(&'c Session, line::Statement),
}

impl Statement<'_> {
    /// Changes rows; how many.
    pub(super) fn execute(&mut self, params: impl Params) -> Result<usize> {
        params.with(|values| match &mut self.0 {
            Prepared::Kept(statement) => Ok(statement.execute(values)?),
            Prepared::Once(statement) => Ok(statement.execute(values)?),
            Prepared::Postgres(session, statement) => session.execute(statement, values),
        })
    }

    /// The rows, one after another.
    pub(super) fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        params.with(|values| match &mut self.0 {
            Prepared::Kept(statement) => Ok(Rows::Sqlite(statement.query(values)?)),
            Prepared::Once(statement) => Ok(Rows::Sqlite(statement.query(values)?)),
            Prepared::Postgres(session, statement) => Ok(Rows::Postgres(session.query(statement, values)?.into_iter())),
        })
    }

    /// What `read` makes of each row.
    pub(super) fn query_map<T, F: FnMut(&Row<'_>) -> Result<T>>(
        &mut self,
        params: impl Params,
        read: F,
    ) -> Result<Mapped<'_, F>> {
        Ok(Mapped { rows: self.query(params)?, read })
    }

    /// What `read` makes of the first row.
    pub(super) fn query_row<T>(&mut self, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        match self.query(params)?.next()? {
            Some(row) => read(&row),
            None => Err(Error::NoRow),
        }
    }

    /// Whether there is a row.
    pub(super) fn exists(&mut self, params: impl Params) -> Result<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }
}

/// Rows of an answer.
pub(super) enum Rows<'s> {
    Sqlite(rusqlite::Rows<'s>),
    Postgres(std::vec::IntoIter<tokio_postgres::Row>),
}

impl Rows<'_> {
    /// The next row.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>> {
        match self {
            Self::Sqlite(rows) => Ok(rows.next()?.map(Row::Sqlite)),
            Self::Postgres(rows) => Ok(rows.next().map(Row::Postgres)),
        }
    }
}

/// Rows, each read by a function.
pub(super) struct Mapped<'s, F> {
    rows: Rows<'s>,
    read: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for Mapped<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        match self.rows.next() {
            Ok(Some(row)) => Some((self.read)(&row)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A row of an answer.
pub(super) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(tokio_postgres::Row),
}

impl Row<'_> {
    /// The value of a column.
    pub(super) fn get<T: FromSql>(&self, at: usize) -> Result<T> {
        match self {
            Self::Sqlite(row) => Ok(row.get(at)?),
            Self::Postgres(row) => Ok(T::column_result(values::value(row, at)?)?),
        }
    }

    /// The same without a copy.
    pub(super) fn get_ref(&self, at: usize) -> Result<ValueRef<'_>> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(at)?),
            Self::Postgres(row) => values::value(row, at),
        }
    }

    /// The numbers of a list, which only PostgreSQL has; none where it is null.
    pub(super) fn numbers(&self, at: usize) -> Result<Vec<Option<i64>>> {
        match self.get_ref(at)? {
            ValueRef::Blob(list) => values::numbers(list),
            ValueRef::Null => Ok(Vec::new()),
            _ => Err(FromSqlError::InvalidType.into()),
        }
    }
}
