//! Which products have a term: bitmaps of product numbers, one a term and 65,536 numbers ("chunk").

use std::collections::{BTreeSet, HashMap};

use roaring::RoaringBitmap;

use super::db::{self, Connection, OptionalExtension as _, params};
use super::posting::{Change, Posting, bitmap};
use super::{StoreError, bulk};
use crate::service::search::numbers::chunk_of;
use crate::service::search::{Field, Name, Terms};

/// Changes to a store's terms, gathered in memory and written once a transaction.
#[derive(Default)]
pub(super) struct Changes {
    shared: HashMap<(Field, String), HashMap<u32, Change>>,
    names: Vec<(Name, i64, u32, bool)>,
}

impl Changes {
    /// A product has new terms; `before` are those that it had.
    pub(super) fn note(&mut self, number: u32, before: Option<&Terms>, now: Terms) {
        if let Some(before) = before {
            for term in before.shared.iter().filter(|term| now.shared.binary_search(term).is_err()) {
                self.remove(number, term);
            }
            let gone = before.names.iter().filter(|name| now.names.binary_search(name).is_err());
            self.names.extend(gone.map(|(name, hash)| (*name, *hash, number, false)));
        }
        for term in now.shared {
            if before.is_none_or(|before| before.shared.binary_search(&term).is_err()) {
                let change = self.shared.entry(term).or_default().entry(chunk_of(number)).or_default();
                change.removed.remove(number);
                change.added.insert(number);
            }
        }
        for (name, hash) in now.names {
            if before.is_none_or(|before| before.names.binary_search(&(name, hash)).is_err()) {
                self.names.push((name, hash, number, true));
            }
        }
    }

    fn remove(&mut self, number: u32, term: &(Field, String)) {
        let change = self.shared.entry(term.clone()).or_default().entry(chunk_of(number)).or_default();
        change.added.remove(number);
        change.removed.insert(number);
    }

    /// Writes what was gathered, in the order of the tables. The chunks whose terms were changed are to get other tokens in the
    /// same transaction.
    pub(super) fn write(&mut self, connection: &Connection, store: i64) -> Result<BTreeSet<u32>, StoreError> {
        let mut shared: Vec<_> = std::mem::take(&mut self.shared)
            .into_iter()
            .flat_map(|((field, term), chunks)| {
                chunks.into_iter().map(move |(chunk, change)| Posting { field, chunk, term: term.clone(), change })
            })
            .collect();
        shared.sort_unstable_by(|a, b| (a.field, a.chunk, &a.term).cmp(&(b.field, b.chunk, &b.term)));
        let changed = shared.iter().map(|posting| posting.chunk).collect();
        if let Some(session) = connection.postgres() {
            bulk::postings(session, store, shared)?;
            bulk::names(session, store, self.names.drain(..))?;
            return Ok(changed);
        }
        for Posting { field, chunk, term, change } in shared {
            let mut bits = one(connection, store, field, chunk, &term)?.unwrap_or_default();
            bits -= change.removed;
            bits |= change.added;
            let place = params![store, field.number(), chunk, term];
            if bits.is_empty() {
                const FORGET: &str = "DELETE FROM posting WHERE store = ?1 AND field = ?2 AND chunk = ?3 AND term = ?4";
                connection.prepare_cached(FORGET)?.execute(place)?;
                continue;
            }
            let mut blob = Vec::with_capacity(bits.serialized_size());
            bits.serialize_into(&mut blob)?;
            connection
                .prepare_cached(
                    "INSERT INTO posting (store, field, chunk, term, bits) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (store, field, chunk, term) DO UPDATE SET bits = excluded.bits",
                )?
                .execute(params![store, field.number(), chunk, term, blob])?;
        }
        // What was noted last of a name holds; a stable sort keeps that order.
        self.names.sort_by_key(|(name, hash, number, _)| (*name, *hash, *number));
        let mut add = connection
            .prepare_cached("INSERT OR IGNORE INTO lookup (store, field, hash, number) VALUES (?1, ?2, ?3, ?4)")?;
        let mut forget = connection
            .prepare_cached("DELETE FROM lookup WHERE store = ?1 AND field = ?2 AND hash = ?3 AND number = ?4")?;
        for (name, hash, number, added) in self.names.drain(..) {
            let statement = if added { &mut add } else { &mut forget };
            statement.execute(params![store, name.number(), hash, number])?;
        }
        Ok(changed)
    }
}

/// The products of a chunk that have a term.
pub(super) fn one(
    connection: &Connection,
    store: i64,
    field: Field,
    chunk: u32,
    term: &str,
) -> Result<Option<RoaringBitmap>, StoreError> {
    const ONE: &str = "SELECT bits FROM posting WHERE store = ?1 AND field = ?2 AND chunk = ?3 AND term = ?4";
    let mut statement = connection.prepare_cached(ONE)?;
    let found = statement
        .query_row(params![store, field.number(), chunk, term], |row| Ok(bitmap(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    found.transpose()
}

/// The products of a chunk that have a term with this beginning.
pub(super) fn beginning(
    connection: &Connection,
    store: i64,
    field: Field,
    chunk: u32,
    word: &str,
) -> Result<RoaringBitmap, StoreError> {
    const RANGE: &str = "SELECT bits FROM posting
        WHERE store = ?1 AND field = ?2 AND chunk = ?3 AND term >= ?4 AND term < ?5";
    let mut statement = connection.prepare_cached(RANGE)?;
    // The last code point is no letter or digit, so every word with this beginning sorts before it.
    let mut rows = statement.query(params![store, field.number(), chunk, word, format!("{word}\u{10ffff}")])?;
    let mut all = RoaringBitmap::new();
    while let Some(row) = rows.next()? {
        all |= bitmap(row.get_ref(0)?.as_blob().map_err(db::Error::from)?)?;
    }
    Ok(all)
}

/// The products that have one of these names.
pub(super) fn named(
    connection: &Connection,
    store: i64,
    name: Name,
    hashes: &[i64],
) -> Result<RoaringBitmap, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT number FROM lookup WHERE store = ?1 AND field = ?2 AND hash = ?3")?;
    let mut all = RoaringBitmap::new();
    for hash in hashes {
        let mut rows = statement.query(params![store, name.number(), hash])?;
        while let Some(row) = rows.next()? {
            all.insert(row.get::<u32>(0)?);
        }
    }
    Ok(all)
}
