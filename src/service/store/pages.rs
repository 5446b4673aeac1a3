//! One page of a search, §4.1: found in the bitmaps and indexes, put together from the documents, all in one snapshot.

use std::collections::HashMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::bitmaps::Bitmaps;
use super::db::{self, Connection, Listed, Question, Row, Transaction};
use super::documents::{ID, PageWish, Writer};
use super::lists;
use super::postings::{beginning, named, one};
use super::replica::generation;
use super::shelf::Shelf;
use super::strides::Strides;
use super::walk::{Walk, few_in_range};
use super::windows::Windows;
use super::{Store, StoreError, StoreRow, stores};
use crate::domain::{Finding, StoreUrl};
use crate::service::search::cursor::Position;
use crate::service::search::machine::{Answer, Ask, Costs, Hit, Machine};
use crate::service::search::numbers::number;
use crate::service::search::{Field, Query};

/// What is dear in SQLite: it finds a row by its number nearly as fast as the next one of an index. In tests everything is
/// small, so that every way to a page is gone.
const COSTS: Costs = if cfg!(test) {
    Costs { few_in_range: 8, few_matches: 8, steps_a_match: 2, steps_more: 0, steps_a_lookup: 0 }
} else {
    Costs { few_in_range: 5_000, few_matches: 2_000, steps_a_match: 4, steps_more: 20_000, steps_a_lookup: 0 }
};

/// In PostgreSQL the next row of an index costs a twelfth of a row that is looked up.
const SHARED_COSTS: Costs = if cfg!(test) {
    COSTS
} else {
    Costs { few_in_range: 1_000, few_matches: 1_200, steps_a_match: 0, steps_more: 0, steps_a_lookup: 12 }
};

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The beginning of an answer's JSON: `{"products":[…]`.
    pub json: Vec<u8>,
    /// Its last product, where more come after it.
    pub last: Option<Position>,
    /// After how many changes of the catalog that was, where a copy of the database may be asked for the next one.
    pub generation: Option<i64>,
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
    /// A page of a store's products, of which a page has been seen as it was after so many changes (`reached`): a copy that has
    /// had them all may answer. Without, it is one that has had all there are. `judge` is shown the store, where the workspace has it, and says what the page is to
    /// be, or everything that is wrong with the request; what it says beside comes back with the page.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] with what `judge` found; else where the database refuses.
    pub async fn page<T: Send + 'static>(
        &self,
        workspace: i64,
        (app_url, reached): (StoreUrl, Option<i64>),
        judge: impl FnOnce(Option<&StoreRow>) -> Result<(PageAsk, T), Vec<Finding>> + Clone + Send + 'static,
    ) -> Result<(Page, T), StoreError> {
        let costs = if self.is_shared { SHARED_COSTS } else { COSTS };
        self.page_at(costs, workspace, (app_url, reached), judge).await
    }

    /// The same where other things are dear.
    pub(super) async fn page_at<T: Send + 'static>(
        &self,
        costs: Costs,
        workspace: i64,
        (app_url, reached): (StoreUrl, Option<i64>),
        judge: impl FnOnce(Option<&StoreRow>) -> Result<(PageAsk, T), Vec<Finding>> + Clone + Send + 'static,
    ) -> Result<(Page, T), StoreError> {
        let has_copy = self.replica.is_some();
        let (wanted, judge_here, bitmaps) = (app_url.clone(), judge.clone(), Arc::clone(&self.bitmaps));
        let page = move |transaction: Transaction<'_>, found: Option<Shelf>| {
            let (ask, beside) = judge(found.as_ref().map(|found| &found.row)).map_err(StoreError::Invalid)?;
            let found = found.ok_or(StoreError::UnknownStore(wanted))?;
            let generation = has_copy.then_some(found.generation);
            let hits = shared_search(&transaction, &found, &ask, costs, &bitmaps)?;
            Ok((Page { generation, ..write_shared(transaction, &hits, &ask)? }, beside))
        };
        if let Some(replica) = self.replica.as_ref().filter(|replica| replica.may_be_there()) {
            let of = app_url.clone();
            let reached = match reached {
                Some(reached) => Some(reached),
                None => self.readers.run(move |connection| generation(connection, workspace, &of)).await?,
            };
            if let Some(reached) = reached
                && let Some(answer) = replica.ask((workspace, app_url.clone(), reached), page.clone()).await
            {
                return answer;
            }
        }
        self.readers
            .run(move |connection| {
                if connection.postgres().is_some() {
                    let (transaction, found) = Shelf::begin(connection, workspace, &app_url)?;
                    return page(transaction, found);
                }
                let transaction = connection.transaction()?;
                let store = stores::find(&transaction, workspace, &app_url)?;
                let (ask, beside) = judge_here(store.as_ref()).map_err(StoreError::Invalid)?;
                let store = store.ok_or(StoreError::UnknownStore(app_url))?;
                let hits = search(&transaction, store.id, &ask, costs)?;
                Ok((write(&transaction, &hits, &ask)?, beside))
            })
            .await
    }
}

