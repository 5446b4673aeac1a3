//! Exports over the real service, read back and compared.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::hosted;

use std::path::Path;

use cutaway::client::{Client, ClientOptions, Hosts};
use cutaway::domain::{ApiKey, ExportColumn, PageSize, ProductSearch, StoreUrl};
use cutaway::runtime::drivers::products::gather;
use cutaway::runtime::export::export;
use cutaway::runtime::host::Files;
use cutaway::service::Running;
use cutaway::studio::event::{Event, RequestId};
use cutaway::studio::products::{Event as OfProducts, Export, ExportFormat, Gathered};
use hosted::{Served, on};
use serde_json::Value;

const STORE: &str = "https://nordlys-outdoor.example";

async fn sample(folder: &Path) -> (Running, Client) {
    let Served { running, key, .. } = Served::sample(on(&folder.join("data"))).await;
    let hosts = Hosts::single(running.url().unwrap());
    let client = Client::new(ClientOptions { credential: Some(ApiKey::new(&key)), ..ClientOptions::new(hosts) });
    (running, client)
}

fn all(format: ExportFormat, file: &Path) -> Export {
    let search = ProductSearch {
        app_url: StoreUrl::from(STORE),
        limit: PageSize::new(100).ok(),
        include: Some(cutaway::domain::Include { variants: Some(true), ..Default::default() }),
        ..ProductSearch::default()
    };
    let columns = vec![ExportColumn::Title, ExportColumn::Stock, ExportColumn::Address];
    Export { searches: vec![search], format, columns, file: file.to_string_lossy().into_owned() }
}

async fn run(client: &Client, order: Export) -> (u64, Result<String, String>) {
    let (events, _reports) = tokio::sync::mpsc::unbounded_channel();
    match export(client.clone(), Files::of_process(), RequestId(1), order, events).await {
        OfProducts::Exported { done, ended: Some(ended), .. } => (done, ended),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_exported_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    let file = |name: &str| folder.path().join(name);

    let (done, ended) = run(&client, all(ExportFormat::NdJson, &file("a.ndjson"))).await;
    assert_eq!((done, ended), (274, Ok(file("a.ndjson").display().to_string())));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(file("plain"), "").unwrap();
        let mode = |name: &str| std::fs::metadata(file(name)).unwrap().permissions().mode();
        assert_eq!(mode("a.ndjson"), mode("plain"), "as any file of theirs");
    }
    let lines = std::fs::read_to_string(file("a.ndjson")).unwrap();
    let products: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    run(&client, all(ExportFormat::Json, &file("a.json"))).await.1.unwrap();
    let array: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file("a.json")).unwrap()).unwrap();
    assert_eq!(array, products);

    run(&client, all(ExportFormat::Csv, &file("a.csv"))).await.1.unwrap();
    let mut table = csv::Reader::from_path(file("a.csv")).unwrap();
    assert_eq!(table.headers().unwrap(), vec!["title", "stock", "address"]);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), products.len());
    for (row, product) in rows.iter().zip(&products) {
        let title = product["title"].as_str().unwrap();
        let formula = title.starts_with(['=', '+', '-', '@']);
        assert_eq!(&row[0], if formula { format!("'{title}") } else { title.to_owned() });
    }
    assert!(rows.iter().any(|row| row[0].starts_with("'=")), "the sample has a title that looks like a formula");
    running.stop().await;
}

#[tokio::test]
async fn every_column_reads_back_as_a_spreadsheet_may_be_given_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = wiremock::MockServer::start().await;
    let titles = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "a, \"b\"\nc", "'quoted", "\u{1b}[2J", "שמיכה 👨‍👩‍👧"];
    let products: Vec<Value> = titles
        .iter()
        .map(|title| serde_json::json!({"title": title, "externalProductId": "=2", "tags": [title], "vendor": title}))
        .collect();
    let page = serde_json::json!({"products": products, "nextCursor": null, "hasMore": false});
    let answer = wiremock::ResponseTemplate::new(200).set_body_json(page);
    // It exchanges no keys: they are used as they are.
    let none = wiremock::Mock::given(wiremock::matchers::path("/account-service/authenticateCliApiKey"));
    none.respond_with(wiremock::ResponseTemplate::new(404)).mount(&server).await;
    wiremock::Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    let hosts = Hosts::single(server.uri().parse().unwrap());
    let client = Client::new(ClientOptions { credential: Some(ApiKey::new("k")), ..ClientOptions::new(hosts) });
    let file = folder.path().join("all.csv");
    let order = Export { columns: ExportColumn::ALL.to_vec(), ..all(ExportFormat::Csv, &file) };
    assert_eq!(run(&client, order).await.0, 10);
    let mut table = csv::Reader::from_path(&file).unwrap();
    let headings: Vec<&str> = ExportColumn::ALL.iter().map(|column| column.title()).collect();
    assert_eq!(table.headers().unwrap(), headings);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    for (row, title) in rows.iter().zip(titles) {
        let formula = title.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let expected = if formula { format!("'{title}") } else { title.to_owned() };
        assert_eq!((&row[0], &row[1], &row[2], &row[5]), ("'=2", &*expected, &*expected, &*expected));
    }
}

