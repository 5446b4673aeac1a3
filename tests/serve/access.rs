//! Keys, sign-ins and the audit log of a folder that another process serves: the real binary on both sides.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::serving;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use serving::{Process, Served, serve, text};

/// The status and body of one request.
fn ask(base: &str, key: &str, method: &Method, path: &str, body: Option<&Value>) -> (u16, Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let request = reqwest::Client::new().request(method.clone(), format!("{base}{path}")).bearer_auth(key);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    })
}

fn me(base: &str, key: &str) -> u16 {
    ask(base, key, &Method::GET, "/users/me", None).0
}

/// A command beside the service, on the folder that it serves, and the exit code that it ends with.
fn beside(home: &Path, data: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = serving::beside(home, data, arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout).trim().to_owned(), text(&output.stderr).to_owned())
}

fn on(served: &Served, arguments: &[&str]) -> String {
    let (code, out, err) = beside(served.home.path(), &served.home.path().join("served"), arguments);
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out
}

fn listed(served: &Served, what: &str, member: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(&on(served, &[what, "list", "--json"])).unwrap();
    document[member].as_array().unwrap().clone()
}

/// Waits until it holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_revoked_key_and_its_tokens_are_refused_at_once() {
    let served = Served::start();
    let (base, key) = (served.base(), on(&served, &["key", "add", "--name", "script"]));
    let (status, exchanged) =
        ask(base, &key, &Method::POST, "/account-service/authenticateCliApiKey", Some(&json!({})));
    assert_eq!(status, 200, "{exchanged}");
    let token = exchanged["accessToken"].as_str().unwrap();
    assert_eq!((me(base, &key), me(base, token)), (200, 200));
    assert_eq!(listed(&served, "key", "keys").iter().filter(|key| key["name"] == "script").count(), 1);

    assert!(on(&served, &["key", "revoke", "script"]).starts_with("Revoked key script ("));
    assert_eq!((me(base, &key), me(base, token)), (401, 401));
    assert_eq!(me(base, served.key()), 200, "the others stay");
    assert!(!listed(&served, "key", "keys").iter().any(|key| key["name"] == "script"));

    // By id, where two have the name.
    let twins = [on(&served, &["key", "add", "--name", "twin"]), on(&served, &["key", "add", "--name", "twin"])];
    let data = served.home.path().join("served");
    let (code, _, said) = beside(served.home.path(), &data, &["key", "revoke", "twin"]);
    let ids: Vec<String> = listed(&served, "key", "keys")
        .iter()
        .filter(|key| key["name"] == "twin")
        .map(|key| key["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(code == 1 && ids.iter().all(|id| said.contains(id)), "{said}");
    on(&served, &["key", "revoke", &ids[0]]);
    let mut statuses = twins.map(|key| me(base, &key));
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401]);
    let (code, _, said) = beside(served.home.path(), &data, &["key", "revoke", "nobody"]);
    assert!(code == 4 && said.contains("no key with this name or id"), "{code} {said}");
}

#[test]
fn a_read_only_key_reads_and_changes_nothing() {
    let served = Served::start();
    let (base, key) = (served.base(), on(&served, &["key", "add", "--name", "report", "--read-only"]));
    let (_, exchanged) = ask(base, &key, &Method::POST, "/account-service/authenticateCliApiKey", Some(&json!({})));
    let token = exchanged["accessToken"].as_str().unwrap();
    let search = json!({ "appUrl": served.store() });
    let projects = served.answer(Method::GET, "/projects", None);
    let project =
        projects["projects"].as_array().or(projects.as_array()).unwrap()[0]["id"].as_str().unwrap().to_owned();
    let webhook = served.answer(Method::GET, "/webhooks", None)[0]["id"].as_str().unwrap_or("unknown").to_owned();
    for secret in [key.as_str(), token] {
        assert_eq!(me(base, secret), 200);
        for (method, path, body) in [
            (Method::GET, "/projects".to_owned(), None),
            (Method::POST, "/products-service/searchProductsCursor".to_owned(), Some(&search)),
            (Method::POST, format!("/projects/{project}"), None),
        ] {
            let (status, answer) = ask(base, secret, &method, &path, body);
            assert_eq!(status, 200, "{method} {path}: {answer}");
        }
        let named = json!({ "name": "changed", "project": { "name": "changed" } });
        for (method, path) in [
            (Method::POST, "/projects".to_owned()),
            (Method::PUT, format!("/projects/{project}")),
            (Method::DELETE, format!("/projects?projectId={project}")),
            (Method::POST, "/projects/steps".to_owned()),
            (Method::PUT, "/projects/steps/1".to_owned()),
            (Method::DELETE, "/projects/steps?stepId=1".to_owned()),
            (Method::POST, "/videos/video".to_owned()),
            (Method::POST, "/videos".to_owned()),
            (Method::POST, "/webhooks".to_owned()),
            (Method::POST, format!("/webhooks/{webhook}/ping")),
            (Method::POST, format!("/webhooks/{webhook}/secret/rotate")),
            (Method::GET, format!("/webhooks/{webhook}/secret")),
        ] {
            let (status, problem) = ask(base, secret, &method, &path, Some(&named));
            assert_eq!(status, 403, "{method} {path}: {problem}");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains("\"report\" is read-only") && detail.contains("scope read-write"), "{detail}");
        }
    }
    assert_eq!(served.answer(Method::GET, "/projects", None), projects);
    let entry = listed(&served, "key", "keys").into_iter().find(|key| key["name"] == "report").unwrap();
    assert_eq!(entry["scope"], "read-only");
}

