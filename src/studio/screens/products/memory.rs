//! What the Products screen remembers from one start to the next: searches by name, those used of late, the last one,
//! and how the list is shown.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Query;
use crate::domain::{PageSize, ProductSearch, Reader, StoreUrl};

/// The most searches by name that a store has.
pub const MOST_SAVED: usize = 200;
/// The version of the file; the first files have none.
const VERSION: u64 = 1;
/// The most searches used of late.
const MOST_RECENT: usize = 12;
/// The most stores that anything is remembered of.
const MOST_STORES: usize = 100;

/// Neither of two panes is narrower than this part of both, in thousandths.
const LEAST_PART: u16 = 250;
/// The list's part where nothing else was chosen.
const USUAL_PART: u16 = 520;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Whether each product of the list has its picture beside it.
    pub thumbnails: bool,
    /// Whether the list shows what the analysis says.
    pub facets: bool,
    /// How long the service may wait for an analysis, milliseconds; `None` is the usual time.
    pub analysis_ms: Option<u32>,
    /// The list's part of the width beside an open product, in thousandths; `None` is the usual part.
    pub split: Option<u16>,
    stores: BTreeMap<String, Searches>,
}

/// The searches of a store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Searches {
    /// By name.
    pub saved: BTreeMap<String, Query>,
    /// Used of late, the newest first.
    pub recent: Vec<Query>,
    /// What was searched for last.
    pub last: Query,
}

/// One thing to remember, or to forget.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A search by name; one of the same name is replaced.
    Save(StoreUrl, String, Query),
    /// No longer the search of this name.
    Forget(StoreUrl, String),
    /// A search that was used.
    Used(StoreUrl, Query),
    /// What was searched for last.
    Last(StoreUrl, Query),
    /// Whether the list has pictures.
    Thumbnails(bool),
    /// Whether the list shows what the analysis says.
    Facets(bool),
    /// How long the service may wait for an analysis, milliseconds.
    AnalysisMs(Option<u32>),
    /// The list's part of the width beside an open product, in thousandths.
    Split(u16),
}

impl Memory {
    /// The same without what was searched for last: for a start at the beginning.
    #[must_use]
    pub fn afresh(mut self) -> Self {
        self.stores.values_mut().for_each(|searches| searches.last = Query::default());
        self
    }

    /// The searches of a store.
    #[must_use]
    pub fn searches(&self, store: &StoreUrl) -> Searches {
        self.stores.get(store.as_str()).cloned().unwrap_or_default()
    }

    /// The list's part of the width beside an open product, in thousandths.
    #[must_use]
    pub fn part(&self) -> u16 {
        self.split.unwrap_or(USUAL_PART)
    }

    fn of(&mut self, store: &StoreUrl) -> &mut Searches {
        if self.stores.len() >= MOST_STORES && !self.stores.contains_key(store.as_str()) {
            // Of a hundred stores, one without a search by name can be asked about again.
            let least = self.stores.iter().min_by_key(|(_, searches)| searches.saved.len());
            let least = least.map(|(store, _)| store.clone());
            least.and_then(|least| self.stores.remove(&least));
        }
        self.stores.entry(store.as_str().to_owned()).or_default()
    }

    /// Remembers one thing.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Save(store, name, query) => {
                let saved = &mut self.of(store).saved;
                if saved.len() < MOST_SAVED || saved.contains_key(name) {
                    saved.insert(name.clone(), query.clone());
                }
            }
            Change::Forget(store, name) => drop(self.of(store).saved.remove(name)),
            Change::Used(store, query) => {
                let recent = &mut self.of(store).recent;
                recent.retain(|known| known != query);
                recent.insert(0, query.clone());
                recent.truncate(MOST_RECENT);
            }
            Change::Last(store, query) => self.of(store).last = query.clone(),
            Change::Thumbnails(on) => self.thumbnails = *on,
            Change::Facets(on) => self.facets = *on,
            Change::AnalysisMs(limit) => self.analysis_ms = *limit,
            Change::Split(part) => self.split = Some((*part).clamp(LEAST_PART, 1_000 - LEAST_PART)),
        }
    }

    /// The version of what was kept, where it is a later one than this program knows.
    #[must_use]
    pub fn newer(kept: &Value) -> Option<u64> {
        kept.get("version").and_then(Value::as_u64).filter(|version| *version > VERSION)
    }

    /// As it is kept.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let stores: Map<String, Value> = self
            .stores
            .iter()
            .map(|(store, searches)| {
                let saved: Map<String, Value> =
                    searches.saved.iter().map(|(name, query)| (name.clone(), written(query))).collect();
                let recent: Vec<Value> = searches.recent.iter().map(written).collect();
                (store.clone(), json!({ "saved": saved, "recent": recent, "last": written(&searches.last) }))
            })
            .collect();
        json!({
            "version": VERSION,
            "thumbnails": self.thumbnails,
            "facets": self.facets,
            "analysisMs": self.analysis_ms,
            "split": self.split,
            "stores": stores,
        })
    }

    /// What was kept; what of it can't be read is left out.
    #[must_use]
    pub fn from_json(kept: &Value) -> Self {
        let switch = |name: &str| kept.get(name).and_then(Value::as_bool).unwrap_or_default();
        let limit = kept.get("analysisMs").and_then(Value::as_u64).and_then(|limit| u32::try_from(limit).ok());
        let part = kept.get("split").and_then(Value::as_u64).and_then(|part| u16::try_from(part).ok());
        let stores = kept.get("stores").and_then(Value::as_object).into_iter().flatten().take(MOST_STORES);
        let stores = stores.map(|(store, kept)| {
            let saved = kept.get("saved").and_then(Value::as_object).into_iter().flatten();
            let recent = kept.get("recent").and_then(Value::as_array).into_iter().flatten();
            let searches = Searches {
                saved: saved.take(MOST_SAVED).map(|(name, query)| (name.clone(), read(query))).collect(),
                recent: recent.take(MOST_RECENT).map(read).collect(),
                last: kept.get("last").map(read).unwrap_or_default(),
            };
            (store.clone(), searches)
        });
        Self {
            thumbnails: switch("thumbnails"),
            facets: switch("facets"),
            analysis_ms: limit.filter(|limit| *limit > 0),
            split: part.filter(|part| (LEAST_PART..=1_000 - LEAST_PART).contains(part)),
            stores: stores.collect(),
        }
    }
}

