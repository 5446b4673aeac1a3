//! A real standby in the place of the database: it is refused at the start, and served once it is promoted.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // Helpers of tests are tests too.

use crate::scale;

use std::collections::BTreeSet;

use reqwest::Method;
use scale::{Postgres, Serving, run, until};
use serde_json::Value;
use serving::postgres::address;

use crate::serving;

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_is_refused_until_it_is_promoted_and_is_found_then() {
    let Some(server) = Postgres::start("") else { return };
    // Both an empty one and one with a workspace.
    let standby = server.standby();
    for served in [false, true] {
        if served {
            assert_eq!(run(&server.url("shop"), &["key", "add"]).0, Some(0));
            let tables = "SELECT count(*) > 5 FROM pg_tables WHERE schemaname = 'public'";
            until("it has the tables", async || standby.ask("shop", tables) == "t").await;
        }
        for command in [&["key", "add"][..], &["--listen", "127.0.0.1:0"]] {
            let (code, said) = run(&standby.url("shop"), command);
            assert!(code == Some(1) && said.lines().count() == 1, "{code:?} {said}");
            assert!(said.contains("takes no changes (25006)"), "{said}");
        }
    }

    // Whoever names both finds the one that takes changes.
    let folders = format!("{}/shop", standby.folder.display()).replace('/', "%2F").replace("%2Fshop", "/shop");
    let both = address(&server.folder, "x").replace("/x", &format!(",{folders}?target_session_attrs=read-write"));
    let serving = Serving::start(&both, &[], &[]);
    serving.create("Before").await;
    until("it is copied", async || standby.ask("shop", "SELECT count(*) FROM project") == "1").await;
    server.stop();
    let status = async || serving.ask(Method::GET, "/readyz", &Value::Null).await.0;
    until("it is noticed", async || status().await == 503).await;
    standby.ask("shop", "SELECT pg_promote()");
    until("it is ready", async || status().await == 200).await;
    serving.create("After").await;
    assert_eq!(serving.names(serving.process.key()).await, BTreeSet::from(["Before".into(), "After".into()]));
}
