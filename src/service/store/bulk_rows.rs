//! Catalogs written in every way that there is: into SQLite and into PostgreSQL, product by product and many at once, also by the
//! rules of a pooler. The rows are the same, byte for byte.

use std::time::Duration;

use super::db::{Connection, Value};
use super::{NewProduct, NewStore, Store, engine, moves};
use crate::domain::{Analysis, StoreUrl};
use crate::service::sample::synthetic;

const URL: &str = "https://shop.example";
/// More than one statement takes, and than one is looked up with.
const PRODUCTS: u64 = 620;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    OneByOne,
    ManyAtOnce,
}

/// What is written over the catalog, batch by batch.
fn batches() -> Vec<Vec<NewProduct>> {
    let others: Vec<NewProduct> = synthetic(0, PRODUCTS + 60).collect();
    let change = |nth: usize, product: &NewProduct| {
        let mut new = product.clone();
        new.product.title = format!("Wool {nth}");
        new.product.published_at = (nth % 3 == 0).then(|| "2026-01-01T00:00:00Z".to_owned());
        new.product.provider_created_at = None;
        if nth % 2 == 0 {
            new.product.tags = vec!["Ü".to_owned(), format!("only {nth}")];
        }
        new.analysis = (nth % 5 == 0).then(Analysis::default);
        new
    };
    let changed: Vec<NewProduct> = others.iter().enumerate().map(|(nth, new)| change(nth, new)).collect();
    let twice: Vec<NewProduct> = changed.iter().take(40).chain(others.iter().take(50)).cloned().collect();
    // And back: of what was said before nothing is left.
    vec![changed, twice, others, Vec::new()]
}

/// A text without the moment in which a product was changed.
fn timeless(text: &str) -> String {
    let Some((before, after)) = text.split_once("\"updatedAt\":\"") else { return text.to_owned() };
    format!("{before}{}", after.split_once('"').unwrap().1)
}

type Rows = Vec<(&'static str, Vec<Vec<Value>>)>;

async fn filled(store: &Store, way: Way) -> Rows {
    let (owner, new) = (store.own_workspace().await.unwrap(), NewStore::at(&StoreUrl::new(URL)));
    let shop = store.connect(owner.workspace, new.clone()).await.unwrap();
    if way == Way::ManyAtOnce {
        store.load(shop.id, synthetic(0, PRODUCTS), true, |_| ()).await.unwrap();
    } else {
        for product in synthetic(0, PRODUCTS) {
            store.load(shop.id, std::iter::once(product), true, |_| ()).await.unwrap();
        }
    }
    for batch in batches() {
        if way == Way::ManyAtOnce {
            store.upsert(owner.workspace, new.clone(), batch).await.unwrap();
            continue;
        }
        for product in batch {
            store.upsert(owner.workspace, new.clone(), vec![product]).await.unwrap();
        }
    }
    let read = |connection: &mut Connection| {
        let of = ["product", "document", "posting", "lookup"].map(|table| (table, moves::rows(connection, table)));
        let counts = "SELECT next_number, products, published FROM store";
        let counts = connection.query_row(counts, [], |row| {
            [0, 1, 2].into_iter().map(|at| row.get(at).map(Value::Integer)).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(of.into_iter().chain([("store", vec![counts])]).collect::<Rows>())
    };
    let mut rows = store.writer.run(read).await.unwrap();
    for value in rows.iter_mut().flat_map(|(_, rows)| rows).flatten() {
        if let Value::Text(text) = value {
            *text = timeless(text);
        }
    }
    rows
}

fn assert_same(found: &Rows, wanted: &Rows, way: &str) {
    for ((table, found), (_, wanted)) in found.iter().zip(wanted) {
        assert_eq!(found.len(), wanted.len(), "rows of {table}, {way}");
        let other = found.iter().zip(wanted).find(|(found, wanted)| found != wanted);
        assert_eq!(other, None, "a row of {table}, {way}");
    }
}

fn sqlite(folder: &std::path::Path) -> Store {
    Store::open_waiting(folder, Duration::from_secs(5)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn many_rows_at_once_are_those_that_come_one_by_one() {
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let Some(place) = engine::beside(folders[1].path()) else { return };
    let wanted = filled(&sqlite(folders[0].path()), Way::ManyAtOnce).await;
    assert!(wanted.iter().all(|(_, rows)| !rows.is_empty()));
    let pooled = format!("{}?prepare=off", engine::beside(folders[2].path()).unwrap());
    let alone = engine::beside(folders[3].path()).unwrap();
    for (place, way) in [(place, Way::ManyAtOnce), (pooled, Way::ManyAtOnce), (alone, Way::OneByOne)] {
        let store = engine::open(place.parse().unwrap()).unwrap();
        assert_same(&filled(&store, way).await, &wanted, &format!("{way:?} at {place}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_takes_few_trips() {
    let folder = tempfile::tempdir().unwrap();
    let Some(place) = engine::beside(folder.path()) else { return };
    let store = engine::open(place.parse().unwrap()).unwrap();
    let owner = store.own_workspace().await.unwrap();
    let shop = store.connect(owner.workspace, NewStore::at(&StoreUrl::new(URL))).await.unwrap();
    let trips = async || {
        let count = |connection: &mut Connection| Ok(connection.postgres().unwrap().trips());
        store.writer.run(count).await.unwrap()
    };
    let before = trips().await;
    store.load(shop.id, synthetic(0, PRODUCTS), true, |_| ()).await.unwrap();
    let loaded = trips().await;
    assert!(loaded - before < 40, "{} trips for {PRODUCTS} products", loaded - before);
    store.upsert(owner.workspace, NewStore::at(&StoreUrl::new(URL)), synthetic(0, PRODUCTS).collect()).await.unwrap();
    assert!(trips().await - loaded < 40, "{} trips for {PRODUCTS} products", trips().await - loaded);
}