/// Fetches what the search asks for, until it has its page.
fn search(connection: &Connection, store: i64, ask: &PageAsk, costs: Costs) -> Result<Vec<Hit>, StoreError> {
    let next: u32 = connection
        .prepare_cached("SELECT next_number FROM store WHERE id = ?1")?
        .query_row([store], |row| row.get(0))?;
    let walk = Walk { connection, store, query: &ask.query };
    let mut machine = Machine::new(&ask.query, (store, next), (ask.limit, ask.after), costs);
    let mut wanted = machine.step(Answer::Begin);
    loop {
        let answer = match wanted {
            Ask::Done => return Ok(machine.into_hits()),
            Ask::Walk(after) => {
                walk.run(after, |position| Ok(machine.see(position)))?;
                Answer::Walked
            }
            other => fetched(&walk, other)?,
        };
        wanted = machine.step(answer);
    }
}

/// What is found without the machine's help.
fn fetched(walk: &Walk<'_>, ask: Ask<'_>) -> Result<Answer, StoreError> {
    let (connection, store) = (walk.connection, walk.store);
    Ok(match ask {
        Ask::External(wanted) => {
            let mut ids = RoaringBitmap::new();
            for external in wanted {
                ids.extend(super::documents::id_of(connection, store, external)?.map(number));
            }
            Answer::Bits(ids)
        }
        Ask::Named(name, hashes) => Answer::Bits(named(connection, store, name, hashes)?),
        Ask::InRange(column, range, most) => {
            few_in_range(connection, store, column, range, most)?.map_or(Answer::TooMany, Answer::Bits)
        }
        Ask::Any(chunk, field, values) => {
            let mut any = RoaringBitmap::new();
            for value in values {
                any |= one(connection, store, field, chunk, value)?.unwrap_or_default();
            }
            Answer::Bits(any)
        }
        Ask::Beginning(chunk, word) => Answer::Words {
            title: beginning(connection, store, Field::TitleWord, chunk, word)?,
            tags: beginning(connection, store, Field::TagWord, chunk, word)?,
        },
        Ask::Positions(of, most) => {
            let mut positions = Vec::new();
            for number in of {
                positions.extend(walk.position(number)?);
                if positions.len() >= most {
                    break;
                }
            }
            Answer::Positions(positions)
        }
        Ask::Walk(_) | Ask::Done => Answer::Walked,
    })
}

