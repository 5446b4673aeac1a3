//! Captions of videos, by language.

use super::db::{self, Connection, OptionalExtension as _, Row, params};
use super::{Store, StoreError, now_text};
use crate::api::VideoCaptions;
use crate::domain::VideoId;
use crate::service::address;

const NO_VIDEO: StoreError = StoreError::Missing("The workspace has no such video.");
const NO_CAPTIONS: StoreError = StoreError::Missing("The video has no captions in this language.");

/// Languages that a video may have captions in.
const MOST_LANGUAGES: i64 = 50;

/// Captions to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCaption {
    /// BCP 47, as it is usually written.
    pub language: String,
    /// What players call them.
    pub label: Option<String>,
    /// How many cues they have.
    pub cues: usize,
    /// The WebVTT, checked.
    pub vtt: String,
}

/// Captions as a player sees them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayedCaptions {
    /// BCP 47; `und` where nobody said.
    pub language: String,
    /// What they are called, where somebody said.
    pub label: Option<String>,
    /// Where they are.
    pub url: String,
}

const COLUMNS: &str = "language, label, cues, length(CAST(vtt AS BLOB)), created_at, updated_at, hash";

fn record(row: &Row<'_>, video: &str, base_url: &str) -> Result<VideoCaptions, db::Error> {
    let language: String = row.get(0)?;
    let hash: Vec<u8> = row.get(6)?;
    Ok(VideoCaptions {
        captions_url: address::captions(base_url, video, &language, &hash),
        language,
        label: row.get(1)?,
        cues: row.get::<i64>(2)?.into(),
        size: row.get::<i64>(3)?.into(),
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
        ..VideoCaptions::default()
    })
}

/// That the workspace has the video.
fn known(connection: &Connection, workspace: i64, video: &str) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM video WHERE id = ?1 AND workspace = ?2")?;
    if statement.exists(params![video, workspace])? { Ok(()) } else { Err(NO_VIDEO) }
}

fn one(
    connection: &Connection,
    video: &str,
    language: &str,
    base_url: &str,
) -> Result<Option<VideoCaptions>, StoreError> {
    let sql = format!("SELECT {COLUMNS}, vtt FROM caption WHERE video = ?1 AND language = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let read = |row: &Row<'_>| Ok(VideoCaptions { vtt: row.get(7)?, ..record(row, video, base_url)? });
    Ok(statement.query_row([video, language], read).optional()?)
}

/// The captions of a deleted video go with it.
pub(super) fn forget_deleted(connection: &Connection, video: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM caption WHERE video = ?1", [video])?;
    Ok(())
}

/// The captions of a video as players see them, by language.
pub(super) fn played(connection: &Connection, video: &str, base_url: &str) -> Result<Vec<PlayedCaptions>, StoreError> {
    let sql = "SELECT language, label, hash FROM caption WHERE video = ?1 ORDER BY language";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([video], |row| {
        let (language, hash): (String, Vec<u8>) = (row.get(0)?, row.get(2)?);
        let url = address::captions(base_url, video, &language, &hash);
        Ok(PlayedCaptions { language, label: row.get(1)?, url })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Store {
    /// The captions of a video, by language, without their texts.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such video; else where the database refuses.
    pub async fn captions(
        &self,
        workspace: i64,
        video: VideoId,
        base_url: String,
    ) -> Result<Vec<VideoCaptions>, StoreError> {
        self.readers
            .run(move |connection| {
                known(connection, workspace, video.as_str())?;
                let sql = format!("SELECT {COLUMNS} FROM caption WHERE video = ?1 ORDER BY language");
                let mut statement = connection.prepare_cached(&sql)?;
                let rows = statement.query_map([video.as_str()], |row| record(row, video.as_str(), &base_url))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// The captions of a video in one language, with their text.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has none such; else where the database refuses.
    pub async fn captions_in(
        &self,
        workspace: i64,
        video: VideoId,
        language: String,
        base_url: String,
    ) -> Result<VideoCaptions, StoreError> {
        self.readers
            .run(move |connection| {
                known(connection, workspace, video.as_str())?;
                one(connection, video.as_str(), &language, &base_url)?.ok_or(NO_CAPTIONS)
            })
            .await
    }

    /// Sets the captions of a video in one language.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such video, [`StoreError::Conflict`] where it has captions in
    /// too many languages; else where the database refuses.
    pub async fn set_captions(
        &self,
        workspace: i64,
        video: VideoId,
        new: NewCaption,
        base_url: String,
    ) -> Result<VideoCaptions, StoreError> {
        const SET: &str = "INSERT INTO caption (video, language, label, cues, hash, created_at, updated_at, vtt)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
            ON CONFLICT (video, language) DO UPDATE SET label = excluded.label, cues = excluded.cues,
            hash = excluded.hash, updated_at = excluded.updated_at, vtt = excluded.vtt";
        const OTHERS: &str = "SELECT count(*) FROM caption WHERE video = ?1 AND language <> ?2";
        self.write(move |transaction| {
            let video = video.as_str();
            known(transaction, workspace, video)?;
            let others: i64 = transaction.query_row(OTHERS, [video, &new.language], |row| row.get(0))?;
            if others >= MOST_LANGUAGES {
                let why = format!("A video can have captions in at most {MOST_LANGUAGES} languages. Remove one first.");
                return Err(StoreError::Conflict(why));
            }
            let hash = blake3::hash(new.vtt.as_bytes());
            let cues = i64::try_from(new.cues).unwrap_or(i64::MAX);
            transaction.prepare_cached(SET)?.execute(params![
                video,
                new.language,
                new.label,
                cues,
                hash.as_bytes(),
                now_text(),
                new.vtt
            ])?;
            let set = one(transaction, video, &new.language, &base_url)?.ok_or(NO_CAPTIONS)?;
            Ok(VideoCaptions { vtt: None, ..set })
        })
        .await
    }

    /// Removes the captions of a video in one language.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has none such; else where the database refuses.
    pub async fn remove_captions(&self, workspace: i64, video: VideoId, language: String) -> Result<(), StoreError> {
        self.write(move |transaction| {
            known(transaction, workspace, video.as_str())?;
            let sql = "DELETE FROM caption WHERE video = ?1 AND language = ?2";
            if transaction.execute(sql, [video.as_str(), &language])? == 0 { Err(NO_CAPTIONS) } else { Ok(()) }
        })
        .await
    }

    /// The WebVTT of captions and its BLAKE3 hash, whichever workspace they belong to: players ask for it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there are none such; else where the database refuses.
    pub async fn captions_file(&self, video: String, language: String) -> Result<(String, [u8; 32]), StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT vtt, hash FROM caption WHERE video = ?1 AND language = ?2";
                let mut statement = connection.prepare_cached(sql)?;
                let found = statement.query_row([&video, &language], |row| Ok((row.get(0)?, row.get(1)?)));
                found.optional()?.ok_or(NO_CAPTIONS)
            })
            .await
    }
}
