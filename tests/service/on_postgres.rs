//! The service on PostgreSQL: several processes on one database, a server that goes away and comes back, ends of
//! transactions that nobody answers, and databases that can't be served. Skipped, loudly, where this machine has no server.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests are tests too.

use crate::postgres_line;
use crate::receiver;
use crate::serving;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use postgres_line::{Cut, Line};
use receiver::Receiver;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use serving::postgres::{Server, address};
use serving::{Process, cutaway, serve};
use tempfile::TempDir;
use tokio::sync::Barrier;

/// After so long a condition is taken to never come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A server of its own; nothing, loudly, where there is none.
pub fn server() -> Option<Server> {
    Server::start_if_there()
}

/// A process that serves a database, with a folder of its own.
pub struct Serving {
    pub process: Process,
    pub http: reqwest::Client,
    data: TempDir,
}

impl Serving {
    pub fn start(database: &str, flags: &[&str]) -> Self {
        Self::start_with(database, |command| command.args(flags))
    }

    /// The same with a log, and with what else the command is given.
    pub fn start_with(database: &str, with: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = serve(&data.path().join("home"), data.path());
        let process = Process::start(with(command.env("CUTAWAY_DATABASE_URL", database)));
        Self { process, http: reqwest::Client::new(), data }
    }

    /// Whether its log says this; it was started with one.
    pub fn logged(&self, what: &str) -> bool {
        let logs = std::fs::read_dir(self.data.path().join("home/s/cutaway")).into_iter().flatten().flatten();
        let mut texts = logs.filter_map(|file| std::fs::read(file.path()).ok());
        texts.any(|text| String::from_utf8_lossy(&text).contains(what))
    }

    pub async fn ask(&self, method: Method, path: &str, body: &Value) -> Response {
        let asked = self.http.request(method, format!("{}{path}", self.process.base()));
        asked.bearer_auth(self.process.key()).json(body).send().await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        self.ask(Method::GET, path, &Value::Null).await.json().await.unwrap()
    }

    pub async fn status(&self, path: &str) -> u16 {
        self.ask(Method::GET, path, &Value::Null).await.status().as_u16()
    }