/// Whether a film is on its way, in the folder or to S3.
fn is_coming(served: &Served) -> bool {
    let data = served.home.path().join("served");
    if serving::s3::of_folder(&data).is_none() {
        return std::fs::read_dir(data.join("blobs/moving")).is_ok_and(|mut files| files.next().is_some());
    }
    let sql = "SELECT count(*) FROM blob WHERE state = 'arriving'";
    let coming = serving::postgres::number(&data, sql).unwrap_or_else(|| {
        let database = rusqlite::Connection::open(data.join("cutaway.sqlite3")).unwrap();
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    });
    coming > 0
}

/// Sends half of a film with a key, does something, and sends the rest: the status of the answer, and whether the film is
/// there.
fn upload_in_two_halves(served: &Served, key: &str, between: impl FnOnce()) -> (u16, bool) {
    let begin = "--x\r\ncontent-disposition: form-data; name=\"videoBlob\"; filename=\"late.mp4\"\r\ncontent-type: video/mp4\r\n\r\n";
    let mut film = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec();
    film.resize(100_000, 0);
    let body = [begin.as_bytes(), &film, b"\r\n--x--\r\n"].concat();
    let (one, other) = body.split_at(body.len() / 2);
    let address = served.base().strip_prefix("http://").unwrap();
    let head = format!(
        "POST /videos HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\ncontent-length: {}\r\n\
         content-type: multipart/form-data; boundary=x\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(one).unwrap();
    until("the film is on its way", || is_coming(served));
    between();
    socket.write_all(other).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    until("nothing is on its way any more", || !is_coming(served));
    (status, served.answer(Method::GET, "/videos/videos", None).to_string().contains("late.mp4"))
}

#[test]
fn an_upload_in_flight_ends_with_its_key() {
    let served = Served::start();
    let key = on(&served, &["key", "add", "--name", "camera"]);
    let revoke = || drop(on(&served, &["key", "revoke", "camera"]));
    assert_eq!(upload_in_two_halves(&served, &key, revoke), (401, false));
    // The same with a token that a key was exchanged for.
    let key = on(&served, &["key", "add", "--name", "camera"]);
    let (_, exchanged) =
        ask(served.base(), &key, &Method::POST, "/account-service/authenticateCliApiKey", Some(&json!({})));
    let token = exchanged["accessToken"].as_str().unwrap();
    assert_eq!(upload_in_two_halves(&served, token, revoke), (401, false));
    assert_eq!(upload_in_two_halves(&served, served.key(), || ()), (200, true));
}

#[test]
fn keys_end_in_time_and_say_when_they_were_used() {
    let served = Served::start();
    let (base, key) = (served.base(), on(&served, &["key", "add", "--name", "brief", "--expires", "3s"]));
    let unused = on(&served, &["key", "add", "--name", "unused", "--expires", "2099-12-31"]);
    assert_eq!(unused.lines().count(), 1);
    let of = |name: &str| listed(&served, "key", "keys").into_iter().find(|key| key["name"] == name).unwrap();
    assert_eq!(of("unused")["expiresAt"], "2099-12-31T23:59:59Z");
    until("the key is over", || me(base, &key) == 401);
    assert_eq!(of("brief")["expired"], true);
    me(base, served.key());
    until("the use of a key is recorded", || of("ready")["lastUsedAt"].is_string());
    assert_eq!((&of("unused")["lastUsedAt"], &of("unused")["expired"]), (&Value::Null, &json!(false)));
    let table = on(&served, &["key", "list"]);
    assert!(table.contains("LAST USED") && table.contains("with its process"), "{table}");
    let data = served.home.path().join("served");
    for wrong in ["yesterday", "2020-01-01", "0s"] {
        let (code, _, said) = beside(served.home.path(), &data, &["key", "add", "--expires", wrong]);
        assert_eq!(code, 2, "{wrong}: {said}");
    }
}

#[test]
fn keys_of_a_process_end_with_it() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let ready = || {
        let (code, out, err) = beside(home.path(), &data, &["key", "list", "--json"]);
        assert_eq!(code, 0, "{err}");
        let keys: Value = serde_json::from_str(&out).unwrap();
        keys["keys"].as_array().unwrap().iter().filter(|key| key["endsWithProcess"] == true).count()
    };
    // Of a shared database nobody knows which of its processes are over: the key of one that was killed ends with its time.
    let is_shared = serving::postgres::is_wanted();
    // Behind the balancer are three of them each time.
    let each = if serving::postgres::is_cluster() { 3 } else { 1 };
    for nth in 1..=3 {
        let process = Process::start(&mut serve(home.path(), &data));
        assert_eq!(ready(), if is_shared { nth * each } else { 1 }, "the keys of the processes before are gone");
        // As `kill -9` does: it has no time to tidy up.
        drop(process);
    }
    assert_eq!(ready(), if is_shared { 3 * each } else { 1 });
    let mut process = Process::start(&mut serve(home.path(), &data));
    let pid = rustix::process::Pid::from_child(process.child());
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(process.child().wait().unwrap().success());
    assert_eq!(ready(), if is_shared { 4 * each - 1 } else { 0 });
}

