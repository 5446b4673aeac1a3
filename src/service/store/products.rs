//! Products taken in: many new ones at once, or one after another over what is there.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::bulk::Waiting;
use super::db::{self, Connection, TransactionBehavior, params};
use super::documents::{id_of, stored};
use super::postings::Changes;
use super::rules::prepared::Prepared;
use super::stores::{NewStore, connect};
use super::{Store, StoreError, bulk, chunk_tokens, now_text};
use crate::domain::text::has_unspaced;
use crate::domain::{Analysis, Num, Product};
use crate::service::search::Terms;
use crate::service::search::numbers::{chunk_of, id, number};

/// A product to be taken in, as its platform gives it. The service numbers it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewProduct {
    /// The product, §2.1.
    pub product: Product,
    /// What was found out about it, §2.5.
    pub analysis: Option<Analysis>,
}

/// What became of products that were imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// How many were not known before.
    pub added: u64,
    /// How many took the place of an earlier version.
    pub updated: u64,
}

impl Imported {
    fn count(&mut self, is_new: bool) {
        *(if is_new { &mut self.added } else { &mut self.updated }) += 1;
    }
}

/// Page cache while many products are taken in, KiB: every index of a chunk is touched all over.
const BULK_CACHE: i64 = -160 * 1024;

const INSERT_PRODUCT: &str = "INSERT INTO product
    (id, store, external, version, published, inventory, created, provider_created, provider_updated)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, published = excluded.published,
        inventory = excluded.inventory, created = excluded.created, provider_created = excluded.provider_created,
        provider_updated = excluded.provider_updated";

const INSERT_DOCUMENT: &str = "INSERT INTO document (id, head, tail, found, media, variants, metafields, analysis)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (id) DO UPDATE SET head = excluded.head, tail = excluded.tail, found = excluded.found,
        media = excluded.media, variants = excluded.variants, metafields = excluded.metafields,
        analysis = coalesce(excluded.analysis, document.analysis)";

/// A batch of products going into one store in one transaction.
struct Batch<'a> {
    connection: &'a Connection,
    store: i64,
    next: u32,
    products: i64,
    published: i64,
    changes: Changes,
    waiting: Waiting,
}

