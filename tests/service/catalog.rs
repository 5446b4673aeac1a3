//! The local service over real HTTP: the rows of §4.1, §4.2, §5, §7 and §8, and the contract's readings of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::format_collect)]

use crate::hosted;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cutaway::service::{FolderError, ServeOptions, Service, ServiceError, local, offline};
use hosted::{ServedFor, kept, on};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

const SAMPLE: &str = "https://nordlys-outdoor.example";
const MADE_UP: &str = "https://synthetic.example";
const SEARCH: &str = "/products-service/searchProductsCursor";

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn start(data: &Path, synthetic: u64) -> Self {
        let service = Service::open(on(data)).await.unwrap();
        service.load_sample(|_| ()).await.unwrap();
        if synthetic > 0 {
            service.load_synthetic(synthetic, |_| ()).await.unwrap();
        }
        Self::of(service).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.running.base_url()))
    }

    fn allowed(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(&self.key)
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let sent = self.allowed(Method::POST, path).json(body).send().await.unwrap();
        assert!(sent.headers().contains_key("x-request-id"));
        (sent.status(), sent.json().await.unwrap())
    }

    async fn ok(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.post(path, body).await;
        assert_eq!(status, 200, "{body} {answer}");
        answer
    }

    /// The pointers of the fields that a 400 names.
    async fn wrong(&self, path: &str, body: &Value) -> Vec<String> {
        let (status, answer) = self.post(path, body).await;
        assert_eq!(status, 400, "{body} {answer}");
        let errors = answer["errors"].as_array().unwrap();
        errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    }
}

async fn problem(answer: Response, status: u16) -> Value {
    assert_eq!(answer.status(), status);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    assert!(answer.headers().contains_key("x-request-id"));
    let document: Value = answer.json().await.unwrap();
    assert_eq!(document["status"], status);
    for member in ["type", "title", "detail"] {
        assert!(document[member].is_string(), "{document}");
    }
    document
}

#[tokio::test]
async fn credentials_come_first() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 0).await;
    for (method, path) in [
        (Method::POST, SEARCH),
        (Method::GET, SEARCH),
        (Method::GET, "/users/me"),
        (Method::GET, "/no/such/path"),
        (Method::POST, "/account-service/authenticateCliApiKey"),
        (Method::DELETE, "/projects"),
        (Method::GET, "/"),
    ] {
        for key in [None, Some(""), Some("cutaway_key_wrong")] {
            let mut asked = served.request(method.clone(), path);
            if let Some(key) = key {
                asked = asked.bearer_auth(key);
            }
            let answer = asked.body("not json").send().await.unwrap();
            assert!(answer.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
            problem(answer, 401).await;
        }
    }

    let exchange = |key: &str| {
        let path = "/account-service/authenticateCliApiKey";
        served.request(Method::POST, path).header("X-CLI-API-Key", key).send()
    };
    problem(exchange("wrong").await.unwrap(), 401).await;
    let token: Value = exchange(&served.key).await.unwrap().json().await.unwrap();
    assert_eq!((&token["tokenType"], &token["expiresIn"]), (&json!("Bearer"), &json!(3600)));
    let token = token["accessToken"].as_str().unwrap();
    assert_ne!(token, served.key);
    for credential in [token, &served.key] {
        let me = served.request(Method::GET, "/users/me").bearer_auth(credential).send().await.unwrap();
        assert_eq!(me.status(), 200);
        let me: Value = me.json().await.unwrap();
        assert_eq!(me.as_object().unwrap().len(), 3);
        assert!(["id", "email", "appKey"].iter().all(|member| me[*member].is_string()));
    }
    served.running.stop().await;
}