#[test]
fn the_audit_log_says_who_changed_what() {
    let served = Served::start();
    let (base, writer) = (served.base(), on(&served, &["key", "add", "--name", "writer"]));
    let reader = on(&served, &["key", "add", "--name", "reader", "--read-only"]);
    let body = json!({ "project": { "name": "Unheard-of name" } });
    let (status, made) = ask(base, &writer, &Method::POST, "/projects", Some(&body));
    assert_eq!(status, 200, "{made}");
    let id = made["id"].as_str().unwrap();
    let change = json!({ "name": "Another unheard-of name" });
    assert_eq!(ask(base, &writer, &Method::PUT, &format!("/projects/{id}"), Some(&change)).0, 200);
    assert_eq!(ask(base, &reader, &Method::DELETE, &format!("/projects?projectId={id}"), None).0, 403);
    assert_eq!(ask(base, &writer, &Method::GET, "/projects", None).0, 200);
    on(&served, &["key", "revoke", "reader"]);

    let log = on(&served, &["audit", "--json"]);
    assert!(!log.contains("nheard-of") && !log.contains(&writer), "{log}");
    let log: Value = serde_json::from_str(&log).unwrap();
    let entries: Vec<&Value> = log["entries"].as_array().unwrap().iter().collect();
    let shape = |entry: &Value| {
        let of = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        (of("keyName"), of("action"), entry["status"].as_u64().unwrap_or_default(), of("recordId"))
    };
    let requests: Vec<_> = entries.iter().filter(|entry| entry["actor"] == "key").map(|entry| shape(entry)).collect();
    let (named, id) = (|name: &str| name.to_owned(), id.to_owned());
    assert_eq!(
        requests,
        [
            (named("writer"), named("POST /projects"), 200, id.clone()),
            (named("writer"), named("PUT /projects/{id}"), 200, id),
            (named("reader"), named("DELETE /projects"), 403, String::new()),
        ]
    );
    let last = entries.last().unwrap();
    assert_eq!((&last["actor"], &last["action"]), (&json!("owner"), &json!("key revoke")));
    let first = entries.iter().find(|entry| entry["actor"] == "key").unwrap();
    assert_eq!(first["clientAddress"], "127.0.0.1");
    assert!(first["time"].as_str().unwrap().ends_with('Z'));

    let table = on(&served, &["audit", "--since", "1h"]);
    assert!(table.contains("PUT /projects/{id}") && table.contains("writer"), "{table}");
    let later: Value = serde_json::from_str(&on(&served, &["audit", "--since", "2099-01-01", "--json"])).unwrap();
    assert_eq!(later["entries"], json!([]));
}

