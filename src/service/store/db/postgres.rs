//! A connection to PostgreSQL. It belongs to one thread, which waits for it: the runtime that carries it runs only while
//! something is asked, so an idle service sleeps.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use rusqlite::types::{ToSql, Value};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, SimpleQueryMessage};
use uuid::Uuid;

use super::dialect::{asked_for, translated};
use super::line::{Line, STATEMENT, Statement, TURN, Text, number, settings};
use super::mark::Mark;
pub(super) use super::refusals::{may_go_again, unavailable};
use super::values::Given;
use super::{DatabasePlace, Error, Result};
use crate::service::timing;

/// All of it sees one moment.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '5s'";
/// Whoever writes waits for its turn first, and no longer than it may. What it reads then is what the one before it left, and
/// stays so. With its turn it is told what time it is, and whether the workspace was moved away before, or is being moved
/// here.
fn begin_writing(within: Duration) -> String {
    // A long wait is no slow statement.
    let (waits, works) = if within > STATEMENT {
        let limit = |limit: Duration| format!("SET LOCAL statement_timeout = '{}ms'; ", limit.as_millis());
        (limit(within), limit(STATEMENT))
    } else {
        (String::new(), String::new())
    };
    let (within, others, mark) = (within.as_millis().max(1), TURN.as_secs(), Mark::ASKED);
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; {waits}SET LOCAL lock_timeout = '{within}ms'; SELECT one FROM turn FOR UPDATE;
         {works}SET LOCAL lock_timeout = '{others}s'; SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
         ({mark})"
    )
}
/// A cancelled wait for a standby would show what a failover then loses.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";
/// How long to look for what became of a transaction whose end was not answered.
const LOOKED_FOR: Duration = Duration::from_secs(40);
/// Between two attempts at that.
const BETWEEN: Duration = Duration::from_millis(100);

/// One connection, made when it is needed and again where it was lost.
pub(in crate::service::store) struct Session {
    place: DatabasePlace,
    line: Option<Line>,
    /// What the transaction that is open leaves behind when it ends, so that its end can be looked up.
    mark: RefCell<Option<String>>,
    /// How long it may wait for its turn.
    within: Cell<Duration>,
    /// Whether it is a move's, which may write into what has a mark.
    moves: bool,
}

impl Session {
    /// A connection that is not made yet.
    pub(in crate::service::store) fn new(place: DatabasePlace) -> Self {
        Self { place, line: None, mark: RefCell::default(), within: Cell::new(TURN), moves: false }
    }

    /// The same for a move.
    pub(in crate::service::store) fn of_a_move(place: DatabasePlace) -> Self {
        Self { moves: true, ..Self::new(place) }
    }

    /// From now on it may wait for its turn for so long.
    pub(super) fn take_turns_within(&self, most: Option<Duration>) {
        self.within.set(most.unwrap_or(TURN));
    }

    /// How often the server was asked something and waited for, by all connections to it. What is asked together counts once,
    /// and what a connection does at its beginning doesn't.
    #[cfg(test)]
    pub(in crate::service::store) fn trips(&self) -> u64 {
        self.place.trips().load(std::sync::atomic::Ordering::Relaxed)
    }

    /// From now on, on this line, an answer may take as long as it takes (or no longer). A server that is gone is noticed still.
    pub(in crate::service::store) fn waits_long(&self, long: bool) {
        if let Some(line) = &self.line {
            line.waits_long(long);
        }
    }

    pub(super) fn line(&self) -> Result<&Line> {
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
        self.mark.replace(Some(Uuid::new_v4().simple().to_string()));
        let mut taken = self.took_its_turn();
        if taken.is_err() && self.is_lost() {
            self.ready()?;
            taken = self.took_its_turn();
        }
        if taken.is_err() {
            self.abandon();
        }
        taken
    }

    /// How a transaction begins where the settings of a connection don't last.
    fn begin(&self, begin: &str) -> String {
        #[cfg(test)]
        let begin = self.place.naively(begin.to_owned());
        #[cfg(test)]
        let begin = begin.as_str();
        if self.place.prepares() {
            return begin.to_owned();
        }
        match begin.split_once(';') {
            Some((first, rest)) => format!("{first}; {}; {rest}", settings("SET LOCAL")),
            None => format!("{begin}; {}", settings("SET LOCAL")),
        }
    }

    /// What a transaction that reads begins with, which leaves no mark.
    pub(super) fn begins_reading(&self) -> String {
        self.mark.replace(None);
        self.begin(BEGIN_READING)
    }

    /// Begins a transaction that reads; where the line turns out to be lost, on a new one.
    pub(super) fn begin_reading(&mut self) -> Result<()> {
        let asked = self.begins_reading();
        match self.batch(&asked) {
            Err(_) if self.is_lost() => {
                self.ready()?;
                self.batch(&asked)
            }
            done => done,
        }
    }

    fn took_its_turn(&self) -> Result<()> {
        let line = self.line()?;
        let told = line.wait(line.client.simple_query(&self.begin(&begin_writing(self.within.get()))))?;
        let told = told.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let mark = told.and_then(|told| told.get(1)).and_then(Mark::named);
        if let Some(mark) = mark.filter(|_| !self.moves) {
            return Err(Error::Away(mark.why().to_owned()));
        }
        if let Some(time) = told.and_then(|told| number(told.get(0))) {
            timing::is_now(time);
        }
        Ok(())
    }

    pub(super) fn is_lost(&self) -> bool {
        self.line.as_ref().is_none_or(Line::is_lost)
    }

    /// The end of the transaction that is open is not waited for until it is on a disk, nor looked up.
    pub(super) fn lightly(&self) -> Result<()> {
        self.mark.replace(None);
        self.batch("SET LOCAL synchronous_commit = off")
    }

