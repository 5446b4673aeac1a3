//! Services without our extensions: a proxy before the real service drops the products of steps, or refuses them, and counts
//! no visits. Products live in the state folder then, are seen wherever a project is read, and never in another field; the
//! funnel comes of webhook events that were kept.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use serving::{Process, cutaway, serve, text};
use tempfile::TempDir;

/// How a service without products on steps takes them.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Drops,
    Refuses,
    /// It has learned to keep them.
    Keeps,
}

type Log = Arc<Mutex<Vec<(String, Value)>>>;

/// A proxy before the real service, its manner, and what it passed on.
struct Proxy {
    base: String,
    manner: Arc<Mutex<Manner>>,
    passed: Log,
}

fn message(from: &mut BufReader<TcpStream>) -> Option<(Vec<String>, Vec<u8>)> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let length =
        head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Takes the field out of wherever it is; whether it was somewhere.
fn strip(value: &mut Value) -> bool {
    let inside = match value {
        Value::Object(members) => members.values_mut().filter_map(|value| strip(value).then_some(())).count(),
        Value::Array(values) => values.iter_mut().filter_map(|value| strip(value).then_some(())).count(),
        _ => 0,
    };
    value.as_object_mut().is_some_and(|members| members.remove("products").is_some()) || inside > 0
}

fn carry(client: TcpStream, service: &str, manner: Manner, passed: &Log) -> Option<()> {
    let mut client = BufReader::new(client);
    let (head, body) = message(&mut client)?;
    let mut sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let answer = |mut client: TcpStream, status: &str, body: &[u8]| {
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        client.write_all(&[head.as_bytes(), body].concat()).ok()
    };
    let stripped = manner != Manner::Keeps && strip(&mut sent);
    if manner != Manner::Keeps && head[0].contains("/funnel") {
        return answer(client.into_inner(), "404 Not Found", b"{\"detail\":\"There is no such path.\"}");
    }
    if stripped && manner == Manner::Refuses {
        let refusal =
            br#"{"status":400,"title":"Bad Request","errors":[{"pointer":"/products","detail":"is not a property"}]}"#;
        return answer(client.into_inner(), "400 Bad Request", refusal);
    }
    let body = if sent.is_null() { body } else { sent.to_string().into_bytes() };
    if !head[0].starts_with("GET") {
        passed.lock().unwrap().push((head[0].clone(), sent));
    }
    let kept = head.iter().filter(|line| {
        let line = line.to_ascii_lowercase();
        !["content-length:", "connection:", "accept-encoding:"].iter().any(|name| line.starts_with(name))
    });
    let request = kept.cloned().collect::<Vec<_>>().join("\r\n");
    let mut server = TcpStream::connect(service).ok()?;
    let framed = format!("{request}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    server.write_all(&[framed.as_bytes(), &body].concat()).ok()?;
    let mut server = BufReader::new(server);
    let (head, mut told) = message(&mut server)?;
    if manner != Manner::Keeps
        && let Ok(mut json) = serde_json::from_slice::<Value>(&told)
    {
        strip(&mut json);
        told = json.to_string().into_bytes();
    }
    let status = head[0].split_once(' ')?.1.to_owned();
    answer(client.into_inner(), &status, &told)
}

impl Proxy {
    fn before(service: &str, manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let service = service.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let (manner, passed) = (Arc::new(Mutex::new(manner)), Log::default());
        let (how, log) = (Arc::clone(&manner), Arc::clone(&passed));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (service, now, log) = (service.clone(), *how.lock().unwrap(), Arc::clone(&log));
                std::thread::spawn(move || carry(client, &service, now, &log));
            }
        });
        Self { base, manner, passed }
    }
}

struct Stage {
    process: Process,
    proxy: Proxy,
    home: TempDir,
}

impl Stage {
    fn new(manner: Manner) -> Self {
        let home = tempfile::tempdir().unwrap();
        let process = Process::start(&mut serve(home.path(), &home.path().join("served")));
        let proxy = Proxy::before(process.base(), manner);
        Self { process, proxy, home }
    }

    fn run(&self, base: &str, arguments: &[&str]) -> Output {
        let mut command = cutaway(self.home.path());
        command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", self.process.key());
        command.env("CUTAWAY_APP_URL", "https://shop.example");
        command.current_dir(self.home.path()).args(arguments).output().unwrap()
    }

