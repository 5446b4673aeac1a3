//! Videos and assets, §4.5: their records. The files of uploaded ones are kept in [`crate::service::blobs`].

use uuid::Uuid;

use super::creations::once;
use super::db::{self, Connection, OptionalExtension as _, Transaction, params};
use super::rules::prepared::SAMPLE_SCHEME;
use super::{Created, CreationKey, Store, StoreError, now_text};
use crate::api::CreatedVideo;
use crate::domain::{Num, Video, VideoId};
use crate::service::address;

const NO_VIDEO: StoreError = StoreError::Missing("The workspace has no such asset.");

/// A video to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVideoRow {
    /// Its name for people.
    pub name: String,
    /// Its address, with [`SAMPLE_SCHEME`] where it is a file of the sample's.
    pub video_url: Option<String>,
    /// The address of its poster, likewise.
    pub poster_url: Option<String>,
    /// The file behind it, where it was uploaded.
    pub file: Option<VideoFile>,
}

/// The file of an uploaded video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VideoFile {
    /// Its media type, by its leading bytes.
    pub content_type: String,
    /// Its size, bytes.
    pub size: u64,
    /// Its hash.
    pub hash: FileHash,
}

/// The hash of a file. Files that were uploaded before there was a choice have SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileHash {
    /// SHA-256.
    Sha256([u8; 32]),
    /// BLAKE3.
    Blake3([u8; 32]),
}

impl FileHash {
    /// Its bytes, whichever it is.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        match self {
            Self::Sha256(bytes) | Self::Blake3(bytes) => bytes,
        }
    }
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedVideo {
    /// Its name.
    pub name: String,
    /// The steps that name it still: each by its name, with the name of its project.
    pub steps: Vec<(String, String)>,
}

/// Keeps the record of a video.
pub(super) fn insert(
    connection: &Connection,
    workspace: i64,
    id: &str,
    new: &NewVideoRow,
) -> Result<CreatedVideo, StoreError> {
    let now = now_text();
    let size = new.file.as_ref().map(|file| i64::try_from(file.size).unwrap_or(i64::MAX));
    let (sha256, blake3) = match new.file.as_ref().map(|file| file.hash) {
        None => (None, None),
        Some(FileHash::Sha256(hash)) => (Some(hash), None),
        Some(FileHash::Blake3(hash)) => (None, Some(hash)),
    };
    connection
        .prepare_cached(
            "INSERT INTO video (id, workspace, name, video_url, poster_url, content_type, size, sha256, blake3, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id,
            workspace,
            new.name,
            new.video_url,
            new.poster_url,
            new.file.as_ref().map(|file| file.content_type.as_str()),
            size,
            sha256,
            blake3,
            now,
        ])?;
    let (name, created_at) = (Some(new.name.clone()), Some(now));
    Ok(CreatedVideo { id: VideoId::new(id), name, created_at, ..CreatedVideo::default() })
}

