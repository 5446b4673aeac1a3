//! Searches of random catalogs against what §4.1 and its readings say, worked out the slow way.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use super::db;
use super::{NewProduct, NewStore, PageAsk, PageWish, Store};
use crate::domain::text::{fold, found_by, looked_for};
use crate::domain::{Category, Num, Product, ProductId, ProductSearch, Reader, StoreUrl, Variant, VariantId};
use crate::service::search::machine::Costs;
use crate::service::search::{Query, cursor};

const URL: &str = "https://oracle.example";
const TITLES: [&str; 8] = [
    "Fjäll wool sock",
    "wool woolly",
    "Sock",
    "ÉCLAIR tee 7",
    "",
    "tee-time wool",
    "日本語の wool 茶",
    "fjall WOOL sock",
];
const TAGS: [&str; 5] = ["new", "New", "wool sock", "rainy day", "socks"];
const DAYS: [&str; 4] =
    ["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "2026-02-01T23:30:00-01:00", "2026-03-01T12:00:00Z"];

prop_compose! {
    fn product()(
        external in 0..40_u32,
        title in select(&TITLES[..]),
        tags in subsequence(&TAGS[..], 0..4),
        kind in option::of(select(&["Socks", "Tees"][..])),
        category in option::of(select(&["A", "B"][..])),
        stock in vec(option::of(-3..6_i64), 0..4),
        provider_created in option::of(select(&DAYS[..])),
        provider_updated in option::of(select(&DAYS[..])),
        created in select(&DAYS[..]),
        published in any::<bool>(),
    ) -> Product {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Product {
            external_product_id: ProductId::new(format!("p{external}")),
            title: title.to_owned(),
            tags: tags.into_iter().map(str::to_owned).collect(),
            product_type: text(kind),
            category: category.map(|name| Category {
                gid: format!("gid-{name}"), full_name: format!("All > {name}"), name: name.to_owned(), ..Category::default()
            }),
            created_at: created.to_owned(),
            provider_created_at: text(provider_created),
            provider_updated_at: text(provider_updated),
            published_at: published.then(|| created.to_owned()),
            variants: stock.iter().enumerate().map(|(at, stock)| Variant {
                external_variant_id: VariantId::new(format!("v{external}-{at}")),
                sku: (at != 1).then(|| format!("sku{}", external % 7)),
                inventory_quantity: stock.map(Num::from),
                ..Variant::default()
            }).collect(),
            ..Product::default()
        }
    }
}

fn some_of(values: &'static [&'static str]) -> impl Strategy<Value = Value> {
    option::of(subsequence(values, 0..=values.len().min(3))).prop_map(|chosen| json!(chosen))
}

prop_compose! {
    fn filters()(
        kind in some_of(&["Socks", "Tees", "Hats"]),
        category in some_of(&["A", "gid-B", "All > A"]),
        tags in some_of(&["new", "New", "wool sock", "wool"]),
        mode in select(&["any", "all"][..]),
        ids in some_of(&["p1", "p2", "p3", "nope"]),
        variants in some_of(&["v1-0", "v2-1", "v5-2"]),
        skus in some_of(&["sku1", "sku2", "SKU3"]),
        names in some_of(&["FJÄLL wool sock", "sock", "tee"]),
        inventory in option::of((option::of(-3..8_i64), option::of(-3..8_i64))),
        created in option::of((option::of(select(&["2026-02-01", DAYS[2]][..])), option::of(select(&["2026-02-01", DAYS[0]][..])))),
        keep in vec(0..4_u8, 9),
    ) -> Value {
        let all = json!({
            "productType": kind, "category": category, "tags": tags, "productId": ids, "variantId": variants,
            "sku": skus, "productName": names,
            "inventory": inventory.map(|(min, max)| json!({ "min": min, "max": max })),
            "createdAt": created.map(|(from, to)| json!({ "from": from, "to": to })),
        });
        // Most filters stay away, or nothing would ever be found.
        let mut kept = json!({ "tagsMatchMode": mode });
        for ((name, value), keep) in all.as_object().unwrap().iter().zip(keep) {
            if keep == 0 {
                kept[name] = value.clone();
            }
        }
        kept
    }
}

prop_compose! {
    fn search()(
        term in option::of(select(&["wool", "so wo", "FJÄ", "tee 7", " ", "日", "本語", "本 wool", "socks new", "x", "sock"][..])),
        filters in filters(),
        sort in option::of(select(&["inventoryQuantity", "providerCreatedAt", "providerUpdatedAt"][..])),
        direction in select(&["asc", "desc"][..]),
        published in any::<bool>(),
    ) -> Value {
        json!({ "appUrl": URL, "searchTerm": term, "filters": filters, "sortBy": sort, "sortDirection": direction, "publishedOnly": published })
    }
}

