//! One page of a search, §4.1: found in the bitmaps and indexes, put together from the documents, all in one snapshot.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use rusqlite::Connection;

use super::documents::{Matched, PageWish, Writer};
use super::postings::{beginning, chunk_of, named, one};
use super::products::number;
use super::walk::{Walk, few_in_range};
use super::{Store, StoreError, StoreRow, stores};
use crate::domain::{Finding, StoreUrl};
use crate::service::search::cursor::Position;
use crate::service::search::{Field, Key, Order, Query};

/// A range of so many products is kept as a bitmap; in a larger one each candidate is tested.
const FEW_IN_RANGE: usize = if cfg!(test) { 8 } else { 5_000 };

/// So many matches are sorted; of more the sorted index is walked until the page is full.
const FEW_MATCHES: u64 = if cfg!(test) { 8 } else { 2_000 };

/// So many steps along an index a match, and so many more, before many matches are sorted after all: they may all lie
/// at its far end.
const STEPS_A_MATCH: u64 = if cfg!(test) { 2 } else { 4 };
const STEPS_MORE: u64 = if cfg!(test) { 0 } else { 20_000 };

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The beginning of an answer's JSON: `{"products":[…]`.
    pub json: Vec<u8>,
    /// Its last product, where more come after it.
    pub last: Option<Position>,
}

/// What a page is to be.
#[derive(Debug, Clone)]
pub struct PageAsk {
    /// The search.
    pub query: Query,
    /// Products a page.
    pub limit: usize,
    /// The last product of the page before.
    pub after: Option<Position>,
    /// What it is to carry.
    pub wish: PageWish,
    /// The service's own address.
    pub base_url: String,
}

impl Store {
    /// A page of a store's products. `judge` is shown the store, where the workspace has it, and says what the page is to
    /// be, or everything that is wrong with the request; what it says beside comes back with the page.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] with what `judge` found; else where the database refuses.
    pub async fn page<T: Send + 'static>(
        &self,
        workspace: i64,
        app_url: StoreUrl,
        judge: impl FnOnce(Option<&StoreRow>) -> Result<(PageAsk, T), Vec<Finding>> + Send + 'static,
    ) -> Result<(Page, T), StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let store = stores::find(&transaction, workspace, &app_url)?;
                let (ask, beside) = judge(store.as_ref()).map_err(StoreError::Invalid)?;
                let store = store.ok_or(StoreError::UnknownStore(app_url))?;
                let hits = Search::new(&transaction, store.id, &ask)?.run()?;
                Ok((write(&transaction, &hits, &ask)?, beside))
            })
            .await
    }
}

#[derive(Debug, Clone, Copy)]
struct Hit {
    position: Position,
    matched: Option<Matched>,
}

/// The products of a chunk that have what the query wants, and where its words were found.
#[derive(Default)]
struct Found {
    all: RoaringBitmap,
    title: RoaringBitmap,
    tags: RoaringBitmap,
}

struct Search<'a> {
    walk: Walk<'a>,
    /// Products that are left after the query's names and narrow ranges.
    narrowed: Option<RoaringBitmap>,
    chunks: u32,
    /// One more than the page holds, to know whether there is more.
    wanted: usize,
}

impl<'a> Search<'a> {
    fn new(connection: &'a Connection, store: i64, ask: &'a PageAsk) -> Result<Self, StoreError> {
        let walk = Walk { connection, store, query: &ask.query, after: ask.after };
        let next: u32 = connection
            .prepare_cached("SELECT next_number FROM store WHERE id = ?1")?
            .query_row([store], |row| row.get(0))?;
        let narrowed = narrowed(connection, store, &ask.query)?;
        Ok(Self { walk, narrowed, chunks: chunk_of(next) + 1, wanted: ask.limit + 1 })
    }

    fn run(&self) -> Result<Vec<Hit>, StoreError> {
        let by_terms = self.narrowed.is_some() || self.walk.query.has_terms();
        match self.walk.query.order {
            _ if !by_terms => Ok(self.walked(None, u64::MAX)?.unwrap_or_default()),
            Order::Id => self.by_number(),
            Order::By { down, .. } => self.by_key(down),
        }
    }

    /// In the order of an index; of the products found, where only they count. `None` where the page was not full after
    /// so many steps.
    fn walked(&self, found: Option<&BTreeMap<u32, Found>>, most_steps: u64) -> Result<Option<Vec<Hit>>, StoreError> {
        let (mut hits, mut steps) = (Vec::with_capacity(self.wanted), 0);
        self.walk.run(|position| {
            steps += 1;
            if steps > most_steps {
                return Ok(true);
            }
            let matched = match found {
                None => None,
                Some(found) => match found.get(&chunk_of(number(position.id))) {
                    Some(chunk) if chunk.all.contains(number(position.id)) => self.matched(chunk, position),
                    _ => return Ok(false),
                },
            };
            hits.push(Hit { position, matched });
            Ok(hits.len() == self.wanted)
        })?;
        Ok((steps <= most_steps).then_some(hits))
    }

    /// In the order of ids: chunk by chunk, only as far as the page needs.
    fn by_number(&self) -> Result<Vec<Hit>, StoreError> {
        let after = self.walk.after.map_or(0, |after| number(after.id));
        let tested = self.walk.query.inventory.is_some() || self.walk.query.created.is_some();
        let mut hits = Vec::with_capacity(self.wanted);
        for chunk in chunk_of(after)..self.chunks {
            let found = self.chunk(chunk)?;
            let mut numbers = found.all.iter();
            numbers.advance_to(after.saturating_add(1));
            for number in numbers {
                let position = if tested {
                    self.walk.position(number)?
                } else {
                    Some(Position { key: None, id: super::products::id(self.walk.store, number) })
                };
                let Some(position) = position else { continue };
                hits.push(Hit { position, matched: self.matched(&found, position) });
                if hits.len() == self.wanted {
                    return Ok(hits);
                }
            }
        }
        Ok(hits)
    }