#[tokio::test]
async fn paths_methods_and_bodies() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 0).await;
    problem(served.allowed(Method::GET, "/no/such/path").send().await.unwrap(), 404).await;
    let other = served.allowed(Method::GET, SEARCH).send().await.unwrap();
    assert_eq!(other.headers()["allow"], "POST");
    problem(other, 405).await;
    let post = || served.allowed(Method::POST, SEARCH);
    problem(post().header("content-type", "text/plain").body("{}").send().await.unwrap(), 415).await;
    let json_type = |body: String| post().header("content-type", "application/json; charset=utf-8").body(body);
    problem(json_type("{".to_owned()).send().await.unwrap(), 400).await;
    problem(json_type(String::new()).send().await.unwrap(), 400).await;
    problem(json_type("[".repeat(100_000)).send().await.unwrap(), 400).await;
    problem(json_type(format!("\"{}\"", "x".repeat(1024 * 1024))).send().await.unwrap(), 413).await;
    for whole in ["[]", "null", "3", "\"x\"", "{", "", "no json"] {
        let said = problem(json_type(whole.to_owned()).send().await.unwrap(), 400).await;
        assert_eq!(said["errors"].as_array().unwrap().len(), 1, "{said}");
        assert_eq!(said["errors"][0]["pointer"], "");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 0).await;
    let wrong = json!({
        "appUrl": "https://unknown.example", "limit": 0, "cursor": null, "searchTerm": 7, "surprise": true,
        "include": { "analysis": { "analysisTimeoutMs": 0 }, "media": "yes", "more": 1 },
        "filters": {
            "productType": "Socks", "tags": [1], "tagsMatchMode": "none", "inventory": { "min": "2" },
            "createdAt": { "from": "yesterday", "to": "2026-02-30" }, "colour": [],
        },
        "sortBy": "price", "sortDirection": "up", "publishedOnly": null,
    });
    let mut named = served.wrong(SEARCH, &wrong).await;
    named.sort();
    assert_eq!(
        named,
        [
            "/appUrl",
            "/cursor",
            "/filters/colour",
            "/filters/createdAt/from",
            "/filters/createdAt/to",
            "/filters/inventory/min",
            "/filters/productType",
            "/filters/tags/0",
            "/filters/tagsMatchMode",
            "/include/analysis/analysisTimeoutMs",
            "/include/media",
            "/include/more",
            "/limit",
            "/publishedOnly",
            "/searchTerm",
            "/sortBy",
            "/sortDirection",
            "/surprise",
        ]
    );
    for limit in [json!(0), json!(501), json!(1.5), json!(-1), json!("30")] {
        assert_eq!(served.wrong(SEARCH, &json!({ "appUrl": SAMPLE, "limit": limit })).await, ["/limit"]);
    }
    let product = "/products-service/getProduct";
    assert_eq!(served.wrong(product, &json!({ "appUrl": SAMPLE })).await, ["/productId"]);
    assert_eq!(
        served.wrong(product, &json!({ "appUrl": "x", "productId": "1", "more": 1 })).await,
        ["/more", "/appUrl"]
    );
    assert_eq!(served.wrong("/products-service/getProductMedia", &json!({})).await, ["/appUrl", "/productId"]);
    assert_eq!(
        served.wrong("/products-service/getProductsCount", &json!({ "appUrl": SAMPLE, "strict": null })).await,
        ["/strict"]
    );
    served.running.stop().await;
}

