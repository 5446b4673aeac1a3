//! Personal data ends: by itself after 30 days, and for a person who asks for it at once. The real binary, and every byte
//! of its folder.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::serving;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cutaway::domain::{Project, Step};
use cutaway::draft::{Draft, Edit, journal};
use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};
use serving::{Served, postgres, s3, text};

const EMAIL: &str = "Jane.Doe+shop@Visitors.Example";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// The files below a folder that hold this text, in capitals or not; where it is served from PostgreSQL, its database too.
fn holding(folder: &Path, wanted: &str) -> Vec<PathBuf> {
    let wanted = wanted.to_lowercase().into_bytes();
    let holds = |bytes: &[u8]| bytes.to_ascii_lowercase().windows(wanted.len()).any(|window| window == wanted);
    let mut found = files(folder);
    found.retain(|path| holds(&fs::read(path).unwrap_or_default()));
    if folder.ends_with("served") && postgres::of_folder(folder).is_some_and(|place| holds(&postgres::dumped(&place))) {
        found.push(folder.join("database"));
    }
    // Films are in a bucket where several processes serve.
    let films = folder.ancestors().find(|folder| folder.ends_with("served")).and_then(s3::files_of);
    let films = films.into_iter().flatten().filter(|key| holds(&s3::bytes_of(key)));
    found.extend(films.map(|key| folder.join(key)));
    found
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn data(served: &Served) -> PathBuf {
    served.home.path().join("served")
}

fn beside(home: &Path, data: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = serving::beside(home, data, arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout).trim().to_owned(), text(&output.stderr).to_owned())
}

/// A visitor comes and leaves name and address.
fn visit(served: &Served, email: &str) {
    let projects = served.answer(Method::GET, "/projects", None);
    let listed = projects["projects"].as_array().or(projects.as_array()).unwrap();
    let publish_id = listed[0]["publishId"].as_str().unwrap();
    let begun = served.answer(Method::POST, &format!("/play/{publish_id}/visits"), Some(json!({})));
    let form = begun["formUrl"].as_str().unwrap().strip_prefix(served.base()).unwrap().to_owned();
    served.answer(Method::POST, &form, Some(json!({ "name": "Jane", "email": email })));
}

/// Changes rows of the workspace of a folder, behind its back.
fn change(data: &Path, sql: &str) {
    match postgres::of_folder(data) {
        Some(place) => drop(postgres::answer(&place, sql)),
        None => Connection::open(data.join("cutaway.sqlite3")).unwrap().execute_batch(sql).unwrap(),
    }
}

