//! Which files of videos are in S3, and which are on their way there or out of it. A row is written before anything of a
//! file is, and goes after everything of it is gone: whoever finds it later, after a crash, knows what may have been left.
//!
//! Who brings a file in or takes one away holds a lease on its row and renews it. Once that ended, anybody may take the
//! row over; that raises its fence, and what was begun under an earlier one counts no more.

use uuid::Uuid;

use super::db::{self, OptionalExtension as _, Transaction, params};
use super::{Store, StoreError};

/// The fence of a file that has just begun to arrive.
pub const FIRST_FENCE: i64 = 1;

/// A file whose lease ended, taken over to be cleared away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lapsed {
    /// Its id.
    pub id: Uuid,
    /// What S3 calls its upload, where one was begun and written down.
    pub upload: Option<String>,
    /// Under which it was taken over.
    pub fence: i64,
}

fn lapsed(row: &db::Row<'_>) -> db::Result<Option<Lapsed>> {
    let id: String = row.get(0)?;
    let (upload, fence) = (row.get(1)?, row.get(2)?);
    Ok(Uuid::try_parse(&id).ok().map(|id| Lapsed { id, upload, fence }))
}

/// The file of a video that is deleted goes too, once `until` has come, milliseconds since 1970.
pub(super) fn leave(transaction: &Transaction<'_>, id: &str, until: i64) -> Result<(), StoreError> {
    transaction
        .prepare_cached("UPDATE blob SET state = 'leaving', lease_until = ?2, fence = fence + 1 WHERE id = ?1")?
        .execute(params![id, until])?;
    Ok(())
}

/// A file that arrived whole is kept, where nobody has taken it over.
pub(super) fn keep(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let sql = "UPDATE blob SET state = 'kept', upload_id = NULL, lease_until = NULL
               WHERE id = ?1 AND fence = ?2 AND state = 'arriving'";
    match transaction.execute(sql, params![id, FIRST_FENCE])? {
        0 => Err(StoreError::Lapsed),
        _ => Ok(()),
    }
}

