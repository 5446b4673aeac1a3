//! The line to a server of PostgreSQL: what carries a connection, and how long it waits for an answer.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio::runtime::Runtime;
use tokio_postgres::error::Severity;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client, Connection, SimpleQueryMessage, Socket};

use super::refusals::{is_over, sentence};
use super::tls::Tls;
use super::{DatabasePlace, Error, Result};

/// A line that was idle for so long is tried before it is used.
const TRIED_AFTER: Duration = Duration::from_millis(100);
/// How long it may take to answer whether it is there still.
const TRIED_FOR: Duration = Duration::from_secs(3);
/// How long an answer may take beside the server's own limits, before the line counts as lost.
const SILENCE: Duration = Duration::from_secs(60);
/// The same for what reads, where the server has no limits: behind a pooler they hold for a transaction, and it needs none.
const READING: Duration = Duration::from_secs(15);
/// How long the server works on a statement before it gives it up.
pub(super) const STATEMENT: Duration = Duration::from_secs(15);
/// How long a change waits for those of others before it is refused, and anything for a connection.
pub(in crate::service) const TURN: Duration = Duration::from_secs(5);

/// What holds for a connection: nothing waits for ever, and a process that stalls lets others have their turn. The
/// service writes times and numbers itself, so the server's settings of both don't matter.
pub(super) fn settings(set: &str) -> String {
    let statement = format!("statement_timeout = '{}s'", STATEMENT.as_secs());
    let turn = format!("lock_timeout = '{}s'", TURN.as_secs());
    let of = [statement.as_str(), &turn, "idle_in_transaction_session_timeout = '15s'"];
    let of = of.into_iter().chain(["standard_conforming_strings = on"]);
    of.map(|setting| format!("{set} {setting}")).collect::<Vec<_>>().join("; ")
}

/// A statement, ready to be asked.
#[derive(Clone)]
pub(super) struct Statement {
    pub(super) text: Text,
    /// How many values it asks for.
    pub(super) places: usize,
    /// Whether it only reads.
    pub(super) reads: bool,
}

#[derive(Clone)]
pub(super) enum Text {
    /// The server knows it by a name, on this connection.
    Prepared(tokio_postgres::Statement),
    /// It is sent each time: who carries it may be another connection of the server's each time.
    Sent(Arc<str>),
}

/// A line to the server that is open.
pub(super) struct Line {
    pub(super) client: Client,
    pub(super) statements: RefCell<HashMap<String, Statement>>,
    /// Whether they are prepared on the server.
    pub(super) prepares: bool,
    /// How often the server was asked something and waited for, by all lines to it.
    trips: Arc<AtomicU64>,
    /// How often the server warned.
    warned: Arc<AtomicU64>,
    /// Set where the line must not be used again.
    broken: Cell<bool>,
    /// When it was last answered.
    answered: Cell<Instant>,
    /// How long an answer may take.
    silence: Cell<Duration>,
    // Last: the client goes before what carries it.
    runtime: Runtime,
}

impl Line {
    pub(super) fn open(place: &DatabasePlace) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Away(format!("no connection can be made: {error}")))?;
        let tls = place.tls().map_err(|error| Error::Away(error.to_string()))?;
        let warned = Arc::new(AtomicU64::new(0));
        let client = runtime.block_on(async {
            let (client, line) = connected(place, &tls).await?;
            tokio::spawn(carry(line, Arc::clone(&warned)).boxed());
            if place.prepares() {
                client.batch_execute(&settings("SET")).await?;
            }
            Ok::<_, Error>(client)
        })?;
        let answered = Cell::new(Instant::now());
        let (statements, broken, prepares) = (RefCell::default(), Cell::new(false), place.prepares());
        let (silence, trips) = (Cell::new(SILENCE), place.trips());
        Ok(Self { client, statements, prepares, trips, warned, broken, answered, silence, runtime })
    }

    /// From now on an answer may take as long as it takes, or no longer.
    pub(super) fn waits_long(&self, long: bool) {
        self.silence.set(if long { Duration::MAX } else { SILENCE });
    }

    /// How often the server has warned: it does so before its answer.
    pub(super) fn warnings(&self) -> u64 {
        self.warned.load(Ordering::Relaxed)
    }

    /// Doesn't use it any more.
    pub(super) fn give_up(&self) {
        self.broken.set(true);
    }

    pub(super) fn is_lost(&self) -> bool {
        self.broken.get() || self.client.is_closed()
    }

    /// Whether it can be used still. One that was idle is asked: nobody waited for what came in meanwhile.
    pub(super) fn is_good(&self) -> bool {
        let is_fresh = self.answered.get().elapsed() < TRIED_AFTER;
        !self.is_lost() && (is_fresh || self.wait_for(TRIED_FOR, self.client.batch_execute("")).is_ok())
    }

    /// Whether the transaction with this mark was kept. It is asked after that one is over: its turn is waited for.
    pub(super) fn has(&self, mark: &str) -> Result<bool> {
        // Whatever the database's own level is, what is read after the wait is what the one before left.
        self.wait(self.client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT one FROM turn FOR UPDATE"))?;
        let found = self.wait(self.client.simple_query(&format!("SELECT 1 FROM ended WHERE mark = '{mark}'")))?;
        Ok(numbers(found).next().is_some())
    }

    pub(super) fn wait<T>(
        &self,
        asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        self.trips.fetch_add(1, Ordering::Relaxed);
        self.wait_for(self.silence.get(), asked)
    }

    /// The same for a statement that reads and may be alone.
    pub(super) fn wait_reading<T>(
        &self,
        asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        if self.prepares {
            return self.wait(asked);
        }
        self.trips.fetch_add(1, Ordering::Relaxed);
        let is_long = self.silence.get() > SILENCE;
        self.wait_for(if is_long { self.silence.get() } else { READING }, asked)
    }

    /// Has the server know a statement by a name. That is done once for a line, so it doesn't count.
    pub(super) fn prepare(&self, sql: &str, types: &[Type]) -> Result<tokio_postgres::Statement> {
        self.wait_for(self.silence.get(), self.client.prepare_typed(sql, types))
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

/// Carries what is asked and answered, and counts the server's warnings.
async fn carry(mut line: Connection<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>, warned: Arc<AtomicU64>) {
    loop {
        match poll_fn(|context| line.poll_message(context)).await {
            None => return,
            Some(Ok(AsyncMessage::Notice(notice))) if notice.parsed_severity() == Some(Severity::Warning) => {
                tracing::warn!(code = notice.code().code(), message = notice.message(), "the database warns");
                warned.fetch_add(1, Ordering::Relaxed);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::warn!(error = sentence(&error), "a connection to the database was lost");
                return;
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

/// A number that the server wrote as text.
pub(super) fn number(text: Option<&str>) -> Option<i64> {
    text.and_then(|text| text.parse().ok())
}

/// The first column of each row, where it is a number.
fn numbers(messages: Vec<SimpleQueryMessage>) -> impl Iterator<Item = Option<i64>> {
    messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(number(row.get(0))),
        _ => None,
    })
}