/// How many rows the workspace of a folder has of these.
fn count(data: &Path, rows: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {rows}");
    if let Some(found) = postgres::number(data, &sql) {
        return found;
    }
    let connection = Connection::open(data.join("cutaway.sqlite3")).unwrap();
    connection.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// Where a text of the workspace may be, the address however its characters may be written.
fn plant_escaped(served: &Served, project: &str) {
    let data = data(served);
    for written in [
        "jane.doe%2Bshop%40visitors.example",
        "jane.doe%2bshop%40VISITORS%2Eexample",
        "jane.doe+shop%40visitors.example",
        "jane.doe%252Bshop%2540visitors.example",
    ] {
        let url = format!("https://hooks.example/in?who={written}");
        served.answer(Method::POST, "/webhooks", Some(json!({ "event": "conversion", "url": url })));
    }
    for (name, written) in [
        ("json", r#"{"who":"Jane.Doe\u002bshop\u0040visitors.example"}"#),
        ("deeper", r#""{\"who\":\"jane.doe\\u002Bshop\\u0040visitors.example\"}""#),
        ("markup", "<p>jane.doe&#43;shop&#x40;visitors.example</p>"),
        ("blank", "?q=to+Jane.Doe%20shop%40visitors.example+now"),
    ] {
        let step = json!({ "projectId": project, "name": name, "overlayText": written, "description": written });
        served.answer(Method::POST, "/projects/steps", Some(json!({ "step": step })));
    }
    // Captions, and a product whose tag is the address: what it is found by holds it too.
    let video = served.answer(Method::POST, "/videos/video", Some(json!({})));
    let vtt = format!("WEBVTT\n\n00:00.000 --> 00:01.000\nWrite to {EMAIL} &amp; wait\n");
    let path = format!("/videos/{}/captions/en", video["id"].as_str().unwrap());
    served.answer(Method::PUT, &path, Some(json!({ "vtt": vtt })));
    let mut product = served.json(&["products", "search", "--limit", "1"])["products"][0].clone();
    product["externalProductId"] = json!("gid://of/Jane");
    product["title"] = json!(format!("Knitted for {EMAIL}"));
    product["tags"] = json!(["wool", EMAIL]);
    let file = served.home.path().join("products.ndjson");
    fs::write(&file, product.to_string()).unwrap();
    let import = ["import-products", file.to_str().unwrap(), "--app-url", served.store()];
    let (code, said, err) = beside(served.home.path(), &data, &import);
    assert_eq!(code, 0, "{said} {err}");
    assert_eq!(served.json(&["products", "search", "--tag", EMAIL])["products"].as_array().unwrap().len(), 1);
    // What a backup that was killed leaves behind, and a log.
    fs::create_dir_all(data.join("backup-1")).unwrap();
    fs::write(data.join("backup-1/left"), format!("\0\0{EMAIL}\0")).unwrap();
    fs::write(
        served.home.path().join("s/cutaway/cutaway.2026-01-02.log"),
        "GET /?q=%4Aane.doe%2bshop%40visitors.example\n",
    )
    .unwrap();
}

/// Puts the address wherever a text of the workspace may be.
fn plant(served: &Served) {
    let data = data(served);
    assert_eq!(beside(served.home.path(), &data, &["player-form", "on"]).0, 0);
    visit(served, EMAIL);
    visit(served, &EMAIL.to_uppercase());
    visit(served, "somebody.else@visitors.example");
    let name = json!({ "project": { "name": format!("Thanks to {EMAIL}") } });
    let made = served.answer(Method::POST, "/projects", Some(name));
    let id = made["id"].as_str().unwrap();
    let change = json!({ "emailNotifications": [EMAIL.to_lowercase(), "team@shop.example"] });
    served.answer(Method::PUT, &format!("/projects/{id}"), Some(change));
    let step =
        json!({ "step": { "projectId": id, "name": "s", "overlayText": format!("Ask {}", EMAIL.to_lowercase()) } });
    served.answer(Method::POST, "/projects/steps", Some(step));
    let address = format!("https://hooks.example/in?who={}", EMAIL.replace('@', "%40"));
    served.answer(Method::POST, "/webhooks", Some(json!({ "event": "collected_info", "url": address })));
    visit(served, EMAIL);
    assert_eq!(beside(served.home.path(), &data, &["key", "add", "--name", EMAIL]).0, 0);
    // A video that tells who made it.
    let video = [b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec(), vec![0; 2000], EMAIL.as_bytes().to_vec()].concat();
    fs::write(served.home.path().join("clip.mp4"), video).unwrap();
    served.prints(&["videos", "upload", "clip.mp4"]);
    let logs = served.home.path().join("s/cutaway");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("cutaway.2026-01-01.log"), format!("somebody wrote {EMAIL}\n")).unwrap();
    plant_escaped(served, id);
}

/// Nothing of it is left, and what is not of this person is.
fn gone(home: &Path, data: &Path) {
    // However the rest is written, these letters are as they are.
    for wanted in ["ane.doe", "doe+shop", "doe%2bshop", "u002bshop"] {
        assert_eq!(holding(data, wanted), [] as [PathBuf; 0], "{wanted}");
        assert_eq!(holding(&home.join("s"), wanted), [] as [PathBuf; 0], "{wanted}");
    }
    assert!(!holding(data, "somebody.else@visitors.example").is_empty());
    assert!(!holding(data, "team@shop.example").is_empty());
}

#[test]
fn a_person_is_forgotten_while_the_folder_is_served_and_while_it_is_not() {
    let served = Served::start();
    let (home, data) = (served.home.path(), data(&served));
    plant(&served);
    assert!(!holding(&data, EMAIL).is_empty() && !holding(&data.join("blobs"), EMAIL).is_empty());
    let (code, said, err) = beside(home, &data, &["forget", "--email", &EMAIL.to_lowercase(), "--yes", "--json"]);
    assert_eq!(code, 0, "{err}");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["visits"], 3, "{said}");
    assert!(said["deliveries"].as_u64().unwrap() >= 1, "{said}");
    gone(home, &data);
    assert_eq!(count(&data, "visit"), 1);

    // What products are found by is what they say.
    for gone in [&["--tag", EMAIL][..], &["jane doe shop"]] {
        let found = served.json(&[&["products", "search"], gone].concat());
        assert_eq!(found["products"].as_array().unwrap().len(), 0, "{gone:?} {found}");
    }
    assert_eq!(
        served.json(&["products", "search", "knitted for"])["products"][0]["tags"][1],
        "removed@example.invalid"
    );

    // The service goes on, and the video is whole.
    let videos = served.json(&["videos", "list"]);
    let uploaded = videos.to_string();
    assert!(uploaded.contains("clip"), "{uploaded}");
    plant_again(&served);
    let log = beside(home, &data, &["audit", "--json"]).1;
    let log: Value = serde_json::from_str(&log).unwrap();
    let records: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "forget").collect();
    assert_eq!(records.len(), 1);
    assert!(records[0]["detail"].as_str().unwrap().starts_with("visits: 3, deliveries: "), "{}", records[0]);

    // Killed, so that its log is not tidied up.
    let (home, data) = served.killed();
    let (code, said, err) = beside(home.path(), &data, &["forget", "--email", EMAIL, "--yes"]);
    assert!(code == 0 && said.starts_with("Removed 1 visit and "), "{said} {err}");
    gone(home.path(), &data);
    let (code, said, _) = beside(home.path(), &data, &["forget", "--email", EMAIL, "--yes"]);
    assert!(code == 0 && said.starts_with("Removed 0 visits and 0 deliveries"), "{said}");
    let (code, _, err) = beside(home.path(), &data, &["forget", "--email", "nobody", "--yes"]);
    assert!(code == 2 && err.contains("is not an e-mail address"), "{err}");
}

