//! Creations that are asked for again under the same `Idempotency-Key` make nothing new: they are answered as they
//! were the first time. The key is kept in the transaction that creates, so neither is there without the other.

use super::credentials::now_seconds;
use super::db::{OptionalExtension as _, Transaction, params};
use super::{Store, StoreError};

/// How long a key is remembered, seconds.
pub(super) const KEPT_SECONDS: i64 = 24 * 60 * 60;

/// What a client calls one creation, however often it sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreationKey {
    /// The operation of §4; the same key means something else for another one.
    pub operation: &'static str,
    /// The key as it was sent.
    pub key: String,
    /// A hash of what is to be created: a key that comes with something else is refused.
    pub fingerprint: [u8; 32],
}

/// What came of a creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The answer, as JSON text.
    pub answer: Vec<u8>,
    /// Whether it was made before, under the same key: nothing new is there.
    pub repeated: bool,
}

/// Makes what `make` makes, or answers as the first time where the key is known. Two requests with one key follow each
/// other, as all that writes does.
///
/// # Errors
/// [`StoreError::OtherCreation`] where the key came with something else; else what `make` and the database say. What
/// fails is not remembered: it may be tried again under the same key.
pub(super) fn once(
    transaction: &Transaction<'_>,
    workspace: i64,
    key: Option<&CreationKey>,
    make: impl FnOnce() -> Result<Vec<u8>, StoreError>,
) -> Result<Created, StoreError> {
    let Some(key) = key else { return Ok(Created { answer: make()?, repeated: false }) };
    let now = now_seconds();
    let known: Option<(Vec<u8>, Vec<u8>)> = transaction
        .prepare_cached(
            "SELECT fingerprint, answer FROM creation WHERE workspace = ?1 AND operation = ?2 AND key = ?3
             AND created_at >= ?4",
        )?
        .query_row(params![workspace, key.operation, key.key, now.saturating_sub(KEPT_SECONDS)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    match known {
        Some((fingerprint, answer)) if fingerprint == key.fingerprint => Ok(Created { answer, repeated: true }),
        Some(_) => Err(StoreError::OtherCreation),
        None => {
            let answer = make()?;
            transaction
                .prepare_cached(
                    // One that is over may still be there.
                    "INSERT INTO creation (workspace, operation, key, fingerprint, answer, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (workspace, operation, key) DO UPDATE
                     SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at",
                )?
                .execute(params![workspace, key.operation, key.key, key.fingerprint, answer, now])?;
            Ok(Created { answer, repeated: false })
        }
    }
}

/// Forgets the key under which what is deleted now was created: sent again, it is created again and not named as if it
/// were there. Ids are random, so an answer that holds one is the one that made it.
///
/// # Errors
/// [`StoreError`] where the database refuses.
pub(super) fn forget_deleted(transaction: &Transaction<'_>, workspace: i64, id: &str) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM creation WHERE workspace = ?1 AND instr(CAST(answer AS TEXT), ?2) > 0")?
        .execute(params![workspace, id])?;
    Ok(())
}

impl Store {
    /// Forgets a key, because what was created under it was taken back.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn forget_creation(&self, workspace: i64, key: CreationKey) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.execute(
                "DELETE FROM creation WHERE workspace = ?1 AND operation = ?2 AND key = ?3",
                params![workspace, key.operation, key.key],
            )?;
            Ok(())
        })
        .await
    }
}
