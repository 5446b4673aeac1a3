//! PostgreSQL behind PgBouncer: a pooler that hands out connections by transaction works with `prepare=off`, and is named where
//! that is missing. Skipped, loudly, where this machine has neither.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::on_postgres;
use crate::serving;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use on_postgres::{PATIENCE, Serving, refused, server, until};
use reqwest::Method;
use serde_json::{Value, json};
use serving::postgres::{Server, address, untried};
use tempfile::TempDir;

/// PgBouncer in front of a server.
struct Pooler {
    child: Child,
    server: String,
    folder: TempDir,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Pooler {
    /// Starts it with a mode and so many connections to the server; nothing, loudly, where this machine has none.
    fn start(server: &Server, mode: &str, connections: u32) -> Option<Self> {
        if Command::new("pgbouncer").arg("--version").output().is_err() {
            untried("there is no PgBouncer on this machine");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let server = server.folder().display().to_string();
        let child = started(&folder, &server, mode, connections);
        Some(Self { child, server, folder })
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends it and starts another one in its place.
    fn start_again(&mut self, mode: &str, connections: u32) {
        self.stop();
        for left in [".s.PGSQL.6432", ".s.PGSQL.6432.lock"] {
            let _ = std::fs::remove_file(self.folder.path().join(left));
        }
        self.child = started(&self.folder, &self.server, mode, connections);
    }

    /// The address of a database.
    fn address(&self, database: &str) -> String {
        address(self.folder.path(), database).replace(&format!("/{database}"), &format!(":6432/{database}"))
    }
}

fn started(folder: &TempDir, server: &str, mode: &str, connections: u32) -> Child {
    let is_root = rustix::process::geteuid().is_root();
    let mut command = Command::new(if is_root { "setpriv" } else { "pgbouncer" });
    if is_root {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "pgbouncer"]);
    }
    let place = folder.path();
    let settings = format!(
        "[databases]\n* = host={server}\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\nunix_socket_dir = {}\n\
         auth_type = trust\nauth_file = {}\npool_mode = {mode}\ndefault_pool_size = {connections}\n",
        place.display(),
        place.join("users").display()
    );
    std::fs::write(place.join("users"), "\"cutaway\" \"\"\n").unwrap();
    std::fs::write(place.join("settings"), settings).unwrap();
    std::fs::set_permissions(place, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let child = command.arg(place.join("settings")).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !place.join(".s.PGSQL.6432").exists() {
        assert!(begun.elapsed() < PATIENCE, "PgBouncer does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_hands_out_connections_by_transaction_does() {
    let Some(server) = server() else { return };
    let Some(pooler) = Pooler::start(&server, "transaction", 4) else { return };
    server.database("pooled");
    let database = format!("{}?prepare=off", pooler.address("pooled"));
    let both = [(); 2].map(|()| Serving::start(&database, &["--sample"]));
    for (nth, serving) in both.iter().enumerate() {
        let searched = json!({
            "appUrl": serving.process.ready["app_urls"][0], "limit": 30,
            "sortBy": "inventoryQuantity", "sortDirection": "desc", "filters": { "inventory": { "min": 1 } },
        });
        let found = serving.ask(Method::POST, "/products-service/searchProductsCursor", &searched).await;
        let (status, found) = (found.status(), found.text().await.unwrap());
        assert!(status == 200 && found.len() > 1_000, "{found}");
        assert_eq!(serving.create(&format!("P{nth}")).await.status(), 200);
    }
    assert_eq!(both[0].names().await, both[1].names().await);
    let project = both[0].get("/projects").await["projects"][0]["publishId"].as_str().unwrap().to_owned();
    for serving in &both {
        let begun = serving.ask(Method::POST, &format!("/play/{project}/visits"), &json!({})).await;
        assert!(begun.status().is_success());
        assert_eq!(serving.status("/readyz").await, 200);
    }
}

/// Behind such a pooler the server's limits hold for a transaction only, and most of what reads needs none: it isn't waited for
/// much longer than where they hold.
#[tokio::test(flavor = "multi_thread")]
async fn what_reads_behind_a_pooler_is_not_waited_for_for_ever() {
    let Some(server) = server() else { return };
    let Some(pooler) = Pooler::start(&server, "transaction", 4) else { return };
    server.database("held");
    let serving = Serving::start(&format!("{}?prepare=off", pooler.address("held")), &["--sample"]);
    assert_eq!(serving.status("/projects").await, 200);
    let held = server.hold("held", "BEGIN; LOCK TABLE project IN ACCESS EXCLUSIVE MODE");
    let refused = tokio::time::timeout(Duration::from_secs(45), serving.status("/projects")).await;
    assert_eq!(refused.unwrap(), 503);
    drop(held);
    until("it is read again", async || serving.status("/projects").await == 200).await;
}

#[test]
fn a_pooler_by_transaction_without_prepare_off_is_named_at_the_start() {
    let Some(server) = server() else { return };
    let Some(pooler) = Pooler::start(&server, "transaction", 4) else { return };
    server.database("unprepared");
    let database = pooler.address("unprepared");
    for command in [&["key", "add"][..], &["migrate"], &["migrate", "--check"], &["--listen", "127.0.0.1:0"]] {
        let said = refused(&database, command);
        assert!(said.contains("?prepare=off"), "{said}");
    }
    assert_eq!(server.ask("unprepared", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
}

/// One that hands out connections for a session is as good as the server itself, until its mode is changed.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_goes_over_to_transactions_makes_requests_fail_as_those_that_may_work_later() {
    let Some(server) = server() else { return };
    let Some(mut pooler) = Pooler::start(&server, "session", 40) else { return };
    server.database("changed");
    let serving = Serving::start_with(&pooler.address("changed"), |command| command.env("CUTAWAY_LOG", "warn"));
    assert_eq!(serving.create("Before").await.status(), 200);
    pooler.start_again("transaction", 2);
    // Lines that share a connection of the server don't find the statements there that they prepared, or find others.
    until("statements are mixed up", async || {
        let lists = (0..12).map(|_| serving.ask(Method::GET, "/projects", &Value::Null));
        let creations = (0..4).map(|nth| serving.create(["A", "B", "C", "D"][nth]));
        let (lists, creations) =
            tokio::join!(futures_util::future::join_all(lists), futures_util::future::join_all(creations));
        for answer in lists.into_iter().chain(creations) {
            let status = answer.status().as_u16();
            assert!([200, 503].contains(&status), "{status} {}", answer.text().await.unwrap());
        }
        serving.logged("prepare=off")
    })
    .await;
}