/// Puts an address wherever bytes are kept: in texts of the database, in a video, in a log, and in a draft.
fn plant_beside(served: &Served, nth: usize, email: &str) {
    let name = json!({ "project": { "name": format!("Thanks to {email}") } });
    let id = served.answer(Method::POST, "/projects", Some(name))["id"].as_str().unwrap().to_owned();
    let change = json!({ "emailNotifications": [email] });
    served.answer(Method::PUT, &format!("/projects/{id}"), Some(change));
    visit(served, email);
    let video = [b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec(), vec![0; 2000], email.as_bytes().to_vec(), vec![0]];
    let clip = format!("clip-{nth}.mp4");
    fs::write(served.home.path().join(&clip), video.concat()).unwrap();
    served.prints(&["videos", "upload", &clip]);
    let state = served.home.path().join("s/cutaway");
    fs::create_dir_all(state.join("drafts")).unwrap();
    fs::write(state.join(format!("cutaway.2026-01-0{nth}.log")), format!("wrote {email}\n")).unwrap();
    fs::write(state.join(format!("drafts/{nth}.journal")), format!("{{\"text\":\"{email}\"}}\n")).unwrap();
}

#[test]
fn addresses_that_contain_one_another_are_different_people() {
    let served = Served::start();
    let (home, data) = (served.home.path(), data(&served));
    let state = home.join("s/cutaway");
    assert_eq!(beside(home, &data, &["player-form", "on"]).0, 0);
    let people = ["bob@x.example", "alice-bob@x.example", "bob@x.example.org", "alice.bob@x.examples"];
    for (nth, person) in people.iter().enumerate() {
        plant_beside(&served, nth + 1, person);
    }
    // Each person's places, without those that only hold an address that contains theirs.
    let left = |nth: usize| {
        let video = holding(&data.join("blobs"), people[nth]).len();
        let log = fs::read_to_string(state.join(format!("cutaway.2026-01-0{}.log", nth + 1))).unwrap();
        (video > 0, log == format!("wrote {}\n", people[nth]))
    };
    let visits = |person: &str| count(&data, &format!("visit WHERE collected LIKE '%\"{person}\"%'"));
    let listed = |person: &str| {
        let found = served.answer(Method::GET, "/projects", None).to_string();
        found.contains(&format!("\"Thanks to {person}\"")) && found.contains(&format!("[\"{person}\"]"))
    };
    for (nth, person) in people.iter().enumerate() {
        assert!(listed(person) && visits(person) == 1 && left(nth) == (true, true), "{person}");
        let (code, said, err) = beside(home, &data, &["forget", "--email", person, "--yes", "--json"]);
        assert_eq!(code, 0, "{err}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["visits"], 1, "{person}: {said}");
        assert!(!listed(person) && visits(person) == 0 && !left(nth).1, "{person}");
        // Drafts are their owner's: they stay as they are, and are named.
        let draft = state.join(format!("drafts/{}.journal", nth + 1));
        assert_eq!(said["left"], json!([draft.to_str().unwrap()]), "{said}");
        assert!(
            err.lines().count() == 1 && err.contains(&format!("drafts/{}.journal still contains", nth + 1)),
            "{err}"
        );
        for (other, theirs) in people.iter().enumerate().skip(nth + 1) {
            assert!(listed(theirs) && visits(theirs) == 1 && left(other) == (true, true), "{theirs} after {person}");
        }
    }
    for person in people {
        assert_eq!(holding(&data, person), [] as [PathBuf; 0], "{person}");
        assert_eq!(holding(&state, person).iter().filter(|file| !file.starts_with(state.join("drafts"))).count(), 0);
    }
}

#[test]
fn captions_in_which_a_person_was_forgotten_are_others_to_caches() {
    let served = Served::start();
    let (home, data) = (served.home.path(), data(&served));
    let address = json!({ "video": { "videoUrl": "https://cdn.example/a.mp4" } });
    let video = served.answer(Method::POST, "/videos/video", Some(address))["id"].as_str().unwrap().to_owned();
    let path = format!("/videos/{video}/captions/en");
    let vtt = format!("WEBVTT\n\n00:00.000 --> 00:01.000\nAsk {EMAIL}\n");
    let set = served.answer(Method::PUT, &path, Some(json!({ "vtt": vtt })));
    let url = set["captionsUrl"].as_str().unwrap();
    let read = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let answer = reqwest::get(url).await.unwrap();
            let tag = answer.headers()["etag"].to_str().unwrap().to_owned();
            (tag, answer.text().await.unwrap())
        })
    };
    let (before, text) = read();
    assert!(text.contains(EMAIL), "{text}");
    assert_eq!(beside(home, &data, &["forget", "--email", EMAIL, "--yes"]).0, 0);
    let (after, text) = read();
    assert!(!text.contains(EMAIL) && before != after, "{before} {after}: {text}");
}