    /// What a command through the proxy says, on standard output and standard error.
    fn says(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(&self.proxy.base, arguments);
        let (out, said) = (text(&output.stdout).to_owned(), text(&output.stderr).to_owned());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{out}{said}");
        (out, said)
    }

    fn project(&self) -> (String, String) {
        let project = self.says(&["projects", "create", "Gifts", "--id-only"]).0.trim().to_owned();
        let step =
            self.says(&["steps", "create", &project, "--overlay-text", "Hello", "--id-only"]).0.trim().to_owned();
        (project, step)
    }

    fn shows(&self, project: &str) -> bool {
        let shown = self.says(&["projects", "show", project]).0;
        let exported = self.says(&["projects", "export", project, "--format", "json"]).0;
        let [shown, exported] = [shown.contains("product 1001"), exported.contains("1001")];
        assert_eq!(shown, exported);
        shown
    }
}

const HERE: &str = "this service doesn't store the products of steps: they are kept on this computer";

fn are_kept_here(manner: Manner) {
    let stage = Stage::new(manner);
    let (project, step) = stage.project();
    let (_, said) = stage.says(&["steps", "update", &step, "--product", "1001,from=2"]);
    assert!(said.contains(HERE), "{said}");
    // Another process finds them, and they are in no other field.
    assert!(stage.shows(&project));
    assert!(stage.says(&["projects", "show", &project]).1.contains(HERE));
    assert!(!stage.proxy.passed.lock().unwrap().iter().any(|(_, body)| body.to_string().contains("1001")));
    let body: Value = serde_json::from_str(&stage.says(&["projects", "show", &project, "--json"]).0).unwrap();
    assert_eq!(body["steps"][0]["products"], Value::Null, "the service's own body");
    // What else is said of the step reaches the service.
    stage.says(&["steps", "update", &step, "--overlay-text", "Hello again", "--product", "1002", "--product", "1001"]);
    let shown = stage.says(&["projects", "show", &project]).0;
    assert!(shown.contains("Hello again") && shown.contains("product 1002"), "{shown}");
    let (_, said) =
        stage.says(&["steps", "create", &project, "--overlay-text", "New", "--product", "1003", "--id-only"]);
    assert!(said.contains(HERE), "{said}");
    assert!(stage.says(&["projects", "show", &project]).0.contains("product 1003"));
    // A file takes them elsewhere, and back.
    let file = stage.says(&["projects", "export", &project, "--format", "toml"]).0;
    std::fs::write(stage.home.path().join("gifts.toml"), file.replace("1002", "1004")).unwrap();
    let (_, said) = stage.says(&["projects", "apply", "gifts.toml", "--project", &project, "--yes"]);
    assert!(said.contains(HERE), "{said}");
    let shown = stage.says(&["projects", "show", &project]).0;
    assert!(shown.contains("product 1004") && !shown.contains("product 1002"), "{shown}");
    stage.says(&["projects", "plan", "gifts.toml", "--project", &project]);
    // Cleared is cleared.
    stage.says(&["steps", "update", &step, "--product", ""]);
    assert!(!stage.shows(&project));
    stage.says(&["projects", "delete", &project, "--yes"]);
    let folder = stage.home.path().join("s");
    let kept = files(&folder)
        .into_iter()
        .find(|file| file.parent().unwrap().ends_with("products") && file.extension().is_some_and(|it| it == "json"))
        .unwrap();
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(kept).unwrap()).unwrap();
    assert_eq!((&kept["steps"], &kept["keeps"]), (&json!({}), &json!(false)));
}

#[test]
fn products_that_a_service_drops_are_kept_on_this_computer() {
    are_kept_here(Manner::Drops);
}

#[test]
fn products_that_a_service_refuses_are_kept_on_this_computer() {
    are_kept_here(Manner::Refuses);
}

#[test]
fn a_service_that_keeps_products_is_believed() {
    let stage = Stage::new(Manner::Drops);
    let (project, step) = stage.project();
    stage.says(&["steps", "update", &step, "--product", "1001"]);
    assert!(stage.shows(&project));
    // It learns to keep them: written again they are the service's, and who removes them elsewhere removes them here.
    *stage.proxy.manner.lock().unwrap() = Manner::Keeps;
    let (_, said) = stage.says(&["steps", "update", &step, "--product", "1001"]);
    assert_eq!(said, "");
    assert!(stage.shows(&project));
    assert_eq!(stage.run(stage.process.base(), &["steps", "update", &step, "--product", ""]).status.code(), Some(0));
    assert!(!stage.shows(&project));
}