    pub async fn names(&self) -> Vec<String> {
        let listed = self.get("/projects").await;
        let projects = listed["projects"].as_array().unwrap_or_else(|| panic!("{listed}"));
        projects.iter().map(|project| project["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Creates a project; the status of the answer.
    pub async fn create(&self, name: &str) -> Response {
        self.ask(Method::POST, "/projects", &json!({ "project": { "name": name } })).await
    }
}

/// What a command that is about a database does.
pub fn run(database: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.arg("serve").args(arguments).arg("--data").arg(home.path()).env("CUTAWAY_DATABASE_URL", database);
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), format!("{}{}", String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap()))
}

/// The one line with which a command is refused.
pub fn refused(database: &str, arguments: &[&str]) -> String {
    let (code, said) = run(database, arguments);
    assert!(code == Some(1) && said.lines().count() == 1, "{code:?} {said}");
    said
}

/// Waits until something is so.
pub async fn until<F: Future<Output = bool>>(what: &str, is: impl Fn() -> F) {
    let begun = Instant::now();
    while !is().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_share_a_database_make_what_both_are_asked_for_once() {
    let Some(server) = server() else { return };
    let database = server.database("shared");
    // Both find it empty.
    let start = || {
        let database = database.clone();
        tokio::task::spawn_blocking(move || Serving::start(&database, &["--allow-private-webhooks"]))
    };
    let (one, other) = (start(), start());
    let both = Arc::new([one.await.unwrap(), other.await.unwrap()]);
    for round in 0..8 {
        let barrier = Arc::new(Barrier::new(2));
        let asked = [0, 1].map(|nth| {
            let (both, barrier) = (Arc::clone(&both), Arc::clone(&barrier));
            tokio::spawn(async move {
                let body = json!({ "project": { "name": format!("P{round}"), "folder": format!("F{round}") } });
                let asked = both[nth].http.post(format!("{}/projects", both[nth].process.base()));
                let asked = asked.bearer_auth(both[0].process.key()).header("Idempotency-Key", format!("key {round}"));
                barrier.wait().await;
                let answer = asked.json(&body).send().await.unwrap();
                assert_eq!(answer.status(), 200);
                answer.text().await.unwrap()
            })
        });
        let [one, other] = asked;
        assert_eq!(one.await.unwrap(), other.await.unwrap());
    }
    let mut names = both[1].names().await;
    names.sort();
    assert_eq!(names, (0..8).map(|round| format!("P{round}")).collect::<Vec<_>>());
    assert_eq!(server.ask("shared", "SELECT count(*) FROM folder"), "8");
    assert_eq!(server.ask("shared", "SELECT count(*) FROM workspace"), "1");

    // A key is as good at the one as at the other, until it is revoked beside both.
    let (code, said) = run(&database, &["key", "add", "--name", "short"]);
    let key = said.lines().find(|line| line.starts_with("cutaway_key_")).unwrap().to_owned();
    assert_eq!(code, Some(0));
    let good = async |at: &Serving| {
        let asked = at.http.get(format!("{}/projects", at.process.base())).bearer_auth(&key).send();
        asked.await.unwrap().status().as_u16()
    };
    assert_eq!((good(&both[0]).await, good(&both[1]).await), (200, 200));
    assert_eq!(run(&database, &["key", "revoke", "short"]).0, Some(0));
    assert_eq!((good(&both[0]).await, good(&both[1]).await), (401, 401));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_message_is_delivered_by_one_of_two_processes() {
    let Some(server) = server() else { return };
    let database = server.database("messages");
    let receiver = Receiver::start().await;
    let both = [0, 1].map(|_| Serving::start(&database, &["--allow-private-webhooks"]));
    let webhook = json!({ "event": "response_summary", "url": receiver.url });
    let webhook: Value = both[0].ask(Method::POST, "/webhooks", &webhook).await.json().await.unwrap();
    let id = webhook["id"].as_str().unwrap();
    for nth in 0..20 {
        let answer = both[nth % 2].ask(Method::POST, &format!("/webhooks/{id}/ping"), &Value::Null).await;
        assert_eq!(answer.status(), 202, "{}", answer.text().await.unwrap());
    }
    let pending = "SELECT count(*) FROM delivery WHERE state <> 'delivered'";
    until("all are delivered", || async { server.ask("messages", pending) == "0" }).await;
    assert_eq!(server.ask("messages", "SELECT count(*), max(attempts) FROM delivery"), "20|1");
    assert_eq!(receiver.seen().len(), 20, "each came once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_is_said_to_be_and_served_again_when_it_is_back() {
    let Some(server) = server() else { return };
    let database = server.database("away");
    let serving = Serving::start(&database, &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    assert_eq!(serving.status("/readyz").await, 200);
    server.stop();
    for _ in 0..3 {
        let answer = serving.create("Never").await;
        assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
    }
    assert_eq!(serving.status("/projects").await, 503);
    assert_eq!((serving.status("/readyz").await, serving.status("/healthz").await), (503, 200));
    server.start();
    until("it is ready", async || serving.status("/readyz").await == 200).await;
    assert_eq!(serving.create("After").await.status(), 200);
    assert_eq!(serving.names().await, ["Before", "After"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_cut_lose_nothing_that_was_acknowledged_and_double_nothing() {
    let Some(server) = server() else { return };
    let database = server.database("cut");
    let serving = Serving::start(&database, &[]);
    let (over, cuts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let cutter = {
        let (over, cuts) = (Arc::clone(&over), Arc::clone(&cuts));
        tokio::task::spawn_blocking(move || {
            let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = 'cutaway' AND datname = 'cut'";
            while !over.load(Ordering::Relaxed) {
                cuts.fetch_add(server.ask("postgres", cut).parse().unwrap(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(30));
            }
            server
        })
    };
    let (mut made, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let begun = Instant::now();
    for nth in 0.. {
        if nth >= 150 && made.len() >= 50 && cuts.load(Ordering::Relaxed) >= 20 {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{cuts:?} cuts, {} made, {} refused", made.len(), refused.len());
        let name = format!("P{nth:05}");
        match serving.create(&name).await.status().as_u16() {
            200 => made.insert(name),
            503 => refused.insert(name),
            other => panic!("{other}"),
        };
    }
    over.store(true, Ordering::Relaxed);
    let _server = cutter.await.unwrap();
    // A line that was cut a moment ago is noticed when it is asked, or once it was idle for a moment.
    until("no line is cut", async || serving.status("/projects").await == 200).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let names = serving.names().await;
    let found: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(found.len(), names.len(), "none is there twice");
    assert_eq!(found, made, "what was acknowledged is there, and what was refused is not: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_transaction_that_is_not_answered_is_looked_up() {
    let Some(server) = server() else { return };
    server.database("ends");
    let line = Line::to(server.folder());
    let serving = Serving::start(&address(line.folder(), "ends"), &[]);
    for (nth, cut) in [Cut::Answer, Cut::Question, Cut::Answer, Cut::Question].into_iter().enumerate() {
        line.cut_next(cut);
        assert_eq!(serving.create(&format!("P{nth}")).await.status(), 200, "{cut:?}");
        assert_eq!(line.cuts(), nth + 1);
    }
    assert_eq!(serving.names().await, ["P0", "P1", "P2", "P3"]);
    // So is that of a sign-in and of an import.
    let key = serving.process.key().to_owned();
    for (nth, cut) in [Cut::Answer, Cut::Question].into_iter().enumerate() {
        line.cut_next(cut);
        let asked = serving.http.post(format!("{}/account-service/authenticateCliApiKey", serving.process.base()));
        let answer = asked.bearer_auth(&key).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), line.cuts()), (200, 5 + nth), "{cut:?}");
    }
    assert_eq!(server.ask("ends", "SELECT count(*) FROM access_token"), "2");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/products.json");
    let sample: Value = serde_json::from_slice(&std::fs::read(sample).unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("products.ndjson");
    for (nth, cut) in [Cut::Answer, Cut::Question].into_iter().enumerate() {
        std::fs::write(&file, format!("{}\n", sample["products"][nth]["product"])).unwrap();
        let arguments = ["import-products", file.to_str().unwrap(), "--app-url", "https://shop.example.com"];
        line.cut_next(cut);
        let (code, said) = run(&address(line.folder(), "ends"), &arguments);
        assert_eq!((code, line.cuts()), (Some(0), 7 + nth), "{cut:?} {said}");
    }
    assert_eq!(server.ask("ends", "SELECT count(*) FROM product"), "2");
}

#[test]
fn a_database_of_another_version_is_refused_or_migrated() {
    let Some(server) = server() else { return };
    let database = server.database("versions");
    assert!(run(&database, &["migrate", "--check"]).0 == Some(1), "it is empty");
    assert_eq!(run(&database, &["key", "add"]).0, Some(0), "an empty one gets its tables by itself");
    let known = server.ask("versions", "SELECT version FROM schema_version");
    assert!(run(&database, &["migrate"]).1.contains("nothing to do"));

    server.ask(
        "versions",
        "DROP TABLE ended, guest_note, guest_draft, guest_line, slowing; ALTER TABLE store DROP COLUMN generation, DROP COLUMN chunk_tokens;
         ALTER TABLE schema_version DROP COLUMN least; UPDATE schema_version SET version = 1;
         ALTER TABLE posting DROP COLUMN key; ALTER TABLE posting ADD PRIMARY KEY (store, field, chunk, term);
         DROP INDEX product_external; ALTER TABLE product ADD UNIQUE (store, external);
         DROP INDEX folder_workspace; CREATE INDEX folder_name ON folder (workspace, name)",
    );
    for command in [&["key", "add"][..], &["--listen", "127.0.0.1:0"]] {
        assert!(refused(&database, command).contains("run: cutaway serve migrate"));
    }
    let said = refused(&database, &["migrate", "--check"]);
    assert!(said.contains("version 1") && said.contains(&known), "{said}");
    let migrating: Vec<_> = (0..3)
        .map(|_| {
            let database = database.clone();
            std::thread::spawn(move || run(&database, &["migrate"]))
        })
        .collect();
    for done in migrating {
        let (code, said) = done.join().unwrap();
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(server.ask("versions", "SELECT version FROM schema_version"), known);
    assert_eq!(run(&database, &["key", "add"]).0, Some(0));

    server.ask("versions", "UPDATE schema_version SET version = 99, least = 99");
    for command in [&["key", "add"][..], &["migrate"], &["migrate", "--check"], &["--listen", "127.0.0.1:0"]] {
        let said = refused(&database, command);
        assert!(said.contains("99") && said.contains("update Cutaway"), "{said}");
    }
}

/// Later versions add to the tables first: processes of this one go on until something is taken away that they use.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_goes_on_while_others_are_upgraded() {
    let Some(server) = server() else { return };
    let database = server.database("expanded");
    let serving = Serving::start(&database, &[]);
    let known = server.ask("expanded", "SELECT version FROM schema_version");
    let ready = async || serving.status("/readyz").await;
    let at = |least: &str| server.ask("expanded", &format!("UPDATE schema_version SET version = 99, least = {least}"));
    at(&known);
    assert_eq!((ready().await, serving.create("Beside").await.status().as_u16()), (200, 200));
    drop(Serving::start(&database, &[]));
    for command in [&["migrate"][..], &["migrate", "--check"]] {
        let (code, said) = run(&database, command);
        assert!(code == Some(0) && said.contains("version 99") && said.contains("nothing to do"), "{code:?} {said}");
    }
    assert_eq!(server.ask("expanded", "SELECT version, least FROM schema_version"), format!("99|{known}"));
    at(&format!("{known} + 1"));
    assert_eq!(ready().await, 503);
    assert!(refused(&database, &["key", "add"]).contains("update Cutaway"));
}

#[test]
fn a_database_that_cannot_be_served_is_said_to_be_so_in_one_line() {
    let Some(server) = server() else { return };
    let database = server.database("plain");
    let key = ["key", "add"];
    assert!(refused(&address(server.folder(), "none"), &key).contains("\"none\" does not exist"));
    let stranger = database.replace("cutaway@", "stranger:hunter2@");
    let said = refused(&stranger, &key);
    assert!(said.contains("stranger") && !said.contains("hunter2"), "{said}");
    assert!(refused(&address(Path::new("/nowhere"), "plain"), &key).contains("the database: PostgreSQL"));
    // As a standby is.
    server.ask("postgres", "ALTER DATABASE plain SET default_transaction_read_only = on");
    assert!(refused(&database, &["--listen", "127.0.0.1:0"]).contains("takes no changes"));
}

/// A statement that takes too long is ended by the server, which says so as it does where an administrator ends it.
#[tokio::test(flavor = "multi_thread")]
async fn statements_that_take_too_long_are_said_to_and_leave_nothing() {
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("slow"), &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    let ended = async || {
        let end = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'cutaway' AND datname = 'slow' AND wait_event_type = 'Lock'";
        until("it waits", async || server.ask("slow", end) != "0").await;
    };
    let turn = server.hold("slow", "BEGIN; SELECT one FROM turn FOR UPDATE");
    let (answer, ()) = tokio::join!(serving.create("Never"), ended());
    assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    assert!(answer.text().await.unwrap().contains("is busy"));
    drop(turn);
    let table = server.hold("slow", "BEGIN; LOCK TABLE project IN ACCESS EXCLUSIVE MODE");
    let (answer, ()) = tokio::join!(serving.ask(Method::GET, "/projects", &Value::Null), ended());
    assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    drop(table);
    until("the lock is gone", async || serving.status("/projects").await == 200).await;
    assert_eq!(serving.names().await, ["Before"]);
    assert_eq!(serving.create("After").await.status(), 200);
}

/// The server says that its disk is full while a row is written, or only at the end of the transaction.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_of_the_server_is_said_to_be_and_nothing_is_half_done() {
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("full"), &[]);
    server.ask(
        "full",
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$",
    );
    let triggers = [
        "CREATE TRIGGER fills BEFORE INSERT ON project FOR EACH ROW EXECUTE FUNCTION full_disk()",
        "CREATE CONSTRAINT TRIGGER fills AFTER INSERT ON project DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION full_disk()",
    ];
    for trigger in triggers {
        server.ask("full", trigger);
        let body = json!({ "project": { "name": "Never", "folder": "Neither" } });
        let answer = serving.ask(Method::POST, "/projects", &body).await;
        assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        let said = answer.text().await.unwrap();
        assert!(said.contains("disk is full"), "{said}");
        assert_eq!(serving.names().await, [""; 0]);
        assert_eq!(server.ask("full", "SELECT count(*) FROM folder"), "0");
        server.ask("full", "DROP TRIGGER fills ON project");
    }
    assert_eq!(serving.create("After").await.status(), 200);
}

/// As where a standby took over from it and it came back as one: what it is asked to change it refuses.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_changes_any_more_is_read_from_until_it_does() {
    let Some(server) = server() else { return };
    let serving = Serving::start(&server.database("standby"), &[]);
    assert_eq!(serving.create("Before").await.status(), 200);
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'cutaway' AND datname = 'standby'";
    server.ask("standby", "ALTER DATABASE standby SET default_transaction_read_only = on");
    server.ask("postgres", cut);
    until("it is noticed", async || serving.status("/readyz").await == 503).await;
    let answer = serving.create("Never").await;
    assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    until("it is read from", async || serving.status("/projects").await == 200).await;
    server.ask("postgres", "ALTER DATABASE standby RESET default_transaction_read_only");
    server.ask("postgres", cut);
    until("it is ready", async || serving.status("/readyz").await == 200).await;
    // A line that was cut a moment ago may be noticed only when it is asked.
    until("it takes changes", async || serving.create("After").await.status() == 200).await;
    // So may each of the other lines.
    let listed = async || serving.get("/projects").await["projects"].as_array().cloned();
    until("both are read", async || {
        listed().await.is_some_and(|all| all.iter().map(|project| &project["name"]).eq(["Before", "After"]))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_of_the_database_counts() {
    let Some(server) = server() else { return };
    let database = server.database("clock");
    assert_eq!(run(&database, &["key", "add"]).0, Some(0));
    // It is ten minutes later there.
    let later = "CREATE SCHEMA later;
        CREATE FUNCTION later.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '10 minutes' $$;
        ALTER DATABASE clock SET search_path = later, pg_catalog, public";
    server.ask("clock", later);
    let serving = Serving::start(&database, &["--sample"]);
    let project = serving.get("/projects").await["projects"][0].clone();
    let publish = project["publishId"].as_str().unwrap();
    let begun = serving.ask(Method::POST, &format!("/play/{publish}/visits"), &json!({})).await;
    assert!(begun.status().is_success());
    let ahead = "SELECT max(begun_at) / 1000 - floor(extract(epoch FROM now()))::bigint FROM visit";
    let ahead: i64 = server.ask("clock", ahead).parse().unwrap();
    assert!((500..=601).contains(&ahead), "{ahead}");
    // What was made first is known by when it was made, whichever process made it.
    assert_eq!(serving.create("Later").await.status(), 200);
    let projects = serving.get("/projects").await;
    let made = projects["projects"].as_array().unwrap().iter().find(|project| project["name"] == "Later").unwrap();
    let made: jiff::Timestamp = made["createdAt"].as_str().unwrap().parse().unwrap();
    let ahead = made.as_second() - jiff::Timestamp::now().as_second();
    assert!((500..=601).contains(&ahead), "{made}");
    let ahead = "SELECT max(at) / 1000 - floor(extract(epoch FROM now()))::bigint FROM audit";
    let ahead: i64 = server.ask("clock", ahead).parse().unwrap();
    assert!((500..=601).contains(&ahead), "{ahead}");
}

/// Whoever guesses doesn't have more guesses where more processes answer.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_words_count_in_all_processes_together() {
    let Some(server) = server() else { return };
    let database = server.database("guesses");
    let both = [(); 2].map(|()| Serving::start(&database, &[]));
    let guess = async |nth: usize| {
        let form = [("grant_type", "refresh_token"), ("client_id", "cutaway"), ("refresh_token", "nobody's")];
        let base = both[nth % 2].process.base();
        let asked = reqwest::Client::new().post(format!("{base}/oauth/token")).form(&form).send().await.unwrap();
        asked.status().as_u16()
    };
    assert_eq!((guess(0).await, guess(1).await), (400, 400));
    let times = "SELECT times FROM slowing WHERE kind = 'grant'";
    assert_eq!(server.ask("guesses", times), "2");
    // After many the wait is a minute, for both.
    server.ask("guesses", "UPDATE slowing SET times = 30");
    assert_eq!((guess(0).await, guess(1).await), (429, 429));
    assert_eq!(server.ask("guesses", times), "30");
}