#[test]
fn all_of_it_works_while_nobody_serves() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    for (arguments, says) in [
        (&["key", "add", "--name", "a"][..], "cutaway_key_"),
        (&["key", "list"], "read-write"),
        (&["key", "revoke", "a"], "Revoked key a"),
        (&["grant", "list", "--json"], "{\"grants\":[]}"),
        (&["audit"], "key revoke"),
    ] {
        let (code, out, err) = beside(home.path(), &data, arguments);
        assert!(code == 0 && out.contains(says), "{arguments:?}: {out} {err}");
    }
    let (code, _, said) = beside(home.path(), &data, &["grant", "revoke", "none"]);
    assert!(code == 4 && said.contains("no grant with this id"), "{said}");
}

#[test]
fn a_change_is_logged_though_nobody_waits_for_the_answer() {
    use std::io::Write as _;
    let served = Served::start();
    let address = served.base().strip_prefix("http://").unwrap();
    let body = "{\"project\":{\"name\":\"left at once\"}}";
    let mut socket = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /projects HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        served.key(),
        body.len()
    );
    socket.write_all((head + body).as_bytes()).unwrap();
    drop(socket);
    let made = || served.answer(Method::GET, "/projects", None).to_string().contains("left at once");
    let logged = || {
        let log: Value = serde_json::from_str(&on(&served, &["audit", "--json"])).unwrap();
        log["entries"].as_array().unwrap().iter().any(|entry| entry["action"] == "POST /projects")
    };
    // The service may notice that the client went before it reads the request; then nothing is changed and none is logged.
    let begun = Instant::now();
    while !made() && begun.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(20));
    }
    if made() {
        until("the change is in the log", logged);
    } else {
        eprintln!("SKIPPED: the request was dropped before it was read");
    }
}

#[test]
fn ssh_keys_are_added_listed_and_revoked_and_the_log_says_so() {
    const ALICE: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti alice@laptop";
    const BOB: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB7ZtkKOjEIKGKdHZ3bsoVyqfuB9z5zYpNuMJqQEr1nz";
    // They are about a folder.
    if serving::postgres::is_wanted() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("served");
    let file = home.path().join("bob.pub");
    std::fs::write(&file, BOB).unwrap();
    let run = |arguments: &[&str]| beside(home.path(), &data, &[&["ssh-key"], arguments].concat());

    let (code, said, _) = run(&["add", ALICE]);
    assert!(code == 0 && said.starts_with("Added SSH key alice@laptop ("), "{said}");
    let bob = [file.to_str().unwrap(), "--name", "support", "--workspace", "demo", "--read-only"];
    assert_eq!(run(&[&["add"], &bob[..]].concat()).0, 0);
    assert_eq!(run(&["add", ALICE]).0, 2, "it is there already");
    let (code, _, said) = run(&["add", "/no/such/key.pub"]);
    assert!(code == 2 && said.contains("/no/such/key.pub"), "{said}");

    let listed = |as_what: &[&str]| run(&[&["list"], as_what].concat()).1;
    let document: Value = serde_json::from_str(&listed(&["--json"])).unwrap();
    assert_eq!(document["keys"][0]["name"], "alice@laptop");
    assert_eq!(document["keys"][1]["scope"], "read-only");
    assert_eq!(document["keys"][1]["workspace"], "demo");
    assert!(listed(&[]).contains("SHA256:"), "{}", listed(&[]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| std::fs::metadata(data.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("ssh"), mode("ssh/keys.toml")), (0o700, 0o600));
    }

    assert_eq!(run(&["revoke", "support"]).0, 0);
    assert_eq!(run(&["revoke", "support"]).0, 4);
    let (_, log, _) = beside(home.path(), &data, &["audit", "--json"]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["ssh-key add", "ssh-key add", "ssh-key revoke"], "{log}");
}

#[test]
fn which_build_it_is_concerns_those_with_a_key() {
    let served = Served::start();
    let health = |key: &str| ask(served.base(), key, &Method::GET, "/healthz", None);
    let (status, known) = health(served.key());
    assert_eq!((status, known["build"]["version"].as_str()), (200, Some(env!("CARGO_PKG_VERSION"))), "{known}");
    assert!(known["build"]["target"].is_string(), "{known}");
    let (status, stranger) = health("no such key");
    assert_eq!((status, stranger["status"].as_str(), stranger.get("build")), (200, Some("ok"), None), "{stranger}");
}
