//! What only PostgreSQL is asked in, where pages are read and catalogs are written: lists as values, so that one statement
//! brings or takes what SQLite is asked for or given row by row, and what belongs together in one trip to the server and back.

use std::borrow::Cow;

use futures_util::TryStreamExt as _;
use futures_util::future::{try_join_all, try_join3};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::line::{Line, Statement, Text};
use super::postgres::Session;
use super::values::askable;
use super::{Connection, Inner, Result, Row, Transaction};

/// A value of a statement that is asked in this way.
#[derive(Debug, Clone, Copy)]
pub(in crate::service::store) enum Listed<'a> {
    /// A number.
    Number(i64),
    /// A text.
    Text(&'a str),
    /// Numbers, as one value.
    Numbers(&'a [i64]),
    /// Numbers, as one value, of which some may be missing.
    Options(&'a [Option<i64>]),
    /// Texts to look for, as one value.
    Texts(&'a [Cow<'a, str>]),
    /// Texts to be stored, as one value, of which some may be missing. The server refuses those that it can't store.
    Stored(&'a [Option<&'a str>]),
    /// Bytes, as one value.
    Blobs(&'a [Vec<u8>]),
    /// Hashes, as one value.
    Hashes(&'a [[u8; 32]]),
}

impl Listed<'_> {
    fn own_type(self) -> Type {
        match self {
            Self::Number(_) => Type::INT8,
            Self::Text(_) => Type::TEXT,
            Self::Numbers(_) | Self::Options(_) => Type::INT8_ARRAY,
            Self::Texts(_) | Self::Stored(_) => Type::TEXT_ARRAY,
            Self::Blobs(_) | Self::Hashes(_) => Type::BYTEA_ARRAY,
        }
    }
}

impl ToSql for Listed<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut bytes::BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Number(number) => number.to_sql(ty, out),
            Self::Text(text) => askable(text).to_sql(ty, out),
            Self::Numbers(numbers) => numbers.to_sql(ty, out),
            Self::Options(numbers) => numbers.to_sql(ty, out),
            Self::Texts(texts) if texts.iter().any(|text| text.contains('\0')) => {
                texts.iter().map(|text| askable(text)).collect::<Vec<_>>().to_sql(ty, out)
            }
            Self::Texts(texts) => texts.to_sql(ty, out),
            Self::Stored(texts) => texts.to_sql(ty, out),
            Self::Blobs(blobs) => blobs.to_sql(ty, out),
            Self::Hashes(hashes) => hashes.iter().map(<[u8; 32]>::as_slice).collect::<Vec<_>>().to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

type Asked<T> = std::result::Result<T, tokio_postgres::Error>;

/// Sends a statement with its values, and waits for the rows.
async fn asked(line: &Line, statement: &Statement, values: &[Listed<'_>]) -> Asked<Vec<tokio_postgres::Row>> {
    match &statement.text {
        Text::Prepared(statement) => line.client.query_raw(statement, values).await?.try_collect().await,
        Text::Sent(sql) => {
            let typed = values.iter().map(|value| (value as &(dyn ToSql + Sync), value.own_type()));
            line.client.query_typed(sql, &typed.collect::<Vec<_>>()).await
        }
    }
}

/// Sends what has no answer, where there is anything.
async fn said(line: &Line, sql: Option<&str>) -> Asked<()> {
    match sql {
        Some(sql) => line.client.batch_execute(sql).await,
        None => Ok(()),
    }
}

/// A statement with its values.
#[derive(Debug, Clone, Copy)]
pub(in crate::service::store) struct Question<'a> {
    pub(in crate::service::store) sql: &'a str,
    pub(in crate::service::store) values: &'a [Listed<'a>],
    /// Whether the server plans it for these values each time, because no plan is good for all of them.
    pub(in crate::service::store) is_planned: bool,
}

impl<'a> Question<'a> {
    /// One whose plan doesn't hang on its values.
    pub(in crate::service::store) fn new(sql: &'a str, values: &'a [Listed<'a>]) -> Self {
        Self { sql, values, is_planned: false }
    }
}

impl Session {
    /// Asks some questions, with what is said before and after them: each is on its way before the one before it is answered.
    fn trip(
        &self,
        before: Option<&str>,
        questions: &[Question<'_>],
        after: Option<&str>,
    ) -> Result<Vec<Vec<Row<'static>>>> {
        let mut statements = Vec::with_capacity(questions.len());
        for Question { sql, values, is_planned } in questions {
            let types: Vec<Type> = values.iter().map(|value| value.own_type()).collect();
            statements.push(if *is_planned { Self::sent(sql, types.len()) } else { self.prepare_as(sql, &types)? });
        }
        let line = self.line()?;
        let all = statements.iter().zip(questions).map(|(statement, question)| asked(line, statement, question.values));
        let together = try_join3(said(line, before), try_join_all(all), said(line, after));
        let ((), answers, ()) = self.waited(line, together)?;
        Ok(answers.into_iter().map(|rows| rows.into_iter().map(Row::Postgres).collect()).collect())
    }

    /// The rows of each question, all of them asked together.
    pub(in crate::service::store) fn answers(&self, questions: &[Question<'_>]) -> Result<Vec<Vec<Row<'static>>>> {
        self.trip(None, questions, None)
    }

    /// The rows of a question.
    pub(in crate::service::store) fn rows(&self, question: Question<'_>) -> Result<Vec<Row<'static>>> {
        Ok(self.trip(None, &[question], None)?.pop().unwrap_or_default())
    }

    fn begun_with(&self, question: Question<'_>) -> Result<Vec<Row<'static>>> {
        let answers = self.trip(Some(&self.begins_reading()), &[question], None);
        Ok(answers.inspect_err(|_| self.abandon())?.pop().unwrap_or_default())
    }
}

impl Connection {
    /// Begins a transaction that reads, and asks its first question in the same trip. On PostgreSQL; where the line turns out
    /// to be lost, on a new one.
    pub(in crate::service::store) fn transaction_with(
        &mut self,
        question: Question<'_>,
    ) -> Result<(Transaction<'_>, Vec<Row<'static>>)> {
        let Inner::Postgres(session) = &mut self.0 else { return Ok((self.transaction()?, Vec::new())) };
        let rows = match session.begun_with(question) {
            Err(_) if session.is_lost() => {
                session.ready()?;
                session.begun_with(question)
            }
            done => done,
        }?;
        Ok((Transaction { connection: self, open: true }, rows))
    }
}

impl Transaction<'_> {
    /// Asks the last question of a transaction that only reads, and ends it in the same trip. On PostgreSQL.
    pub(in crate::service::store) fn last_rows(mut self, question: Question<'_>) -> Result<Vec<Row<'static>>> {
        let Inner::Postgres(session) = &self.connection.0 else { return Ok(Vec::new()) };
        let mut answers = session.trip(None, &[question], Some("COMMIT"))?;
        self.open = false;
        Ok(answers.pop().unwrap_or_default())
    }
}
