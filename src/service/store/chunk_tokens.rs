//! By what it is known whether the bitmaps of a chunk are still the same: a random token for each chunk of a store, kept in
//! the store's row. Whoever changes a term of a chunk draws another token in the same transaction, so that in any moment of
//! the database the same token means the same bitmaps, also in one that lost its last transactions or was restored. Only in
//! PostgreSQL, where asking for bitmaps takes long.
//!
//! With the tokens is the store's `generation` that they belong to. A process of an earlier version counts that up, but knows
//! of no tokens: what it leaves counts for nothing until somebody draws them all again.

use std::collections::BTreeSet;

use super::StoreError;
use super::credentials::random;
use super::db::{Connection, params};
use crate::service::search::numbers::chunk_of;

/// The tokens of a store's chunks, as they are read with its row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChunkTokens(Vec<u64>);

impl ChunkTokens {
    /// What the row of a store says that was changed so many times; nothing where that is not of this change.
    pub(super) fn read(kept: &[u8], generation: i64) -> Self {
        match kept.split_first_chunk() {
            Some((of, tokens)) if i64::from_be_bytes(*of) == generation => {
                Self(tokens.as_chunks().0.iter().map(|token| u64::from_be_bytes(*token)).collect())
            }
            _ => Self::default(),
        }
    }

    /// The token of a chunk. Without, its bitmaps can't be known again.
    pub(super) fn of(&self, chunk: u32) -> Option<u64> {
        self.0.get(usize::try_from(chunk).ok()?).copied()
    }
}

/// Keeps the tokens of a store for this generation: those that are known, and others for what has none.
fn keep(
    connection: &Connection,
    store: i64,
    (generation, next_number): (i64, u32),
    known: impl Fn(u32) -> Option<u64>,
) -> Result<(), StoreError> {
    let mut bytes = generation.to_be_bytes().to_vec();
    for chunk in 0..=chunk_of(next_number) {
        bytes.extend(known(chunk).map_or_else(random, |token| Ok(token.to_be_bytes()))?);
    }
    connection.execute("UPDATE store SET chunk_tokens = ?2 WHERE id = ?1", params![store, bytes])?;
    Ok(())
}

/// The terms of these chunks were changed, and maybe of none: part of the transaction that did it, after it has counted up the
/// store's generation.
pub(super) fn renew(connection: &Connection, store: i64, changed: &BTreeSet<u32>) -> Result<(), StoreError> {
    if connection.postgres().is_none() {
        return Ok(());
    }
    let sql = "SELECT generation, next_number, chunk_tokens FROM store WHERE id = ?1";
    let (generation, next, kept): (i64, u32, Vec<u8>) =
        connection.prepare_cached(sql)?.query_row([store], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let known = ChunkTokens::read(&kept, generation - 1);
    keep(connection, store, (generation, next), |chunk| known.of(chunk).filter(|_| !changed.contains(&chunk)))
}

/// Gives tokens to the stores that lack some: they were moved here, or come from an earlier version. Whether there were any;
/// part of a transaction that writes.
pub(super) fn complete(connection: &Connection) -> Result<bool, StoreError> {
    let mut stores = connection.prepare("SELECT id, generation, next_number, chunk_tokens FROM store")?;
    let stores = stores.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let stores: Vec<(i64, i64, u32, Vec<u8>)> = stores.collect::<Result<_, _>>()?;
    let mut lacked = false;
    for (store, generation, next, kept) in stores {
        let known = ChunkTokens::read(&kept, generation);
        if known.of(chunk_of(next)).is_none() {
            keep(connection, store, (generation, next), |chunk| known.of(chunk))?;
            lacked = true;
        }
    }
    Ok(lacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_another_generation_count_for_nothing() {
        let kept = [7_i64.to_be_bytes(), [1; 8], [2; 8]].concat();
        let read = ChunkTokens::read(&kept, 7);
        let token = |byte| Some(u64::from_be_bytes([byte; 8]));
        assert_eq!([0, 1, 2].map(|chunk| read.of(chunk)), [token(1), token(2), None]);
        for (kept, generation) in [(&kept[..], 6), (&kept[..], 8), (&kept[..7], 7), (&[], 0)] {
            assert_eq!(ChunkTokens::read(kept, generation), ChunkTokens::default());
        }
    }
}