#[tokio::test]
async fn the_sample_is_found_shown_and_counted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 0).await;
    let bare = served.ok(SEARCH, &json!({ "appUrl": SAMPLE, "searchTerm": "WO sö" })).await;
    let sock = &bare["products"][0];
    assert_eq!(sock["title"], "Fjell wool sock");
    assert_eq!((&sock["media"], &sock["variants"]), (&json!([]), &json!([])));
    assert!(sock["matchedTitle"] == true && sock["matchedTags"].is_boolean());
    assert!(sock.get("analysisStatus").is_none() && sock.get("analysis").is_none());

    let include = json!({ "media": true, "variants": true, "analysis": { "analysisTimeoutMs": 5 } });
    let all = served.ok(SEARCH, &json!({ "appUrl": SAMPLE, "limit": 500, "include": include })).await;
    let (page, findings) = <cutaway::api::SearchProducts as cutaway::api::Operation>::read(&all);
    assert_eq!(findings, []);
    assert!(!page.has_more && page.products.len() >= 200);
    let mut statuses = [0, 0];
    for (found, raw) in page.products.iter().zip(all["products"].as_array().unwrap()) {
        assert_eq!(found.media_count.whole().unwrap(), i64::try_from(found.product.media.len()).unwrap());
        assert_eq!(found.variants_count.whole().unwrap(), i64::try_from(found.product.variants.len()).unwrap());
        assert_eq!(found.price, found.product.price_range().map(|(low, _)| low));
        assert!(raw.get("matchedTitle").is_none());
        assert_eq!(found.analysis.is_some(), raw["analysisStatus"] == "analyzed");
        statuses[usize::from(found.analysis.is_some())] += 1;
        let one = json!({ "appUrl": SAMPLE, "productId": found.product.external_product_id.as_str() });
        if statuses.iter().sum::<usize>() % 20 == 1 {
            let got = served.ok("/products-service/getProduct", &one).await;
            let read = <cutaway::api::GetProduct as cutaway::api::Operation>::read(&got);
            assert_eq!((read.0.product.as_ref(), read.1), (Some(&found.product), Vec::new()));
            assert_eq!(served.ok("/products-service/getProductMedia", &one).await, raw["media"]);
        }
    }
    assert!(statuses.iter().all(|count| *count > 0));

    let count = async |strict: bool| {
        served.ok("/products-service/getProductsCount", &json!({ "appUrl": SAMPLE, "strict": strict })).await
    };
    let published = page.products.iter().filter(|found| found.product.published_at.is_some()).count();
    assert_eq!(count(false).await, json!({ "total": page.products.len() }));
    assert_eq!(count(true).await, json!({ "total": published }));

    let nobody = json!({ "appUrl": SAMPLE, "productId": "no such product" });
    assert_eq!(served.ok("/products-service/getProduct", &nobody).await, json!({ "product": null }));
    assert_eq!(served.ok("/products-service/getProductMedia", &nobody).await, json!([]));

    if let Some(with) = page.products.iter().find(|found| found.product.metafields.contains_key("variants")) {
        let ask = json!({ "appUrl": SAMPLE, "productId": with.product.external_product_id.as_str(), "skipVariantMetafields": true });
        let got = served.ok("/products-service/getProduct", &ask).await;
        let mut left = with.product.metafields.clone();
        left.shift_remove("variants");
        assert_eq!(got["product"]["metafields"], Value::Object(left));
    }

    let picture = page.products.iter().find_map(|found| found.image_url.clone()).unwrap();
    let whole = served.http.get(&picture).send().await.unwrap();
    assert_eq!((whole.status().as_u16(), &whole.headers()["accept-ranges"]), (200, &"bytes".parse().unwrap()));
    assert!(whole.headers()["content-type"].to_str().unwrap().starts_with("image/"));
    let etag = whole.headers()["etag"].clone();
    let whole = whole.bytes().await.unwrap();
    let part = served.http.get(&picture).header("range", "bytes=2-5").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.bytes().await.unwrap(), whole.slice(2..6));
    assert_eq!(served.http.get(&picture).header("if-none-match", etag).send().await.unwrap().status(), 304);
    served.running.stop().await;
}

#[tokio::test]
async fn cursors_belong_to_their_search() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 300).await;
    let search = json!({ "appUrl": MADE_UP, "limit": 7, "sortBy": "inventoryQuantity" });
    let with = |more: Value| {
        let mut ask = search.clone();
        ask.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask
    };
    let first = served.ok(SEARCH, &search).await;
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    assert_eq!(first["hasMore"], true);
    let second = served.ok(SEARCH, &with(json!({ "cursor": cursor, "limit": 3, "include": { "media": true } }))).await;
    assert_eq!(second["products"].as_array().unwrap().len(), 3);
    for other in [
        json!({ "sortDirection": "desc" }),
        json!({ "sortBy": "providerCreatedAt" }),
        json!({ "searchTerm": "wool" }),
        json!({ "filters": { "tags": ["sale"] } }),
        json!({ "publishedOnly": true }),
        json!({ "appUrl": SAMPLE }),
    ] {
        let mut ask = with(json!({ "cursor": cursor }));
        ask.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        assert_eq!(served.wrong(SEARCH, &ask).await, ["/cursor"], "{other}");
    }
    let mut changed = cursor.clone().into_bytes();
    changed[10] ^= 1;
    for cursor in [String::from_utf8(changed).unwrap(), String::new(), "garbage".to_owned(), format!("{cursor}A")] {
        assert_eq!(served.wrong(SEARCH, &with(json!({ "cursor": cursor }))).await, ["/cursor"]);
    }
    served.running.stop().await;
}

