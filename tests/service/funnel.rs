//! What viewers do in numbers, from a visit to the table: against the real service, and against one that does not count.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::serving;

use reqwest::StatusCode;
use serde_json::{Value, json};
use serving::{Served, cutaway, pretend, text};

/// How long what has to come may take where the machine is busy.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// A project of two steps, the first with two answers and a product, and its player.
struct Shop {
    served: Served,
    http: reqwest::Client,
    id: String,
    player: String,
    steps: [String; 2],
}

impl Shop {
    fn open() -> Self {
        let served = Served::start();
        let made = served.json(&["projects", "create", "Gifts"]);
        let id = made["id"].as_str().unwrap();
        let name = |description: &str, more: &[&str]| {
            let created = [&["steps", "create", id, "--description", description], more].concat();
            let created = served.json(&created);
            created["name"].as_str().unwrap().to_owned()
        };
        let second = name("=Second", &[]);
        let answer = format!("Go on=>{second}");
        let first =
            name("First", &["--answer", &answer, "--answer", "Stop=>", "--product", "1001,store=https://shop.example"]);
        let player = made["cutaway"].as_str().unwrap().to_owned();
        Self { id: id.to_owned(), player, steps: [first, second], served, http: reqwest::Client::new() }
    }

    async fn post(&self, url: &str, body: Value) -> Value {
        let answer = self.http.post(url).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{url}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    /// A visit of these events: name, step, words.
    async fn visit(&self, events: &[(&str, usize, &str)], ended: bool) -> Value {
        let visit = self.post(&format!("{}/visits", self.player), json!({})).await;
        let events: Vec<Value> = events
            .iter()
            .enumerate()
            .map(|(number, (name, step, words))| {
                json!({ "number": number, "eventName": name, "stepName": self.steps[*step], "text": words,
                    "ago": 10_000 - 2_000 * number })
            })
            .collect();
        let body = json!({ "events": events, "ended": ended });
        for _ in 0..2 {
            self.post(visit["eventsUrl"].as_str().unwrap(), body.clone()).await;
        }
        visit
    }

    async fn funnel(&self, query: &str) -> (StatusCode, Value) {
        let url = format!("{}/projects/{}/funnel{query}", self.served.base(), self.id);
        let answer = self.http.get(url).bearer_auth(self.served.key()).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }
}

#[tokio::test]
async fn visits_become_numbers_for_people_and_programs() {
    let shop = Shop::open();
    let empty = shop.served.prints(&["projects", "funnel", &shop.id]);
    assert!(empty.contains("No visits yet") && empty.contains("First"), "{empty}");

    let through = [
        ("step_shown", 0, "First"),
        ("product_shown", 0, "1001"),
        ("product_clicked", 0, "1001"),
        ("answer_selected", 0, "Go on"),
        ("step_shown", 1, "=Second"),
        ("completed", 1, ""),
    ];
    let bought = shop.visit(&through, true).await;
    shop.visit(&[("step_shown", 0, "First")], true).await;
    shop.visit(&[("step_shown", 0, "First"), ("answer_selected", 0, "kari@example.com")], true).await;
    let order = json!({ "orderId": "7", "amount": 49.5, "currency": "EUR", "products": ["1001"] });
    let purchase = bought["purchaseUrl"].as_str().unwrap();
    let told = shop.http.post(purchase).bearer_auth(shop.served.key()).json(&order).send().await.unwrap();
    assert_eq!(told.json::<Value>().await.unwrap()["verified"], true);
    shop.post(purchase, json!({ "orderId": "8", "amount": 5, "currency": "<b>" })).await;
    // No order is refused for what it says of its products, no sum is broken by one, and no word of a stranger is kept.
    for order in ["9", "10"] {
        shop.post(purchase, json!({ "orderId": order, "amount": 1e308, "currency": "QQQ", "products": [{ "id": 1 }] }))
            .await;
    }
    // What the shop verifies later counts once.
    let order = json!({ "orderId": "11", "amount": 20, "currency": "NOK", "products": [1001] });
    shop.post(purchase, order.clone()).await;
    let told = shop.http.post(purchase).bearer_auth(shop.served.key()).json(&order).send().await.unwrap();
    assert_eq!(told.json::<Value>().await.unwrap()["verified"], true);

    let funnel = shop.served.json(&["projects", "funnel", &shop.id]);
    assert_eq!(funnel, shop.funnel("").await.1);
    assert_eq!((&funnel["visits"], &funnel["completed"]), (&json!(3), &json!(1)));
    let orders = |told: &Value| {
        let mut told: Vec<String> = told.as_array().unwrap().iter().map(Value::to_string).collect();
        told.sort();
        told.join(" ")
    };
    assert_eq!(
        orders(&funnel["direct"]),
        r#"{"currency":"EUR","orders":1,"amount":49.5} {"currency":"NOK","orders":1,"amount":20}"#
    );
    assert_eq!(orders(&funnel["unverified"]), r#"{"currency":"","orders":3,"amount":5}"#);
    assert_eq!(funnel["versions"].as_array().unwrap().len(), 1);
    let first = funnel["steps"].as_array().unwrap().iter().find(|step| step["name"] == shop.steps[0]).unwrap();
    assert_eq!((&first["seen"], &first["left"], &first["goneAnswers"]), (&json!(3), &json!(2), &json!(1)));
    assert_eq!(first["products"], json!([{ "id": "1001", "shown": 1, "clicked": 1 }]));
    let answer = &first["answers"][0];
    assert_eq!((&answer["text"], &answer["chosen"], &answer["share"]), (&json!("Go on"), &json!(1), &json!(0.3333)));
    assert!(answer["low"].as_f64().unwrap() < 0.1 && answer["high"].as_f64().unwrap() > 0.75, "{answer}");
    assert!(first["medianSeconds"].is_number(), "{first}");
    // Nobody's words are in it.
    assert!(!funnel.to_string().contains("kari"), "{funnel}");

    // Few are an interval.
    let table = shop.served.prints(&["projects", "funnel", &shop.id]);
    for part in
        ["→ Go on", "1 (6–79%)", "2 (21–94%)", "1 for 49.5 EUR", "product 1001", "answers that are gone", "FIRST VISIT"]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
    let csv = shop.served.prints(&["projects", "funnel", &shop.id, "--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("step,title,answer,next,product,seen,chosen,share,low,high,left,back"), "{csv}");
    assert!(lines.iter().any(|line| line.contains(",First,Go on,") && line.contains(",3,1,0.3333,")), "{csv}");
    // A title that begins as a formula stays a text in spreadsheets.
    assert!(csv.contains(",'=Second,"), "{csv}");

    let days = |flags: &[&str]| {
        shop.served.json(&[&["projects", "funnel", shop.id.as_str()], flags].concat())["visits"].clone()
    };
    assert_eq!(days(&["--since", "2d"]), 3);
    assert_eq!(days(&["--until", "2020-01-31"]), 0);
    shop.served.ends(2, &["projects", "funnel", &shop.id, "--since", "yesterday"]);
    shop.served.ends(2, &["projects", "funnel", &shop.id, "--since", "2026-02-01", "--until", "2026-01-01"]);
    let none = shop.served.prints(&["projects", "funnel", &shop.id, "--until", "2020-01-31"]);
    assert!(none.contains("No visits in these days"), "{none}");
    shop.served.ends(2, &["projects", "funnel", &shop.id, "--csv", "--json"]);
    shop.served.ends(4, &["projects", "funnel", "00000000-0000-4000-8000-000000000000"]);
    let (status, problem) = shop.funnel("?since=2020-02-31&until=soon").await;
    let pointers: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|error| error["pointer"].clone()).collect();
    assert_eq!((status.as_u16(), json!(pointers)), (400, json!(["/since", "/until"])));

    // A step that goes takes nothing away: it is counted apart.
    let project = shop.served.json(&["projects", "show", &shop.id]);
    let step = project["steps"].as_array().unwrap().iter().find(|step| step["name"] == shop.steps[0]).unwrap();
    shop.served.prints_with_words(&["steps", "delete", step["id"].as_str().unwrap(), "--yes"]);
    let table = shop.served.prints(&["projects", "funnel", &shop.id]);
    assert!(table.contains("3 at steps that are gone"), "{table}");
}

#[test]
fn a_service_that_does_not_count_is_reported_in_one_sentence() {
    const PROJECT: (&str, u16, &str) = ("GET /projects/7", 200, r#"{"project":{"id":"7","name":"x"},"steps":[]}"#);
    let missing = pretend(&[("GET /projects/7/funnel", 404, "{}"), PROJECT]);
    let refused = pretend(&[("GET /projects/7/funnel", 405, "{}"), PROJECT]);
    for base in [missing, refused] {
        for flag in ["--json", "--csv"] {
            let home = tempfile::tempdir().unwrap();
            let mut command = cutaway(home.path());
            command.env("CUTAWAY_BASE_URL", &base).env("CUTAWAY_API_KEY", "marked-key");
            let output = command.args(["projects", "funnel", "7", flag]).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("This service doesn't count what viewers do"), "{said}");
            assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        }
    }
}

/// All numbers of the events that were kept below a state folder.
fn numbers(home: &std::path::Path) -> Vec<String> {
    let mut found: Vec<_> =
        walk(home).into_iter().filter(|file| file.extension().is_some_and(|end| end == "sqlite3")).collect();
    found.retain(|file| file.parent().is_some_and(|folder| folder.ends_with("visits")));
    assert_eq!(found.len(), 1, "{found:?}");
    let connection = rusqlite::Connection::open(&found[0]).unwrap();
    // A visit that was kept in parts was left elsewhere for a while: what came to nothing again is read as if it weren't there.
    let sql = "SELECT project, day, kind, step, what, count, amount FROM sum WHERE count <> 0 OR amount <> 0
        ORDER BY 1, 2, 3, 4, 5";
    let mut statement = connection.prepare(sql).unwrap();
    let line = |row: &rusqlite::Row| {
        let words: [String; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
        let counts: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(5)?];
        Ok(format!("{counts:?} {words:?} {}", row.get::<_, f64>(6)?))
    };
    statement.query_map([], line).unwrap().map(Result::unwrap).collect()
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(found) = std::fs::read_dir(folder) else { return Vec::new() };
    let each = found.flatten().map(|entry| entry.path());
    each.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// An import that is killed between two parts, or in the middle of one, goes on where it was: nothing counts twice.
#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    const VISITS: usize = 900;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.ndjson");
    // What isn't kept makes the file large, so that it is read in several parts.
    let padding = "x".repeat(40_000);
    let line = |visit: usize, events: usize| {
        let event = |at: usize| {
            json!({ "eventName": if at.is_multiple_of(2) { "step_shown" } else { "answer_selected" }, "stepName": format!("s{at}"),
                "text": "Go", "timestamp": 1_767_225_600_000_u64 + at as u64 })
        };
        let events: Vec<Value> = (0..events).map(event).collect();
        json!({ "sessionId": format!("v{visit}"), "projectId": format!("p{}", visit % 3), "timestamp": 1_767_225_600_000_u64,
            "padding": padding, "events": events })
    };
    // The rest of each visit is told later, and much of it twice.
    let order = (0..VISITS).map(|at| (at, 2)).chain((0..VISITS).rev().map(|at| (at / 2 * 2, 4 + at % 5)));
    let lines: Vec<String> = order.map(|(visit, events)| line(visit, events).to_string()).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let service = pretend(&[]);
    let import = |home: &std::path::Path| {
        let mut command = cutaway(home);
        command.env("CUTAWAY_BASE_URL", &service).env("CUTAWAY_API_KEY", "marked-key");
        command.args(["webhooks", "import", file.to_str().unwrap(), "--json"]).stdout(std::process::Stdio::piped());
        command
    };
    let whole = tempfile::tempdir().unwrap();
    let told: Value = serde_json::from_slice(&import(whole.path()).output().unwrap().stdout).unwrap();
    let all = told["kept"].as_u64().unwrap();
    let expected = numbers(whole.path());
    assert!(expected.len() > 20, "{expected:?}");

    let killed = tempfile::tempdir().unwrap();
    let kept = || -> u64 {
        let logs = walk(killed.path()).into_iter().filter(|file| file.extension().is_some_and(|end| end == "ndjson"));
        logs.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    };
    // Its input stays open, so it can't end by itself. A part of what comes has 32 MiB.
    for given in [1_000, 1_750] {
        let before = kept();
        let mut command = cutaway(killed.path());
        command.env("CUTAWAY_BASE_URL", &service).env("CUTAWAY_API_KEY", "marked-key");
        command.args(["webhooks", "import", "-", "--json"]).stdin(std::process::Stdio::piped());
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        let (mut input, lines) = (child.stdin.take().unwrap(), lines[..given].join("\n"));
        let giving = std::thread::spawn(move || {
            // It may be killed before it has read everything.
            let _ = std::io::Write::write_all(&mut input, lines.as_bytes());
            input
        });
        let begun = std::time::Instant::now();
        while kept() <= before {
            assert!(child.try_wait().unwrap().is_none() && begun.elapsed() < PATIENCE, "nothing more was kept");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(9), "{ended}");
        drop(giving.join().unwrap());
    }
    let told: Value = serde_json::from_slice(&import(killed.path()).output().unwrap().stdout).unwrap();
    let (kept, known) = (told["kept"].as_u64().unwrap(), told["known"].as_u64().unwrap());
    assert_eq!(kept + known, 2 * VISITS as u64, "{told}");
    assert!(kept > 0 && kept < all, "some of it was there, and some was not: {told}");
    assert_eq!(numbers(killed.path()), expected);
}

/// Each version of a project has its own numbers at the steps that it had, also at one that is gone by now.
#[tokio::test]
async fn numbers_are_told_apart_by_version() {
    let shop = Shop::open();
    let through = [("step_shown", 0, "First"), ("answer_selected", 0, "Go on"), ("step_shown", 1, "=Second")];
    shop.visit(&[&through[..], &[("completed", 1, "")]].concat(), true).await;
    shop.visit(&through[..1], true).await;
    // Another answer is another version, and then the second step goes.
    let steps = shop.served.json(&["projects", "show", &shop.id])["steps"].as_array().unwrap().clone();
    let id = |name: &str| {
        let step = steps.iter().find(|step| step["name"] == name).unwrap();
        step["id"].as_str().unwrap().to_owned()
    };
    shop.served.prints(&["steps", "update", &id(&shop.steps[0]), "--answer", "Stop=>"]);
    shop.visit(&[("step_shown", 0, "First"), ("answer_selected", 0, "Stop"), ("completed", 0, "")], true).await;
    shop.served.prints(&["steps", "delete", &id(&shop.steps[1]), "--yes"]);

    let funnel = shop.served.json(&["projects", "funnel", &shop.id]);
    let versions = funnel["versions"].as_array().unwrap();
    let seen = |version: &Value| -> Vec<(String, u64)> {
        let step = |step: &Value| (step["name"].as_str().unwrap().to_owned(), step["seen"].as_u64().unwrap());
        version["steps"].as_array().unwrap().iter().map(step).collect()
    };
    let [first, second] = [&shop.steps[0], &shop.steps[1]].map(String::clone);
    // The first one saw its second step, which the project doesn't have any more.
    let mut then = seen(&versions[0]);
    then.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
    assert_eq!(then, [(first.clone(), 2), (second.clone(), 1)]);
    assert_eq!(seen(&versions[1]), [(first.clone(), 1)]);
    let chosen =
        &versions[0]["steps"].as_array().unwrap().iter().find(|step| step["name"] == first).unwrap()["answers"];
    assert_eq!((&chosen[0]["text"], &chosen[0]["chosen"]), (&json!("Go on"), &json!(1)));
    assert_eq!(funnel["gone"]["seen"], 1, "of all visits, it is at a step that is gone");

    // The table, the document and the CSV of one version, by the beginning of its name.
    let name = versions[0]["version"].as_str().unwrap();
    let table =
        shop.served.prints(&["projects", "funnel", &shop.id, "--version", &name.chars().take(6).collect::<String>()]);
    assert!(table.contains(name) && table.contains(&second) && !table.contains("VERSION "), "{table}");
    let only = shop.served.json(&["projects", "funnel", &shop.id, "--version", name]);
    assert_eq!((&only["visits"], &only["completed"], &only["steps"]), (&json!(2), &json!(1), &versions[0]["steps"]));
    let rows = |arguments: &[&str]| -> Vec<Vec<String>> {
        let csv = shop.served.prints(&[&["projects", "funnel", &shop.id, "--csv"], arguments].concat());
        csv.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let all = rows(&[]);
    assert_eq!((all[0].last().unwrap().as_str(), all[0].len()), ("version", 17));
    assert!(all[1..].iter().all(|row| row[16].is_empty()), "{all:?}");
    let steps = |rows: &[Vec<String>]| -> Vec<(String, String, String)> {
        let of_steps = rows[1..].iter().filter(|row| row[2].is_empty() && row[4].is_empty());
        let mut steps: Vec<_> = of_steps.map(|row| (row[16].clone(), row[0].clone(), row[5].clone())).collect();
        steps.sort();
        steps
    };
    let other = versions[1]["version"].as_str().unwrap();
    let row = |version: &str, step: &str, seen: &str| (version.to_owned(), step.to_owned(), seen.to_owned());
    let mut expected = vec![row(name, &first, "2"), row(name, &second, "1"), row(other, &first, "1")];
    expected.sort();
    assert_eq!(steps(&rows(&["--by-version"])), expected);
    assert_eq!(steps(&rows(&["--version", other])), [row(other, &first, "1")]);
    let (_, said) = shop.served.ends(4, &["projects", "funnel", &shop.id, "--version", "nothing"]);
    assert!(said.contains("no visit met version") && said.contains(name) && said.contains(other), "{said}");
}
