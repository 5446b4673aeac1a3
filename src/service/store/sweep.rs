//! What ends by itself: personal data after 30 days, credentials that are over, keys of creations, old entries of the audit
//! log. Nothing else removes rows because of their age; whoever reads them looks at it.

use super::creations::KEPT_SECONDS;
use super::db::{self, Connection, Transaction, params};
use super::grants::{REMEMBERED, revoke_family};
use super::slowing::FORGOTTEN;
use super::{Store, StoreError, again, audit, funnel, visitor_use};

const DAY: i64 = 24 * 3600;
/// Visits and deliveries are kept for so many milliseconds.
const KEPT: i64 = 30 * DAY * 1000;
/// Entries of the audit log are kept for so many milliseconds.
const AUDIT_KEPT: i64 = 90 * DAY * 1000;
/// Entries of the audit log at most, so that nobody who may write fills the disk with it.
const MOST_ENTRIES: i64 = 1_000_000;
/// A key that is over is listed for so many seconds.
const EXPIRED_KEPT: i64 = 30 * DAY;
/// A grant that is over is remembered for so many seconds: an upload that it let in may take hours, and only a grant that
/// was revoked is gone before.
const GRANT_KEPT: i64 = 7 * DAY;
/// The mark of a transaction is kept for so many seconds, much longer than anybody looks for it.
const MARKS_KEPT: i64 = 3600;
/// Rows of a kind removed in one transaction at most, so that nobody waits for it.
const AT_ONCE: i64 = 500;
/// The same of small ones that are as many as changes were made: of an hour that may be a million.
const SMALL_AT_ONCE: i64 = 5_000;

/// What was removed in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Visits, deliveries and entries.
    pub rows: usize,
    /// Whether there is more.
    pub more: bool,
}

/// Removes visits with all that belongs to them.
pub(super) fn remove_visits(transaction: &Transaction, numbers: &[i64]) -> Result<(), StoreError> {
    for table in ["visit_event WHERE visit", "visit_purchase WHERE visit", "visit WHERE number"] {
        let mut statement = transaction.prepare_cached(&format!("DELETE FROM {table} = ?1"))?;
        for number in numbers {
            statement.execute([number])?;
        }
    }
    Ok(())
}

fn column<T: db::FromSql>(connection: &Connection, sql: &str, with: impl db::Params) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(with, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One step at this moment, milliseconds since 1970.
fn sweep(transaction: &Transaction, now: i64) -> Result<Swept, StoreError> {
    let visits: Vec<i64> = column(
        transaction,
        "SELECT number FROM visit WHERE begun_at < ?1 ORDER BY begun_at LIMIT ?2",
        [now - KEPT, AT_ONCE],
    )?;
    remove_visits(transaction, &visits)?;
    funnel::sweep(transaction, now - KEPT)?;
    let deliveries = transaction.execute(
        "DELETE FROM delivery WHERE number IN
         (SELECT number FROM delivery WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
        [now - KEPT, AT_ONCE],
    )?;
    let entries = transaction.execute(
        "DELETE FROM audit WHERE number IN (SELECT number FROM audit
         WHERE (at < ?1 OR number <= (SELECT max(number) - ?3 FROM audit)) AND action <> ?4 ORDER BY number LIMIT ?2)",
        params![now - AUDIT_KEPT, AT_ONCE, MOST_ENTRIES, audit::FORGET],
    )?;
    end_credentials(transaction, now / 1000)?;
    let creations = transaction.execute(
        "DELETE FROM creation WHERE (workspace, operation, key) IN
         (SELECT workspace, operation, key FROM creation WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
        [now / 1000 - KEPT_SECONDS, AT_ONCE],
    )?;
    visitor_use::sweep(transaction, now)?;
    let (mut slowed, mut marks) = (0, 0);
    if transaction.postgres().is_some() {
        let old = "DELETE FROM ended WHERE mark IN (SELECT mark FROM ended WHERE at < ?1 ORDER BY at LIMIT ?2)";
        marks = transaction.execute(old, [now / 1000 - MARKS_KEPT, SMALL_AT_ONCE])?;
        let senders =
            "DELETE FROM slowing WHERE at < ?1 AND sender IN (SELECT sender FROM slowing WHERE at < ?1 LIMIT ?2)";
        slowed = transaction.execute(senders, [now - FORGOTTEN, AT_ONCE])?;
    }
    let [most, most_small] = [AT_ONCE, SMALL_AT_ONCE].map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    let more = [visits.len(), deliveries, entries, creations].contains(&most) || slowed >= most || marks >= most_small;
    Ok(Swept { rows: visits.len() + deliveries + entries, more })
}

/// Removes credentials that were over for long enough at this moment, seconds since 1970.
fn end_credentials(transaction: &Transaction, now: i64) -> Result<(), StoreError> {
    for (table, until) in [
        ("access_token", now),
        ("refresh_token", now),
        ("authorization_code", now - REMEMBERED),
        ("device_code", now - REMEMBERED),
        ("api_key", now - EXPIRED_KEPT),
    ] {
        transaction.execute(&format!("DELETE FROM {table} WHERE expires_at <= ?1"), [until])?;
    }
    let grants: Vec<String> =
        column(transaction, "SELECT id FROM oauth_grant WHERE expires_at <= ?1", [now - GRANT_KEPT])?;
    grants.iter().try_for_each(|grant| revoke_family(transaction, grant))
}

impl Store {
    /// Removes a part of what is over at this moment, milliseconds since 1970. Its bytes are overwritten.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn sweep(&self, now: i64) -> Result<Swept, StoreError> {
        self.writer
            .run(move |connection| {
                connection.pragma_update(None, "secure_delete", true)?;
                connection.pragma_update(None, "synchronous", "normal")?;
                let swept = again(connection, |transaction| sweep(transaction, now));
                connection.pragma_update(None, "synchronous", "full")?;
                connection.pragma_update(None, "secure_delete", "fast")?;
                swept
            })
            .await
    }

    /// Empties the log beside the database, where what was removed may be read still. Says whether nobody was reading
    /// from it meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn empty_log(&self) -> Result<bool, StoreError> {
        self.writer.run(|connection| empty_log(connection)).await
    }
}

pub(super) fn empty_log(connection: &Connection) -> Result<bool, StoreError> {
    // PostgreSQL's log is its server's own affair.
    if connection.postgres().is_some() {
        return Ok(true);
    }
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keys_of_creations_go_a_part_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let number = AT_ONCE + 200;
        store
            .write(move |transaction| {
                let sql = "INSERT INTO creation (workspace, operation, key, fingerprint, answer, created_at)
                           VALUES (?1, 'project', ?2, x'00', x'00', 1)";
                for key in 0..number {
                    transaction.prepare_cached(sql)?.execute(params![workspace, key.to_string()])?;
                }
                Ok(())
            })
            .await
            .unwrap();
        let now = 10 * KEPT_SECONDS * 1000;
        assert!(store.sweep(now).await.unwrap().more);
        assert!(!store.sweep(now).await.unwrap().more);
        let left = store.readers.run(|connection| column::<i64>(connection, "SELECT count(*) FROM creation", []));
        assert_eq!(left.await.unwrap(), [0]);
    }
}
