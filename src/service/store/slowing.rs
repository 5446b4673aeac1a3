//! Who fails or asks too often, where several processes share a database: what one of them counted holds for all.

use super::db::{self, OptionalExtension as _, params};
use super::{Store, StoreError};
use crate::service::timing;

/// How often somebody failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// In a row.
    pub times: u32,
    /// When they did last, milliseconds since 1970.
    pub last: i64,
}

/// What is longer ago than this is forgotten, milliseconds.
pub const FORGOTTEN: i64 = 15 * 60 * 1000;

impl Failed {
    /// These failures and one more, which happened now.
    #[must_use]
    pub fn again(of: Option<Self>, now: i64) -> Self {
        let times = of.filter(|failed| failed.counts(now)).map_or(0, |failed| failed.times);
        Self { times: times.saturating_add(1), last: now }
    }

    /// Whether it counts still: of what seems to be long after now a clock was wrong.
    #[must_use]
    pub fn counts(&self, now: i64) -> bool {
        self.last.abs_diff(now) < FORGOTTEN.unsigned_abs()
    }
}

impl Store {
    /// How often a sender failed at something.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn failed(&self, kind: &'static str, sender: String) -> Result<Option<Failed>, StoreError> {
        const FIND: &str = "SELECT times, at FROM slowing WHERE kind = ?1 AND sender = ?2";
        self.readers
            .run(move |connection| {
                let read = |row: &db::Row<'_>| Ok(Failed { times: row.get(0)?, last: row.get(1)? });
                Ok(connection.prepare_cached(FIND)?.query_row([kind, &sender], read).optional()?)
            })
            .await
    }

    /// Notes that a sender failed at something. It is no loss where that is lost with the server: each process counts by itself,
    /// too.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn note_failed(&self, kind: &'static str, sender: String) -> Result<(), StoreError> {
        const NOTE: &str = "INSERT INTO slowing (kind, sender, times, at) VALUES (?1, ?2, 1, ?3)
            ON CONFLICT (kind, sender) DO UPDATE SET at = excluded.at,
            times = CASE WHEN slowing.at > ?4 AND slowing.at < ?5 THEN slowing.times + 1 ELSE 1 END";
        self.write_lightly(move |transaction| {
            let now = timing::now();
            transaction.execute(NOTE, params![kind, sender, now, now - FORGOTTEN, now + FORGOTTEN])?;
            Ok(())
        })
        .await
    }

    /// Takes one of what a sender may ask for: each takes `refill` to come back, and so much may be taken ahead, both in
    /// milliseconds. Where none is left, says how long to wait.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn take_of(
        &self,
        kind: &'static str,
        sender: String,
        (refill, ahead): (i64, i64),
    ) -> Result<Result<(), i64>, StoreError> {
        const FIND: &str = "SELECT at FROM slowing WHERE kind = ?1 AND sender = ?2";
        const KEEP: &str = "INSERT INTO slowing (kind, sender, times, at) VALUES (?1, ?2, 0, ?3)
            ON CONFLICT (kind, sender) DO UPDATE SET at = excluded.at";
        self.write_lightly(move |transaction| {
            let now = timing::now();
            let full_at = transaction.prepare_cached(FIND)?.query_row([kind, &sender], |row| row.get::<i64>(0));
            // What lies further ahead was written by a clock that was wrong.
            let full_at = full_at.optional()?.filter(|at| *at <= now + ahead);
            let then = full_at.unwrap_or(now).max(now) + refill;
            if then > now + ahead {
                return Ok(Err(then - now - ahead));
            }
            transaction.execute(KEEP, params![kind, sender, then])?;
            Ok(Ok(()))
        })
        .await
    }
}
