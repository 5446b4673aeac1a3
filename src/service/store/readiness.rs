//! Whether the database can be asked: it is where it was, has the version that this program knows, and takes a write.

use super::db::{self, TransactionBehavior};
use super::{Store, StoreError, moves, schema};

impl Store {
    /// Finds out, and changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] with what is in the way.
    pub async fn probe(&self) -> Result<(), StoreError> {
        // Whoever writes may wait for its turn: that is no reason to send requests elsewhere.
        self.prober
            .as_ref()
            .unwrap_or(&self.writer)
            .run(|connection| {
                // A file that was removed still takes what is written, and keeps none of it.
                if let Some(path) = connection.sqlite().and_then(rusqlite::Connection::path) {
                    std::fs::metadata(path)?;
                }
                if connection.sqlite().is_some() {
                    schema::is_known(connection)?;
                }
                if let Some(session) = connection.postgres() {
                    db::is_known(connection)?;
                    moves::check_shared(connection)?;
                    return Ok(session.takes_writes()?);
                }
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                Ok(transaction.rollback()?)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use crate::service::store::db::Connection;

    use crate::service::store::{NewVideoRow, Store};

    #[tokio::test]
    async fn a_disk_that_is_full_keeps_all_of_a_write_or_nothing() {
        if crate::service::store::engine::is_shared() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let bound = |more: i64| {
            move |connection: &mut Connection| {
                let pages: i64 = connection.pragma("page_count", None)?;
                connection.pragma::<i64>("max_page_count", Some(pages + more))?;
                Ok(())
            }
        };
        store.writer.run(bound(4)).await.unwrap();
        let add = async || {
            let row = NewVideoRow {
                name: "n".repeat(3_000),
                video_url: Some("https://a.example".to_owned()),
                poster_url: None,
                file: None,
            };
            store.add_video(owner.workspace, uuid::Uuid::new_v4(), row, None).await
        };
        let mut kept = 0;
        let refused = loop {
            match add().await {
                Ok(_) => kept += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(refused.unavailable(), Some("The service's disk is full."));
        let count = |connection: &mut Connection| {
            Ok(connection.query_row("SELECT count(*) FROM video", [], |row| row.get::<i64>(0))?)
        };
        assert!(kept > 0 && store.writer.run(count).await.unwrap() == kept);
        store.probe().await.unwrap();
        store.writer.run(bound(100)).await.unwrap();
        add().await.unwrap();
        assert_eq!(store.writer.run(count).await.unwrap(), kept + 1);
    }
}