    pub(super) fn commit(&self) -> Result<()> {
        let Some(mark) = self.mark.take() else {
            return self.batch(COMMIT).inspect_err(|_| self.abandon());
        };
        // The mark is a number in hexadecimal digits.
        let seconds = "floor(extract(epoch FROM now()))::bigint";
        let warnings = self.line()?.warnings();
        match self.batch(&format!("INSERT INTO ended (mark, at) VALUES ('{mark}', {seconds}); {COMMIT}")) {
            // It waited for a standby no longer: another server may come to be the one that has the truth.
            Ok(()) if self.line()?.warnings() != warnings => Err(Error::Unknown),
            Ok(()) => Ok(()),
            Err(error) if self.is_lost() => self.looked_up(&mark, &error),
            Err(error) => {
                self.abandon();
                Err(error)
            }
        }
    }

    /// What became of a transaction whose end was not answered.
    fn looked_up(&self, mark: &str, error: &Error) -> Result<()> {
        tracing::warn!(%error, "the end of a transaction was not answered; it is looked up");
        let begun = Instant::now();
        loop {
            match Line::open(&self.place).and_then(|line| line.has(mark)) {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(Error::Undone),
                Err(error) if error.unavailable().is_some() && begun.elapsed() < LOOKED_FOR => {
                    std::thread::sleep(BETWEEN);
                }
                Err(_) => return Err(Error::Unknown),
            }
        }
    }

    /// Ends a transaction of which nothing is to be kept, whatever state it is in.
    pub(super) fn abandon(&self) {
        if let Ok(line) = self.line()
            && !line.is_lost()
            && line.wait(line.client.batch_execute("ROLLBACK")).is_err()
        {
            line.give_up();
        }
    }

    /// The first text of an answer to a statement without values.
    pub(super) fn said(&self, sql: &str) -> Result<Option<String>> {
        let line = self.line()?;
        let said = line.wait(line.client.simple_query(sql))?;
        Ok(said.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// Whether the server takes a write, of which nothing is kept. Nobody's turn is waited for.
    pub(in crate::service::store) fn takes_writes(&self) -> Result<()> {
        let mark = Uuid::new_v4().simple();
        let asked = format!("BEGIN; INSERT INTO ended (mark, at) VALUES ('{mark}', 0); ROLLBACK");
        self.batch(&asked).inspect_err(|_| self.abandon())
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
        self.prepare_as(sql, &types)
    }

    /// The same with the types of the values.
    pub(super) fn prepare_as(&self, sql: &str, types: &[Type]) -> Result<Statement> {
        let line = self.line()?;
        if let Some(known) = line.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let sent = translated(sql);
        #[cfg(test)]
        let sent = self.place.naively(sent);
        let (places, reads) = (types.len(), sent.trim_start().starts_with("SELECT"));
        let text = if line.prepares { Text::Prepared(line.prepare(&sent, types)?) } else { Text::Sent(sent.into()) };
        let statement = Statement { text, places, reads };
        line.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Waits for what is asked: outside of a transaction that writes no longer than it may take to read.
    pub(super) fn waited<T>(
        &self,
        line: &Line,
        asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        if self.mark.borrow().is_some() { line.wait(asked) } else { line.wait_reading(asked) }
    }

    /// A statement that the server reads and plans each time.
    pub(super) fn sent(sql: &str, places: usize) -> Statement {
        Statement { text: Text::Sent(translated(sql).into()), places, reads: true }
    }

    pub(super) fn execute(&self, statement: &Statement, values: &[&dyn ToSql]) -> Result<usize> {
        let line = self.line()?;
        let given = given(values, statement)?;
        let rows = match &statement.text {
            Text::Prepared(statement) => line.wait(line.client.execute_raw(statement, &given))?,
            Text::Sent(sql) => line.wait(line.client.execute_typed(sql, &typed(&given)))?,
        };
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    pub(super) fn query(&self, statement: &Statement, values: &[&dyn ToSql]) -> Result<Vec<Row>> {
        use futures_util::TryStreamExt as _;
        let line = self.line()?;
        let given = given(values, statement)?;
        match &statement.text {
            Text::Prepared(statement) => line.wait(async {
                let rows = line.client.query_raw(statement, &given).await?;
                rows.try_collect().await
            }),
            Text::Sent(sql) => self.waited(line, line.client.query_typed(sql, &typed(&given))),
        }
    }

    /// Takes rows into a table as one statement: all of them, or none.
    pub(in crate::service::store) fn copy_in(&self, table: &str, columns: &str, rows: &[Vec<Value>]) -> Result<()> {
        let line = self.line()?;
        let row = line.wait(line.client.prepare(&format!("SELECT {columns} FROM {table} LIMIT 0")))?;
        let types: Vec<Type> = row.columns().iter().map(|column| column.type_().clone()).collect();
        let given: Vec<Vec<Given<'_>>> =
            rows.iter().map(|row| row.iter().map(|value| Given::of(value, false)).collect()).collect::<Result<_>>()?;
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
}

fn given<'a>(values: &'a [&'a dyn ToSql], statement: &Statement) -> Result<Vec<Given<'a>>> {
    // SQLite takes values that no place asks for.
    values.iter().take(statement.places).map(|value| Given::of(*value, statement.reads)).collect()
}

/// The values with their own types, where the server was not asked which it takes.
fn typed<'a>(given: &'a [Given<'_>]) -> Vec<(&'a (dyn tokio_postgres::types::ToSql + Sync), Type)> {
    given.iter().map(|value| (value as &(dyn tokio_postgres::types::ToSql + Sync), value.own_type())).collect()
}