impl Store {
    /// Registers a video under a fresh id, once under its key.
    ///
    /// # Errors
    /// [`StoreError::OtherCreation`]; else where the database refuses.
    pub async fn create_video(
        &self,
        workspace: i64,
        new: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, StoreError> {
        self.add_video(workspace, Uuid::new_v4(), new, key).await
    }

    /// Registers a video under the id that its file is kept by, once under its key.
    ///
    /// # Errors
    /// [`StoreError::OtherCreation`]; else where the database refuses.
    pub async fn add_video(
        &self,
        workspace: i64,
        id: Uuid,
        new: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, StoreError> {
        self.register(workspace, id, new, key, |_, _| Ok(())).await
    }

    /// Registers a video whose file arrived whole in S3, and keeps that file, once under its key. A file that comes with a
    /// key which was used before stays as it was.
    ///
    /// # Errors
    /// [`StoreError::Lapsed`] where somebody else has taken the file over; [`StoreError::OtherCreation`]; else where the
    /// database refuses.
    pub async fn add_stored_video(
        &self,
        workspace: i64,
        id: Uuid,
        new: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, StoreError> {
        self.register(workspace, id, new, key, super::ledger::keep).await
    }

    /// Registers a video once under its key, after what has to be done with it before.
    async fn register(
        &self,
        workspace: i64,
        id: Uuid,
        new: NewVideoRow,
        key: Option<CreationKey>,
        before: fn(&Transaction<'_>, &str) -> Result<(), StoreError>,
    ) -> Result<Created, StoreError> {
        self.write(move |transaction| {
            once(transaction, workspace, key.as_ref(), || {
                let id = id.to_string();
                before(transaction, &id)?;
                Ok(serde_json::to_vec(&insert(transaction, workspace, &id, &new)?)?)
            })
        })
        .await
    }

    /// The videos of a workspace, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn videos(&self, workspace: i64, base_url: String) -> Result<Vec<Video>, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT id, name, created_at, video_url, poster_url, size,
                     (SELECT group_concat(language, ' ' ORDER BY language) FROM caption WHERE caption.video = video.id)
                     FROM video WHERE workspace = ?1 ORDER BY number",
                )?;
                let videos = statement.query_map([workspace], |row| {
                    let id: String = row.get(0)?;
                    let own = |url: Option<String>| url.map(|url| sample_address(&url, &base_url));
                    let size: Option<i64> = row.get(5)?;
                    let file = size.map(|_| address::video_file(&base_url, &id));
                    Ok(Video {
                        name: row.get(1)?,
                        created_at: row.get(2)?,
                        video_url: own(row.get(3)?).or(file),
                        poster_url: own(row.get(4)?),
                        captions: row.get::<Option<String>>(6)?.map(|all| all.split(' ').map(str::to_owned).collect()),
                        size: size.map(Num::from),
                        id: id.into(),
                        ..Video::default()
                    })
                })?;
                Ok(videos.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// The file of an uploaded video, whichever workspace it belongs to: its id is what players know it by.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where no uploaded video has this id; else where the database refuses.
    pub async fn video_file(&self, id: Uuid) -> Result<VideoFile, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT content_type, size, sha256, blake3 FROM video WHERE id = ?1 AND size IS NOT NULL",
                )?;
                let read = |row: &db::Row<'_>| {
                    let size = u64::try_from(row.get::<i64>(1)?).unwrap_or_default();
                    let hash = match row.get(3)? {
                        Some(hash) => FileHash::Blake3(hash),
                        None => FileHash::Sha256(row.get(2)?),
                    };
                    Ok(VideoFile { content_type: row.get(0)?, size, hash })
                };
                statement.query_row([id.to_string()], read).optional()?.ok_or(NO_VIDEO)
            })
            .await
    }

    /// Whether a workspace has this video, and whether a file of its own is behind it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where it has not; else where the database refuses.
    pub async fn video_has_file(&self, workspace: i64, id: VideoId) -> Result<bool, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT size IS NOT NULL FROM video WHERE id = ?1 AND workspace = ?2";
                let found = connection.query_row(sql, params![id.as_str(), workspace], |row| row.get(0)).optional()?;
                found.ok_or(NO_VIDEO)
            })
            .await
    }

    /// Deletes the record of a video. Steps keep naming it; they are in the answer. Its file, where that is in S3, stays
    /// until then, milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such video; else where the database refuses.
    pub async fn delete_video(&self, workspace: i64, id: VideoId, file_until: i64) -> Result<DeletedVideo, StoreError> {
        self.write(move |transaction| {
            let sql = "DELETE FROM video WHERE id = ?1 AND workspace = ?2 RETURNING name";
            let name: Option<String> =
                transaction.query_row(sql, params![id.as_str(), workspace], |row| row.get(0)).optional()?;
            let name = name.ok_or(NO_VIDEO)?;
            super::creations::forget_deleted(transaction, workspace, id.as_str())?;
            super::captions::forget_deleted(transaction, id.as_str())?;
            super::ledger::leave(transaction, id.as_str(), file_until)?;
            let mut statement = transaction.prepare(
                "SELECT step.name, project.name FROM step JOIN project ON project.number = step.project
                 WHERE step.video = ?1 AND project.workspace = ?2 ORDER BY project.number, step.number",
            )?;
            let steps = statement.query_map(params![id.as_str(), workspace], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(DeletedVideo { name, steps: steps.collect::<Result<_, _>>()? })
        })
        .await
    }
}

/// An address under the service's own, where it is one of the sample's files.
pub(super) fn sample_address(url: &str, base_url: &str) -> String {
    url.strip_prefix(SAMPLE_SCHEME).map_or_else(|| url.to_owned(), |path| format!("{base_url}/sample/{path}"))
}

/// Which of these ids are those of uploaded videos.
pub(super) fn uploaded(connection: &Connection, ids: &[String]) -> Result<Vec<String>, StoreError> {
    let mut known = connection.prepare_cached("SELECT 1 FROM video WHERE id = ?1 AND size IS NOT NULL")?;
    let mut kept = Vec::new();
    for id in ids {
        if known.exists([id])? {
            kept.push(id.clone());
        }
    }
    Ok(kept)
}
