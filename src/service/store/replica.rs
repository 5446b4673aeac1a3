//! A copy of the shared database that is only read: pages of catalogs come from it, where it is as far as the database
//! itself. Each store counts the changes of its catalog; a page is asked of the copy only for a count that it has reached,
//! so whoever turns pages skips and repeats nothing, whichever of the two answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::db::{AWAY, Connection, DatabasePlace, Session, Transaction, params};
use super::shelf::Shelf;
use super::workers::Workers;
use super::{StoreError, credentials, stores};
use crate::domain::StoreUrl;

/// How long a copy may take for a page, before the database itself is asked.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a copy that didn't answer is left alone.
const REST: Duration = Duration::from_secs(5);
/// How long it may take to find out at the start whose copy it is.
const FIRST: Duration = Duration::from_secs(12);

/// The copy.
pub(super) struct Replica {
    pub(super) workers: Workers,
    /// By which it is known whose copy it is.
    cursor_key: [u8; 32],
    /// Whether that was looked at.
    is_known: Arc<AtomicBool>,
    begun: Instant,
    /// Until when it is left alone, milliseconds after the beginning.
    rests_until: AtomicU64,
    counts: [AtomicU64; 3],
}

/// What came of a page that might come from the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromReplica {
    /// It did.
    Used,
    /// The copy lacks changes.
    Behind,
    /// The copy doesn't answer.
    Away,
}

impl FromReplica {
    /// What it is called in `/metrics`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Behind => "behind",
            Self::Away => "away",
        }
    }

    /// All of them.
    pub const ALL: [Self; 3] = [Self::Used, Self::Behind, Self::Away];
}

/// What is said of a database that is no copy.
fn another() -> StoreError {
    StoreError::Moving("the database of --database-read-url isn't a replica of the one that is served".to_owned())
}

fn is_of(connection: &mut Connection, cursor_key: [u8; 32], is_known: &AtomicBool) -> Result<(), StoreError> {
    if is_known.load(Ordering::Relaxed) {
        return Ok(());
    }
    if credentials::kept_cursor_key(connection)? != Some(cursor_key) {
        return Err(another());
    }
    is_known.store(true, Ordering::Relaxed);
    Ok(())
}

/// How often the catalog of a store was changed; nothing where there is no such store.
pub(super) fn generation(
    connection: &Connection,
    workspace: i64,
    app_url: &StoreUrl,
) -> Result<Option<i64>, StoreError> {
    let Some(store) = stores::find(connection, workspace, app_url)? else { return Ok(None) };
    let sql = "SELECT generation FROM store WHERE id = ?1";
    Ok(Some(connection.prepare_cached(sql)?.query_row(params![store.id], |row| row.get(0))?))
}