/// A search is kept as the request that it makes (§4.1), without what belongs to a page.
fn written(query: &Query) -> Value {
    let request = query.request(&StoreUrl::default(), None, PageSize::default());
    let mut written = serde_json::to_value(request).unwrap_or_default();
    if let Some(written) = written.as_object_mut() {
        for of_page in ["appUrl", "limit", "include"] {
            written.remove(of_page);
        }
    }
    written
}

impl Query {
    /// It as text, to be kept.
    #[must_use]
    pub fn to_kept(&self) -> String {
        written(self).to_string()
    }

    /// What was kept; nothing is searched for where that can't be read.
    #[must_use]
    pub fn of_kept(kept: &str) -> Self {
        serde_json::from_str(kept).map(|kept| read(&kept)).unwrap_or_default()
    }
}

fn read(written: &Value) -> Query {
    let (request, _): (ProductSearch, _) = Reader::read(written);
    Query {
        term: request.search_term.unwrap_or_default(),
        filters: request.filters.unwrap_or_default(),
        published: request.published_only.unwrap_or_default(),
        sort: request.sort_by.zip(request.sort_direction),
        ago: Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{SortBy, SortDirection, TagsMatch};

    fn query() -> Query {
        let mut query = Query { term: "wool \"sock\"".to_owned(), published: true, ..Query::default() };
        query.filters.tags = Some(vec!["a, b".to_owned(), "c".to_owned()]);
        query.filters.tags_match_mode = Some(TagsMatch::All);
        query.set_stock(Some(3), true);
        query.set_created(Some("2026-01-01".to_owned()), false);
        query.sort = Some((SortBy::InventoryQuantity, SortDirection::Desc));
        query
    }

    #[test]
    fn what_is_kept_reads_back() {
        let store = StoreUrl::from("https://nordlys.example");
        let mut memory = Memory::default();
        for change in [
            Change::Save(store.clone(), "Wool".to_owned(), query()),
            Change::Save(store.clone(), "All".to_owned(), Query::default()),
            Change::Forget(store.clone(), "All".to_owned()),
            Change::Used(store.clone(), query()),
            Change::Last(store.clone(), query()),
            Change::Thumbnails(true),
            Change::AnalysisMs(Some(2_500)),
        ] {
            memory.apply(&change);
        }
        assert_eq!(Memory::from_json(&memory.to_json()), memory);
        let searches = memory.searches(&store);
        assert_eq!((searches.saved["Wool"].clone(), searches.last), (query(), query()));
        assert_eq!(Query::of_kept(&query().to_kept()), query());
        assert_eq!(Query::of_kept(""), Query::default());
    }

    #[test]
    fn it_is_bounded_and_takes_anything() {
        let store = StoreUrl::from("https://nordlys.example");
        let mut memory = Memory::default();
        for number in 0..500 {
            let query = Query { term: number.to_string(), ..Query::default() };
            memory.apply(&Change::Used(store.clone(), query.clone()));
            memory.apply(&Change::Save(store.clone(), number.to_string(), query.clone()));
            memory.apply(&Change::Last(StoreUrl::from(number.to_string()), query));
        }
        let searches = memory.searches(&store);
        assert_eq!((searches.recent.len(), searches.saved.len()), (MOST_RECENT, MOST_SAVED));
        assert_eq!(memory.stores.len(), MOST_STORES);
        for odd in [json!(null), json!([]), json!({"stores": {"a": 3}}), json!({"stores": {"a": {"saved": {"x": 1}}}})]
        {
            let _ = Memory::from_json(&odd);
        }
    }
}
