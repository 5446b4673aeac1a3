//! What stands in the way of a service on PostgreSQL: writes that wait for others, servers that say nothing, and passwords
//! that are wrong, and a disk that is full. Skipped, loudly, where this machine has no server.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)] // Helpers of tests are tests too.

use crate::on_postgres;
use crate::postgres_line;
use crate::serving;

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use on_postgres::{Serving, refused, server, until};
use postgres_line::Line;
use reqwest::Method;
use serde_json::{Value, json};
use serving::cutaway;
use serving::postgres::{Server, address};

/// A condition on how long something takes is that it ends, with room for a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// How many connections wait for somebody's turn.
fn waiting(server: &Server, database: &str) -> String {
    let asked = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND application_name = 'cutaway'
         AND wait_event_type = 'Lock'"
    );
    server.ask(database, &asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_for_its_turn_leaves_its_process_ready() {
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("ready"), &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    let turn = server.hold("ready", "BEGIN; SELECT one FROM turn FOR UPDATE");
    let ready = async {
        for _ in 0..3 {
            until("it waits", async || waiting(&server, "ready") != "0").await;
            assert_eq!((serving.status("/readyz").await, serving.status("/projects").await), (200, 200));
        }
        drop(turn);
    };
    let (answer, ()) = tokio::join!(serving.create("After"), ready);
    assert_eq!(answer.status(), 200, "it had its turn then");
    assert_eq!(serving.names().await, ["Before", "After"]);
}

/// Five seconds in the queue and for the turn together, whoever else waits.
#[tokio::test(flavor = "multi_thread")]
async fn writes_that_cannot_have_their_turn_are_refused_after_seconds() {
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("turn"), &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    let turn = server.hold("turn", "BEGIN; SELECT one FROM turn FOR UPDATE");
    let begun = Instant::now();
    let asked = (0..6).map(|nth| serving.create(["A", "B", "C", "D", "E", "F"][nth]));
    for answer in futures_util::future::join_all(asked).await {
        assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        assert!(answer.text().await.unwrap().contains("is busy"));
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    drop(turn);
    until("there is a turn again", async || serving.create("After").await.status() == 200).await;
    assert_eq!(serving.names().await, ["Before", "After"], "what was refused was not done later");
}

/// A server that takes connections and says nothing, from the start or from some moment on.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let Some(server) = server() else { return };
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let place = format!("postgres://cutaway@127.0.0.1:{port}/shop?connect_timeout=1");
    let said = tokio::task::spawn_blocking(move || refused(&place, &["--listen", "127.0.0.1:0"])).await.unwrap();
    assert!(said.contains("doesn't answer"), "{said}");

    server.database("silent");
    let line = Line::to(server.folder());
    let serving = Serving::start(&address(line.folder(), "silent"), &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    assert_eq!(serving.status("/readyz").await, 200);
    line.hush(true);
    until("it is noticed", async || serving.status("/readyz").await == 503).await;
    assert_eq!(serving.status("/healthz").await, 200);
    line.hush(false);
    until("it is ready", async || serving.status("/readyz").await == 200).await;
    assert_eq!(serving.create("After").await.status(), 200);
    assert_eq!(serving.names().await, ["Before", "After"]);
}

/// A server that asks a role `guarded` for a password over TLS, and the address of a database there without that password.
fn guarded() -> Option<(Server, String, String)> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server::start_with_tls_if_there(&tls("localhost.pem"), port)?;
    let owner = format!("postgres://cutaway@127.0.0.1:{port}");
    server.ask_at(&format!("{owner}/postgres"), "CREATE ROLE guarded LOGIN PASSWORD 'a word'");
    server.ask_at(&format!("{owner}/postgres"), "CREATE DATABASE shop OWNER guarded");
    let place = format!("postgres://guarded:a%20word@localhost:{port}/shop?sslmode=require&channel_binding=require");
    Some((server, owner, place))
}

fn tls(name: &str) -> String {
    format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What `serve migrate` does there with these authorities.
fn migrated(place: &str, authority: &str) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.args(["serve", "migrate"]).env("CUTAWAY_DATABASE_URL", place).env("SSL_CERT_FILE", tls(authority));
    let output = command.stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Over TLS the proof of a password is bound to the server's certificate, and a server that nobody vouches for is told nothing.
#[test]
fn a_database_over_tls_is_known_by_its_certificate() {
    let Some((server, owner, place)) = guarded() else { return };
    let (code, said) = migrated(&place, "other.pem");
    assert!(code != Some(0) && said.contains("certificate") && !said.contains("a word"), "{code:?} {said}");
    assert_eq!(migrated(&place, "authority.pem").0, Some(0), "{said}");
    let tables = "SELECT count(*) > 5 FROM information_schema.tables WHERE table_schema = 'public'";
    assert_eq!(server.ask_at(&format!("{owner}/shop"), tables), "t");
}

/// At the start one line; while serving 503, until the password is right again.
#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_is_wrong_is_said_to_be_and_never_shown() {
    let Some((server, owner, place)) = guarded() else { return };
    let (code, said) = migrated(&place.replace("a%20word", "hunter2"), "authority.pem");
    assert!(code == Some(1) && said.lines().count() == 1 && said.contains("28P01"), "{code:?} {said}");
    assert!(said.contains("password authentication failed") && !said.contains("hunter2"), "{said}");

    let serving = Serving::start_with(&place, |command| command.env("SSL_CERT_FILE", tls("authority.pem")));
    assert_eq!(serving.create("Before").await.status(), 200);
    let changed = |word: &str| {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'cutaway'";
        server.ask_at(&format!("{owner}/postgres"), &format!("ALTER ROLE guarded PASSWORD '{word}'; {cut}"));
    };
    changed("another word");
    until("it is noticed", async || serving.status("/readyz").await == 503).await;
    for asked in [serving.create("Never").await, serving.ask(Method::GET, "/projects", &Value::Null).await] {
        assert_eq!((asked.status().as_u16(), &asked.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        let said = asked.text().await.unwrap();
        assert!(said.contains("can't be reached") && !said.contains("word"), "{said}");
    }
    changed("a word");
    until("it is ready", async || serving.status("/readyz").await == 200).await;
    assert_eq!(serving.create("After").await.status(), 200);
    assert_eq!(serving.names().await, ["Before", "After"]);
}

/// A small disk of its own, for as long as this lives.
struct Disk(PathBuf);

impl Disk {
    /// Nothing where this user may not mount one.
    fn mount(folder: PathBuf, bytes: u64, owner: u32) -> Option<Self> {
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={bytes},uid={owner},mode=700"), "tmpfs"]).arg(&folder);
        std::fs::create_dir(&folder).unwrap();
        let mounted = mount.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(Self(folder))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// A disk of the server that is full in fact: what was acknowledged until then is there, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fills_up_keeps_what_was_acknowledged() {
    use std::os::unix::fs::MetadataExt as _;
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("filled"), &[]);
    let owner = std::fs::metadata(server.folder().join("data")).unwrap().uid();
    let Some(disk) = Disk::mount(server.folder().join("small"), 1024 * 1024, owner) else {
        eprintln!("SKIPPED: this user can't mount a small disk");
        return;
    };
    server.ask("filled", &format!("CREATE TABLESPACE small LOCATION '{}'", disk.0.display()));
    server.ask("filled", "ALTER TABLE project SET TABLESPACE small");
    // The next ones find room beside it, until its page is full.
    let mut kept = vec!["000".to_owned()];
    assert_eq!(serving.create("000").await.status(), 200);
    let ballast = disk.0.join("ballast");
    let filled = std::fs::write(&ballast, vec![0; 2 * 1024 * 1024]).unwrap_err();
    assert_eq!(filled.kind(), std::io::ErrorKind::StorageFull);
    let refused = loop {
        let name = format!("{:03}", kept.len());
        let answer =
            serving.ask(Method::POST, "/projects", &json!({ "project": { "name": name, "folder": name } })).await;
        if answer.status() != 200 {
            break answer;
        }
        kept.push(name);
        assert!(kept.len() < 1_000, "the disk isn't full");
    };
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    assert!(refused.text().await.unwrap().contains("disk is full"));
    assert_eq!(serving.names().await, kept);
    assert!(kept.len() > 1);
    assert_eq!(server.ask("filled", "SELECT count(*) FROM folder"), (kept.len() - 1).to_string());
    std::fs::remove_file(ballast).unwrap();
    assert_eq!(serving.create("After").await.status(), 200);
    drop(serving);
    server.ask("filled", "ALTER TABLE project SET TABLESPACE pg_default");
    server.ask("filled", "DROP TABLESPACE small");
}