#[tokio::test]
async fn every_wrong_field_is_named_exactly_once() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 30).await;
    let first = served.ok(SEARCH, &json!({"appUrl": MADE_UP, "limit": 9})).await;
    let good = first["nextCursor"].as_str().unwrap();
    let changed = format!("{}{}", if good.starts_with('A') { "B" } else { "A" }, good.get(1..).unwrap());
    for (ask, wrong) in [
        (json!({"filters": {"createdAt": {"from": 5}}}), vec!["/filters/createdAt/from"]),
        (
            json!({"filters": {"createdAt": {"from": "soon", "to": 5}}, "limit": 501}),
            vec!["/limit", "/filters/createdAt/to", "/filters/createdAt/from"],
        ),
        (json!({"cursor": "garbage", "limit": 501}), vec!["/limit", "/cursor"]),
        (
            json!({"cursor": "garbage", "filters": {"createdAt": {"to": "soon"}}}),
            vec!["/filters/createdAt/to", "/cursor"],
        ),
        (json!({"cursor": "garbage", "appUrl": "https://no.example"}), vec!["/appUrl", "/cursor"]),
        (json!({"cursor": changed, "limit": 501}), vec!["/limit", "/cursor"]),
        // Which search it belongs to can't be told from a search that is wrong.
        (json!({"cursor": good, "sortBy": "price"}), vec!["/sortBy"]),
        (json!({"cursor": good, "limit": 501}), vec!["/limit"]),
        (json!({"appUrl": 3}), vec!["/appUrl"]),
    ] {
        let mut whole = json!({"appUrl": MADE_UP});
        whole.as_object_mut().unwrap().extend(ask.as_object().unwrap().clone());
        let mut named = served.wrong(SEARCH, &whole).await;
        let (_, answer) = served.post(SEARCH, &whole).await;
        let counted = format!("{} fields are wrong.", named.len());
        assert!(named.len() == 1 || answer["detail"] == counted, "{answer}");
        named.sort();
        let mut wrong = wrong;
        wrong.sort_unstable();
        assert_eq!(named, wrong, "{whole}");
    }
    for to in ["9999-12-31", "9999-12-31T23:59:59Z"] {
        let found = served
            .ok(SEARCH, &json!({"appUrl": MADE_UP, "filters": {"createdAt": {"from": "0000-01-01", "to": to}}}))
            .await;
        assert_eq!(found["products"].as_array().unwrap().len(), 30);
    }
    served.running.stop().await;
}

#[tokio::test]
async fn a_failed_import_leaves_no_store_behind() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 0).await;
    let other = "https://imported.example/";
    let import = async |lines: &'static str| {
        offline::import_products(&kept(data.path()), &other.into(), lines.as_bytes(), |_| ()).await
    };
    assert!(import("{\"title\": 3}\n").await.is_err());
    assert!(import("").await.is_ok());
    assert_eq!(served.wrong("/products-service/getProductsCount", &json!({"appUrl": other})).await, ["/appUrl"]);
    served.running.stop().await;
}

