//! A connection to PostgreSQL. It belongs to one thread, which waits for it: the runtime that carries it runs only while
//! something is asked, so an idle service sleeps.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::types::{ToSql, Value};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Connection, Row, SimpleQueryMessage, Socket};
use uuid::Uuid;

use super::dialect::{asked_for, translated};
pub(super) use super::refusals::{is_over, may_go_again, sentence, unavailable};
use super::tls::Tls;
use super::values::Given;
use super::{DatabasePlace, Error, Result};
use crate::service::timing;

/// All of it sees one moment.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '5s'";
/// Whoever writes waits for its turn first, and no longer than it may. What it reads then is what the one before it left, and
/// stays so. With its turn it is told what time it is.
fn begin_writing(within: Duration) -> String {
    let (within, others) = (within.as_millis().max(1), TURN.as_secs());
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '{within}ms'; SELECT one FROM turn FOR UPDATE;
         SET LOCAL lock_timeout = '{others}s'; SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    )
}
/// A cancelled wait for a standby would show what a failover then loses.
const COMMIT: &str = "SET LOCAL statement_timeout = 0; COMMIT";
/// How long to look for what became of a transaction whose end was not answered.
const LOOKED_FOR: Duration = Duration::from_secs(40);
/// Between two attempts at that.
const BETWEEN: Duration = Duration::from_millis(100);
/// A line that was idle for so long is tried before it is used.
const TRIED_AFTER: Duration = Duration::from_millis(100);
/// How long it may take to answer whether it is there still.
const TRIED_FOR: Duration = Duration::from_secs(3);
/// How long a change waits for those of others before it is refused, and anything for a connection.
pub(in crate::service) const TURN: Duration = Duration::from_secs(5);
/// What holds for a connection: nothing waits for ever, and a process that stalls lets others have their turn. The
/// service writes times and numbers itself, so the server's settings of both don't matter.
fn settings(set: &str) -> String {
    let turn = format!("lock_timeout = '{}s'", TURN.as_secs());
    let of = ["statement_timeout = '15s'", &turn, "idle_in_transaction_session_timeout = '15s'"];
    let of = of.into_iter().chain(["standard_conforming_strings = on"]);
    of.map(|setting| format!("{set} {setting}")).collect::<Vec<_>>().join("; ")
}

/// Rows of a walk fetched at first, and at most.
const FETCHED: (usize, usize) = (64, 4096);
/// How long an answer may take beside the server's own limits, before the line counts as lost.
const SILENCE: Duration = Duration::from_secs(60);

/// One connection, made when it is needed and again where it was lost.
pub(in crate::service::store) struct Session {
    place: DatabasePlace,
    line: Option<Line>,
    /// What the transaction that is open leaves behind when it ends, so that its end can be looked up.
    mark: RefCell<Option<String>>,
    /// How long it may wait for its turn.
    within: Cell<Duration>,
}

/// A statement, ready to be asked.
#[derive(Clone)]
pub(super) struct Statement {
    text: Text,
    /// How many values it asks for.
    places: usize,
    /// Whether it only reads.
    reads: bool,
}

#[derive(Clone)]
enum Text {
    /// The server knows it by a name, on this connection.
    Prepared(tokio_postgres::Statement),
    /// It is sent each time: who carries it may be another connection of the server's each time.
    Sent(Arc<str>),
}

struct Line {
    client: Client,
    statements: RefCell<HashMap<String, Statement>>,
    /// Whether they are prepared on the server.
    prepares: bool,
    /// Set where the line must not be used again.
    broken: Cell<bool>,
    /// When it was last answered.
    answered: Cell<Instant>,
    /// How long an answer may take.
    silence: Cell<Duration>,
    // Last: the client goes before what carries it.
    runtime: Runtime,
}

impl Session {
    /// A connection that is not made yet.
    pub(in crate::service::store) fn new(place: DatabasePlace) -> Self {
        Self { place, line: None, mark: RefCell::default(), within: Cell::new(TURN) }
    }

    /// From now on it may wait for its turn for so long.
    pub(super) fn take_turns_within(&self, most: Option<Duration>) {
        self.within.set(most.unwrap_or(TURN));
    }