/// A draft with these texts, as a guest's studio keeps it.
fn guests_draft(texts: &[String]) -> Draft {
    let step = Step { id: Some("s1".into()), name: Some("first".into()), ..Step::default() };
    let mut draft = Draft::new("w", Project { id: "p1".into(), steps: Some(vec![step]), ..Project::default() });
    let (first, _) = draft.content().steps().next().unwrap();
    for text in texts {
        draft.apply(&Edit::Overlay { step: first, text: text.clone() }).unwrap();
    }
    draft
}

fn read(journal: &Path) -> (Option<Draft>, bool) {
    let read = journal::read(&fs::read(journal).unwrap()).unwrap();
    (read.draft, read.damage.is_none())
}

#[test]
fn a_person_is_forgotten_in_named_workspaces_and_in_what_guests_have() {
    let served = Served::start();
    let (home, data) = (served.home.path(), data(&served));
    let named = data.join("workspaces/training");
    // One is being served meanwhile, the other one is not.
    let other = data.join("workspaces/other");
    for folder in [&named, &other] {
        assert_eq!(beside(home, folder, &["key", "add", "--name", EMAIL]).0, 0);
    }
    let serving = serving::Process::start(&mut serving::serve(home, &named));
    // What a backup that was killed leaves of a database, and what guests have: a draft, one that is damaged, and where
    // their studios were.
    fs::create_dir_all(data.join("backup-1")).unwrap();
    fs::write(data.join("backup-1/cutaway.sqlite3"), format!("\0\0{EMAIL}\0")).unwrap();
    let state = data.join("ssh/guests/ed25519-abc/state");
    fs::create_dir_all(state.join("drafts")).unwrap();
    let escaped = format!("<{}>", EMAIL.replace('@', "%40"));
    let longer = format!("Ask mary-{EMAIL}");
    let texts = [format!("Ask {EMAIL}"), "Hello".to_owned(), escaped.clone(), longer.clone()];
    let (whole, _) = journal::whole(&guests_draft(&texts).records());
    fs::write(state.join("drafts/one.draft"), &whole).unwrap();
    let damaged = whole.replacen("Hello", "Hallo", 1);
    fs::write(state.join("drafts/two.draft.broken-1"), &damaged).unwrap();
    fs::write(state.join("session.toml"), format!("filter = \"{EMAIL}\"\n")).unwrap();
    fs::write(state.join("drafts/open.draft"), &whole).unwrap();
    let open = fs::File::open(state.join("drafts/open.draft")).unwrap();
    open.lock().unwrap();

    let (code, said, err) = beside(home, &data, &["forget", "--email", EMAIL, "--yes", "--json"]);
    assert_eq!(code, 0, "{err}");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["open"], json!([state.join("drafts/open.draft").to_str().unwrap()]), "{said}");
    assert!(err.lines().count() == 1 && err.contains("open.draft is open in a guest's studio"), "{err}");
    // The longer address is another person's.
    let held: Vec<PathBuf> = holding(&data, "doe+shop");
    assert!(held.iter().all(|file| file.starts_with(state.join("drafts"))) && held.len() == 3, "{held:?}");
    for file in &held {
        let text = fs::read_to_string(file).unwrap();
        assert_eq!(text.matches("Jane.Doe").count(), text.matches("mary-Jane.Doe").count(), "{text}");
    }
    let texts = [
        texts[0].replace(EMAIL, &"x".repeat(EMAIL.len())),
        "Hello".to_owned(),
        escaped.replace(&EMAIL.replace('@', "%40"), &"x".repeat(EMAIL.len() + 2)),
        longer,
    ];
    for name in ["one", "open"] {
        let (kept, is_sound) = read(&state.join(format!("drafts/{name}.draft")));
        assert!(is_sound, "{name} is as whole as before");
        assert_eq!(kept.unwrap(), read_back(&guests_draft(&texts)), "{name}");
    }
    // What can be read of the damaged one is what could be read before.
    let before = journal::read(damaged.as_bytes()).unwrap().damage.unwrap();
    let after = journal::read(&fs::read(state.join("drafts/two.draft.broken-1")).unwrap()).unwrap().damage.unwrap();
    assert_eq!((before.missing, before.later()), (after.missing, after.later()));
    // Each in a database of its own is not reached from here.
    let reached = if postgres::is_wanted() { &[&data][..] } else { &[&data, &named, &other] };
    for folder in reached {
        let log: Value = serde_json::from_str(&beside(home, folder, &["audit", "--json"]).1).unwrap();
        let entries = log["entries"].as_array().unwrap();
        assert_eq!(
            entries.iter().filter(|entry| entry["action"] == "forget").count(),
            1,
            "{}: {log}",
            folder.display()
        );
    }
    drop(serving);
}

