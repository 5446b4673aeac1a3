//! A real standby in the place of the database: it is refused at the start, and served once it is promoted.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // Helpers of tests are tests too.

use crate::scale;

use std::collections::BTreeSet;
use std::future::Future;

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

/// Sets which standbys a server waits for.
async fn waits_for(server: &Postgres, names: &str) {
    server.ask("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
    server.ask("postgres", "SELECT pg_reload_conf()");
    let now = "SELECT current_setting('synchronous_standby_names')";
    until("it is set", async || server.ask("postgres", now) == names).await;
}

/// What comes of a request whose transaction is not waited for by a standby, which nobody is.
async fn given_up<T>(server: &Postgres, asking: impl Future<Output = T>) -> T {
    let give_up = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    tokio::pin!(asking);
    loop {
        tokio::select! {
            answer = &mut asking => return answer,
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {
                server.ask("postgres", give_up);
            }
        }
    }
}

/// A server that stops waiting for its standbys says so beside its answer: what is on one machine alone is not acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_no_standby_has_is_not_acknowledged() {
    let Some(server) = Postgres::start("") else { return };
    let serving = Serving::start(&server.url("shop"), &[], &[]);
    serving.create("Before").await;
    waits_for(&server, "nobody").await;
    let project = serde_json::json!({ "project": { "name": "Meanwhile" } });
    let status = given_up(&server, serving.ask(Method::POST, "/projects", &project)).await;
    assert_eq!(status.0, 503, "{}", status.1);
    waits_for(&server, "").await;
    until("it takes writes", async || serving.ask(Method::GET, "/readyz", &Value::Null).await.0 == 200).await;
    serving.create("After").await;
}

/// An upload of which nobody knew whether it was recorded has its file once it is sent again, and so has one of which the file
/// is gone.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_record_was_not_acknowledged_keeps_its_file() {
    let Some(server) = Postgres::start("") else { return };
    let serving = Serving::start(&server.url("shop"), &[], &[]);
    serving.create("Before").await;
    let mut film = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    film.resize(100_000, 7);
    let upload = async || {
        let part = reqwest::multipart::Part::bytes(film.clone()).file_name("tour.mp4");
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        let asked = reqwest::Client::new().post(format!("{}/videos", serving.process.base()));
        let asked = asked.bearer_auth(serving.process.key()).header("idempotency-key", "tour").multipart(form);
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    waits_for(&server, "nobody").await;
    let (status, said) = given_up(&server, upload()).await;
    assert_eq!(status, 503, "{said}");
    waits_for(&server, "").await;
    until("it takes writes", async || serving.ask(Method::GET, "/readyz", &Value::Null).await.0 == 200).await;
    let whole = async || {
        let (answered, made) = upload().await;
        assert_eq!(answered, 200, "{made}");
        let (_, list) = serving.ask(Method::GET, "/videos/videos", &Value::Null).await;
        let videos = list["videos"].as_array().unwrap();
        let video = videos.iter().find(|video| video["id"] == made["id"]).unwrap();
        let read = reqwest::get(video["videoUrl"].as_str().unwrap()).await.unwrap();
        assert_eq!(read.status(), 200, "its record has a file");
        assert!(read.bytes().await.unwrap() == film);
        made["id"].as_str().unwrap().to_owned()
    };
    let id = whole().await;
    if serving::s3::of_folder(serving.data.path()).is_some() {
        return; // Nobody looks into buckets here.
    }
    let blobs = serving.data.path().join("blobs");
    assert_eq!(std::fs::read_dir(blobs.join("moving")).map_or(0, Iterator::count), 0);
    std::fs::remove_file(blobs.join("videos").join(&id)).unwrap();
    assert_eq!(whole().await, id);
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
