//! What visitors made each project write, by the hour, and whether it is too much.

use super::StoreError;
use super::db::{Transaction, params};
use crate::service::limits::VisitorLimits;

const HOUR: i64 = 3600 * 1000;
const DAY: i64 = 24;

/// What is written for a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Use {
    pub(super) visits: u64,
    pub(super) events: u64,
    pub(super) bytes: u64,
}

impl Use {
    fn plus(self, other: Self) -> Self {
        Self {
            visits: self.visits.saturating_add(other.visits),
            events: self.events.saturating_add(other.events),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    fn exceeds(self, limits: VisitorLimits) -> bool {
        self.visits > limits.visits || self.events > limits.events || self.bytes > limits.bytes
    }
}

/// The part of a day's limits that one hour may have.
fn of_an_hour(limits: VisitorLimits) -> VisitorLimits {
    let VisitorLimits { visits, events, bytes } = limits;
    VisitorLimits { visits: visits.div_ceil(4), events: events.div_ceil(4), bytes: bytes.div_ceil(4) }
}

/// Counts what is about to be written, where it is not too much.
///
/// # Errors
/// [`StoreError::TooMuch`] where it is; else where the database refuses.
pub(super) fn spend(
    transaction: &Transaction,
    project: &str,
    more: Use,
    limits: VisitorLimits,
    now: i64,
) -> Result<(), StoreError> {
    let this = now.div_euclid(HOUR);
    let (mut hour, mut day) = (more, more);
    {
        let sql = "SELECT hour, visits, events, bytes FROM visitor_use WHERE project = ?1 AND hour > ?2";
        let mut statement = transaction.prepare_cached(sql)?;
        let mut rows = statement.query(params![project, this - DAY])?;
        while let Some(row) = rows.next()? {
            let count = |at| row.get::<i64>(at).map(|count| u64::try_from(count).unwrap_or_default());
            let used = Use { visits: count(1)?, events: count(2)?, bytes: count(3)? };
            day = day.plus(used);
            if row.get::<i64>(0)? == this {
                hour = hour.plus(used);
            }
        }
    }
    if hour.exceeds(of_an_hour(limits)) || day.exceeds(limits) {
        // The day's window moves on with each hour, so the next one may have room again.
        let wait = (this + 1) * HOUR - now;
        return Err(StoreError::TooMuch { seconds: u64::try_from(wait / 1000).unwrap_or_default() + 1 });
    }
    note(transaction, project, more, now)
}

/// Counts what was written, whether it is too much or not: what a visit's end causes is not refused.
pub(super) fn note(transaction: &Transaction, project: &str, more: Use, now: i64) -> Result<(), StoreError> {
    let this = now.div_euclid(HOUR);
    let small = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let counts = params![project, this, small(more.visits), small(more.events), small(more.bytes)];
    let sql = "UPDATE visitor_use SET visits = visits + ?3, events = events + ?4, bytes = bytes + ?5
        WHERE project = ?1 AND hour = ?2";
    if transaction.prepare_cached(sql)?.execute(counts)? == 0 {
        let sql = "INSERT INTO visitor_use (project, hour, visits, events, bytes) VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.execute(sql, counts)?;
    }
    Ok(())
}

/// Forgets what counts no more at this moment, milliseconds since 1970.
pub(super) fn sweep(transaction: &Transaction, now: i64) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM visitor_use WHERE hour <= ?1", [now.div_euclid(HOUR) - DAY])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::service::store::db::Connection;

    use super::*;
    use crate::service::store::schema;

    #[test]
    fn an_hour_has_a_quarter_of_a_day_and_a_day_moves_on() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        let limits = VisitorLimits { visits: 8, events: 1000, bytes: 1000 };
        let mut visits = |project: &str, at_hour: i64, bytes: u64| {
            let transaction = connection.transaction().unwrap();
            let more = Use { visits: 1, bytes, ..Use::default() };
            let mut done = 0;
            while done < 20 && spend(&transaction, project, more, limits, at_hour * HOUR + 1).is_ok() {
                done += 1;
            }
            sweep(&transaction, at_hour * HOUR).unwrap();
            transaction.commit().unwrap();
            done
        };
        assert_eq!((0..6).map(|hour| visits("a", hour, 1)).collect::<Vec<_>>(), [2, 2, 2, 2, 0, 0]);
        assert_eq!(visits("b", 5, 1), 2, "another project has its own");
        assert_eq!(visits("c", 5, 251), 0, "bytes count too");
        assert_eq!((23..28).map(|hour| visits("a", hour, 1)).collect::<Vec<_>>(), [0, 2, 2, 2, 2]);
        let rows: i64 = connection.query_row("SELECT count(*) FROM visitor_use", [], |row| row.get(0)).unwrap();
        assert!(rows <= 24, "what is over is forgotten: {rows}");
        let transaction = connection.transaction().unwrap();
        let more = Use { visits: 9, ..Use::default() };
        let refused = spend(&transaction, "d", more, limits, HOUR - 1500);
        assert!(matches!(refused, Err(StoreError::TooMuch { seconds: 2 })), "{refused:?}");
    }
}
