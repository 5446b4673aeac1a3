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

/// A server that stops waiting for its standbys says so beside its answer: what is on one machine alone is not acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_no_standby_has_is_not_acknowledged() {
    let Some(server) = Postgres::start("") else { return };
    let serving = Serving::start(&server.url("shop"), &[], &[]);
    serving.create("Before").await;
    let standbys = |names: &str| {
        server.ask("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
        server.ask("postgres", "SELECT pg_reload_conf()");
    };
    standbys("nobody");
    let is_set = "SELECT current_setting('synchronous_standby_names') = 'nobody'";
    until("it is set", async || server.ask("postgres", is_set) == "t").await;
    let waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let project = serde_json::json!({ "project": { "name": "Meanwhile" } });
    let asking = serving.ask(Method::POST, "/projects", &project);
    tokio::pin!(asking);
    let status = loop {
        tokio::select! {
            answer = &mut asking => break answer,
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {
                server.ask("postgres", &format!("SELECT count(pg_cancel_backend(pid)) {waits}"));
            }
        }
    };
    assert_eq!(status.0, 503, "{}", status.1);
    standbys("");
    until("it is reset", async || server.ask("postgres", is_set) == "f").await;
    until("it takes writes", async || serving.ask(Method::GET, "/readyz", &Value::Null).await.0 == 200).await;
    serving.create("After").await;
}

/// Processes that start at once on an empty database all load the sample stores, and all start.
#[test]
fn processes_that_start_at_once_load_the_samples_once() {
    let Some(server) = Postgres::start("") else { return };
    let url = server.url("shop");
    let started: Vec<Serving> = std::thread::scope(|scope| {
        let start = || Serving::start(&url, &["--sample", "--sample-products", "1500"], &[]);
        let starting: Vec<_> = (0..3).map(|_| scope.spawn(start)).collect();
        starting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(started.len(), 3);
    assert_eq!(server.ask("shop", "SELECT count(*) FROM product"), "1774");
}

/// A process that starts while another one has the turn for long waits for it: nobody waits for that process yet.
#[tokio::test(flavor = "multi_thread")]
async fn who_starts_while_the_database_is_filled_waits_for_its_turn() {
    let Some(server) = serving::postgres::Server::start_if_there() else { return };
    let url = server.database("shop");
    assert_eq!(run(&url, &["key", "add"]).0, Some(0));
    let filling = server.hold("shop", "BEGIN; SELECT one FROM turn FOR UPDATE");
    let at = url.clone();
    let starting = std::thread::spawn(move || Serving::start(&at, &["--sample"], &[]));
    let limit = "SELECT coalesce(max(substring(query FROM 'SET LOCAL lock_timeout = ''(\\d+)ms''')::int), 0)
                 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    until("it waits for longer than a request may", async || {
        server.ask("shop", limit).parse::<u32>().unwrap() > 20_000
    })
    .await;
    drop(filling);
    let serving = starting.join().unwrap();
    // Once it serves, what is asked of it waits no longer than before.
    let filling = server.hold("shop", "BEGIN; SELECT one FROM turn FOR UPDATE");
    let project = serde_json::json!({ "project": { "name": "Meanwhile" } });
    assert_eq!(serving.ask(Method::POST, "/projects", &project).await.0, 503);
    drop(filling);
    serving.create("After").await;
}
