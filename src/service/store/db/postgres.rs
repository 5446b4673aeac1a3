//! A connection to PostgreSQL. It belongs to one thread, which waits for it: the runtime that carries it runs only while
//! something is asked, so an idle service sleeps.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as _;
use std::time::Duration;

use rusqlite::types::{ToSql, Value};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, SimpleQueryMessage, Statement};

use super::dialect::{asked_for, translated};
use super::values::Given;
use super::{AWAY, BUSY, DatabasePlace, Error, Result};

/// All of it sees one moment.
pub(super) const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Whoever writes waits for its turn first. What it reads then is what the one before it left, and stays so.
const BEGIN_WRITING: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT one FROM turn FOR UPDATE";
/// A cancelled wait for a standby would show what a failover then loses.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";
/// What holds for a connection: nothing waits for ever, and a process that stalls lets others have their turn. The
/// service writes times and numbers itself, so the server's settings of both don't matter.
const SETTINGS: &str = "SET statement_timeout = '30s'; SET lock_timeout = '15s';
    SET idle_in_transaction_session_timeout = '30s'; SET standard_conforming_strings = on";
/// Rows of a walk fetched at first, and at most.
const FETCHED: (usize, usize) = (64, 4096);
/// How long an answer may take beside the server's own limits, before the line counts as lost.
const SILENCE: Duration = Duration::from_secs(60);

/// One connection, made when it is needed and again where it was lost.
pub(in crate::service::store) struct Session {
    place: DatabasePlace,
    line: Option<Line>,
}

struct Line {
    client: Client,
    statements: RefCell<HashMap<String, Statement>>,
    /// Set where the line must not be used again.
    broken: Cell<bool>,
    // Last: the client goes before what carries it.
    runtime: Runtime,
}

/// What is said of an error. A server's words may name the values of a row, so only what they are about is repeated.
pub(super) fn sentence(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("PostgreSQL: {} ({})", said.message(), said.code().code()),
        None => match error.source() {
            Some(source) => format!("PostgreSQL: {error}: {source}"),
            None => format!("PostgreSQL: {error}"),
        },
    }
}

impl Session {
    /// A connection that is not made yet.
    pub(in crate::service::store) fn new(place: DatabasePlace) -> Self {
        Self { place, line: None }
    }

    fn line(&self) -> Result<&Line> {
        self.line.as_ref().ok_or_else(|| Error::Away("the connection to the database is gone".to_owned()))
    }

    /// Makes the connection where there is none that works.
    pub(super) fn ready(&mut self) -> Result<()> {
        if self.line.as_ref().is_some_and(Line::is_good) {
            return Ok(());
        }
        self.line = None;
        self.line = Some(Line::open(&self.place)?);
        Ok(())
    }

