//! Catalogs written in every way that there is: into SQLite and into PostgreSQL, product by product and many at once, also by the
//! rules of a pooler. The rows are the same, byte for byte, also of what is too long for an index.

#![allow(clippy::string_slice)] // Letters of ASCII.

use std::time::Duration;

use super::db::{Connection, Value};
use super::{NewProduct, NewStore, PageAsk, PageWish, Store, engine, moves};
use crate::domain::{Analysis, Category, Product, ProductFilters, ProductId, ProductSearch, StoreUrl};
use crate::service::sample::synthetic;
use crate::service::search::Query;

const URL: &str = "https://shop.example";
/// More than one statement takes, and than one is looked up with.
const PRODUCTS: u64 = 620;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    OneByOne,
    ManyAtOnce,
}

/// So many letters, of which no database can make few.
fn long(seed: u64, letters: usize) -> String {
    let mut seed = seed;
    let drawn = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((seed >> 33) % 26).unwrap())
    });
    drawn.take(letters).collect()
}

/// A product all of whose texts begin alike and are longer than an index takes.
fn endless(end: &str) -> Product {
    let text = |seed| format!("{}{end}", long(seed, 6_000));
    Product {
        external_product_id: ProductId::new(text(1)),
        title: text(2),
        tags: vec![text(3)],
        product_type: Some(text(4)),
        category: Some(Category { gid: text(5), full_name: text(6), name: text(7), ..Category::default() }),
        published_at: Some("2026-01-01T00:00:00Z".to_owned()),
        ..Product::default()
    }
}

/// What is written over the catalog, batch by batch.
fn batches() -> Vec<Vec<NewProduct>> {
    let others: Vec<NewProduct> = synthetic(0, PRODUCTS + 60).collect();
    let change = |nth: usize, product: &NewProduct| {
        let mut new = product.clone();
        new.product.title = format!("Wool {nth}");
        new.product.published_at = nth.is_multiple_of(3).then(|| "2026-01-01T00:00:00Z".to_owned());
        new.product.provider_created_at = None;
        if nth.is_multiple_of(2) {
            new.product.tags = vec!["Ü".to_owned(), format!("only {nth}")];
        }
        new.analysis = nth.is_multiple_of(5).then(Analysis::default);
        new
    };
    let changed: Vec<NewProduct> = others.iter().enumerate().map(|(nth, new)| change(nth, new)).collect();
    let mut twice: Vec<NewProduct> = changed.iter().take(40).chain(others.iter().take(50)).cloned().collect();
    twice.extend([endless("a"), endless("b"), endless("a")].map(|product| NewProduct { product, analysis: None }));
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

/// The ends of the ids of the products that are found.
async fn found(store: &Store, search: ProductSearch) -> Vec<char> {
    let owner = store.own_workspace().await.unwrap();
    let query = Query::of(&search).unwrap();
    let ask = PageAsk { query, limit: 30, after: None, wish: PageWish::default(), base_url: String::new() };
    let (page, ()) = store.page(owner.workspace, (StoreUrl::new(URL), None), |_| Ok((ask, ()))).await.unwrap();
    let page: serde_json::Value = serde_json::from_slice(&[page.json, b"}".to_vec()].concat()).unwrap();
    let products = page["products"].as_array().unwrap().iter();
    products.map(|product| product["externalProductId"].as_str().unwrap().chars().last().unwrap()).collect()
}

async fn are_found(store: &Store) {
    let owner = store.own_workspace().await.unwrap();
    let new = NewStore::at(&StoreUrl::new(URL));
    let products = ["a", "b", "ca"].map(|end| NewProduct { product: endless(end), analysis: None });
    store.upsert(owner.workspace, new.clone(), products.into()).await.unwrap();
    // A second import of two of them changes what is there.
    let again = ["b", "a"].map(|end| NewProduct { product: endless(end), analysis: None });
    let imported = store.upsert(owner.workspace, new, again.into()).await.unwrap();
    assert_eq!((imported.added, imported.updated), (0, 2));

    let of = |filters| ProductSearch { filters: Some(filters), ..ProductSearch::default() };
    let none = ProductFilters::default;
    let product = endless("b");
    for filters in [
        ProductFilters { product_id: Some(vec![product.external_product_id.to_string()]), ..none() },
        ProductFilters { tags: Some(product.tags), ..none() },
        ProductFilters { product_type: product.product_type.map(|kind| vec![kind]), ..none() },
        ProductFilters { category: product.category.map(|category| vec![category.full_name]), ..none() },
        ProductFilters { product_name: Some(vec![product.title.clone()]), ..none() },
    ] {
        assert_eq!(found(store, of(filters)).await, ['b']);
    }
    // A word by its beginning, however long that is.
    let title = endless("").title;
    for (word, wanted) in [
        (title[..500].to_owned(), &['a', 'b', 'a'][..]),
        (title[..511].to_owned(), &['a', 'b', 'a']),
        (title[..512].to_owned(), &['a', 'b', 'a']),
        (title[..513].to_owned(), &['a', 'b', 'a']),
        (title.clone(), &['a', 'b', 'a']),
        (format!("{title}a"), &['a']),
        (format!("{title}c"), &['a']),
        (format!("{title}d"), &[]),
        (format!("{}z{}", &title[..600], &title[601..]), &[]),
    ] {
        let search = ProductSearch { search_term: Some(word), ..ProductSearch::default() };
        assert_eq!(found(store, search).await, wanted);
    }
    let id = endless("b").external_product_id;
    let json = store.product_json(owner.workspace, StoreUrl::new(URL), id, false, String::new()).await.unwrap();
    assert!(json.is_some_and(|json| json.len() > 6_000));
    assert!(found(store, ProductSearch { sort_by: None, ..ProductSearch::default() }).await.len() == 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_for_an_index_is_found_as_anything_else() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    are_found(&sqlite(folders[0].path())).await;
    let Some(place) = engine::beside(folders[1].path()) else { return };
    are_found(&engine::open(place.parse().unwrap()).unwrap()).await;
}
