//! Exports over the real service, read back and compared.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::path::Path;

use cutaway::client::{Client, ClientOptions, Hosts};
use cutaway::domain::{ExportColumn, PageSize, ProductSearch, StoreUrl};
use cutaway::runtime::export::export;
use cutaway::service::{Running, ServeOptions, Service};
use cutaway::studio::effect::{Export, ExportFormat};
use cutaway::studio::event::{Event, RequestId};
use serde_json::Value;

const STORE: &str = "https://nordlys-outdoor.example";

async fn sample(folder: &Path) -> (Running, Client) {
    let service = Service::open(ServeOptions { data: folder.join("data"), ..ServeOptions::default() }).await.unwrap();
    service.load_sample(|_| ()).await.unwrap();
    let key = service.add_key(None).await.unwrap();
    let running = service.start("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let hosts = Hosts::single(running.url().unwrap());
    let client = Client::new(ClientOptions { credential: Some(key), ..ClientOptions::new(hosts) });
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
    match export(client.clone(), RequestId(1), order, events).await {
        Event::Exported { done, ended: Some(ended), .. } => (done, ended),
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
async fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (running, client) = sample(folder.path()).await;
    let there = folder.path().join("there.csv");
    std::fs::write(&there, "mine").unwrap();
    let (_, ended) = run(&client, all(ExportFormat::Csv, &there)).await;
    assert!(ended.unwrap_err().contains("is there already"));
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