#[test]
fn our_own_service_keeps_products_and_nothing_is_written_here() {
    let stage = Stage::new(Manner::Keeps);
    let (project, _) = stage.project();
    let (_, said) =
        stage.says(&["steps", "create", &project, "--overlay-text", "New", "--product", "1001", "--id-only"]);
    assert_eq!(said, "");
    assert!(stage.shows(&project));
    let wrong = stage.run(&stage.proxy.base, &["steps", "create", &project, "--product", &"9".repeat(3000)]);
    assert_eq!(wrong.status.code(), Some(5), "{}", text(&wrong.stderr));
}

/// A visit as our own service tells it: two steps, one answer, an order.
fn payload(session: &str, project: &str, steps: [&str; 2], at: &str) -> Value {
    let event = |name: &str, step: &str, text: Value, second: u32| json!({ "eventName": name, "stepName": step, "text": text, "timestamp": format!("{at}T10:00:{second:02}Z") });
    json!({
        "sessionId": session, "timestamp": format!("{at}T10:01:00Z"), "projectId": project, "publishId": "x",
        "playlist": "Gifts", "anonymousId": "viewer-7", "sessionTime": 60,
        "collectedInfo": { "name": "Kari Nordmann", "email": "kari@example.com", "phone": "+47 22 33 44 55" },
        "events": [
            event("step_shown", steps[0], json!("Hello"), 1),
            event("answer_selected", steps[0], json!("Go on"), 9),
            event("step_shown", steps[1], json!("The end"), 9),
            event("completed", steps[1], Value::Null, 20),
            { "eventName": "purchase", "text": "1001 499.5 NOK", "timestamp": format!("{at}T10:00:30Z"), "verified": true },
        ],
    })
}

/// A project of two steps, and their names.
fn quiz(stage: &Stage) -> (String, [String; 2]) {
    let project = stage.says(&["projects", "create", "Gifts", "--id-only"]).0.trim().to_owned();
    let name = |flags: &[&str]| {
        let made = stage.says(&[&["steps", "create", &project, "--json"], flags].concat()).0;
        serde_json::from_str::<Value>(&made).unwrap()["name"].as_str().unwrap().to_owned()
    };
    let last = name(&["--overlay-text", "The end"]);
    let first = name(&["--overlay-text", "Hello", "--answer", &format!("Go on=>{last}"), "--answer", "Stop=>"]);
    (project, [first, last])
}

fn funnel(stage: &Stage, project: &str, flags: &[&str]) -> Value {
    serde_json::from_str(&stage.says(&[&["projects", "funnel", project, "--json"], flags].concat()).0).unwrap()
}