/// A disk of so many KiB, where this process may have one; it is gone with this.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let mount = ["-t", "tmpfs", "-o", &size, "cutaway-test"];
        let mounted = std::process::Command::new("mount").args(mount).arg(folder.path()).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then_some(Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

fn files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_disk_that_is_full_leaves_nothing_and_is_named() {
    let Some(disk) = SmallDisk::new(128) else {
        eprintln!("NOT TESTED: a small disk can't be mounted here; run this as root");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    for format in [ExportFormat::NdJson, ExportFormat::Json] {
        let file = disk.0.path().join("products");
        let (_, ended) = run(&client, all(format, &file)).await;
        let why = ended.unwrap_err();
        assert!(why.contains("No space left") && why.contains("products"), "{why}");
        assert_eq!(files(disk.0.path()), [""; 0], "neither the file nor a part of it");
    }
    // A table of three columns fits, and there is room for it again.
    let file = disk.0.path().join("products.csv");
    run(&client, all(ExportFormat::Csv, &file)).await.1.unwrap();
    assert_eq!(files(disk.0.path()), ["products.csv"]);
    running.stop().await;
}

#[tokio::test]
async fn where_nothing_may_be_written_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    // Not even root may write there.
    for nowhere in ["/proc/products.csv", "/dev/null/products.csv"] {
        let (done, ended) = run(&client, all(ExportFormat::Csv, Path::new(nowhere))).await;
        assert!(ended.as_ref().is_err_and(|why| why.starts_with(nowhere)), "{ended:?}");
        assert_eq!(done, 0, "and that is seen before anything is asked of the service");
    }
    running.stop().await;
}

#[tokio::test]
async fn what_is_stopped_or_gone_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    let exports = folder.path().join("exports");
    std::fs::create_dir(&exports).unwrap();
    let mut order = all(ExportFormat::NdJson, &exports.join("a.ndjson"));
    order.searches[0].limit = PageSize::new(5).ok();
    let (events, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let task = tokio::spawn(export(client.clone(), Files::of_process(), RequestId(1), order, events));
    reports.recv().await.unwrap();
    assert_eq!(files(&exports).len(), 1, "it is being written");
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(files(&exports), [""; 0]);

    // Of products that were marked and are gone since only those that are there are written, and counted.
    let mut order = all(ExportFormat::Json, &exports.join("b.json"));
    let ids = ["8123456789012", "0", "no such product"].map(str::to_owned).to_vec();
    order.searches[0].filters =
        Some(cutaway::domain::ProductFilters { product_id: Some(ids), ..cutaway::domain::ProductFilters::default() });
    let (done, ended) = run(&client, order).await;
    assert!(ended.is_ok());
    let array: Vec<Value> = serde_json::from_slice(&std::fs::read(exports.join("b.json")).unwrap()).unwrap();
    assert_eq!((done, array.len()), (1, 1));
    assert_eq!(array[0]["externalProductId"], "8123456789012");
    running.stop().await;
}

#[tokio::test]
async fn what_a_search_finds_is_gathered_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    let search = ProductSearch { include: None, ..all(ExportFormat::Csv, folder.path()).searches.remove(0) };
    let (events, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let ended = gather(client.clone(), RequestId(1), search, events).await;
    assert_eq!(ended, OfProducts::Gathered { request: RequestId(1), gathered: Gathered::All });
    let (mut ids, mut pages) = (std::collections::BTreeSet::new(), 0);
    while let Some(Event::Products(OfProducts::Gathered { gathered: Gathered::Some(page), .. })) = reports.recv().await
    {
        pages += 1;
        ids.extend(page);
    }
    assert_eq!((ids.len(), pages), (274, 3));
    running.stop().await;
}

#[tokio::test]
async fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    let there = folder.path().join("there.csv");
    std::fs::write(&there, "mine").unwrap();
    let (_, ended) = run(&client, all(ExportFormat::Csv, &there)).await;
    assert!(ended.unwrap_err().contains("already exists"));
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");

    let nowhere = folder.path().join("no such folder").join("a.csv");
    assert!(run(&client, all(ExportFormat::Csv, &nowhere)).await.1.is_err());

    running.stop().await;
    let gone = folder.path().join("gone.csv");
    assert!(run(&client, all(ExportFormat::Csv, &gone)).await.1.is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("export")), "{left:?}");
    assert!(!gone.exists());
}
