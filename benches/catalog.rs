//! What is promised about the catalog: how fast it loads, how fast pages come, first ones and late ones, also while
//! another writes. `CUTAWAY_BENCH_PRODUCTS=1000000 cargo bench --bench catalog`; `CUTAWAY_BENCH_DATA=DIR` keeps the data.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cutaway::domain::StoreUrl;
use cutaway::service::sample::{SYNTHETIC_URL, synthetic};
use cutaway::service::{ServeOptions, Service, offline};
use serde_json::{Value, json};

const PAGE: &str = "/products-service/searchProductsCursor";

#[derive(Clone)]
struct Client {
    http: reqwest::Client,
    base_url: String,
    key: String,
}

impl Client {
    /// How many products a page has, and the cursor of the next. Not parsed: this is about the service.
    async fn page(&self, ask: &Value) -> (usize, Value) {
        let text = ask.to_string();
        let sent = self.http.post(format!("{}{PAGE}", self.base_url)).bearer_auth(&self.key);
        let answer = sent.header("content-type", "application/json").body(text).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let page = answer.text().await.unwrap();
        let (_, end) = page.rsplit_once(",\"nextCursor\":").unwrap();
        let cursor = end.split(',').next().unwrap();
        (page.matches("\"variantsCount\":").count(), serde_json::from_str(cursor).unwrap())
    }

    /// Milliseconds from the request to the last byte of the answer, each of 40 times.
    async fn times(&self, ask: &Value) -> Vec<f64> {
        let mut times = Vec::new();
        for _ in 0..40 {
            let text = ask.to_string();
            let begun = Instant::now();
            let sent = self.http.post(format!("{}{PAGE}", self.base_url)).bearer_auth(&self.key);
            let answer = sent.header("content-type", "application/json").body(text).send().await.unwrap();
            let _ = answer.bytes().await.unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times
    }
}

fn at(mut times: Vec<f64>, part: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let at = ((times.len() as f64 * part) as usize).min(times.len() - 1);
    times[at]
}

fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().replace('\t', " ");
    format!("{} · {}", line("VmRSS"), line("VmHWM"))
}

fn queries() -> Vec<(&'static str, Value)> {
    vec![
        ("no filter", json!({})),
        ("two words", json!({ "searchTerm": "wool so" })),
        ("type and two tags", json!({ "filters": { "productType": ["Socks"], "tags": ["sale", "new"] } })),
        (
            "inventory range, sorted",
            json!({ "filters": { "inventory": { "min": 5, "max": 60 } }, "sortBy": "inventoryQuantity" }),
        ),
        (
            "word, sorted by date, down",
            json!({ "searchTerm": "wool", "sortBy": "providerCreatedAt", "sortDirection": "desc" }),
        ),
    ]
}

fn asked(query: &Value, more: &Value) -> Value {
    let mut ask = json!({ "appUrl": SYNTHETIC_URL });
    for part in [query, more] {
        for (name, value) in part.as_object().unwrap() {
            ask[name] = value.clone();
        }
    }
    ask
}

#[tokio::main]
async fn main() {
    let products: u64 = std::env::var("CUTAWAY_BENCH_PRODUCTS").map_or(50_000, |n| n.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let data = std::env::var_os("CUTAWAY_BENCH_DATA").map_or(temporary.path().to_owned(), PathBuf::from);
    let begun = Instant::now();
    let service = Service::open(ServeOptions { data: data.clone(), ..ServeOptions::default() }).await.unwrap();
    println!("open              {:8.2} ms", begun.elapsed().as_secs_f64() * 1e3);
    let begun = Instant::now();
    service.load_synthetic(products, |_| ()).await.unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    println!("load              {products} products in {seconds:.1} s: {:.0} a second", products as f64 / seconds);
    let size: u64 = std::fs::read_dir(&data).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    println!("on disk           {} MiB · {}", size / 1_048_576, resident());

    let key = service.add_key(None).await.unwrap();
    let running = service.start("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let client =
        Client { http: reqwest::Client::new(), base_url: running.base_url().to_owned(), key: key.expose().to_owned() };
    println!("{:28} {:>9} {:>9} {:>6}   matches", "page of 30, median ms", "first", "at 90 %", "ratio");
    for (name, query) in queries() {
        let first = at(client.times(&asked(&query, &json!({}))).await, 0.5);
        let (mut cursors, mut found) = (vec![Value::Null], 0);
        loop {
            let more = match cursors.last().unwrap() {
                Value::Null => json!({ "limit": 500 }),
                cursor => json!({ "limit": 500, "cursor": cursor }),
            };
            let (products, next) = client.page(&asked(&query, &more)).await;
            found += products;
            if next.is_null() {
                break;
            }
            cursors.push(next);
        }
        let late = &cursors[(cursors.len() * 9 / 10).min(cursors.len() - 1)];
        let more = if late.is_null() { json!({}) } else { json!({ "cursor": late }) };
        let late = at(client.times(&asked(&query, &more)).await, 0.5);
        println!("{name:28} {first:9.2} {late:9.2} {:6.2}   {found}", late / first);
    }
    throughput(&client, &data, products).await;
    println!("{}", resident());
    running.stop().await;
}

/// Filtered pages a second on 32 connections, while products are written.
async fn throughput(client: &Client, data: &std::path::Path, products: u64) {
    let over = Arc::new(AtomicBool::new(false));
    let writing = {
        let (over, data) = (Arc::clone(&over), data.to_owned());
        tokio::spawn(async move {
            let (url, mut written, mut from) = (StoreUrl::new(SYNTHETIC_URL), 0, 0);
            while !over.load(Ordering::Relaxed) {
                let lines: String = synthetic(from, from + 100)
                    .map(|new| serde_json::to_string(&new.product).unwrap() + "\n")
                    .collect();
                let imported = offline::import_products(&data, &url, lines.as_bytes(), |_| ()).await.unwrap();
                written += imported.added + imported.updated;
                from = (from + 7_919) % products.saturating_sub(100).max(1);
            }
            written
        })
    };
    let begun = Instant::now();
    let mut readers = Vec::new();
    for reader in 0..32 {
        let client = client.clone();
        readers.push(tokio::spawn(async move {
            let (mut times, queries) = (Vec::new(), queries());
            let mut turn = reader;
            while begun.elapsed() < Duration::from_secs(10) {
                let ask = asked(&queries[1 + turn % 3].1, &json!({}));
                let sent_at = Instant::now();
                let text = ask.to_string();
                let sent = client.http.post(format!("{}{PAGE}", client.base_url)).bearer_auth(&client.key);
                let answer = sent.header("content-type", "application/json").body(text).send().await.unwrap();
                let _ = answer.bytes().await.unwrap();
                times.push(sent_at.elapsed().as_secs_f64() * 1e3);
                turn += 1;
            }
            times
        }));
    }
    let mut times = Vec::new();
    for reader in readers {
        times.extend(reader.await.unwrap());
    }
    let rate = times.len() as f64 / begun.elapsed().as_secs_f64();
    over.store(true, Ordering::Relaxed);
    let written = writing.await.unwrap();
    println!(
        "32 connections    {rate:.0} filtered pages a second, p50 {:.1} ms, p99 {:.1} ms; {written} products written meanwhile",
        at(times.clone(), 0.5),
        at(times, 0.99)
    );
}