/// The moment of one of the texts above.
fn micros(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_microsecond()
}

fn stock(product: &Product) -> i64 {
    product.variants.iter().map(|v| v.inventory_quantity.map_or(0, |n| n.whole().unwrap())).sum()
}

fn matched(product: &Product, word: &str) -> (bool, bool) {
    let begins = |text: &str| found_by(&fold(text)).iter().any(|own| own.starts_with(word));
    (begins(&product.title), product.tags.iter().any(|tag| begins(tag)))
}

fn holds(product: &Product, search: &Value) -> bool {
    let filters = &search["filters"];
    let listed = |name: &str| filters[name].as_array().filter(|list| !list.is_empty());
    let any = |name: &str, has: &dyn Fn(&str) -> bool| {
        listed(name).is_none_or(|list| list.iter().any(|value| has(value.as_str().unwrap())))
    };
    let tag = |tag: &str| product.tags.iter().any(|own| own == tag);
    let tags = match listed("tags") {
        Some(list) if filters["tagsMatchMode"] == "all" => list.iter().all(|value| tag(value.as_str().unwrap())),
        _ => any("tags", &tag),
    };
    let category = |name: &str| {
        product.category.as_ref().is_some_and(|c| [&c.gid, &c.full_name, &c.name].iter().any(|own| *own == name))
    };
    let (min, max) = (&filters["inventory"]["min"], &filters["inventory"]["max"]);
    let in_stock =
        min.as_i64().is_none_or(|min| stock(product) >= min) && max.as_i64().is_none_or(|max| stock(product) <= max);
    let created = micros(product.provider_created_at.as_deref().unwrap_or(&product.created_at));
    let from = filters["createdAt"]["from"]
        .as_str()
        .map(|d| if d.len() == 10 { micros("2026-02-01T00:00:00Z") } else { micros(d) });
    let to = filters["createdAt"]["to"]
        .as_str()
        .map(|d| if d.len() == 10 { micros("2026-02-02T00:00:00Z") - 1 } else { micros(d) });
    let folded = fold(search["searchTerm"].as_str().unwrap_or_default());
    looked_for(&folded).iter().all(|word| matched(product, word) != (false, false))
        && any("productType", &|kind| product.product_type.as_deref() == Some(kind))
        && any("category", &category)
        && tags
        && any("productId", &|id| product.external_product_id.as_str() == id)
        && any("variantId", &|id| product.variants.iter().any(|v| v.external_variant_id.as_str() == id))
        && any("sku", &|sku| product.variants.iter().any(|v| v.sku.as_deref() == Some(sku)))
        && any("productName", &|name| fold(&product.title) == fold(name))
        && in_stock
        && from.is_none_or(|from| created >= from)
        && to.is_none_or(|to| created <= to)
        && (search["publishedOnly"] != true || product.published_at.is_some())
}

fn sorted<'a>(mut found: Vec<&'a Product>, search: &Value) -> Vec<&'a Product> {
    let key = |product: &Product| match search["sortBy"].as_str() {
        Some("inventoryQuantity") => Some(stock(product)),
        Some("providerCreatedAt") => product.provider_created_at.as_deref().map(micros),
        Some("providerUpdatedAt") => product.provider_updated_at.as_deref().map(micros),
        _ => None,
    };
    let down = search["sortDirection"] == "desc";
    // Stable, so that equal ones stay in the order of ids.
    found.sort_by_key(|product| key(product).map_or((1, 0), |key| (0, if down { -key } else { key })));
    found
}

/// What is dear somewhere: only walks, only sorting, everything fetched as a bitmap, nothing; and what is here.
const COSTS: [Costs; 5] = [
    Costs { few_in_range: 8, few_matches: 8, steps_a_match: 2, steps_more: 0, steps_a_lookup: 0 },
    Costs { few_in_range: 0, few_matches: 0, steps_a_match: u64::MAX, steps_more: 0, steps_a_lookup: 0 },
    Costs { few_in_range: usize::MAX, few_matches: u64::MAX, steps_a_match: 0, steps_more: 0, steps_a_lookup: 0 },
    Costs { few_in_range: 2, few_matches: 0, steps_a_match: 1, steps_more: 1, steps_a_lookup: 0 },
    Costs { few_in_range: 4, few_matches: 3, steps_a_match: 0, steps_more: 0, steps_a_lookup: 12 },
];