    /// In the order of a key: few matches are sorted, of many the index is walked.
    fn by_key(&self, down: bool) -> Result<Vec<Hit>, StoreError> {
        let mut found = BTreeMap::new();
        for chunk in 0..self.chunks {
            let in_chunk = self.chunk(chunk)?;
            if !in_chunk.all.is_empty() {
                found.insert(chunk, in_chunk);
            }
        }
        let matches: u64 = found.values().map(|chunk| chunk.all.len()).sum();
        if matches > FEW_MATCHES
            && let Some(hits) = self.walked(Some(&found), matches * STEPS_A_MATCH + STEPS_MORE)?
        {
            return Ok(hits);
        }
        let mut hits = Vec::new();
        for chunk in found.values() {
            for number in &chunk.all {
                if let Some(position) = self.walk.position(number)? {
                    hits.push(Hit { position, matched: self.matched(chunk, position) });
                }
            }
        }
        if let Some(after) = self.walk.after {
            hits.retain(|hit| compare(hit.position, after, down) == Ordering::Greater);
        }
        hits.sort_unstable_by(|a, b| compare(a.position, b.position, down));
        hits.truncate(self.wanted);
        Ok(hits)
    }

    fn matched(&self, found: &Found, position: Position) -> Option<Matched> {
        let number = number(position.id);
        let matched = || Matched { title: found.title.contains(number), tags: found.tags.contains(number) };
        (!self.walk.query.words.is_empty()).then(matched)
    }

    /// What one chunk has for the query's terms and names.
    fn chunk(&self, chunk: u32) -> Result<Found, StoreError> {
        let (connection, store, query) = (self.walk.connection, self.walk.store, self.walk.query);
        let mut left = self.narrowed.as_ref().map(|narrowed| {
            let mut part = RoaringBitmap::new();
            part.insert_range(chunk << 16..=chunk << 16 | 0xffff);
            part & narrowed
        });
        let mut narrow = |by: RoaringBitmap| {
            let rest = match left.take() {
                None => by,
                Some(before) => before & by,
            };
            let more = !rest.is_empty();
            left = Some(rest);
            more
        };
        for (field, values) in &query.any_of {
            let mut any = RoaringBitmap::new();
            for value in values {
                any |= one(connection, store, *field, chunk, value)?.unwrap_or_default();
            }
            if !narrow(any) {
                return Ok(Found::default());
            }
        }
        let mut found = Found::default();
        for word in &query.words {
            let title = beginning(connection, store, Field::TitleWord, chunk, word)?;
            let tags = beginning(connection, store, Field::TagWord, chunk, word)?;
            if !narrow(&title | &tags) {
                return Ok(Found::default());
            }
            found.title |= title;
            found.tags |= tags;
        }
        found.all = left.unwrap_or_default();
        Ok(found)
    }
}

/// Names and narrow ranges as one bitmap; `None` where the query has none.
fn narrowed(connection: &Connection, store: i64, query: &Query) -> Result<Option<RoaringBitmap>, StoreError> {
    let mut lists = Vec::new();
    if let Some(wanted) = &query.external {
        let mut ids = RoaringBitmap::new();
        for external in wanted {
            ids.extend(super::documents::id_of(connection, store, external)?.map(number));
        }
        lists.push(ids);
    }
    for (name, hashes) in &query.named {
        lists.push(named(connection, store, *name, hashes)?);
    }
    // Of a walk along the inventory the range is a part.
    let walks_inventory = matches!(query.order, Order::By { key: Key::Inventory, .. });
    if let Some(range) = query.inventory.filter(|_| !walks_inventory) {
        lists.extend(few_in_range(connection, store, "inventory", range, FEW_IN_RANGE)?);
    }
    if let Some(range) = query.created {
        lists.extend(few_in_range(connection, store, "created", range, FEW_IN_RANGE)?);
    }
    Ok(lists.into_iter().reduce(|all, list| all & list))
}

/// The order of §4.1: by key, those without one last both ways, equal ones by id.
fn compare(a: Position, b: Position, down: bool) -> Ordering {
    let by_key = match (a.key, b.key) {
        (Some(a), Some(b)) if down => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    by_key.then(a.id.cmp(&b.id))
}

fn write(connection: &Connection, hits: &[Hit], ask: &PageAsk) -> Result<Page, StoreError> {
    let mut statement = connection.prepare_cached(ask.wish.by_id())?;
    // With room for what the answer has around it.
    let mut writer = Writer { out: Vec::with_capacity(ask.limit * 1280 + 256), base_url: &ask.base_url };
    writer.text("{\"products\":[");
    for (at, hit) in hits.iter().take(ask.limit).enumerate() {
        if at > 0 {
            writer.text(",");
        }
        let mut rows = statement.query([hit.position.id])?;
        let row = rows.next()?.ok_or_else(|| StoreError::Document("its document is gone".to_owned()))?;
        writer.found(hit.position.id, row, ask.wish, hit.matched)?;
    }
    writer.text("]");
    let more = hits.len() > ask.limit;
    let last = ask.limit.checked_sub(1).and_then(|at| hits.get(at)).filter(|_| more).map(|hit| hit.position);
    Ok(Page { json: writer.out, last })
}