/// A draft as its journal tells it.
fn read_back(draft: &Draft) -> Draft {
    journal::read(journal::whole(&draft.records()).0.as_bytes()).unwrap().draft.unwrap()
}

fn plant_again(served: &Served) {
    visit(served, EMAIL);
    assert!(!holding(&data(served), EMAIL).is_empty());
}

#[test]
fn without_a_terminal_to_ask_on_nothing_is_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let (code, said, err) = beside(home.path(), &data, &["forget", "--email", EMAIL]);
    assert!(code == 2 && said.is_empty() && err.contains("--yes"), "{code} {said} {err}");
    assert!(!data.exists(), "it is refused before anything is opened");
}

#[test]
fn what_is_older_than_30_days_is_swept_at_the_start() {
    let served = Served::start();
    assert_eq!(beside(served.home.path(), &data(&served), &["player-form", "on"]).0, 0);
    visit(&served, "old@visitors.example");
    visit(&served, "new@visitors.example");
    let (home, data) = served.killed();
    let month = 31 * 24 * 3600 * 1000_i64;
    let old = "collected LIKE '%old@visitors%'";
    assert_eq!(count(&data, &format!("visit WHERE {old}")), 1);
    // One that is still open, too: nobody is told of it any more. The sample's subscriptions were told of it.
    change(
        &data,
        &format!(
            "UPDATE visit SET begun_at = begun_at - {month}, seen_at = seen_at - {month} WHERE {old};
             UPDATE delivery SET created_at = created_at - {month} WHERE body LIKE '%old@visitors%';
             INSERT INTO delivery (number, id, webhook, message, event, body, created_at, tried_until, next_at)
             SELECT -nth, 'd' || nth, 'w', 'm', 'collected_info', '{{\"email\":\"old@visitors.example\"}}', began, began,
             CASE WHEN nth % 2 = 1 THEN NULL ELSE began END FROM (SELECT begun_at AS began FROM visit WHERE {old}) AS one,
             (SELECT 1 AS nth UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS each"
        ),
    );
    assert_eq!(count(&data, "delivery WHERE webhook = 'w'"), 4);
    let logs = home.path().join("s/cutaway");
    let logged = || {
        let found = if logs.is_dir() { files(&logs) } else { Vec::new() };
        found.into_iter().map(|file| fs::read_to_string(file).unwrap_or_default()).collect::<String>()
    };
    // The first start had nothing to sweep.
    let before = logged().lines().count();
    let served = Served::logging(home);
    // Nobody asks for anything.
    until("what is old is gone", || holding(&data, "old@visitors.example").is_empty());
    // The log says so before it says anything else of this start: nothing is waited for. And it says when that is done
    // again.
    let mut first = String::new();
    until("the sweep is in the log", || {
        first = logged().lines().nth(before).unwrap_or_default().to_owned();
        first.contains("next_s=")
    });
    let number = |name: &str| -> u64 {
        let word = first.split(' ').find_map(|word| word.strip_prefix(name)).unwrap();
        word.trim_start_matches('=').parse().unwrap()
    };
    assert!(first.contains("swept") && first.contains("after_ms="), "{first}");
    assert!(number("rows") >= 5 && number("next_s") == 3600, "{first}");
    assert_eq!(
        (count(&data, "visit"), count(&data, "visit_event WHERE visit NOT IN (SELECT number FROM visit)")),
        (1, 0)
    );
    assert!(!holding(&data, "new@visitors.example").is_empty());
    drop(served);
}