    /// From now on, on this line, an answer may take as long as it takes (or no longer). A server that is gone is noticed still.
    pub(in crate::service::store) fn waits_long(&self, long: bool) {
        if let Some(line) = &self.line {
            line.silence.set(if long { Duration::MAX } else { SILENCE });
        }
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
        self.mark.replace(Some(Uuid::new_v4().simple().to_string()));
        match self.took_its_turn() {
            Err(_) if self.is_lost() => {
                self.ready()?;
                self.took_its_turn()
            }
            Err(error) => {
                self.abandon();
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    /// How a transaction begins where the settings of a connection don't last.
    fn begin(&self, begin: &str) -> String {
        if self.place.prepares() {
            return begin.to_owned();
        }
        match begin.split_once(';') {
            Some((first, rest)) => format!("{first}; {}; {rest}", settings("SET LOCAL")),
            None => format!("{begin}; {}", settings("SET LOCAL")),
        }
    }

    /// Begins a transaction that reads; where the line turns out to be lost, on a new one.
    pub(super) fn begin_reading(&mut self) -> Result<()> {
        self.mark.replace(None);
        let asked = self.begin(BEGIN_READING);
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
        if let Some(time) = numbers(told).last().flatten() {
            timing::is_now(time);
        }
        Ok(())
    }

    fn is_lost(&self) -> bool {
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
        match self.batch(&format!("INSERT INTO ended (mark, at) VALUES ('{mark}', {seconds}); {COMMIT}")) {
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
            line.broken.set(true);
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
        let sent = translated(sql);
        let (places, reads) = (types.len(), sent.trim_start().starts_with("SELECT"));
        let text = if line.prepares {
            Text::Prepared(line.wait(line.client.prepare_typed(&sent, &types))?)
        } else {
            Text::Sent(sent.into())
        };
        let statement = Statement { text, places, reads };
        line.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
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
            Text::Sent(sql) => line.wait(line.client.query_typed(sql, &typed(&given))),
        }
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

    fn fetched(&self, most: usize) -> Result<Vec<(i64, Option<i64>)>> {
        let line = self.line()?;
        let rows = line.wait(line.client.simple_query(&format!("FETCH {most} FROM along")))?;
        let read = |message: SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => number(row.get(0)).map(|id| (id, number(row.get(1)))),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }
}

fn number(text: Option<&str>) -> Option<i64> {
    text.and_then(|text| text.parse().ok())
}

/// The first column of each row, where it is a number.
fn numbers(messages: Vec<SimpleQueryMessage>) -> impl Iterator<Item = Option<i64>> {
    messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(number(row.get(0))),
        _ => None,
    })
}

fn given<'a>(values: &'a [&'a dyn ToSql], statement: &Statement) -> Result<Vec<Given<'a>>> {
    // SQLite takes values that no place asks for.
    values.iter().take(statement.places).map(|value| Given::of(*value, statement.reads)).collect()
}

/// The values with their own types, where the server was not asked which it takes.
fn typed<'a>(given: &'a [Given<'_>]) -> Vec<(&'a (dyn tokio_postgres::types::ToSql + Sync), Type)> {
    given.iter().map(|value| (value as &(dyn tokio_postgres::types::ToSql + Sync), value.own_type())).collect()
}

impl Line {
    fn open(place: &DatabasePlace) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Away(format!("no connection can be made: {error}")))?;
        let tls = place.tls().map_err(|error| Error::Away(error.to_string()))?;
        let client = runtime.block_on(async {
            let (client, line) = connected(place, &tls).await?;
            tokio::spawn(async move {
                if let Err(error) = line.await {
                    tracing::warn!(error = sentence(&error), "a connection to the database was lost");
                }
            });
            if place.prepares() {
                client.batch_execute(&settings("SET")).await?;
            }
            Ok::<_, Error>(client)
        })?;
        let answered = Cell::new(Instant::now());
        let (statements, broken, prepares) = (RefCell::default(), Cell::new(false), place.prepares());
        let silence = Cell::new(SILENCE);
        Ok(Self { client, statements, prepares, broken, answered, silence, runtime })
    }

    fn is_lost(&self) -> bool {
        self.broken.get() || self.client.is_closed()
    }

    /// Whether it can be used still. One that was idle is asked: nobody waited for what came in meanwhile.
    fn is_good(&self) -> bool {
        let is_fresh = self.answered.get().elapsed() < TRIED_AFTER;
        !self.is_lost() && (is_fresh || self.wait_for(TRIED_FOR, self.client.batch_execute("")).is_ok())
    }

    /// Whether the transaction with this mark was kept. It is asked after that one is over: its turn is waited for.
    fn has(&self, mark: &str) -> Result<bool> {
        // Whatever the database's own level is, what is read after the wait is what the one before left.
        self.wait(self.client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT one FROM turn FOR UPDATE"))?;
        let found = self.wait(self.client.simple_query(&format!("SELECT 1 FROM ended WHERE mark = '{mark}'")))?;
        Ok(numbers(found).next().is_some())
    }

    fn wait<T>(&self, asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        self.wait_for(self.silence.get(), asked)
    }

    fn wait_for<T>(
        &self,
        most: Duration,
        asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let answered = self.runtime.block_on(async { tokio::time::timeout(most, asked).await });
        match answered {
            Ok(Ok(answer)) => {
                self.answered.set(Instant::now());
                Ok(answer)
            }
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

/// A connection to the first host that takes one, in their order behind the one that did last: a host that is silent takes none
/// of the others' time.
async fn connected(
    place: &DatabasePlace,
    tls: &Tls,
) -> Result<(Client, Connection<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>)> {
    let mut why = Error::Away("the database doesn't answer".to_owned());
    for (nth, config) in place.hosts() {
        // A name may stand for two addresses, and who is reached may say nothing.
        let most = config.get_connect_timeout().map_or(SILENCE, |each| *each * 2);
        match tokio::time::timeout(most, config.connect(tls.clone())).await {
            Ok(Ok(made)) => {
                place.took(nth);
                return Ok(made);
            }
            Ok(Err(error)) => why = error.into(),
            Err(_) => why = Error::Away("the database doesn't answer".to_owned()),
        }
    }
    Err(why)
}