/// The same in PostgreSQL, where each question is a trip.
fn shared_search(
    transaction: &Transaction<'_>,
    found: &Shelf,
    ask: &PageAsk,
    costs: Costs,
    bitmaps: &Bitmaps,
) -> Result<Vec<Hit>, StoreError> {
    let Some(session) = transaction.postgres() else { return Ok(Vec::new()) };
    let (store, query) = (found.row.id, &ask.query);
    let mut windows = Windows::new(session, found, query, bitmaps);
    let mut machine = Machine::new(query, (store, found.next_number), (ask.limit, ask.after), costs);
    let mut wanted = machine.step(Answer::Begin);
    loop {
        let answer = match wanted {
            Ask::Done => return Ok(machine.into_hits()),
            Ask::External(wanted) => Answer::Bits(lists::external(session, store, wanted)?),
            Ask::Named(name, hashes) => Answer::Bits(lists::named(session, store, name, hashes)?),
            Ask::InRange(column, range, most) => {
                lists::few_in_range(session, store, column, range, most)?.map_or(Answer::TooMany, Answer::Bits)
            }
            Ask::Any(chunk, field, values) => {
                Answer::Bits(windows.any(chunk, (field, values, false), |most| machine.chunks_from(chunk, most))?)
            }
            Ask::Beginning(chunk, word) => {
                let word = [word.to_owned()];
                let mut of = |field| windows.any(chunk, (field, &word, true), |most| machine.chunks_from(chunk, most));
                Answer::Words { title: of(Field::TitleWord)?, tags: of(Field::TagWord)? }
            }
            Ask::Positions(of, most) => Answer::Positions(lists::positions(session, (store, query), &of, most)?),
            Ask::Walk(after) => {
                Strides { session, store, query }.run(after, &mut machine)?;
                Answer::Walked
            }
        };
        wanted = machine.step(answer);
    }
}

fn write(connection: &Connection, hits: &[Hit], ask: &PageAsk) -> Result<Page, StoreError> {
    let mut statement = connection.prepare_cached(ask.wish.by_id())?;
    let mut page = Begun::new(ask);
    for hit in hits.iter().take(ask.limit) {
        let mut rows = statement.query([hit.position.id])?;
        page.add(hit, &rows.next()?.ok_or_else(gone)?)?;
    }
    Ok(page.end(hits))
}

/// The same with all documents at once, which end the transaction.
fn write_shared(transaction: Transaction<'_>, hits: &[Hit], ask: &PageAsk) -> Result<Page, StoreError> {
    if hits.is_empty() {
        return Ok(Begun::new(ask).end(hits));
    }
    let ids: Vec<i64> = hits.iter().take(ask.limit).map(|hit| hit.position.id).collect();
    let rows = transaction.last_rows(Question::new(ask.wish.by_ids(), &[Listed::Numbers(&ids)]))?;
    let rows = rows.into_iter().map(|row| Ok((row.get(ID)?, row))).collect::<db::Result<HashMap<i64, Row<'_>>>>()?;
    let mut page = Begun::new(ask);
    for hit in hits.iter().take(ask.limit) {
        page.add(hit, rows.get(&hit.position.id).ok_or_else(gone)?)?;
    }
    Ok(page.end(hits))
}

fn gone() -> StoreError {
    StoreError::Document("its document is gone".to_owned())
}

/// A page that is being written.
struct Begun<'a> {
    writer: Writer<'a>,
    ask: &'a PageAsk,
    is_first: bool,
}

impl<'a> Begun<'a> {
    fn new(ask: &'a PageAsk) -> Self {
        // With room for what the answer has around it.
        let mut writer = Writer { out: Vec::with_capacity(ask.limit * 1280 + 256), base_url: &ask.base_url };
        writer.text("{\"products\":[");
        Self { writer, ask, is_first: true }
    }

    fn add(&mut self, hit: &Hit, row: &Row<'_>) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.is_first) {
            self.writer.text(",");
        }
        self.writer.found(hit.position.id, row, self.ask.wish, hit.matched)
    }

    fn end(mut self, hits: &[Hit]) -> Page {
        self.writer.text("]");
        let (limit, more) = (self.ask.limit, hits.len() > self.ask.limit);
        let last = limit.checked_sub(1).and_then(|at| hits.get(at)).filter(|_| more).map(|hit| hit.position);
        Page { json: self.writer.out, last, generation: None }
    }
}
