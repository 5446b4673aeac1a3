//! Transactions that write.

use std::time::Duration;

use super::db::{Connection, Transaction, TransactionBehavior};
use super::{Store, StoreError};

fn in_transaction<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// How often a transaction that was lost is begun again.
const AGAIN: u32 = 5;

/// The same on a database of its own. On a shared one `work` is done again where its transaction was lost with the connection,
/// or was in the way of another.
pub(super) fn again<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Clone,
) -> Result<T, StoreError> {
    let (mut kept, mut work, mut done) = (None, Some(work), None);
    // What depends on the types is no more than this: it is compiled for every change there is.
    attempt(connection, &mut |part| {
        match part {
            Part::Copy => {
                kept = kept.take().or_else(|| work.take());
                work.clone_from(&kept);
            }
            Part::TakeKept => work = kept.take(),
            Part::Run(transaction) => done = Some(work.take().ok_or(StoreError::Lost)?(transaction)?),
        }
        Ok(())
    })?;
    done.ok_or(StoreError::Lost)
}

/// The parts of an attempt at a transaction.
enum Part<'a, 'b> {
    /// Before a transaction, which may hold up everybody else's: the work is copied, for it may be done again.
    Copy,
    /// Before the last one: there is no need to copy it any more.
    TakeKept,
    /// In a transaction.
    Run(&'a Transaction<'b>),
}

/// Attempts at a transaction.
fn attempt(
    connection: &mut Connection,
    work: &mut dyn FnMut(Part<'_, '_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if connection.postgres().is_none() {
        return in_transaction(connection, |transaction| work(Part::Run(transaction)));
    }
    for nth in 1..AGAIN {
        work(Part::Copy)?;
        match in_transaction(connection, |transaction| work(Part::Run(transaction))) {
            Err(StoreError::Database(error)) if error.may_go_again() => {
                tracing::warn!(%error, "a transaction was lost and is rerun");
                // Not all at once.
                std::thread::sleep(Duration::from_millis(u64::from(getrandom::u32().unwrap_or_default() % (20 * nth))));
                connection.ready()?;
            }
            done => return done,
        }
    }
    work(Part::TakeKept)?;
    in_transaction(connection, |transaction| work(Part::Run(transaction)))
}

impl Store {
    /// Runs `work` in a transaction that is committed where it succeeds: all of it is kept, or nothing. Where the database is
    /// shared, it is run again when its transaction was lost.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Clone + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        self.writer.run(move |connection| again(connection, work))
    }

    /// The same for what is written beside something else: it survives the end of the process at once, but the disk is not
    /// waited for, so a machine that loses its power may lose it. The next [`Store::write`] settles that. Only for what
    /// nobody else relies on: see [`Store::write_beside`].
    pub(super) async fn write_lightly<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer
            .run(move |connection| {
                connection.pragma_update(None, "synchronous", "normal")?;
                let done = in_transaction(connection, |transaction| {
                    transaction.lightly()?;
                    work(transaction)
                });
                connection.pragma_update(None, "synchronous", "full")?;
                done
            })
            .await
    }

    /// The same for what other processes rely on, as they do on a lease. A database of PostgreSQL can crash while its processes
    /// go on, so there it is kept like everything else; SQLite's ends with them.
    pub(super) async fn write_beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Clone + Send + 'static,
    ) -> Result<T, StoreError> {
        if self.is_shared { self.write(work).await } else { self.write_lightly(work).await }
    }
}