impl<'a> Batch<'a> {
    fn begin(connection: &'a Connection, store: i64) -> Result<Self, StoreError> {
        let counts = "SELECT next_number, products, published FROM store WHERE id = ?1";
        let (next, products, published) =
            connection.query_row(counts, [store], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (changes, waiting) = (Changes::default(), Waiting::default());
        Ok(Self { connection, store, next, products, published, changes, waiting })
    }

    fn add(&mut self, prepared: Prepared) -> Result<(), StoreError> {
        let number = self.next;
        self.next += 1;
        self.products += 1;
        self.published += i64::from(prepared.published);
        self.put(number, None, prepared)
    }

    /// Puts a product in its place; `before` are the terms of the one that was there. In PostgreSQL it waits for others that are
    /// written with it.
    fn put(&mut self, number: u32, before: Option<&Terms>, mut prepared: Prepared) -> Result<(), StoreError> {
        let terms = std::mem::take(&mut prepared.terms);
        if let Some(session) = self.connection.postgres() {
            if self.waiting.add(number, prepared) {
                self.waiting.write(session, self.store)?;
            }
        } else {
            self.put_alone(number, &prepared)?;
        }
        self.changes.note(number, before, terms);
        Ok(())
    }

    fn put_alone(&self, number: u32, prepared: &Prepared) -> Result<(), StoreError> {
        let (id, parts) = (id(self.store, number), &prepared.parts);
        self.connection.prepare_cached(INSERT_PRODUCT)?.execute(params![
            id,
            self.store,
            prepared.external,
            prepared.version,
            prepared.published,
            prepared.inventory,
            prepared.created,
            prepared.provider_created,
            prepared.provider_updated,
        ])?;
        self.connection.prepare_cached(INSERT_DOCUMENT)?.execute(params![
            id,
            parts.head,
            parts.tail,
            parts.found,
            parts.media,
            parts.variants,
            parts.metafields,
            parts.analysis,
        ])?;
        Ok(())
    }

    /// The product with an external id, with its own.
    fn known(&self, external: &str) -> Result<Option<(i64, Product)>, StoreError> {
        let Some(id) = id_of(self.connection, self.store, external)? else { return Ok(None) };
        Ok(stored(self.connection, id)?.map(|product| (id, product)))
    }

    /// Adds products, or puts them in the places of those with the same external ids.
    fn upsert_all(&mut self, products: Vec<NewProduct>) -> Result<Imported, StoreError> {
        let mut imported = Imported::default();
        let Some(session) = self.connection.postgres() else {
            for new in products {
                let known = self.known(new.product.external_product_id.as_str())?;
                imported.count(self.upsert(new, known)?);
            }
            return Ok(imported);
        };
        let mut products = products.into_iter().peekable();
        while products.peek().is_some() {
            let group = group(&mut products);
            let externals = group.iter().map(|new| Cow::from(new.product.external_product_id.as_str()));
            let mut known = bulk::known(session, self.store, &externals.collect::<Vec<_>>())?;
            for new in group {
                let known = known.remove(new.product.external_product_id.as_str());
                imported.count(self.upsert(new, known)?);
            }
            // The next group may have one of these again.
            self.write_waiting()?;
        }
        Ok(imported)
    }

    /// Writes what waits still.
    fn write_waiting(&mut self) -> Result<(), StoreError> {
        self.connection.postgres().map_or(Ok(()), |session| self.waiting.write(session, self.store))
    }

    /// Adds a product or puts it in the place of the one with the same external id, whose version it raises.
    fn upsert(&mut self, new: NewProduct, known: Option<(i64, Product)>) -> Result<bool, StoreError> {
        let NewProduct { mut product, analysis } = new;
        let Some((id, before)) = known else {
            product.version = Num(product.version.0.max(1.0));
            self.add(Prepared::of(product, analysis.as_ref(), false)?)?;
            return Ok(true);
        };
        product.version = Num(before.version.0 + 1.0);
        product.created_at.clone_from(&before.created_at);
        product.updated_at = now_text();
        let prepared = Prepared::of(product, analysis.as_ref(), false)?;
        self.published += i64::from(prepared.published) - i64::from(before.published_at.is_some());
        self.put(number(id), Some(&Terms::of(&before)), prepared)?;
        Ok(false)
    }

    fn end(&mut self) -> Result<(), StoreError> {
        self.write_waiting()?;
        let changed = self.changes.write(self.connection, self.store)?;
        self.connection.execute(
            "UPDATE store SET next_number = ?2, products = ?3, published = ?4, generation = generation + 1
             WHERE id = ?1",
            params![self.store, self.next, self.products, self.published],
        )?;
        chunk_tokens::renew(self.connection, self.store, &changed)
    }
}

/// Finds the products of scripts without spaces by their parts, in a database where they were found by whole words.
pub(super) fn cut_up(connection: &Connection) -> Result<(), StoreError> {
    let mut stores = connection.prepare("SELECT id FROM store")?;
    let stores: Vec<i64> = stores.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for store in stores {
        let mut changes = Changes::default();
        let mut heads = connection.prepare("SELECT id, head FROM document WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
        let mut rows = heads.query(params![id(store, 0), id(store, u32::MAX)])?;
        while let Some(row) = rows.next()? {
            // Title and tags are in the head.
            if has_unspaced(row.get_ref(1)?.as_str().map_err(db::Error::from)?) {
                let product: i64 = row.get(0)?;
                if let Some(stored) = stored(connection, product)? {
                    changes.note(number(product), Some(&Terms::of_whole_words(&stored)), Terms::of(&stored));
                }
            }
        }
        changes.write(connection, store)?;
    }
    Ok(())
}

impl Store {
    /// Takes in products that the store does not have yet, as many as come, with progress after each batch: so many so
    /// far. Committed chunk by chunk, so that what a stopped load left can be continued; it stops when the store closes. `sample` products may name the
    /// service's own address.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses, or a product is there already.
    pub async fn load(
        &self,
        store: i64,
        products: impl Iterator<Item = NewProduct> + Send + 'static,
        sample: bool,
        mut progress: impl FnMut(u64) + Send + 'static,
    ) -> Result<u64, StoreError> {
        let closing = Arc::clone(&self.closing);
        let products = products.take_while(move |_| !closing.load(Ordering::Relaxed));
        self.writer
            .run(move |connection| {
                connection.pragma_update(None, "cache_size", BULK_CACHE)?;
                let loaded = load(connection, store, products, sample, &mut progress);
                if let Some(connection) = connection.sqlite() {
                    super::connection::prepare(connection)?;
                }
                connection.sqlite_batch("PRAGMA shrink_memory; PRAGMA wal_checkpoint(TRUNCATE)")?;
                loaded
            })
            .await
    }

    /// Takes in products over what is there, all in one transaction, in which the store is connected where it is
    /// missing.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses; then none of them is taken in, and no store is left without any.
    pub async fn upsert(
        &self,
        workspace: i64,
        store: NewStore,
        products: Vec<NewProduct>,
    ) -> Result<Imported, StoreError> {
        self.write(move |transaction| {
            let store = connect(transaction, workspace, store)?;
            let mut batch = Batch::begin(transaction, store.id)?;
            let imported = batch.upsert_all(products)?;
            batch.end()?;
            Ok(imported)
        })
        .await
    }
}

/// Products made ready ahead of the writing, on another core.
const AHEAD: usize = 16;
/// Products written in one transaction at most where other processes wait for their turn meanwhile.
const SHARED_AT_ONCE: u64 = 2_000;
/// Products handed over at once.
const HANDFUL: usize = 256;

fn load(
    connection: &mut Connection,
    store: i64,
    products: impl Iterator<Item = NewProduct> + Send + 'static,
    sample: bool,
    progress: &mut impl FnMut(u64),
) -> Result<u64, StoreError> {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Result<Vec<Prepared>, StoreError>>(AHEAD);
    let preparing = std::thread::Builder::new().name("cutaway-load".to_owned()).spawn(move || {
        let mut products = products.peekable();
        while products.peek().is_some() {
            let handful = products.by_ref().take(HANDFUL);
            let ready = handful.map(|new| Prepared::of(new.product, new.analysis.as_ref(), sample)).collect();
            if sender.send(ready).is_err() {
                break;
            }
        }
    })?;
    let mut loaded = 0_u64;
    let most = if connection.postgres().is_some() { SHARED_AT_ONCE } else { u64::MAX };
    let mut waiting = receiver.into_iter().peekable();
    while waiting.peek().is_some() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut batch = Batch::begin(&transaction, store)?;
        let chunk = chunk_of(batch.next);
        let until = loaded.saturating_add(most);
        while chunk_of(batch.next) == chunk && loaded < until {
            let Some(ready) = waiting.next() else { break };
            for prepared in ready? {
                batch.add(prepared)?;
                loaded += 1;
            }
            progress(loaded);
        }
        batch.end()?;
        transaction.commit()?;
    }
    drop(waiting);
    preparing.join().map_err(|_| StoreError::Lost)?;
    Ok(loaded)
}

/// The next products that have different ids, as many as are looked up at once.
fn group(products: &mut std::iter::Peekable<impl Iterator<Item = NewProduct>>) -> Vec<NewProduct> {
    let (mut group, mut seen) = (Vec::new(), HashSet::new());
    while let Some(new) =
        products.next_if(|new| group.len() < bulk::ROWS && seen.insert(new.product.external_product_id.clone()))
    {
        group.push(new);
    }
    group
}