impl Store {
    /// A file begins to arrive at a place; the lease ends at `until`, milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn begin_file(&self, id: Uuid, place: String, until: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO blob (id, place, state, lease_until, fence) VALUES (?1, ?2, 'arriving', ?3, ?4)",
                params![id.to_string(), place, until, FIRST_FENCE],
            )?;
            Ok(())
        })
        .await
    }

    /// Keeps what S3 calls the upload of a file, before a part of it is sent. Says whether the lease still holds.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn note_upload(&self, id: Uuid, upload: String) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE blob SET upload_id = ?2 WHERE id = ?1 AND fence = ?3 AND state = 'arriving'";
            Ok(transaction.execute(sql, params![id.to_string(), upload, FIRST_FENCE])? == 1)
        })
        .await
    }

    /// Renews the lease of a file that arrives. Says whether it still held.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn renew_file(&self, id: Uuid, until: i64) -> Result<bool, StoreError> {
        self.write_beside(move |transaction| {
            let sql = "UPDATE blob SET lease_until = ?2 WHERE id = ?1 AND fence = ?3 AND state = 'arriving'";
            Ok(transaction.execute(sql, params![id.to_string(), until, FIRST_FENCE])? == 1)
        })
        .await
    }

    /// Takes over one file of a place whose lease ended before `now`, until then (both milliseconds since 1970).
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn take_lapsed(&self, place: String, now: i64, until: i64) -> Result<Option<Lapsed>, StoreError> {
        const TAKE: &str = "UPDATE blob SET lease_until = ?3, fence = fence + 1
            WHERE id = (SELECT id FROM blob WHERE state <> 'kept' AND place = ?1 AND lease_until < ?2
                        ORDER BY lease_until LIMIT 1) RETURNING id, upload_id, fence";
        self.write(move |transaction| {
            let taken = transaction.prepare_cached(TAKE)?.query_row(params![place, now, until], lapsed).optional()?;
            Ok(taken.flatten())
        })
        .await
    }

    /// Takes over a file that arrived for nothing, whoever holds its lease. Nothing where it is kept, or gone.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn take_arriving(&self, id: Uuid, until: i64) -> Result<Option<Lapsed>, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE blob SET lease_until = ?2, fence = fence + 1
                       WHERE id = ?1 AND fence = ?3 AND state = 'arriving' RETURNING id, upload_id, fence";
            let taken = transaction.query_row(sql, params![id.to_string(), until, FIRST_FENCE], lapsed).optional()?;
            Ok(taken.flatten())
        })
        .await
    }

    /// Forgets a file of which nothing is left.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn forget_file(&self, lapsed: Lapsed) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let gone = params![lapsed.id.to_string(), lapsed.fence];
            transaction.execute("DELETE FROM blob WHERE id = ?1 AND fence = ?2 AND state <> 'kept'", gone)?;
            Ok(())
        })
        .await
    }

    /// Ends the leases of files that arrive: whoever knows that nobody else brings one in need not wait for what a process
    /// before left.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn end_leases(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE blob SET lease_until = 0 WHERE state = 'arriving'", [])?;
            Ok(())
        })
        .await
    }

    /// The files of deleted videos go now, and not after a while.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn end_grace(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE blob SET lease_until = 0 WHERE state = 'leaving'", [])?;
            Ok(())
        })
        .await
    }

    /// The uploaded videos of which no file is known to be at this place, with their sizes in bytes.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn files_not_at(&self, place: String) -> Result<Vec<(Uuid, u64)>, StoreError> {
        const SQL: &str = "SELECT id, size FROM video WHERE size IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM blob WHERE blob.id = video.id AND state = 'kept' AND place = ?1)";
        self.files(SQL, Some(place)).await
    }

    /// The videos whose files are in S3, with their sizes in bytes.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn files_in_s3(&self) -> Result<Vec<(Uuid, u64)>, StoreError> {
        const SQL: &str = "SELECT video.id, video.size FROM blob JOIN video ON video.id = blob.id
            WHERE blob.state = 'kept' AND video.size IS NOT NULL";
        self.files(SQL, None).await
    }

    async fn files(&self, sql: &'static str, place: Option<String>) -> Result<Vec<(Uuid, u64)>, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare(sql)?;
                let read = |row: &db::Row<'_>| Ok((row.get::<String>(0)?, row.get::<i64>(1)?));
                let rows = statement.query_map(
                    place.iter().map(|place| place as &dyn db::ToSql).collect::<Vec<_>>().as_slice(),
                    read,
                )?;
                let mut files = Vec::new();
                for row in rows {
                    let (id, size) = row?;
                    files.extend(Uuid::try_parse(&id).ok().zip(u64::try_from(size).ok()));
                }
                Ok(files)
            })
            .await
    }

    /// A place in S3 of which a file is kept, or is to go; nothing where all are in the folder.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn place_of_files(&self) -> Result<Option<String>, StoreError> {
        self.readers
            .run(|connection| {
                let sql = "SELECT place FROM blob WHERE state <> 'arriving' ORDER BY state LIMIT 1";
                Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?)
            })
            .await
    }

    /// How many files that are not kept, but on their way in or out, are at a place other than `here` (nothing says the
    /// folder), and one such place.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn leaving_elsewhere(&self, here: Option<String>) -> Result<Option<(u64, String)>, StoreError> {
        const SQL: &str = "SELECT count(*), place FROM blob WHERE state <> 'kept' AND place IS DISTINCT FROM ?1
            GROUP BY place ORDER BY place LIMIT 1";
        let read = |row: &db::Row<'_>| Ok((row.get::<i64>(0)?, row.get(1)?));
        let found = self.readers.run(move |connection| Ok(connection.query_row(SQL, [here], read).optional()?)).await?;
        Ok(found.map(|(files, place)| (u64::try_from(files).unwrap_or_default(), place)))
    }

    /// Forgets those files, wherever they are left.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn forget_elsewhere(&self, here: Option<String>) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.execute("DELETE FROM blob WHERE state <> 'kept' AND place IS DISTINCT FROM ?1", [here])?;
            Ok(())
        })
        .await
    }

    /// Notes that the files of these videos are at this place; nothing says the folder. The file of a video that was deleted
    /// meanwhile is about to leave.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn place_files(&self, ids: Vec<Uuid>, place: Option<String>) -> Result<(), StoreError> {
        const PUT: &str = "INSERT INTO blob (id, place, state, lease_until, fence) VALUES (?1, ?2,
            CASE WHEN EXISTS (SELECT 1 FROM video WHERE id = ?1) THEN 'kept' ELSE 'leaving' END,
            CASE WHEN EXISTS (SELECT 1 FROM video WHERE id = ?1) THEN NULL ELSE 0 END, ?3)
            ON CONFLICT (id) DO UPDATE SET place = excluded.place, state = excluded.state,
            lease_until = excluded.lease_until WHERE blob.state = 'kept' OR blob.place IS DISTINCT FROM excluded.place";
        self.write(move |transaction| {
            for id in ids {
                match &place {
                    Some(place) => {
                        transaction.prepare_cached(PUT)?.execute(params![id.to_string(), place, FIRST_FENCE])?
                    }
                    None => transaction.prepare_cached("DELETE FROM blob WHERE id = ?1")?.execute([id.to_string()])?,
                };
            }
            Ok(())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::domain::VideoId;
    use crate::service::store::{FileHash, NewVideoRow, Store, StoreError, VideoFile};

    const PLACE: &str = "s3://films/shop";

    fn place() -> String {
        PLACE.to_owned()
    }

    fn row() -> NewVideoRow {
        let file = VideoFile { content_type: "video/mp4".to_owned(), size: 7, hash: FileHash::Blake3([1; 32]) };
        NewVideoRow { name: "a.mp4".to_owned(), video_url: None, poster_url: None, file: Some(file) }
    }

    #[tokio::test]
    async fn a_file_that_was_taken_over_is_kept_by_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let id = Uuid::new_v4();
        store.begin_file(id, place(), 1_000).await.unwrap();
        assert!(store.note_upload(id, "u".to_owned()).await.unwrap());
        // While the lease holds nobody gets it; elsewhere nobody at all.
        assert_eq!(store.take_lapsed(place(), 1_000, 9_000).await.unwrap(), None);
        assert_eq!(store.take_lapsed("s3://other".to_owned(), 1_001, 9_000).await.unwrap(), None);
        assert!(store.renew_file(id, 2_000).await.unwrap());
        assert_eq!(store.take_lapsed(place(), 1_500, 9_000).await.unwrap(), None);
        let taken = store.take_lapsed(place(), 2_001, 9_000).await.unwrap().unwrap();
        assert_eq!((taken.id, taken.upload.as_deref()), (id, Some("u")));
        // One at once has it, and who had it before is told.
        assert_eq!(store.take_lapsed(place(), 2_001, 9_000).await.unwrap(), None);
        assert!(!store.renew_file(id, 3_000).await.unwrap());
        assert!(!store.note_upload(id, "v".to_owned()).await.unwrap());
        let late = store.add_stored_video(workspace, id, row(), None).await;
        assert!(matches!(late, Err(StoreError::Lapsed)), "{late:?}");
        assert!(matches!(store.video_file(id).await, Err(StoreError::Missing(_))));
        // Whoever took it over and stalled, too, is not believed any more.
        let again = store.take_lapsed(place(), 9_001, 20_000).await.unwrap().unwrap();
        store.forget_file(taken).await.unwrap();
        assert_eq!(store.take_lapsed(place(), 20_001, 30_000).await.unwrap().map(|lapsed| lapsed.id), Some(id));
        store.forget_file(again).await.unwrap();
        let last = store.take_lapsed(place(), 30_001, 40_000).await.unwrap().unwrap();
        store.forget_file(last).await.unwrap();
        assert_eq!(store.take_lapsed(place(), 40_001, 50_000).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_file_goes_some_time_after_its_video() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let id = Uuid::new_v4();
        store.begin_file(id, place(), 1_000).await.unwrap();
        store.add_stored_video(workspace, id, row(), None).await.unwrap();
        assert_eq!(store.take_lapsed(place(), i64::MAX, i64::MAX).await.unwrap(), None, "it is kept");
        assert_eq!(store.take_arriving(id, 5).await.unwrap(), None, "it is kept");
        assert_eq!(store.files_in_s3().await.unwrap(), [(id, 7)]);
        assert_eq!(store.files_not_at("s3://other".to_owned()).await.unwrap(), [(id, 7)]);
        assert!(store.files_not_at(place()).await.unwrap().is_empty());
        store.delete_video(workspace, VideoId::new(id), 5_000).await.unwrap();
        assert_eq!(store.take_lapsed(place(), 4_999, 9_000).await.unwrap(), None);
        assert_eq!(store.take_lapsed(place(), 5_001, 9_000).await.unwrap().map(|lapsed| lapsed.id), Some(id));
        assert!(store.files_in_s3().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_is_left_at_another_place_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let (deleted, broken) = (Uuid::new_v4(), Uuid::new_v4());
        store.add_video(workspace, deleted, row(), None).await.unwrap();
        store.place_files(vec![deleted], Some(place())).await.unwrap();
        assert_eq!(store.leaving_elsewhere(None).await.unwrap(), None, "it is kept");
        store.delete_video(workspace, VideoId::new(deleted), 5_000).await.unwrap();
        store.begin_file(broken, place(), 1_000).await.unwrap();
        assert_eq!(store.leaving_elsewhere(Some(place())).await.unwrap(), None);
        for here in [None, Some("s3://other".to_owned())] {
            assert_eq!(store.leaving_elsewhere(here).await.unwrap(), Some((2, place())));
        }
        store.forget_elsewhere(Some(place())).await.unwrap();
        assert_eq!(store.leaving_elsewhere(None).await.unwrap(), Some((2, place())));
        store.forget_elsewhere(None).await.unwrap();
        assert_eq!(store.leaving_elsewhere(None).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_place_can_be_another_one_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let id = Uuid::new_v4();
        store.add_video(workspace, id, row(), None).await.unwrap();
        assert_eq!(store.place_of_files().await.unwrap(), None);
        assert_eq!(store.files_not_at(place()).await.unwrap(), [(id, 7)]);
        store.place_files(vec![id], Some(place())).await.unwrap();
        assert_eq!(store.place_of_files().await.unwrap().as_deref(), Some(PLACE));
        assert!(store.files_not_at(place()).await.unwrap().is_empty());
        store.place_files(vec![id], None).await.unwrap();
        assert_eq!((store.place_of_files().await.unwrap(), store.files_in_s3().await.unwrap()), (None, vec![]));
        // One that is deleted while it is moved leaves the place that it came to.
        let deleted = Uuid::new_v4();
        store.add_video(workspace, deleted, row(), None).await.unwrap();
        store.delete_video(workspace, VideoId::new(deleted), 5_000).await.unwrap();
        store.place_files(vec![deleted], Some(place())).await.unwrap();
        assert_eq!(store.take_lapsed(place(), 1, 9_000).await.unwrap().map(|lapsed| lapsed.id), Some(deleted));
    }
}
