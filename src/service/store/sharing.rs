//! Opening a database of PostgreSQL, which other processes may serve too.

use std::sync::Arc;
use std::time::Duration;

use super::db::{self, Connection, DatabasePlace, Session, TransactionBehavior};
use super::replica::Replica;
use super::workers::Workers;
use super::{Store, StoreError, TURN, chunk_tokens, credentials, moves};

/// How long a process that starts waits for its turn: others may be filling the database, and nobody waits for it yet.
const FIRST_TURN: Duration = Duration::from_secs(45);

impl Store {
    /// Opens a database of PostgreSQL, which others may serve too. An empty one gets its tables; of several processes that
    /// find it so at once, one makes them.
    ///
    /// # Errors
    /// [`StoreError::Newer`], [`StoreError::Older`]; else where the database can't be reached or refuses.
    pub async fn open_shared(place: &DatabasePlace) -> Result<Self, StoreError> {
        let open = || {
            let place = place.clone();
            Box::new(move || Ok(Connection::from(Session::new(place.clone()))))
        };
        let reached = place.clone();
        let mut store = Self {
            writer: Workers::impatient(1, FIRST_TURN, open()),
            readers: Workers::impatient(place.readers(), TURN, open()),
            bearers: Workers::impatient(1, TURN, open()),
            prober: Some(Workers::new(1, open())),
            asking: Arc::default(),
            bitmaps: Arc::default(),
            replica: None,
            cursor_key: [0; 32],
            closing: Arc::default(),
            is_shared: true,
        };
        store.cursor_key = store
            .writer
            .run(move |connection| {
                db::refuse_pooler(connection, &reached)?;
                db::prepare_shared(connection)?;
                // A move has the turn until its workspace is away: whoever starts meanwhile looks for the mark after it.
                let turn = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                moves::check_shared(&turn)?;
                if chunk_tokens::complete(&turn)? {
                    turn.commit()?;
                } else {
                    turn.rollback()?;
                }
                credentials::cursor_key(connection)
            })
            .await?;
        Ok(store)
    }

    /// From now on somebody waits for what it is asked to write: what doesn't get its turn soon is refused.
    pub(in crate::service) fn hurry(&self) {
        if self.is_shared {
            self.writer.wait_for(TURN);
        }
    }

    /// Has pages of catalogs come from a copy of its database, where that is as far as the database itself.
    ///
    /// # Errors
    /// Where what is there is no copy of it. One that can't be reached is no error.
    pub async fn with_replica(mut self, place: DatabasePlace) -> Result<Self, StoreError> {
        self.replica = Some(Replica::open(place, self.cursor_key).await?);
        Ok(self)
    }

    /// Brings a database of PostgreSQL to the version that this program knows, or only looks (`check`). The version that it
    /// had, and the one that is known here.
    ///
    /// # Errors
    /// [`StoreError::Newer`]; else where the database can't be reached or refuses.
    pub async fn migrate_shared(place: &DatabasePlace, check: bool) -> Result<(usize, usize), StoreError> {
        let (place, reached) = (place.clone(), place.clone());
        let workers = Workers::new(1, Box::new(move || Ok(Session::new(place.clone()).into())));
        let versions = workers.run(move |connection| {
            db::refuse_pooler(connection, &reached)?;
            let versions = db::versions(connection)?;
            if check {
                db::is_known(connection)?;
            } else {
                db::migrate(connection)?;
            }
            Ok(versions)
        });
        versions.await
    }
}
