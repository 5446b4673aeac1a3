//! How busy a database is: what waits for its connections, and what its webhooks still have to deliver.

use super::db::params;
use super::replica::{FromReplica, Replica};
use super::workers::Workers;
use super::{Store, StoreError};

/// A group of connections to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolDepth {
    /// What it is for.
    pub name: &'static str,
    /// Connections that are open.
    pub open: usize,
    /// Connections that have nothing to do.
    pub idle: usize,
    /// Jobs that wait for one.
    pub waiting: usize,
}

/// What is to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryDepth {
    /// Deliveries that are not at an end.
    pub queued: i64,
    /// Those whose time has come.
    pub due: i64,
    /// Since when the first of them waits, milliseconds since 1970.
    pub due_since: Option<i64>,
    /// Subscriptions that some process delivers to.
    pub leases: i64,
    /// When the first of these leases ends, milliseconds since 1970.
    pub lease_until: Option<i64>,
}

impl Store {
    /// Its connections.
    #[must_use]
    pub fn pools(&self) -> Vec<PoolDepth> {
        let own = [("read", &self.readers), ("write", &self.writer), ("bearer", &self.bearers)];
        let replica = self.replica.as_ref().map(|replica| ("replica", &replica.workers));
        let depth = |(name, workers): (&'static str, &Workers)| {
            let (open, idle, waiting) = workers.depth();
            PoolDepth { name, open, idle, waiting }
        };
        own.into_iter().chain(replica).map(depth).collect()
    }

    /// How many pages came, or could not come, from the copy that is only read; nothing where there is none.
    #[must_use]
    pub fn replica_pages(&self) -> Vec<(FromReplica, u64)> {
        let counted = |replica: &Replica| FromReplica::ALL.map(|of| (of, replica.counted(of)));
        self.replica.as_ref().map(counted).into_iter().flatten().collect()
    }

    /// What is to be delivered at that moment, milliseconds since 1970, in all workspaces.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn delivery_depth(&self, now: i64) -> Result<DeliveryDepth, StoreError> {
        const DELIVERIES: &str = "SELECT count(*), count(*) FILTER (WHERE next_at <= ?1), min(next_at) FROM delivery
            WHERE next_at IS NOT NULL";
        const LEASES: &str = "SELECT count(*), min(lease_until) FROM webhook WHERE lease_until > ?1";
        self.readers
            .run(move |connection| {
                let (queued, due, first): (_, _, Option<i64>) = connection
                    .prepare_cached(DELIVERIES)?
                    .query_row(params![now], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                let (leases, lease_until) =
                    connection.prepare_cached(LEASES)?.query_row(params![now], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let due_since = first.filter(|first| *first <= now);
                Ok(DeliveryDepth { queued, due, due_since, leases, lease_until })
            })
            .await
    }
}
