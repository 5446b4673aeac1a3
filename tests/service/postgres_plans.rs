//! How statements find their rows on PostgreSQL. Skipped, loudly, where this machine has no server.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::on_postgres;

use on_postgres::{Serving, run, server, until};
use reqwest::Method;
use serde_json::{Value, json};

/// Tables that grow with a shop, its catalog and its visitors.
const GROWING: [&str; 14] = [
    "product",
    "document",
    "posting",
    "lookup",
    "visit",
    "visit_event",
    "visit_purchase",
    "delivery",
    "project",
    "step",
    "video",
    "funnel",
    "access_token",
    "ended",
];

/// A small table is read whole although an index would do, so the server is told that this costs too much: what it reads
/// whole then, no index serves.
#[tokio::test(flavor = "multi_thread")]
async fn no_table_that_grows_is_read_whole() {
    let Some(server) = server() else { return };
    let database = server.database("plans");
    assert_eq!(run(&database, &["key", "add"]).0, Some(0));
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'plans' AND application_name = 'cutaway'";
    until("what was counted is written", async || server.ask("plans", others) == "0").await;
    server.ask("plans", "ALTER DATABASE plans SET enable_seqscan = off");
    // Indices were made over whole tables.
    server.ask("plans", "SELECT pg_stat_reset()");
    let serving = Serving::start(&database, &["--sample"]);
    let store = serving.process.ready["app_urls"][0].as_str().unwrap().to_owned();

    for filters in [
        json!({}),
        json!({ "tags": ["sale"] }),
        json!({ "productType": ["Socks"] }),
        json!({ "inventory": { "min": 1, "max": 40 } }),
        json!({ "createdAt": { "from": "2020-01-01T00:00:00Z" }, "tags": ["sale"] }),
    ] {
        for term in [None, Some("wool so"), Some("nothing has this word")] {
            for sort in [None, Some("inventoryQuantity"), Some("providerCreatedAt"), Some("providerUpdatedAt")] {
                let mut asked = json!({ "appUrl": store, "limit": 3, "filters": filters });
                if let Some(term) = term {
                    asked["searchTerm"] = term.into();
                }
                if let Some(sort) = sort {
                    asked["sortBy"] = sort.into();
                }
                // The first page and the one behind it.
                for _ in 0..2 {
                    let found = serving.ask(Method::POST, "/products-service/searchProductsCursor", &asked).await;
                    let status = found.status();
                    let found: Value = found.json().await.unwrap();
                    assert_eq!(status, 200, "{asked}: {found}");
                    match found["nextCursor"].as_str() {
                        Some(cursor) => asked["cursor"] = cursor.into(),
                        None => break,
                    }
                }
            }
        }
    }
    let projects = serving.get("/projects").await;
    for project in projects["projects"].as_array().unwrap() {
        let id = project["id"].as_str().unwrap();
        assert_eq!(serving.status(&format!("/projects/{id}")).await, 200);
        let publish = project["publishId"].as_str().unwrap();
        let begun: Value =
            serving.ask(Method::POST, &format!("/play/{publish}/visits"), &json!({})).await.json().await.unwrap();
        assert!(begun.is_object());
    }
    assert_eq!(serving.create("Another one").await.status(), 200);
    assert_eq!(serving.status("/videos/videos").await, 200);
    assert_eq!(serving.status("/webhooks").await, 200);
    drop(serving);

    until("what was counted is written", async || server.ask("plans", others) == "0").await;
    let names = GROWING.map(|name| format!("'{name}'")).join(", ");
    let whole = format!(
        "SELECT string_agg(relname || ' ' || seq_scan, ', ' ORDER BY relname) FROM pg_stat_user_tables
         WHERE seq_scan > 0 AND relname IN ({names})"
    );
    assert_eq!(server.ask("plans", &whole), "");
    let used = "SELECT sum(idx_scan) > 100 FROM pg_stat_user_tables WHERE relname IN ('document', 'posting')";
    assert_eq!(server.ask("plans", used), "t", "nothing was counted");
}
