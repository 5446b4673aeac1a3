//! What breaks with two processes on one database where nobody thinks of it, a test for each, with the real binary. What needs
//! no process of its own is tried in the store (`two_processes`), limits by address in `serve_behind_proxy.rs`, texts that
//! PostgreSQL can't store in `service_bodies.rs`, lost lines in `service_postgres.rs`. Skipped, loudly, where this machine has
//! no PostgreSQL.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::receiver;
use crate::serving;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use receiver::Receiver;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use serving::postgres::{Server, address};
use serving::s3::Bucket;
use serving::{Process, cutaway, serve, text};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server of its own; nothing, loudly, where there is none.
fn server() -> Option<Server> {
    Server::start_if_there()
}

/// A process with a folder of its own.
struct Serving {
    process: Process,
    http: reqwest::Client,
    _data: TempDir,
}

impl Serving {
    fn start(database: &str, blobs: Option<&str>, flags: &[&str]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = serve(&data.path().join("home"), &data.path().join("data"));
        command.env("CUTAWAY_DATABASE_URL", database).args(flags);
        if let Some(blobs) = blobs {
            command.env("CUTAWAY_BLOBS", blobs);
        }
        Self { process: Process::start(&mut command), http: reqwest::Client::new(), _data: data }
    }

    /// Where the process itself listens.
    fn local(&self) -> &str {
        self.process.ready["local_url"].as_str().unwrap_or(self.process.base())
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Response {
        let asked = self.http.request(method, format!("{}{path}", self.local())).bearer_auth(self.process.key());
        let asked = if let Some(body) = body { asked.json(body) } else { asked };
        asked.send().await.unwrap()
    }

    async fn json(&self, method: Method, path: &str, body: Option<&Value>) -> Value {
        let answer = self.ask(method, path, body).await;
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }
}

async fn until<F: Future<Output = bool>>(what: &str, is: impl Fn() -> F) {
    let begun = Instant::now();
    while !is().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Some film of so many bytes.
fn film(size: usize) -> Vec<u8> {
    let mut film = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    film.extend((film.len()..size).map(|at| u8::try_from(at % 251).unwrap()));
    film
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_starts_leaves_the_uploads_of_the_others_alone() {
    let Some(server) = server() else { return };
    let Some(bucket) = Bucket::new() else { return };
    let (database, blobs) = (server.database("uploads"), bucket.url("shop"));
    let one = Serving::start(&database, Some(&blobs), &[]);
    let content = film(20 * 1024 * 1024);
    let head = "--x\r\ncontent-disposition: form-data; name=\"videoBlob\"; filename=\"a.mp4\"\r\ncontent-type: video/mp4\r\n\r\n";
    let body = [head.as_bytes(), &content, b"\r\n--x--\r\n"].concat();
    let host = one.local().trim_start_matches("http://").to_owned();
    let mut line = TcpStream::connect(&host).unwrap();
    let asked = format!(
        "POST /videos HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: {}\r\n\r\n",
        one.process.key(),
        body.len()
    );
    let (first, rest) = body.split_at(body.len() / 2);
    let mut sending = line.try_clone().unwrap();
    let first = first.to_vec();
    tokio::task::spawn_blocking(move || {
        sending.write_all(asked.as_bytes()).unwrap();
        sending.write_all(&first).unwrap();
    })
    .await
    .unwrap();
    until("a part of it is there", async || bucket.uploads().len() == 1).await;
    let other = Serving::start(&database, Some(&blobs), &[]);
    assert_eq!(bucket.uploads().len(), 1, "the start of another process ended it");
    let rest = rest.to_vec();
    let said = tokio::task::spawn_blocking(move || {
        line.write_all(&rest).unwrap();
        let mut said = String::new();
        line.read_to_string(&mut said).unwrap();
        said
    });
    let said = said.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    let listed = other.json(Method::GET, "/videos/videos", None).await;
    let id = listed["videos"][0]["id"].as_str().unwrap();
    let there = reqwest::get(format!("{}/videos/files/{id}", other.local())).await.unwrap();
    assert!(there.bytes().await.unwrap() == content);
    assert!(bucket.uploads().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_one_began_the_other_continues() {
    let Some(server) = server() else { return };
    let database = server.database("pages");
    let both = [0, 1].map(|_| Serving::start(&database, None, &["--sample"]));
    let mut search = json!({ "appUrl": both[0].process.ready["app_urls"][0], "limit": 40, "searchTerm": "s" });
    let path = "/products-service/searchProductsCursor";
    let mut pages = 0;
    loop {
        let mut found = Vec::new();
        for serving in &both {
            let mut page = serving.json(Method::POST, path, Some(&search)).await;
            // Addresses of pictures of the sample are those of who was asked.
            page["products"].as_array_mut().unwrap().iter_mut().for_each(|product| *product = product["id"].take());
            found.push(page);
        }
        assert_eq!(found[0]["products"], found[1]["products"]);
        pages += 1;
        // Each goes on where the other one was.
        let next = [found[0]["nextCursor"].take(), found[1]["nextCursor"].take()];
        assert_eq!(next[0].is_null(), next[1].is_null());
        if next[0].is_null() {
            break;
        }
        search["cursor"] = next[pages % 2].clone();
    }
    assert!(pages > 2, "{pages}");
}

/// Nobody is told when a visit begins elsewhere, and whoever it was begun with may be gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_visit_of_a_process_that_was_killed_is_ended_by_the_other() {
    let Some(server) = server() else { return };
    let database = server.database("visits");
    let receiver = Receiver::start().await;
    let flags = ["--sample", "--allow-private-webhooks"];
    let [one, other] = [0, 1].map(|_| Serving::start(&database, None, &flags));
    let webhook = json!({ "event": "response_summary", "url": receiver.url });
    other.json(Method::POST, "/webhooks", Some(&webhook)).await;
    let publish = one.json(Method::GET, "/projects/", None).await["projects"][0]["publishId"].clone();
    let begun = one.json(Method::POST, &format!("/play/{}/visits", publish.as_str().unwrap()), Some(&json!({}))).await;
    drop(one);
    let open = format!("session = '{}'", begun["sessionId"].as_str().unwrap());
    // Ten minutes later.
    server.ask("visits", &format!("UPDATE visit SET seen_at = seen_at - 600000 WHERE {open}"));
    until("its summary came", async || !receiver.seen().is_empty()).await;
    assert_eq!(receiver.seen()[0].body["sessionId"], begun["sessionId"]);
    assert_eq!(server.ask("visits", &format!("SELECT count(*) FROM visit WHERE {open} AND ended_at IS NULL")), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_hand_out_the_address_that_the_balancer_is_known_by() {
    let Some(server) = server() else { return };
    let database = server.database("addresses");
    let both = [0, 1].map(|_| Serving::start(&database, None, &["--sample", "--public-url", "https://shop.example"]));
    let asked = both.each_ref().map(|serving| serving.http.get(format!("{}/projects/", serving.local())));
    let mut said = Vec::new();
    for (asked, serving) in asked.into_iter().zip(&both) {
        let asked = asked.header("host", "shop.example").bearer_auth(both[0].process.key());
        let answer = asked.send().await.unwrap().text().await.unwrap();
        assert!(answer.contains("https://shop.example/play/") && !answer.contains("127.0.0.1"), "{answer}");
        assert_eq!(serving.process.base(), "https://shop.example");
        said.push(answer);
    }
    assert_eq!(said[0], said[1]);
}

/// As a machine is whose power is gone, or whose disk stands still: it takes connections, and says nothing.
#[test]
fn a_host_that_is_silent_takes_no_time_of_the_others() {
    let Some(server) = server() else { return };
    let known = server.database("hosts");
    let silent = tempfile::tempdir().unwrap();
    let _listener = UnixListener::bind(silent.path().join(".s.PGSQL.5432")).unwrap();
    let host = |place: &str| place.split_once('@').unwrap().1.split_once('/').unwrap().0.to_owned();
    let hosts = [host(&address(silent.path(), "hosts")), host(&known)].join(",");
    let database = format!("postgres://cutaway@{hosts}/hosts?target_session_attrs=read-write&connect_timeout=1");
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.args(["serve", "key", "add", "--data"]).arg(home.path()).env("CUTAWAY_DATABASE_URL", database);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(server.ask("hosts", "SELECT count(*) FROM api_key"), "1");
}

#[test]
fn a_database_of_another_encoding_is_refused_in_one_line() {
    let Some(server) = server() else { return };
    server.ask("postgres", "CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0");
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(home.path());
    let done = command.env("CUTAWAY_DATABASE_URL", server.database("bytes")).output().unwrap();
    let said = text(&done.stderr);
    assert!(done.status.code() == Some(1) && said.lines().count() == 1 && said.contains("UTF8"), "{said}");
}

/// A process that finds an empty database waits for the one that makes its tables, and can be told to end meanwhile.
#[test]
fn a_process_that_waits_for_the_migration_of_another_ends_at_once() {
    let Some(server) = server() else { return };
    let database = server.database("waits");
    // What whoever migrates holds.
    let _migrating = server.hold("waits", "SELECT pg_advisory_lock(7166762343993538816)");
    let home = tempfile::tempdir().unwrap();
    let mut process = serve(home.path(), &home.path().join("data"))
        .env("CUTAWAY_DATABASE_URL", &database)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    let begun = Instant::now();
    while server.ask("waits", waits) != "1" {
        assert!(begun.elapsed() < PATIENCE && process.try_wait().unwrap().is_none());
    }
    let told = Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&process), rustix::process::Signal::TERM).unwrap();
    let ended = loop {
        if let Some(ended) = process.try_wait().unwrap() {
            break ended;
        }
        if told.elapsed() > PATIENCE {
            process.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(ended.success(), "it waits for what is held: {ended}");
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted";
    assert_eq!(server.ask("waits", held), "1", "it was let go of before the process ended");
    assert_eq!(server.ask("waits", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
}

/// Machines whose clocks are a minute apart go by that of the database.
#[tokio::test(flavor = "multi_thread")]
async fn machines_whose_clocks_differ_by_a_minute_agree() {
    const CLOCK: &str = "#define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <time.h>
        int clock_gettime(clockid_t which, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = dlsym(RTLD_NEXT, \"clock_gettime\");
            int done = real(which, time);
            if (which == CLOCK_REALTIME) time->tv_sec += atoi(getenv(\"AHEAD\"));
            return done;
        }";
    let Some(server) = server() else { return };
    let database = server.database("skewed");
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("clock.c"), folder.path().join("clock.so"));
    std::fs::write(&source, CLOCK).unwrap();
    let mut compiler = std::process::Command::new("cc");
    let made = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl").status();
    if !made.is_ok_and(|made| made.success()) {
        return serving::postgres::untried("there is no C compiler on this machine");
    }
    let start = |ahead: &str| {
        let data = tempfile::tempdir().unwrap();
        let mut command = serve(&data.path().join("home"), &data.path().join("data"));
        command.env("CUTAWAY_DATABASE_URL", &database).env("LD_PRELOAD", &library).env("AHEAD", ahead);
        let process = Process::start(command.arg("--sample"));
        Serving { process, http: reqwest::Client::new(), _data: data }
    };
    let processes = [start("0"), start("60"), start("-60")];
    // Their clocks differ indeed.
    for (serving, ahead) in processes.iter().zip([0, 60, -60]) {
        let answer = serving.ask(Method::GET, "/projects", None).await;
        let date = answer.headers()["date"].to_str().unwrap();
        let date = jiff::fmt::rfc2822::parse(date).unwrap().timestamp().as_second();
        let apart = date - jiff::Timestamp::now().as_second();
        assert!((apart - ahead).abs() < 30, "{apart} seconds in place of {ahead}");
    }
    // Each takes the key that another one made, which lasts for less than they are apart.
    let until = "floor(extract(epoch FROM clock_timestamp()))::bigint";
    server.ask("skewed", &format!("UPDATE api_key SET expires_at = {until} + 50"));
    for asked in &processes {
        for by in &processes {
            let answer = asked.http.get(format!("{}/projects", asked.local())).bearer_auth(by.process.key());
            assert_eq!(answer.send().await.unwrap().status(), 200);
        }
    }
    // Visits begin at the time of the database.
    let publish = processes[0].json(Method::GET, "/projects/", None).await["projects"][0]["publishId"].clone();
    for serving in &processes {
        let path = format!("/play/{}/visits", publish.as_str().unwrap());
        let begun = serving.json(Method::POST, &path, Some(&json!({}))).await;
        let session = begun["sessionId"].as_str().unwrap();
        let apart = format!("SELECT abs(begun_at / 1000 - {until}) < 30 FROM visit WHERE session = '{session}'");
        assert_eq!(server.ask("skewed", &apart), "t");
    }
    // One that is over is refused by all of them.
    server.ask("skewed", &format!("UPDATE api_key SET expires_at = {until} - 5"));
    for asked in &processes {
        assert_eq!(asked.ask(Method::GET, "/projects", None).await.status(), 401);
    }
}

/// Whatever the bodies of deliveries are, a person can be forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_is_no_json_keeps_nobody_from_being_forgotten() {
    let Some(server) = server() else { return };
    let database = server.database("forgets");
    let serving = Serving::start(&database, None, &["--sample"]);
    let publish = serving.json(Method::GET, "/projects/", None).await["projects"][0]["publishId"].clone();
    let path = format!("/play/{}/visits", publish.as_str().unwrap());
    let begun = serving.json(Method::POST, &path, Some(&json!({}))).await;
    let session = begun["sessionId"].as_str().unwrap();
    let body = |number: i64, body: &str| {
        server.ask(
            "forgets",
            &format!(
                "INSERT INTO delivery (number, id, webhook, message, event, body, state, created_at, tried_until)
                 SELECT {number}, 'd{number}', 'w', 'm', 'conversion', '{body}', 'delivered', now, now
                 FROM (SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS now) AS clock"
            ),
        );
    };
    body(9_001, &format!("not JSON {session}"));
    body(9_002, &format!("{{\"note\":\"\\u0000\",\"sessionId\":\"{session}\"}}"));
    body(9_003, &format!("{{\"sessionId\":\"another\",\"note\":\"{session}\"}}"));
    let visit =
        format!("UPDATE visit SET collected = '{{\"email\":\"jane@shop.example\"}}' WHERE session = '{session}'");
    server.ask("forgets", &visit);
    server.ask(
        "forgets",
        "INSERT INTO guest_note (home, name, version, content) VALUES ('h', 'n', 7, 'To jane@shop.example')",
    );
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.args(["serve", "forget", "--email", "jane@shop.example", "--yes", "--data"]).arg(home.path());
    let done = command.env("CUTAWAY_DATABASE_URL", &database).output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(
        server.ask("forgets", "SELECT string_agg(id, ' ' ORDER BY id) FROM delivery WHERE number > 9000"),
        "d9001 d9003"
    );
    assert_eq!(server.ask("forgets", &format!("SELECT count(*) FROM visit WHERE session = '{session}'")), "0");
    // Whoever has read the text before does not write it back.
    assert_eq!(server.ask("forgets", "SELECT version, content LIKE '%jane%' FROM guest_note"), "8|f");
}