    /// Begins a transaction that writes; where the line turns out to be lost, on a new one.
    pub(super) fn begin_writing(&mut self) -> Result<()> {
        let begun = self.batch(BEGIN_WRITING);
        match begun {
            Err(_) if self.line.as_ref().is_none_or(|line| !line.is_good()) => {
                self.ready()?;
                self.batch(BEGIN_WRITING)
            }
            Err(error) => {
                self.abandon();
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    pub(super) fn commit(&self) -> Result<()> {
        let done = self.batch(COMMIT);
        if done.is_err() {
            self.abandon();
        }
        done
    }

    /// Ends a transaction of which nothing is to be kept, whatever state it is in.
    pub(super) fn abandon(&self) {
        if let Ok(line) = self.line()
            && line.wait(line.client.batch_execute("ROLLBACK")).is_err()
        {
            line.broken.set(true);
        }
    }

    /// Statements without values.
    pub(in crate::service::store) fn batch(&self, sql: &str) -> Result<()> {
        let line = self.line()?;
        line.wait(line.client.batch_execute(sql))
    }

    pub(super) fn prepare(&self, sql: &str) -> Result<Statement> {
        let line = self.line()?;
        if let Some(known) = line.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let types = asked_for(sql).into_iter().map(|asked| if asked { Type::UNKNOWN } else { Type::INT8 });
        let types: Vec<Type> = types.collect();
        let statement = line.wait(line.client.prepare_typed(&translated(sql), &types))?;
        line.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(super) fn execute(&self, statement: &Statement, values: &[&dyn ToSql]) -> Result<usize> {
        let line = self.line()?;
        let given = given(values, statement)?;
        let rows = line.wait(line.client.execute_raw(statement, &given))?;
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    pub(super) fn query(&self, statement: &Statement, values: &[&dyn ToSql]) -> Result<Vec<tokio_postgres::Row>> {
        use futures_util::TryStreamExt as _;
        let line = self.line()?;
        let given = given(values, statement)?;
        line.wait(async {
            let rows = line.client.query_raw(statement, &given).await?;
            rows.try_collect().await
        })
    }

    /// Rows of two numbers each, a few at a time, until `see` has enough. Part of a transaction.
    pub(super) fn walk<E: From<Error>>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        mut see: impl FnMut(i64, Option<i64>) -> std::result::Result<bool, E>,
    ) -> std::result::Result<bool, E> {
        let statement = self.prepare(&format!("DECLARE along NO SCROLL CURSOR FOR {sql}"))?;
        self.execute(&statement, values)?;
        let mut most = FETCHED.0;
        let enough = loop {
            let rows = self.fetched(most)?;
            let is_last = rows.len() < most;
            let mut enough = false;
            for (id, key) in rows {
                if see(id, key)? {
                    enough = true;
                    break;
                }
            }
            if enough || is_last {
                break enough;
            }
            most = (most * 4).min(FETCHED.1);
        };
        self.batch("CLOSE along")?;
        Ok(enough)
    }

    /// Takes rows into a table as one statement: all of them, or none.
    pub(in crate::service::store) fn copy_in(&self, table: &str, columns: &str, rows: &[Vec<Value>]) -> Result<()> {
        let statement = self.prepare(&format!("SELECT {columns} FROM {table} LIMIT 0"))?;
        let types: Vec<Type> = statement.columns().iter().map(|column| column.type_().clone()).collect();
        let given: Vec<Vec<Given<'_>>> =
            rows.iter().map(|row| row.iter().map(|value| Given::of(value)).collect()).collect::<Result<_>>()?;
        let line = self.line()?;
        line.wait(async {
            let copied = format!("COPY {table} ({columns}) FROM STDIN BINARY");
            let sink = line.client.copy_in(copied.as_str()).await?;
            let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, &types));
            for row in &given {
                writer.as_mut().write_raw(row).await?;
            }
            writer.finish().await
        })?;
        Ok(())
    }

    fn fetched(&self, most: usize) -> Result<Vec<(i64, Option<i64>)>> {
        let line = self.line()?;
        let rows = line.wait(line.client.simple_query(&format!("FETCH {most} FROM along")))?;
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<i64>().ok());
        let read = |message: SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => number(row.get(0)).map(|id| (id, number(row.get(1)))),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }
}

fn given<'a>(values: &'a [&'a dyn ToSql], statement: &Statement) -> Result<Vec<Given<'a>>> {
    let given = values.iter().map(|value| Given::of(*value)).collect::<Result<Vec<_>>>()?;
    // SQLite takes values that no place asks for.
    Ok(given.into_iter().take(statement.params().len()).collect())
}

impl Line {
    fn open(place: &DatabasePlace) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Away(format!("no connection can be made: {error}")))?;
        let tls = place.tls().map_err(|error| Error::Away(error.to_string()))?;
        let client = runtime.block_on(async {
            let (client, line) = place.config().connect(tls).await?;
            tokio::spawn(async move {
                if let Err(error) = line.await {
                    tracing::warn!(error = sentence(&error), "a connection to the database was lost");
                }
            });
            client.batch_execute(SETTINGS).await?;
            Ok::<_, tokio_postgres::Error>(client)
        })?;
        Ok(Self { client, statements: RefCell::default(), broken: Cell::new(false), runtime })
    }

    /// Whether it can be used still. What came in while nobody waited is looked at.
    fn is_good(&self) -> bool {
        self.runtime.block_on(tokio::task::yield_now());
        !self.broken.get() && !self.client.is_closed()
    }

    fn wait<T>(&self, asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        let answered = self.runtime.block_on(async { tokio::time::timeout(SILENCE, asked).await });
        match answered {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                // A server that is no longer the one that writes is not asked again on this line.
                if error.code().is_none_or(is_over) {
                    self.broken.set(true);
                }
                Err(error.into())
            }
            Err(_) => {
                self.broken.set(true);
                Err(Error::Away("the database doesn't answer".to_owned()))
            }
        }
    }
}

fn is_over(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION || code.code().starts_with("57P") || code.code().starts_with("08")
}

/// Why PostgreSQL can't be asked at the moment, where that is what happened.
pub(in crate::service::store) fn unavailable(error: &tokio_postgres::Error) -> Option<&'static str> {
    let Some(code) = error.code() else {
        // What was not even sent is a fault of the program; everything else is the line.
        let is_fault = error.source().is_some_and(<dyn std::error::Error>::is::<super::FromSqlError>);
        return if is_fault { None } else { Some(AWAY) };
    };
    match code.code() {
        "53100" => Some("The service's disk is full."),
        "40001" | "40P01" | "55P03" | "57014" | "25P03" | "53300" => Some(BUSY),
        "25006" | "28P01" | "28000" | "3D000" => Some(AWAY),
        code if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Some(AWAY),
        _ => None,
    }
}