#[test]
fn events_that_were_imported_become_the_funnel_of_a_service_that_does_not_count() {
    let stage = Stage::new(Manner::Drops);
    let (project, [first, last]) = quiz(&stage);
    let none = stage.run(&stage.proxy.base, &["projects", "funnel", &project]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stderr).contains("webhooks import"), "{}", text(&none.stderr));
    let steps = [first.as_str(), last.as_str()];
    let whole = payload("a", &project, steps, "2026-01-05");
    let mut part = whole.clone();
    part["events"].as_array_mut().unwrap().truncate(2);
    let lines = [
        part.to_string(),
        whole.to_string(),
        whole.to_string(),
        payload("b", &project, ["gone1", "gone2"], "2026-01-12").to_string(),
        payload("c", "another project", steps, "2026-01-05").to_string(),
        "{\"hello\":1}".to_owned(),
        "no JSON".to_owned(),
    ];
    std::fs::write(stage.home.path().join("events.ndjson"), lines.join("\n")).unwrap();
    let said = stage.says(&["webhooks", "import", "events.ndjson"]).0;
    assert_eq!(said, "4 new, 1 already kept, 2 not recognized (line 6: it has no sessionId)\n");
    assert_eq!(
        serde_json::from_str::<Value>(&stage.says(&["webhooks", "import", "events.ndjson", "--json"]).0).unwrap(),
        json!({
            "kept": 0,
            "known": 5,
            "unread": 2,
            "firstUnread": { "line": 6, "reason": "it has no sessionId" },
            "withheld": 0,
            "unreadEntries": 0
        })
    );
    let told = funnel(&stage, &project, &[]);
    assert_eq!((&told["source"], &told["visits"], &told["completed"]), (&json!("payloads"), &json!(2), &json!(2)));
    assert_eq!(told["gone"], json!({ "seen": 0, "left": 0, "unknown": 2 }));
    // The lint goes by the same viewers: one of two saw the first step.
    let linted = stage.run(&stage.proxy.base, &["lint", "project", &project, "--json"]);
    let linted: Value = serde_json::from_slice(&linted.stdout).unwrap();
    let problems = linted["problems"].as_array().unwrap();
    let first_step = problems.iter().find(|one| one["rule"] == "noVideo" && one["record"]["step"] == first.as_str());
    let reach = &first_step.unwrap_or_else(|| panic!("{linted}"))["reach"];
    assert_eq!((&reach["of"], &reach["count"], &reach["all"]), (&json!("viewers"), &json!(1), &json!(2)), "{linted}");
    let of = |name: &str| told["steps"].as_array().unwrap().iter().find(|step| step["name"] == name).unwrap().clone();
    assert_eq!((&of(&first)["seen"], &of(&first)["answers"][0]["chosen"]), (&json!(1), &json!(1)));
    assert_eq!(told["indirect"], json!([{ "currency": "NOK", "orders": 2, "amount": 999 }]));
    assert_eq!(told["weeks"].as_array().unwrap().len(), 2);
    assert_eq!(told["paths"][0]["steps"], json!([first, last]));
    assert_eq!(funnel(&stage, &project, &["--since", "2026-01-06"])["visits"], 1);
    let table = stage.says(&["projects", "funnel", &project]).0;
    assert!(table.contains("on this computer, from webhook events that were kept"), "{table}");
    assert!(table.contains("WEEK OF") && table.contains(&format!("{first} → {last}")), "{table}");
    stage.says(&["projects", "funnel", &project, "--csv"]);
    let (other, _) = quiz(&stage);
    let (table, said) = stage.says(&["projects", "funnel", &other]);
    assert!(
        table.contains("No visits yet") && said.contains("visits that were kept: 3, none of them"),
        "{table}{said}"
    );
    let missing = stage.run(&stage.proxy.base, &["projects", "funnel", "none"]);
    assert_eq!(missing.status.code(), Some(4), "{}", text(&missing.stderr));
}

#[test]
fn events_that_are_received_are_kept_without_who_it_was() {
    let stage = Stage::new(Manner::Drops);
    let (project, [first, last]) = quiz(&stage);
    let mut listen = cutaway(stage.home.path());
    listen.env("CUTAWAY_BASE_URL", &stage.proxy.base).env("CUTAWAY_API_KEY", stage.process.key());
    listen.args(["webhooks", "listen", "--keep", "--listen", "127.0.0.1:0"]);
    let mut listen = listen.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(listen.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let mut shown = BufReader::new(listen.stdout.take().unwrap());
    for session in ["a", "b", "a"] {
        let body = payload(session, &project, [&first, &last], "2026-01-05").to_string();
        let mut line = TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        line.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
        let mut answer = String::new();
        line.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        shown.read_line(&mut answer).unwrap();
    }
    // The line is shown before the event is kept: the last of them is waited for with what it writes.
    let folder = stage.home.path().join("s");
    let kept =
        || files(&folder).into_iter().find(|file| file.extension().is_some_and(|extension| extension == "ndjson"));
    let sessions = || kept().map_or(0, |file| std::fs::read_to_string(file).unwrap().lines().count());
    while sessions() < 2 {
        std::thread::yield_now();
    }
    listen.kill().unwrap();
    listen.wait().unwrap();
    let text = std::fs::read_to_string(kept().unwrap()).unwrap();
    for personal in ["Kari", "kari", "22 33 44", "viewer-7"] {
        assert!(!text.contains(personal), "{text}");
    }
    assert_eq!(funnel(&stage, &project, &[])["visits"], 2);
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
