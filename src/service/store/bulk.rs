//! What is written into PostgreSQL many rows at a time: an answer of the server takes longer than a row, so a statement takes
//! some hundred. The rows are those that SQLite is given one after another.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use roaring::RoaringBitmap;

use super::db::{self, Listed, Question, Session};
use super::documents::{ID, PageWish, given};
use super::posting::{Change, Posting, bitmap};
use super::rules::prepared::Prepared;
use super::{StoreError, lists};
use crate::domain::Product;
use crate::service::search::Name;
use crate::service::search::numbers::id;

/// Rows of a statement at most, and bytes of documents after which it has enough.
pub(super) const ROWS: usize = 500;
const BYTES: usize = 4 * 1024 * 1024;

const PRODUCTS: &str = "INSERT INTO product
    (id, store, external, version, published, inventory, created, provider_created, provider_updated)
    SELECT id, ?1, external, version, published, inventory, created, provider_created, provider_updated
    FROM unnest(?2::bigint[], ?3::text[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[], ?8::bigint[], ?9::bigint[])
        AS given (id, external, version, published, inventory, created, provider_created, provider_updated)
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, published = excluded.published,
        inventory = excluded.inventory, created = excluded.created, provider_created = excluded.provider_created,
        provider_updated = excluded.provider_updated";

const DOCUMENTS: &str = "INSERT INTO document (id, head, tail, found, media, variants, metafields, analysis)
    SELECT id, head, tail, found, media, variants, metafields, analysis
    FROM unnest(?1::bigint[], ?2::text[], ?3::text[], ?4::text[], ?5::text[], ?6::text[], ?7::text[], ?8::text[])
        AS given (id, head, tail, found, media, variants, metafields, analysis)
    ON CONFLICT (id) DO UPDATE SET head = excluded.head, tail = excluded.tail, found = excluded.found,
        media = excluded.media, variants = excluded.variants, metafields = excluded.metafields,
        analysis = coalesce(excluded.analysis, document.analysis)";

const KEPT: &str = "SELECT (
        SELECT bits FROM posting WHERE store = ?1 AND field = wanted.field AND chunk = wanted.chunk AND key =
            CASE WHEN length(wanted.term) > 512 THEN left(wanted.term, 512) || md5(wanted.term) ELSE wanted.term END
    ) FROM unnest(?2::bigint[], ?3::bigint[], ?4::text[]) WITH ORDINALITY AS wanted (field, chunk, term, nth)
    ORDER BY wanted.nth";

const POSTINGS: &str = "INSERT INTO posting (store, field, chunk, term, bits)
    SELECT ?1, field, chunk, term, bits
    FROM unnest(?2::bigint[], ?3::bigint[], ?4::text[], ?5::bytea[]) AS given (field, chunk, term, bits)
    ON CONFLICT (store, field, chunk, key) DO UPDATE SET bits = excluded.bits";

const NO_POSTINGS: &str = "DELETE FROM posting
    USING unnest(?2::bigint[], ?3::bigint[], ?4::text[]) AS gone (field, chunk, term)
    WHERE store = ?1 AND posting.field = gone.field AND posting.chunk = gone.chunk AND posting.key =
        CASE WHEN length(gone.term) > 512 THEN left(gone.term, 512) || md5(gone.term) ELSE gone.term END";

const NAMES: &str = "INSERT INTO lookup (store, field, hash, number)
    SELECT ?1, field, hash, number FROM unnest(?2::bigint[], ?3::bigint[], ?4::bigint[]) AS given (field, hash, number)
    ON CONFLICT DO NOTHING";

const NO_NAMES: &str = "DELETE FROM lookup
    USING unnest(?2::bigint[], ?3::bigint[], ?4::bigint[]) AS gone (field, hash, number)
    WHERE store = ?1 AND lookup.field = gone.field AND lookup.hash = gone.hash AND lookup.number = gone.number";

/// Products that wait to be written, each once, with their numbers.
#[derive(Default)]
pub(super) struct Waiting {
    products: Vec<(u32, Prepared)>,
    bytes: usize,
}

impl Waiting {
    /// One more; whether there are enough for a statement now.
    pub(super) fn add(&mut self, number: u32, prepared: Prepared) -> bool {
        let parts = &prepared.parts;
        let texts = [&parts.head, &parts.tail, &parts.found, &parts.media, &parts.variants, &parts.metafields];
        let analysis = parts.analysis.as_ref().map_or(0, String::len);
        self.bytes += texts.map(String::len).iter().sum::<usize>() + analysis + prepared.external.len();
        self.products.push((number, prepared));
        self.products.len() >= ROWS || self.bytes >= BYTES
    }

    /// Writes them, with their documents.
    pub(super) fn write(&mut self, session: &Session, store: i64) -> Result<(), StoreError> {
        let Self { products, .. } = std::mem::take(self);
        if products.is_empty() {
            return Ok(());
        }
        let numbers = |of: fn(&Prepared) -> Option<i64>| products.iter().map(|(_, one)| of(one)).collect::<Vec<_>>();
        let texts = |of: fn(&Prepared) -> Option<&str>| products.iter().map(|(_, one)| of(one)).collect::<Vec<_>>();
        let ids: Vec<i64> = products.iter().map(|(number, _)| id(store, *number)).collect();
        let columns = [
            numbers(|one| Some(one.version)),
            numbers(|one| Some(one.published.into())),
            numbers(|one| Some(one.inventory)),
            numbers(|one| one.created),
            numbers(|one| one.provider_created),
            numbers(|one| one.provider_updated),
        ];
        let external = texts(|one| Some(one.external.as_str()));
        let parts = [
            texts(|one| Some(one.parts.head.as_str())),
            texts(|one| Some(one.parts.tail.as_str())),
            texts(|one| Some(one.parts.found.as_str())),
            texts(|one| Some(one.parts.media.as_str())),
            texts(|one| Some(one.parts.variants.as_str())),
            texts(|one| Some(one.parts.metafields.as_str())),
            texts(|one| one.parts.analysis.as_deref()),
        ];
        let mut of_products = vec![Listed::Number(store), Listed::Numbers(&ids), Listed::Stored(&external)];
        of_products.extend(columns.iter().map(|column| Listed::Options(column)));
        let mut of_documents = vec![Listed::Numbers(&ids)];
        of_documents.extend(parts.iter().map(|part| Listed::Stored(part)));
        session.answers(&[Question::new(PRODUCTS, &of_products), Question::new(DOCUMENTS, &of_documents)])?;
        Ok(())
    }
}