async fn pages(store: &Store, costs: Costs, id: i64, search: &ProductSearch, size: usize) -> Vec<Value> {
    let query = Query::of(search).unwrap();
    let (fingerprint, secret) = (query.fingerprint(id), store.cursor_key());
    let workspace = store.own_workspace().await.unwrap().workspace;
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let (query, wish) = (query.clone(), PageWish { media: false, variants: true, analysis: true });
        let ask = PageAsk { query, limit: size, after, wish, base_url: String::new() };
        let (mut page, ()) =
            store.page_at(costs, workspace, (StoreUrl::new(URL), None), |_| Ok((ask, ()))).await.unwrap();
        page.json.push(b'}');
        let mut json: Value = serde_json::from_slice(&page.json).unwrap();
        let products: Vec<Value> = serde_json::from_value(json["products"].take()).unwrap();
        assert!(products.len() == size || page.last.is_none());
        found.extend(products);
        let Some(last) = page.last else { return found };
        let cursor = cursor::write(last, None, fingerprint, secret).unwrap();
        after = cursor::read(&cursor, fingerprint, secret);
        assert_eq!(after, Some(last));
    }
}

async fn check(first: Vec<Product>, second: Vec<Product>, searches: Vec<(Value, usize)>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let owner = store.own_workspace().await.unwrap();
    let new = NewStore { app_url: StoreUrl::new(URL), name: None, currency_code: None, currency_symbol: None };
    let row = store.connect(owner.workspace, new).await.unwrap();
    // Over the edge of a chunk.
    let begin = |connection: &mut db::Connection| Ok(connection.execute("UPDATE store SET next_number = 65525", [])?);
    store.writer.run(begin).await.unwrap();

    let (mut known, mut at) = (Vec::<Product>::new(), HashMap::new());
    for product in &first {
        at.entry(product.external_product_id.clone()).or_insert_with(|| {
            known.push(product.clone());
            known.len() - 1
        });
    }
    let loading: Vec<NewProduct> = known.iter().map(|p| NewProduct { product: p.clone(), analysis: None }).collect();
    store.load(row.id, loading.into_iter(), false, |_| ()).await.unwrap();
    for product in &second {
        let product = product.clone();
        if let Some(at) = at.get(&product.external_product_id) {
            // The service knows since when it knows a product.
            let created_at = known[*at].created_at.clone();
            known[*at] = Product { created_at, ..product };
        } else {
            at.insert(product.external_product_id.clone(), known.len());
            known.push(product);
        }
    }
    let writing = second.into_iter().map(|product| NewProduct { product, analysis: None }).collect();
    store.upsert(owner.workspace, NewStore::at(&StoreUrl::new(URL)), writing).await.unwrap();

    let row = store.store(owner.workspace, StoreUrl::new(URL)).await.unwrap();
    assert_eq!(usize::try_from(row.products).unwrap(), known.len());
    assert_eq!(usize::try_from(row.published).unwrap(), known.iter().filter(|p| p.published_at.is_some()).count());
    for (search, size) in searches {
        let (read, findings) = Reader::read::<ProductSearch>(&search);
        assert_eq!(findings, []);
        let found = pages(&store, COSTS[0], row.id, &read, size).await;
        for costs in COSTS {
            assert_eq!(pages(&store, costs, row.id, &read, size).await, found, "{costs:?} {search}");
        }
        let wanted = sorted(known.iter().filter(|product| holds(product, &search)).collect(), &search);
        let ids = |list: &[Value]| {
            list.iter().map(|p| p["externalProductId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let wanted_ids: Vec<String> = wanted.iter().map(|p| p.external_product_id.to_string()).collect();
        assert_eq!(ids(&found), wanted_ids, "{search}");
        let term = fold(search["searchTerm"].as_str().unwrap_or_default());
        for (found, wanted) in found.iter().zip(wanted) {
            let flags =
                looked_for(&term).iter().map(|word| matched(wanted, word)).reduce(|a, b| (a.0 || b.0, a.1 || b.1));
            assert_eq!(found["matchedTitle"].as_bool().zip(found["matchedTags"].as_bool()), flags);
            assert_eq!(found["variants"].as_array().unwrap().len(), wanted.variants.len());
            assert_eq!(found["analysisStatus"], "pending");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_what_the_oracle_says(
        first in vec(product(), 0..50),
        second in vec(product(), 0..20),
        searches in vec((search(), 1..7_usize), 12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(check(first, second, searches));
    }
}
