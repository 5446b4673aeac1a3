//! Workspaces far larger than people have: a product of thousands of variants, a hundred thousand projects.

use std::io::Write as _;
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::service::Service;
use crate::terminal::Start;

const VARIANTS: usize = 2_000;
const PROJECTS: usize = 100_000;

/// A product with so many variants, made of one that the service has.
fn widened(start: &Start, store: &str) -> Value {
    let list: Value = serde_json::from_str(&start.says(&["products", "search", "--limit", "1", "--json"])).unwrap();
    let id = list["products"][0]["externalProductId"].as_str().unwrap().to_owned();
    let mut product: Value = serde_json::from_str(&start.says(&["products", "get", &id, "--json"])).unwrap();
    if let Some(inner) = product.get("product") {
        product = inner.clone();
    }
    let first = product["variants"][0].clone();
    let variant = |at: usize| {
        let mut variant = first.clone();
        for (name, value) in [
            ("externalVariantId", json!(format!("{}", 40_000_000_000_000_usize + at))),
            ("sku", json!(format!("WIDE-{at:04}"))),
            ("title", json!(format!("Wide {at:04}"))),
            ("inventoryQuantity", json!(at)),
        ] {
            variant[name] = value;
        }
        if variant.get("id").is_some() {
            variant["id"] = json!(9_000_000 + at);
        }
        variant
    };
    product["variants"] = (0..VARIANTS).map(variant).collect();
    product["title"] = json!("Wide sock");
    product["externalProductId"] = json!("8999999999999");
    product["appUrl"] = json!(store);
    if product.get("id").is_some() {
        product["id"] = json!(8_999_999);
    }
    product
}

#[test]
fn a_product_of_thousands_of_variants_is_kept_read_and_walked() {
    let service = Service::of(1);
    let start = service.studio();
    let wide = widened(&start, service.store());
    let mut import = Command::new(env!("CARGO_BIN_EXE_cutaway"))
        .env_clear()
        .env("HOME", start.home())
        .args(["serve", "import-products", "-", "--app-url", service.store(), "--data"])
        .arg(service.data())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(import.stdin.take().unwrap(), "{wide}").unwrap();
    let said = import.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).contains("1 added, 0 updated"), "{said:?}");

    // The client takes it whole, alone and among others.
    let got = start.says(&["products", "get", "8999999999999", "--json"]);
    assert_eq!(got.matches("WIDE-").count(), VARIANTS);
    let found = start.says(&["products", "search", "wide", "--json"]);
    assert!(found.contains("Wide sock"), "{found}");

    // The studio shows the first and the last of them.
    let mut studio = start.open();
    studio.shows("2 products").keys("/wide\r").hides("2 products").shows("Wide sock").keys("\r").shows("Product ID");
    studio.keys("]").shows("WIDE-0000");
    studio.keys("\x1b[F").shows("WIDE-1999").keys("\x1b[H").shows("WIDE-0000");
    studio.keys("\x1b[6~").hides("WIDE-0000");
    studio.quit();
}

/// Copies a project of the folder so often, in one statement: whatever columns there are.
fn multiply(service: &Service, id: &str, times: usize) {
    let database = Connection::open(service.data().join("cutaway.sqlite3")).unwrap();
    database.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    let mut columns = database.prepare("SELECT name FROM pragma_table_info('project')").unwrap();
    let columns: Vec<String> = columns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let kept: Vec<&str> = columns.iter().map(String::as_str).filter(|name| *name != "number").collect();
    let values: Vec<String> = kept
        .iter()
        .map(|name| match *name {
            "id" | "publish_id" => format!("'bulk-' || at || '-' || {name}"),
            "name" => "'Bulk ' || at".to_owned(),
            name => name.to_owned(),
        })
        .collect();
    let sql = format!(
        "INSERT INTO project ({}) WITH RECURSIVE counted (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM counted
         WHERE at < ?1) SELECT {} FROM project, counted WHERE project.id = ?2",
        kept.join(", "),
        values.join(", ")
    );
    assert_eq!(database.execute(&sql, (i64::try_from(times).unwrap(), id)).unwrap(), times);
}

#[test]
fn a_hundred_thousand_projects_are_listed_and_walked() {
    let service = Service::of(1);
    let start = service.studio();
    let created = start.says(&["projects", "create", "A first one", "--id-only"]);
    multiply(&service, created.trim(), PROJECTS - 1);

    let listed: Value = serde_json::from_str(&start.says(&["projects", "list", "--json"])).unwrap();
    assert_eq!(listed["projects"].as_array().unwrap().len(), PROJECTS);

    let mut studio = start.open();
    studio.shows("1 product ").keys("2").shows("100,000 projects").shows("A first one");
    // To the end and back, a page on, and to one by its name.
    studio.keys("\x1b[F").hides("A first one").keys("\x1b[H").shows("A first one").keys("\x1b[6~").hides("A first one");
    studio.keys("/Bulk 99998\r").shows("1 of 100,000 projects").shows("Bulk 99998");
    studio.quit();
}