impl Replica {
    /// The copy at a place, of the database with this key. One that can't be reached is asked again later.
    ///
    /// # Errors
    /// Where it is the copy of another database, or none.
    pub(super) async fn open(place: DatabasePlace, cursor_key: [u8; 32]) -> Result<Self, StoreError> {
        let readers = place.readers();
        let open = move || Ok(Connection::from(Session::new(place.clone())));
        let replica = Self {
            workers: Workers::new(readers, Box::new(open)),
            cursor_key,
            is_known: Arc::default(),
            begun: Instant::now(),
            rests_until: AtomicU64::new(0),
            counts: Default::default(),
        };
        let is_known = Arc::clone(&replica.is_known);
        let asked = replica.workers.run(move |connection| is_of(connection, cursor_key, &is_known));
        match tokio::time::timeout(FIRST, asked).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) if error.unavailable().is_none() => return Err(error),
            _ => {
                tracing::warn!("the replica can't be reached; pages come from the database itself until it is there");
                replica.rest();
            }
        }
        Ok(replica)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn rested(&self) -> u64 {
        self.now().saturating_add(u64::try_from(REST.as_millis()).unwrap_or(u64::MAX))
    }

    fn rest(&self) {
        self.rests_until.store(self.rested(), Ordering::Relaxed);
    }

    /// Whether it may be worth being asked.
    pub(super) fn may_be_there(&self) -> bool {
        self.now() >= self.rests_until.load(Ordering::Relaxed)
    }

    /// Whether it is to be asked now. Of one that didn't answer a single page is asked when its rest is over: the others don't
    /// wait for it until it has answered.
    fn is_there(&self) -> bool {
        let until = self.rests_until.load(Ordering::Relaxed);
        if until == 0 {
            return true;
        }
        let is_over = self.now() >= until;
        is_over && self.rests_until.compare_exchange(until, self.rested(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn count(&self, of: FromReplica) {
        if let Some(count) = self.counts.get(of as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many pages came to this.
    pub(super) fn counted(&self, of: FromReplica) -> u64 {
        self.counts.get(of as usize).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// Asks the copy, for a store of which the database has had so many changes. Nothing where it has not had them all, is left
    /// alone, or doesn't answer.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        (workspace, app_url, reached): (i64, StoreUrl, i64),
        work: impl FnOnce(Transaction<'_>, Option<Shelf>) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<Result<T, StoreError>> {
        if !self.is_there() {
            return None;
        }
        let (cursor_key, is_known) = (self.cursor_key, Arc::clone(&self.is_known));
        let asked = self.workers.run_while_wanted(move |connection| {
            is_of(connection, cursor_key, &is_known)?;
            let (transaction, found) = Shelf::begin(connection, workspace, &app_url)?;
            if found.as_ref().is_none_or(|found| found.generation < reached) {
                return Ok(None);
            }
            Ok(Some(work(transaction, found)))
        });
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(Some(Err(error)))) if error.unavailable() == Some(AWAY) => self.away(&error),
            Ok(Ok(Some(answer))) => {
                self.rests_until.store(0, Ordering::Relaxed);
                // What was in the way of its recovery may be asked again.
                let is_away = answer.as_ref().err().is_some_and(|error| error.unavailable().is_some());
                self.count(if is_away { FromReplica::Away } else { FromReplica::Used });
                if is_away { None } else { Some(answer) }
            }
            Ok(Ok(None)) => {
                self.rests_until.store(0, Ordering::Relaxed);
                self.count(FromReplica::Behind);
                None
            }
            Ok(Err(error)) => self.away(&error),
            Err(_) => self.away(&"it doesn't answer"),
        }
    }

    /// Leaves it alone for a while.
    fn away<T>(&self, why: &impl std::fmt::Display) -> Option<T> {
        tracing::warn!(%why, "the replica can't be asked; pages come from the database itself");
        self.count(FromReplica::Away);
        self.rest();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::Store;

    /// A copy that can't be reached, and has rested.
    fn rested() -> Replica {
        let open = || Err(StoreError::Moving("there is none".to_owned()));
        Replica {
            workers: Workers::new(1, Box::new(open)),
            cursor_key: [0; 32],
            is_known: Arc::default(),
            begun: Instant::now(),
            rests_until: AtomicU64::new(1),
            counts: Default::default(),
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_one_try_after_a_rest_is_not_spent_on_a_page_that_is_not_asked_of_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        let replica = rested();
        while !replica.may_be_there() {
            std::thread::yield_now();
        }
        store.replica = Some(replica);
        let nowhere = StoreUrl::new("https://nowhere.example");
        let judge = |_: Option<&super::super::StoreRow>| Err::<(super::super::PageAsk, ()), _>(Vec::new());
        // There is no such store, so nothing is asked of the copy.
        assert!(store.page(1, (nowhere.clone(), None), judge).await.is_err());
        let replica = store.replica.as_ref().unwrap();
        assert_eq!((replica.rests_until.load(Ordering::Relaxed), replica.counted(FromReplica::Away)), (1, 0));
        // A page that goes on elsewhere is; and no other until it has rested again.
        assert!(store.page(1, (nowhere.clone(), Some(1)), judge).await.is_err());
        let replica = store.replica.as_ref().unwrap();
        assert_eq!(replica.counted(FromReplica::Away), 1);
        assert!(!replica.may_be_there());
        assert!(store.page(1, (nowhere, Some(1)), judge).await.is_err());
        assert_eq!(store.replica.as_ref().unwrap().counted(FromReplica::Away), 1);
    }
}
