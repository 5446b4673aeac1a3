//! Pages of catalogs in PostgreSQL: how many trips to the server they take, and that what a process keeps of it is never older
//! than the page.

use tempfile::TempDir;

use super::{Identity, NewKey, NewProduct, NewStore, PageAsk, PageWish, Store, db, engine};
use crate::domain::{Num, Product, ProductFilters, ProductSearch, SortBy, StoreUrl, Variant};
use crate::service::search::Query;

/// Two processes on one database.
struct Two {
    ours: Store,
    theirs: Store,
    owner: Identity,
    place: String,
    _folder: TempDir,
}

fn url() -> StoreUrl {
    StoreUrl::new("https://shop.example")
}

fn product(external: &str, title: &str) -> Product {
    Product {
        external_product_id: external.into(),
        title: title.to_owned(),
        variants: vec![Variant { inventory_quantity: Some(Num(7.0)), ..Variant::default() }],
        ..Product::default()
    }
}

fn words(words: &str) -> ProductSearch {
    ProductSearch { search_term: Some(words.to_owned()), ..ProductSearch::default() }
}

impl Two {
    async fn open() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let place = engine::beside(folder.path())?;
        let [ours, theirs] = [0, 1].map(|_| engine::open(place.parse().unwrap()).unwrap());
        let owner = ours.own_workspace().await.unwrap();
        let two = Self { ours, theirs, owner, place, _folder: folder };
        two.put(&[("a", "wool sock"), ("b", "cotton sock")]).await;
        Some(two)
    }

    /// The other process writes.
    async fn put(&self, products: &[(&str, &str)]) {
        let new =
            products.iter().map(|(external, title)| NewProduct { product: product(external, title), analysis: None });
        self.theirs.upsert(self.owner.workspace, NewStore::at(&url()), new.collect()).await.unwrap();
    }

    async fn found(&self, search: &ProductSearch) -> Vec<String> {
        let query = Query::of(search).unwrap();
        let ask = PageAsk { query, limit: 30, after: None, wish: PageWish::default(), base_url: String::new() };
        let (page, ()) = self.ours.page(self.owner.workspace, (url(), None), |_| Ok((ask, ()))).await.unwrap();
        let page: serde_json::Value = serde_json::from_slice(&[page.json, b"}".to_vec()].concat()).unwrap();
        let ids = page["products"].as_array().unwrap().iter();
        ids.map(|product| product["externalProductId"].as_str().unwrap().to_owned()).collect()
    }

    async fn trips(&self) -> u64 {
        let count = |connection: &mut db::Connection| Ok(connection.postgres().unwrap().trips());
        self.ours.readers.run(count).await.unwrap()
    }

    /// The trips that a page takes.
    async fn trips_of(&self, search: &ProductSearch) -> u64 {
        let before = self.trips().await;
        self.found(search).await;
        self.trips().await - before
    }

    fn ask(&self, sql: &str) -> String {
        engine::answer(&self.place, sql)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_takes_few_trips() {
    let Some(two) = Two::open().await else { return };
    let term = words("wo so");
    let stocked = ProductSearch { sort_by: Some(SortBy::InventoryQuantity), ..ProductSearch::default() };
    let named = ProductSearch {
        filters: Some(ProductFilters { product_name: Some(vec!["Wool sock".to_owned()]), ..ProductFilters::default() }),
        ..ProductSearch::default()
    };
    assert_eq!(two.trips_of(&term).await, 3, "its store, the bitmaps of both words, the documents");
    assert_eq!(two.trips_of(&term).await, 2, "its store, the documents");
    assert_eq!(two.trips_of(&words("nothing")).await, 3);
    assert_eq!(two.trips_of(&stocked).await, 4, "its store, the rows with and without a key, the documents");
    assert_eq!(two.trips_of(&named).await, 3, "its store, the names, the documents");
    // What changes no term costs nothing.
    two.put(&[("a", "wool sock")]).await;
    assert_eq!(two.trips_of(&term).await, 2);
    two.put(&[("a", "wool socks")]).await;
    assert_eq!(two.trips_of(&term).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_a_credential_is_takes_one_trip() {
    let Some(two) = Two::open().await else { return };
    let key = two.ours.add_key(&two.owner, NewKey::default()).await.unwrap();
    let bearer = two.ours.bearer(key.expose()).await.unwrap().unwrap();
    let (token, _) = two.ours.add_token(&bearer).await.unwrap();
    for secret in [key.expose(), token.expose()] {
        assert!(two.ours.bearer(secret).await.unwrap().is_some());
        let before = two.trips().await;
        assert!(two.ours.bearer(secret).await.unwrap().is_some());
        assert_eq!(two.trips().await - before, 1);
    }
    // Many at once, of which some are nobody's, are told apart.
    let asked = (0..40).map(|nth| {
        let secret = match nth % 4 {
            0 => key.expose().to_owned(),
            1 => token.expose().to_owned(),
            2 => format!("cutaway_own_{nth}"),
            _ => format!("cutaway_token_{nth}"),
        };
        let ours = &two.ours;
        async move { ours.bearer(&secret).await.unwrap() }
    });
    for (nth, identity) in futures_util::future::join_all(asked).await.into_iter().enumerate() {
        assert_eq!(identity.map(|identity| identity.by_key), [Some(true), Some(false), None, None][nth % 4], "{nth}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_changed_is_on_the_next_page() {
    let Some(two) = Two::open().await else { return };
    assert_eq!(two.found(&words("wool")).await, ["a"]);
    two.put(&[("b", "wool hat"), ("c", "Wool")]).await;
    assert_eq!(two.found(&words("wool")).await, ["a", "b", "c"]);
    two.put(&[("a", "linen")]).await;
    assert_eq!(two.found(&words("wool")).await, ["b", "c"]);
    assert_eq!(two.found(&words("linen")).await, ["a"]);

    // What was rolled back was never there.
    let workspace = two.owner.workspace;
    let taken_back = two.theirs.write(move |transaction| {
        let store = super::stores::find(transaction, workspace, &url())?.unwrap();
        let mut changes = super::postings::Changes::default();
        changes.note(1, None, crate::service::search::Terms::of(&product("a", "wool")));
        let chunks = changes.write(transaction, store.id)?;
        transaction.execute("UPDATE store SET generation = generation + 1", [])?;
        super::chunk_tokens::renew(transaction, store.id, &chunks)?;
        Err::<(), _>(super::StoreError::Busy)
    });
    assert!(taken_back.await.is_err());
    assert_eq!(two.found(&words("wool")).await, ["b", "c"]);
    two.put(&[("d", "wool")]).await;
    assert_eq!(two.found(&words("wool")).await, ["b", "c", "d"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_set_back_is_read_as_it_is() {
    const TABLES: [&str; 5] = ["store", "product", "document", "posting", "lookup"];
    let Some(two) = Two::open().await else { return };
    for table in TABLES {
        two.ask(&format!("CREATE TABLE kept_{table} AS TABLE {table}"));
    }
    // The database makes it.
    two.ask("ALTER TABLE kept_posting DROP COLUMN key");
    two.put(&[("c", "wool")]).await;
    assert_eq!(two.found(&words("wool")).await, ["a", "c"]);
    for table in TABLES {
        two.ask(&format!("DELETE FROM {table}; INSERT INTO {table} TABLE kept_{table}"));
    }
    assert_eq!(two.found(&words("wool")).await, ["a"]);
    // As many changes as before, and another product under the same number.
    two.put(&[("d", "cotton")]).await;
    assert_eq!(two.found(&words("wool")).await, ["a"]);
    assert_eq!(two.found(&words("cotton")).await, ["b", "d"]);
}

/// While processes are upgraded one after the other, those of the earlier version change terms and know of no tokens.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_process_of_an_earlier_version_changed_is_on_the_next_page() {
    let Some(two) = Two::open().await else { return };
    assert_eq!(two.found(&words("wool")).await, ["a"]);
    assert_eq!(two.trips_of(&words("wool")).await, 2);
    let bits = "(SELECT bits FROM posting WHERE term = 'cotton')";
    two.ask(&format!(
        "UPDATE posting SET bits = {bits} WHERE term = 'wool'; UPDATE store SET generation = generation + 1"
    ));
    assert_eq!(two.found(&words("wool")).await, ["b"]);
    assert_eq!(two.trips_of(&words("wool")).await, 3, "nothing is known of it");
    // What it left is known by new tokens after the next change, or from the next start on.
    two.put(&[("c", "linen")]).await;
    assert_eq!(two.found(&words("wool")).await, ["b"]);
    assert_eq!(two.trips_of(&words("wool")).await, 2);
    two.ask("UPDATE store SET generation = generation + 1");
    assert_eq!(two.trips_of(&words("wool")).await, 3);
    drop(engine::open(two.place.parse().unwrap()).unwrap());
    two.found(&words("wool")).await;
    assert_eq!(two.trips_of(&words("wool")).await, 2);
}