/// Those of some products that the store has, by their external ids.
pub(super) fn known(
    session: &Session,
    store: i64,
    externals: &[Cow<'_, str>],
) -> Result<HashMap<String, (i64, Product)>, StoreError> {
    let every = PageWish { media: true, variants: true, analysis: true };
    let mut names: HashMap<i64, String> = HashMap::new();
    for row in lists::ids_of(session, store, externals)? {
        names.insert(row.get(0)?, row.get(1)?);
    }
    let ids: Vec<i64> = names.keys().copied().collect();
    let mut known = HashMap::with_capacity(ids.len());
    // Documents are large, so they come a few at a time.
    for ids in ids.chunks(ROWS / 5) {
        for row in session.rows(Question::new(every.by_ids(), &[Listed::Numbers(ids)]))? {
            let id = row.get(ID)?;
            if let Some(external) = names.remove(&id) {
                known.insert(external, (id, given(id, &row)?));
            }
        }
    }
    Ok(known)
}

/// Writes changes of bitmaps, in the order of the table.
pub(super) fn postings(
    session: &Session,
    store: i64,
    changes: impl IntoIterator<Item = Posting>,
) -> Result<(), StoreError> {
    let mut changes = changes.into_iter().peekable();
    while changes.peek().is_some() {
        some_postings(session, store, changes.by_ref().take(ROWS).collect())?;
    }
    Ok(())
}

/// Places of postings, each column by itself.
#[derive(Default)]
struct Places<'a> {
    fields: Vec<i64>,
    chunks: Vec<i64>,
    terms: Vec<Option<&'a str>>,
}

impl<'a> Places<'a> {
    fn add(&mut self, posting: &'a Posting) {
        self.fields.push(posting.field.number());
        self.chunks.push(posting.chunk.into());
        self.terms.push(Some(&posting.term));
    }

    fn listed(&self, store: i64) -> [Listed<'_>; 4] {
        [
            Listed::Number(store),
            Listed::Numbers(&self.fields),
            Listed::Numbers(&self.chunks),
            Listed::Stored(&self.terms),
        ]
    }
}

fn some_postings(session: &Session, store: i64, changes: Vec<Posting>) -> Result<(), StoreError> {
    let mut all = Places::default();
    for posting in &changes {
        all.add(posting);
    }
    let kept = session.rows(Question::new(KEPT, &all.listed(store)))?;
    let (mut there, mut blobs, mut gone) = (Places::default(), Vec::new(), Places::default());
    for (posting, row) in changes.iter().zip(kept) {
        let blob: db::ValueRef<'_> = row.get_ref(0)?;
        let kept = if blob == db::ValueRef::Null {
            RoaringBitmap::new()
        } else {
            bitmap(blob.as_blob().map_err(db::Error::from)?)?
        };
        let Change { added, removed } = &posting.change;
        let bits = (kept - removed) | added;
        if bits.is_empty() {
            gone.add(posting);
            continue;
        }
        let mut blob = Vec::with_capacity(bits.serialized_size());
        bits.serialize_into(&mut blob)?;
        there.add(posting);
        blobs.push(blob);
    }
    let written = [&there.listed(store)[..], &[Listed::Blobs(&blobs)]].concat();
    let removed = gone.listed(store);
    let mut asked = Vec::with_capacity(2);
    if !blobs.is_empty() {
        asked.push(Question::new(POSTINGS, &written));
    }
    if !gone.fields.is_empty() {
        asked.push(Question::new(NO_POSTINGS, &removed));
    }
    session.answers(&asked)?;
    Ok(())
}

/// Writes which products have which names, and which no longer: what is said last of one holds.
pub(super) fn names(
    session: &Session,
    store: i64,
    changes: impl IntoIterator<Item = (Name, i64, u32, bool)>,
) -> Result<(), StoreError> {
    let changes: BTreeMap<_, _> =
        changes.into_iter().map(|(name, hash, number, added)| ((name, hash, number), added)).collect();
    for (sql, wanted) in [(NAMES, true), (NO_NAMES, false)] {
        let rows = changes.iter().filter(|(_, added)| **added == wanted).map(|(row, _)| row);
        let rows: Vec<_> = rows.collect();
        // Rows of numbers are small.
        for rows in rows.chunks(8 * ROWS) {
            let fields: Vec<i64> = rows.iter().map(|(name, ..)| name.number()).collect();
            let hashes: Vec<i64> = rows.iter().map(|(_, hash, _)| *hash).collect();
            let numbers: Vec<i64> = rows.iter().map(|(.., number)| (*number).into()).collect();
            let of =
                [Listed::Number(store), Listed::Numbers(&fields), Listed::Numbers(&hashes), Listed::Numbers(&numbers)];
            session.rows(Question::new(sql, &of))?;
        }
    }
    Ok(())
}
