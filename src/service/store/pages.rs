//! One page of a search, §4.1: found in the bitmaps and indexes, put together from the documents, all in one snapshot.

use roaring::RoaringBitmap;

use super::db::Connection;
use super::documents::{PageWish, Writer};
use super::postings::{beginning, named, one};
use super::replica::{generation, generation_of};
use super::walk::{Walk, few_in_range};
use super::{Store, StoreError, StoreRow, stores};
use crate::domain::{Finding, StoreUrl};
use crate::service::search::cursor::Position;
use crate::service::search::machine::{Answer, Ask, Costs, Hit, Machine};
use crate::service::search::numbers::number;
use crate::service::search::{Field, Query};

/// What is dear in SQLite: it finds a row by its number nearly as fast as the next one of an index. In tests everything is
/// small, so that every way to a page is gone.
const COSTS: Costs = if cfg!(test) {
    Costs { few_in_range: 8, few_matches: 8, steps_a_match: 2, steps_more: 0 }
} else {
    Costs { few_in_range: 5_000, few_matches: 2_000, steps_a_match: 4, steps_more: 20_000 }
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
        self.page_at(COSTS, workspace, (app_url, reached), judge).await
    }

    /// The same where other things are dear.
    pub(super) async fn page_at<T: Send + 'static>(
        &self,
        costs: Costs,
        workspace: i64,
        (app_url, reached): (StoreUrl, Option<i64>),
        judge: impl FnOnce(Option<&StoreRow>) -> Result<(PageAsk, T), Vec<Finding>> + Clone + Send + 'static,
    ) -> Result<(Page, T), StoreError> {
        let (of, has_copy) = (app_url.clone(), self.replica.is_some());
        let page = move |transaction: &Connection| {
            let store = stores::find(transaction, workspace, &app_url)?;
            let (ask, beside) = judge(store.as_ref()).map_err(StoreError::Invalid)?;
            let store = store.ok_or(StoreError::UnknownStore(app_url))?;
            let hits = search(transaction, store.id, &ask, costs)?;
            let generation = has_copy.then(|| generation_of(transaction, store.id)).transpose()?;
            Ok((Page { generation, ..write(transaction, &hits, &ask)? }, beside))
        };
        if let Some(replica) = self.replica.as_ref().filter(|replica| replica.may_be_there()) {
            let wanted = of.clone();
            let reached = match reached {
                Some(reached) => Some(reached),
                None => self.readers.run(move |connection| generation(connection, workspace, &wanted)).await?,
            };
            if let Some(reached) = reached
                && let Some(answer) = replica.ask((workspace, of, reached), page.clone()).await
            {
                return answer;
            }
        }
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                page(&transaction)
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
        writer.found(hit.position.id, &row, ask.wish, hit.matched)?;
    }
    writer.text("]");
    let more = hits.len() > ask.limit;
    let last = ask.limit.checked_sub(1).and_then(|at| hits.get(at)).filter(|_| more).map(|hit| hit.position);
    Ok(Page { json: writer.out, last, generation: None })
}