#[tokio::test]
async fn pages_neither_repeat_nor_skip_while_others_write() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), 400).await;
    let over = Arc::new(AtomicBool::new(false));
    let lines: String = (0..5)
        .map(|n| {
            let product = json!({
                "externalProductId": format!("extra-{n}"), "title": "Extra wool", "handle": "extra", "description": null,
                "vendor": null, "productType": null, "tags": ["sale"], "status": null, "platform": "test",
                "descriptionHtml": null, "category": null, "templateSuffix": null, "featuredMediaId": null,
                "featuredMediaPreviewUrl": null, "publishedAt": null, "currencyCode": null, "currencySymbol": null,
                "media": [], "variants": [], "metafields": {}, "options": null, "productUrl": "https://x.example"
            });
            format!("{product}\n")
        })
        .collect();
    let writing = {
        let (over, data) = (Arc::clone(&over), data.path().to_owned());
        tokio::spawn(async move {
            let mut rounds = 0;
            while !over.load(Ordering::Relaxed) {
                offline::import_products(&kept(&data), &MADE_UP.into(), lines.as_bytes(), |_| ()).await.unwrap();
                rounds += 1;
            }
            rounds
        })
    };
    for sort in [Value::Null, json!("inventoryQuantity"), json!("providerUpdatedAt")] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let mut ask = json!({ "appUrl": MADE_UP, "limit": 9, "sortBy": sort, "sortDirection": "desc" });
            if let Some(cursor) = cursor {
                ask["cursor"] = cursor;
            }
            let page = served.ok(SEARCH, &ask).await;
            let ids = page["products"]
                .as_array()
                .unwrap()
                .iter()
                .map(|p| p["externalProductId"].as_str().unwrap().to_owned());
            seen.extend(ids.filter(|id| !id.starts_with("extra")));
            assert_eq!(page["hasMore"].as_bool().unwrap(), page["nextCursor"].is_string());
            if page["nextCursor"].is_null() {
                break;
            }
            cursor = Some(page["nextCursor"].clone());
        }
        assert_eq!(seen.len(), 400);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 400);
    }
    over.store(true, Ordering::Relaxed);
    assert!(writing.await.unwrap() > 0);
    let one = json!({ "appUrl": MADE_UP, "productId": "extra-3" });
    let product = served.ok("/products-service/getProduct", &one).await;
    assert!(product["product"]["version"].as_u64().unwrap() >= 1);
    served.running.stop().await;
}

#[tokio::test]
async fn the_first_process_serves_and_a_later_one_takes_over() {
    let data = tempfile::tempdir().unwrap();
    let dir = data.path().join("local");
    let (one, other) = tokio::join!(local::attach(&dir, |_| ()), local::attach(&dir, |_| ()));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert!(one.serving.is_some() != other.serving.is_some());
    assert_eq!(one.base_url, other.base_url);
    assert_eq!((&one.stores, one.stores.first().map(cutaway::domain::StoreUrl::as_str)), (&other.stores, Some(SAMPLE)));
    let (server, guest) = if one.serving.is_some() { (one, other) } else { (other, one) };

    let me = |at: &local::Attached| {
        let by_socket = reqwest::Client::builder().unix_socket(at.socket.clone().unwrap()).build().unwrap();
        by_socket.get(at.base_url.join("/users/me").unwrap()).bearer_auth(at.api_key.expose()).send()
    };
    assert_eq!(me(&guest).await.unwrap().status(), 200);
    let refused = Service::open(ServeOptions { data: dir.clone(), ..ServeOptions::default() }).await.err().unwrap();
    let pid = std::process::id();
    assert!(
        matches!(&refused, ServiceError::Folder(FolderError::Served { by: Some(by), .. }) if by.pid == pid),
        "{refused}"
    );

    server.serving.unwrap().stop().await;
    assert!(me(&guest).await.is_err());
    let again = local::attach(&dir, |_| ()).await.unwrap();
    assert!(again.serving.is_some());
    assert_eq!(me(&again).await.unwrap().status(), 200);
    // The key ended with its process.
    let with_old = local::Attached { api_key: guest.api_key, ..local::attach(&dir, |_| ()).await.unwrap() };
    assert_eq!(me(&with_old).await.unwrap().status(), 401);
    again.serving.unwrap().stop().await;
}
