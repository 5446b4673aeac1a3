//! `cutaway lint` over the sample store: its table, its documents, its baseline, its exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use serving::{Served, beside, text};

/// What a command came to: its exit code, standard output, standard error.
fn run(served: &Served, arguments: &[&str]) -> (i32, String, String) {
    let output = served.command(&[&["lint"], arguments].concat()).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

fn document(served: &Served, arguments: &[&str]) -> Value {
    let (_, out, err) = run(served, &[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// How many problems each rule of a document found.
fn found(document: &Value) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for problem in document["problems"].as_array().unwrap() {
        *found.entry(problem["rule"].as_str().unwrap()).or_default() += 1;
    }
    found
}

#[test]
fn the_sample_has_problems_of_both_kinds() {
    let served = Served::start();
    let all = document(&served, &[]);
    assert_eq!(all["products"], 274, "{all}");
    let of = found(&all);
    assert!(all["videos"].as_u64().unwrap() > 5, "{all}");
    for rule in ["S01", "S04", "S13", "S20", "dangling", "unreachable", "noVideo"] {
        assert!(of.contains_key(rule), "{rule}: {of:?}");
    }
    assert!(of.keys().all(|rule| !rule.starts_with(['F', 'L'])), "feeds are asked for: {of:?}");
    assert!(found(&document(&served, &["products", "--set", "feed"])).keys().all(|rule| rule.starts_with('F')));
    let first = &all["problems"][0];
    for member in ["rule", "name", "set", "severity", "sentence", "field", "record"] {
        assert!(!first[member].is_null(), "{member}: {first}");
    }
    let rule = all["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "S01").unwrap();
    assert_eq!(rule["checked"].as_u64().unwrap() + rule["unchecked"].as_u64().unwrap(), 274, "{rule}");

    let (code, table, said) = run(&served, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(table.starts_with("SEVERITY") && said.contains("errors"), "{table}{said}");
    let (code, table, said) = run(&served, &["products", "--rule", "sold-out", "--limit", "1"]);
    assert_eq!(code, 0, "a warning is no error: {said}");
    assert!(table.contains("more: --limit"), "{table}");
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(lines.len(), 2, "{table}");
}

#[test]
fn figures_of_third_parties_can_be_set() {
    let served = Served::start();
    for rule in ["S28", "F04"] {
        let long = |more: &[&str]| {
            let all = document(&served, &[&["products", "--rule", rule], more].concat());
            let is_long = |problem: &&Value| problem["sentence"].as_str().unwrap().contains("characters, over 25");
            all["problems"].as_array().unwrap().iter().filter(is_long).count()
        };
        assert_eq!((long(&[]), long(&["--title-length", "25"]) > 10), (0, true), "{rule}");
    }
}

#[test]
fn problems_are_told_to_other_tools_and_a_baseline_keeps_them_quiet() {
    let served = Served::start();
    let (code, sarif, _) = run(&served, &["products", "--sarif"]);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!((code, sarif["version"].as_str().unwrap()), (1, "2.1.0"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let known = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.len() > 20 && results.iter().all(|one| known.iter().any(|rule| rule["id"] == one["ruleId"])));
    assert!(results.iter().all(|one| one["message"]["text"].is_string() && one["locations"][0].is_object()));

    let (code, _, said) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 2 && said.contains("--update-baseline"), "{said}");
    let (code, _, said) = run(&served, &["--baseline", "known.txt", "--update-baseline"]);
    assert_eq!(code, 0, "what is known from now on is no reason to fail: {said}");
    let (code, _, said) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 0 && said.contains("no problems") && said.contains("ignored"), "{said}");

    // A line that is taken out is a problem again.
    let file = served.home.path().join("known.txt");
    let lines = std::fs::read_to_string(&file).unwrap();
    let without: Vec<&str> = lines.lines().filter(|line| !line.starts_with("S20 ")).collect();
    assert!(without.len() < lines.lines().count());
    std::fs::write(&file, without.join("\n")).unwrap();
    let (code, table, _) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 1 && table.contains("error     S20") && !table.contains("has no SKU"), "{table}");
}

#[test]
fn what_is_asked_for_in_vain_is_said() {
    let served = Served::start();
    for (arguments, code, words) in [
        (&["products", "--rule", "S99"][..], 2, "docs/lint.md"),
        (&["--set", "all"], 2, "wiring"),
        (&["project"], 2, "<ID>"),
        (&["project", "one", "two"], 2, "one ID"),
        (&["products", "some-id"], 2, "no ID"),
        (&["products", "--watch"], 2, "for projects"),
        (&["--every", "5"], 2, "--watch"),
        (&["--watch", "--every", "18446744073709551615"], 2, "--every"),
        (&["--watch", "--rule", "W01"], 2, "cannot be used"),
        (&["--watch", "--set", "wiring"], 2, "cannot be used"),
        (&["--watch", "--webhook", "ftp://there.example", "--rounds", "0"], 2, "http or https"),
        (&["videos", "no-such-file.mp4"], 1, "no-such-file.mp4"),
        (&["project", "no-such-project"], 4, "no such project"),
    ] {
        let (ended, _, said) = run(&served, arguments);
        assert!(ended == code && said.to_lowercase().contains(&words.to_lowercase()), "{arguments:?}: {ended} {said}");
    }
}

/// Lines of problems: rule, record, severity.
fn told(document: &Value) -> Vec<String> {
    let line = |problem: &Value| {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let record = &problem["record"];
        let name = if record["step"].is_null() { &record["title"] } else { &record["step"] };
        format!("{} {} {}", word(&problem["rule"]), word(name), word(&problem["severity"]))
    };
    document["problems"].as_array().unwrap().iter().map(line).collect()
}

/// What review tools read names the step, and every rule that it refers to.
#[test]
fn sarif_tells_steps_apart_and_declares_what_it_refers_to() {
    let served = Served::start();
    let (fine, sold_out) = stock(&served);
    let project = project(&served, &[&fine, &sold_out]);
    let (code, sarif, said) = run(&served, &["project", &project, "--sarif"]);
    assert_eq!(code, 1, "{said}");
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    for id in ["W01", "dangling", "noVideo", "deadEnd", "unreachable"] {
        assert_eq!(ids.iter().filter(|known| **known == id).count(), 1, "{id}");
    }
    let mut places = std::collections::BTreeSet::new();
    for result in results {
        assert!(ids.contains(&result["ruleId"].as_str().unwrap()), "{result}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()), "{result}");
        let place = &result["locations"][0]["logicalLocations"][0];
        let (full, name) = (place["fullyQualifiedName"].as_str().unwrap(), place["name"].as_str().unwrap());
        if place["kind"] == "step" {
            assert!(name != project && full.starts_with(&format!("{project}/{name}")), "{place}");
            assert!(result["properties"]["reach"]["share"].is_number(), "{result}");
        }
        assert!(places.insert((result["ruleId"].as_str().unwrap(), full)), "two of one rule at one place: {result}");
    }
    let sold = results.iter().find(|result| result["ruleId"] == "W01").unwrap();
    assert!(sold["properties"]["fix"].is_string() && sold["properties"]["reach"]["of"] == "paths", "{sold}");
}

/// V01 is a fault before sending: what not every browser plays is not sent, unless that is asked for.
#[test]
fn a_video_that_browsers_do_not_play_is_refused_before_it_is_sent() {
    let served = Served::start();
    let avi = [b"RIFF\x24\x10\0\0AVI LIST\0\0\0\0hdrlavih".to_vec(), vec![0; 4096]].concat();
    std::fs::write(served.home.path().join("bad.avi"), avi).unwrap();
    let count = || served.json(&["videos", "list"])["videos"].as_array().unwrap().len();
    let before = count();
    for flags in [&["videos", "upload", "bad.avi"][..], &["videos", "upload", "bad.avi", "--detach"]] {
        let output = served.command(flags).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("AVI") && said.contains("--any-format"), "{said}");
    }
    let queue = served.json(&["videos", "queue"]);
    assert_eq!((count(), queue["uploads"].as_array().unwrap().len()), (before, 0), "{queue}");
    served.prints(&["videos", "upload", "bad.avi", "--any-format"]);
    assert_eq!(count(), before + 1);
    // The lint says the same of the file.
    let (code, table, said) = run(&served, &["videos", "bad.avi"]);
    assert!(code == 1 && table.contains("V01") && table.contains("AVI"), "{table}{said}");
}

/// A project whose first step leads to two others, with products on all of them; its id.
fn project(served: &Served, products: &[&str]) -> String {
    let project = served.json(&["projects", "create", "Offers"]);
    let project = project["id"].as_str().unwrap().to_owned();
    let create = |overlay: &str, flags: &[&str]| {
        let made = served.json(&[&["steps", "create", &project, "--overlay-text", overlay][..], flags].concat());
        made["id"].as_str().unwrap().to_owned()
    };
    let [first, second, ..] = products else { panic!("two products are needed") };
    let left = create("left", &["--product", first]);
    let right = create("right", &["--product", second]);
    let answers = [format!("Under 1 kr=>{left}"), format!("Over 1 kr=>{right}"), format!("That one=>{right}")];
    let answers: Vec<&str> = answers.iter().flat_map(|answer| ["--answer", answer.as_str()]).collect();
    let start = create("start", &[&answers[..], &["--product", "no-such-product"]].concat());
    let order = format!("{start},{left},{right}");
    served.prints(&["projects", "update", &project, "--steps-order", &order]);
    project
}

/// Products of the sample store that can be bought, with a price and a picture, and one that is sold out.
pub fn stock(served: &Served) -> (String, String) {
    let all = served.prints(&["products", "search", "--all", "--include", "variants", "--include", "media", "--json"]);
    let products: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |wanted: &dyn Fn(&Value) -> bool| {
        let found = products.iter().find(|found| {
            let product = *found;
            let variants = product["variants"].as_array().unwrap();
            let is_plain = variants.iter().all(|variant| {
                variant["inventoryTracked"] == true
                    && variant["inventoryQuantity"].is_number()
                    && variant["inventoryPolicy"].as_str().is_some_and(|word| word.eq_ignore_ascii_case("deny"))
                    && variant["price"]
                        .as_str()
                        .is_some_and(|price| price.parse::<f64>().is_ok_and(|price| price > 1.0))
            });
            let is_shown = !product["publishedAt"].is_null()
                && product["status"].as_str().is_some_and(|word| word.eq_ignore_ascii_case("active"))
                && product["currencyCode"] == "NOK";
            let has_picture = !product["media"].as_array().unwrap().is_empty();
            !variants.is_empty() && is_plain && is_shown && has_picture && wanted(product)
        });
        let found = found.unwrap_or_else(|| panic!("no such product in the sample"));
        found["externalProductId"].as_str().unwrap().to_owned()
    };
    let left = |product: &Value| -> f64 {
        product["variants"].as_array().unwrap().iter().filter_map(|variant| variant["inventoryQuantity"].as_f64()).sum()
    };
    (of(&|product| left(product) > 10.0), of(&|product| left(product) <= 0.0))
}

#[test]
fn what_a_project_offers_is_checked_against_the_catalog() {
    let served = Served::start();
    let (fine, sold_out) = stock(&served);
    let project = project(&served, &[&fine, &sold_out]);
    let document = document(&served, &["project", &project]);
    let names: Vec<String> = served.json(&["projects", "show", &project])["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap().to_owned())
        .collect();
    let [left, right, start] = names.as_slice() else { panic!("{names:?}") };
    let told = told(&document);
    for line in [
        format!("W01 {right} error"),
        format!("W02 {start} error"),
        format!("W04 {start} warning"),
        format!("noVideo {left} error"),
    ] {
        assert!(told.contains(&line), "{line}: {told:?}");
    }
    assert!(!told.iter().any(|line| line.starts_with(&format!("W01 {left}"))), "{told:?}");
    // What most meet comes first: all paths come to the start, two of three go right.
    let shares: Vec<f64> = document["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["set"] == "wiring")
        .map(|problem| problem["reach"]["share"].as_f64().unwrap_or_else(|| panic!("{problem}")))
        .collect();
    assert!(shares.is_sorted_by(|one, other| one >= other), "{shares:?}");
    let sold = document["problems"].as_array().unwrap().iter().find(|problem| problem["rule"] == "W01").unwrap();
    assert!((sold["reach"]["share"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{sold}");
    assert!(sold["reach"]["of"] == "paths" && sold["fix"].is_string(), "{sold}");
    // A table says the same.
    let (code, table, _) = run(&served, &["project", &project]);
    assert!(code == 1 && table.contains("67% of paths"), "{table}");
    // The catalog is read for what texts name.
    assert_eq!(open(&document, "W05"), 0, "{document}");
    // Without a store, what doesn't depend on its products is checked all the same.
    let mut bare = served.command(&["lint", "project", &project, "--json"]);
    let bare = bare.env_remove("CUTAWAY_APP_URL").output().unwrap();
    assert_eq!(bare.status.code(), Some(1), "{}", text(&bare.stderr));
    let bare: Value = serde_json::from_slice(&bare.stdout).unwrap();
    let of = found(&bare);
    assert!(of.contains_key("noVideo") && !of.keys().any(|rule| ["W01", "W02", "W03", "W04"].contains(rule)), "{of:?}");
    for rule in bare["rules"].as_array().unwrap() {
        let (id, checked) = (rule["id"].as_str().unwrap(), rule["checked"].as_u64().unwrap());
        let is_open = ["W01", "W02", "W03", "W04", "W05"].contains(&id);
        assert!(!is_open || (checked == 0 && rule["unchecked"].as_u64().unwrap() > 0), "{rule}");
    }
}

/// How many records a rule couldn't be checked for.
fn open(document: &Value, id: &str) -> u64 {
    let rules = document["rules"].as_array().unwrap();
    rules.iter().find(|rule| rule["id"] == id).unwrap()["unchecked"].as_u64().unwrap()
}

/// Where nothing can be checked, there is no document: half of one would be read by whoever reads the other half.
#[test]
fn what_can_not_be_checked_has_no_document() {
    let served = Served::start();
    for form in ["--json", "--sarif"] {
        for arguments in [&["lint", "project", "nobody", form][..], &["lint", "--profile", "none", form]] {
            let output = served.command(arguments).output().unwrap();
            assert!(!output.status.success());
            assert_eq!(text(&output.stdout), "", "{arguments:?}");
        }
    }
}

/// A large catalog is read for the texts of one project where that is asked for, and what was not looked at is said.
#[test]
fn a_large_catalog_is_read_for_one_project_where_that_is_asked_for() {
    let served = Served::with(&["--sample-products", "1001"]);
    let project = project(&served, &["1", "2"]);
    let large = ["project", project.as_str(), "--app-url", "https://synthetic.example"];
    let (_, table, _) = run(&served, &large);
    assert!(table.contains("W05"), "{table}");
    assert!(open(&document(&served, &large), "W05") > 0);
    assert_eq!(open(&document(&served, &[&large[..], &["--deep"]].concat()), "W05"), 0);
}

#[test]
fn videos_are_read_by_their_index_and_files_before_they_are_sent() {
    let served = Served::start();
    let all = document(&served, &["videos"]);
    let rules = all["rules"].as_array().unwrap();
    let of = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap();
    let videos = all["videos"].as_u64().unwrap();
    for read in ["V01", "V03", "V06", "V07"] {
        assert_eq!(of(read)["checked"].as_u64().unwrap(), videos, "{}", of(read));
    }
    assert_eq!(of("V08")["unchecked"].as_u64().unwrap(), videos, "only --deep reads all of a video");
    assert!(rules.iter().all(|rule| rule["id"].as_str().unwrap().starts_with('V')), "{rules:?}");
    let deep: Value = serde_json::from_slice(&served.run(&["lint", "videos", "--deep", "--json"]).stdout).unwrap();
    let twins = deep["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "V08").unwrap();
    assert_eq!(twins["checked"].as_u64().unwrap(), videos, "{twins}");

    // Files: two that are the same, one of them with captions; and one that is none.
    let home = served.home.path();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample/videos/tour-1.mp4");
    for name in ["one.mp4", "two.mp4"] {
        std::fs::copy(sample, home.join(name)).unwrap();
    }
    std::fs::write(home.join("two.vtt"), "WEBVTT\n").unwrap();
    std::fs::write(home.join("text.mp4"), "no video at all").unwrap();
    let (_, out, err) = run(&served, &["videos", "one.mp4", "two.mp4", "text.mp4", "--json"]);
    let files: Value = serde_json::from_str(&out).unwrap();
    let told = told(&files);
    assert!(told.contains(&"V07 one.mp4 warning".to_owned()), "{told:?}");
    assert!(told.contains(&"V08 two.mp4 note".to_owned()) && !told.contains(&"V07 two.mp4 warning".to_owned()));
    assert!(err.contains("text.mp4") && !told.iter().any(|line| line.contains("text.mp4")), "{err}{told:?}");
}

/// `ffmpeg` follows addresses anywhere, and playlists into files: it is given copies, and may open nothing else.
#[test]
#[cfg(unix)]
fn what_listens_to_videos_is_given_files_of_this_machine() {
    let served = Served::start();
    let home = served.home.path();
    let (tools, noted) = (home.join("tools"), home.join("noted"));
    std::fs::create_dir(&tools).unwrap();
    let listener = tools.join("ffmpeg");
    let script = format!("echo \"$*\" >> '{}'\necho '  I: -99.0 LUFS' >&2", noted.display());
    crate::programs::script(&listener, &script);
    let output = served.command(&["lint", "videos", "--deep", "--json"]).env("PATH", &tools).output().unwrap();
    let deep: Value = serde_json::from_slice(&output.stdout).unwrap();
    let silent =
        deep["problems"].as_array().unwrap().iter().filter(|one| one["sentence"].as_str().unwrap().contains("-99"));
    let noted = std::fs::read_to_string(noted).unwrap();
    assert!(silent.count() == noted.lines().count() && noted.lines().count() > 1, "{noted}{deep}");
    for line in noted.lines() {
        let is_confined = line.contains("-protocol_whitelist file -format_whitelist mov,matroska -i file:/");
        assert!(is_confined && !line.contains("http"), "{line}");
    }
}

#[test]
fn a_watch_says_what_sells_out_and_idles_with_two_requests_a_round() {
    let served = Served::logging(tempfile::tempdir().unwrap());
    let (fine, sold_out) = stock(&served);
    let project = project(&served, &[&fine, &sold_out]);
    let hook = receiver();
    let flags = ["lint", "--watch", "--json", "--every", "1", "--webhook", &hook.0];
    let mut watch = served.command(&flags).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(watch.stderr.take().unwrap()).lines();
    let begun = said.next().unwrap().unwrap();
    assert!(begun.contains("watching") && begun.contains("published projects"), "{begun}");

    // Idle rounds: each asks for the newest products once, and for one thing more.
    let counts = || served.logged_each(["searchProductsCursor", "answered"]);
    let [at, before] = counts();
    let mut now = counts();
    until("there were some rounds", || {
        now = counts();
        now[0] >= at + 4
    });
    let (rounds, requests) = (now[0] - at, now[1] - before);
    assert!(requests <= 2 * rounds + 1, "{requests} requests in {rounds} rounds");

    // The product sells out, and comes back.
    let change = |id: &str, left: i64, time: &str| {
        let mut product = served.json(&["products", "get", id])["product"].clone();
        product["providerUpdatedAt"] = time.into();
        for variant in product["variants"].as_array_mut().unwrap() {
            variant["inventoryQuantity"] = left.into();
        }
        let written = served.home.path().join("changed.ndjson");
        std::fs::write(&written, product.to_string()).unwrap();
        let data = served.home.path().join("served");
        let import = ["import-products", written.to_str().unwrap(), "--app-url", served.store()];
        let output = beside(served.home.path(), &data, &import).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    let mut out = BufReader::new(watch.stdout.take().unwrap()).lines();
    // Projects of the sample may show the product too.
    let is_own = |event: &Value| event["project"]["id"] == project.as_str();
    let mut next = || loop {
        let event: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
        if is_own(&event) {
            break event;
        }
    };
    // A date in the future hides no change that comes after it.
    change(&sold_out, 0, "2999-01-01T00:00:00.000Z");
    change(&fine, 0, &jiff::Timestamp::now().to_string());
    let first = next();
    assert_eq!(
        (&first["event"], &first["state"], &first["rule"]),
        (&"sold-out".into(), &"begun".into(), &"W01".into())
    );
    assert_eq!(first["reach"]["of"], "paths", "{first}");
    assert_eq!(hook.1.iter().find(is_own).unwrap(), first, "the webhook is told the same");
    change(&fine, 5, &jiff::Timestamp::now().to_string());
    let second = next();
    assert_eq!((&second["event"], &second["state"]), (&"sold-out".into(), &"over".into()));
    watch.kill().unwrap();
    watch.wait().unwrap();
}

/// An address that takes what is sent to it, and what that was.
pub fn receiver() -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = said.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            reader.into_inner().write_all(answer).unwrap();
            if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                return;
            }
        }
    });
    (address, received)
}

/// How many problems of each rule the sample has: nobody adds one unseen. How many viewers meet them is another matter, and so
/// is what projects offer (W), which follows their visits. What goes by the clock (S22, S33, S34) is left out too.
#[test]
fn the_sample_has_its_known_problems() {
    let served = Served::start();
    let all = document(&served, &["--set", "shop,video,wiring,feed"]);
    let of = found(&all);
    // Of the barcodes none is wrong.
    assert!(!of.contains_key("F01"), "{of:?}");
    let by_clock = ["S22", "S33", "S34"];
    let counts = of.iter().filter(|(rule, _)| !rule.starts_with('W') && !by_clock.contains(rule));
    let lines: Vec<String> = counts.map(|(rule, count)| format!("{rule} {count}")).collect();
    insta::assert_snapshot!("problems of the sample", lines.join("\n"));
}

/// What the sample's projects offer wrong begins with what the README's tour goes to.
#[test]
fn the_sample_shows_a_product_that_is_sold_out() {
    let served = Served::start();
    let all = document(&served, &["--set", "wiring"]);
    let sold_out = all["problems"].as_array().unwrap().iter().find(|problem| problem["rule"] == "W01");
    let sold_out = sold_out.unwrap_or_else(|| panic!("{all}"));
    assert_eq!(sold_out["record"]["step"], "B1gGf", "{sold_out}");
    assert!(
        sold_out["sentence"].as_str().unwrap().contains("\"Hardanger belay jacket\", which is sold out"),
        "{sold_out}"
    );
    assert_eq!(sold_out["reach"]["of"], "viewers", "{sold_out}");
}

/// A product of another store of the workspace is looked up there; V09 and the other checks of steps are named like rules.
#[test]
fn products_of_other_stores_are_looked_up_there_and_checks_of_steps_are_named() {
    let served = Served::with(&["--sample-products", "50"]);
    let (fine, _) = stock(&served);
    let second = "https://synthetic.example";
    let listed = served.json(&["products", "search", "--app-url", second, "--limit", "1"]);
    let theirs = listed["products"][0]["externalProductId"].as_str().unwrap().to_owned();
    let project = served.json(&["projects", "create", "Two stores"])["id"].as_str().unwrap().to_owned();
    let steps = [
        ("Own", fine.clone()),
        ("Other", format!("{theirs},store={second}")),
        ("Gone", format!("no-such-product,store={second}")),
        ("Foreign", "1,store=https://nobody.example".to_owned()),
    ];
    let steps = steps.map(|(named, product)| {
        let made = served.json(&["steps", "create", &project, "--description", named, "--product", &product]);
        made["name"].as_str().unwrap().to_owned()
    });
    let all = document(&served, &["project", &project, "--rule", "W02", "--rule", "W01"]);
    let hidden: Vec<(&str, &str)> = all["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["rule"] == "W02")
        .map(|problem| (problem["record"]["step"].as_str().unwrap(), problem["sentence"].as_str().unwrap()))
        .collect();
    let of = |step: usize| hidden.iter().find(|(name, _)| *name == steps[step]).map(|(_, said)| *said);
    assert_eq!((of(0), of(1)), (None, None), "{hidden:?}");
    assert!(of(2).unwrap().contains("which https://synthetic.example doesn't have"), "{hidden:?}");
    // The service says that it has no such store.
    assert!(of(3).unwrap().contains("product 1 of another store, https://nobody.example"), "{hidden:?}");
    assert_eq!(open(&all, "W02"), 0, "{all}");

    // Its answers come after the end of a video of two seconds.
    let video = served.json(&["videos", "list"])["videos"][0]["id"].as_str().unwrap().to_owned();
    let written = served.home.path().join("late.json");
    let steps =
        serde_json::json!([{ "name": "a", "videoId": video, "answerTime": 9000.0, "answers": [{ "text": "Go" }] }]);
    std::fs::write(&written, serde_json::json!({ "cutaway": 1, "name": "Late", "steps": steps }).to_string()).unwrap();
    let late = served.prints(&["projects", "import", written.to_str().unwrap(), "--id-only"]);
    let checked = document(&served, &["project", late.trim(), "--rule", "v09", "--rule", "W02"]);
    assert_eq!(found(&checked), BTreeMap::from([("lateAnswers", 1)]), "{checked}");
    let bare = document(&served, &["project", &project, "--rule", "noVideo"]);
    assert_eq!(found(&bare), BTreeMap::from([("noVideo", 4)]), "{bare}");
}

/// A word that is spelled almost like a more common one says which products have it.
#[test]
fn words_name_the_products_that_have_them() {
    let served = Served::start();
    let ids: Vec<String> = (0..30).map(|at| format!("tagged-{at}")).collect();
    let whole = served.json(&["products", "get", &stock(&served).0])["product"].clone();
    let product = |id: &String| {
        let tag = if id.ends_with("-29") { "Hyttetur" } else { "hyttetur" };
        let mut product = whole.clone();
        for (field, value) in [("externalProductId", id.as_str()), ("title", id), ("handle", id)] {
            product[field] = value.into();
        }
        product["tags"] = serde_json::json!([tag]);
        product.to_string()
    };
    let file = served.home.path().join("tagged.ndjson");
    std::fs::write(&file, ids.iter().map(product).collect::<Vec<_>>().join("\n")).unwrap();
    let import = ["import-products", file.to_str().unwrap(), "--app-url", served.store()];
    let output = beside(served.home.path(), &served.home.path().join("served"), &import).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));

    let all = document(&served, &["products", "--rule", "S31"]);
    let of_word = |one: &&Value| one["record"]["id"] == "Hyttetur";
    let near = all["problems"].as_array().unwrap().iter().find(of_word).unwrap_or_else(|| panic!("{all}"));
    let had: Vec<&String> = ids.iter().filter(|id| id.ends_with("-29")).collect();
    assert_eq!(near["products"], serde_json::json!({ "listed": had, "more": 0 }), "{near}");
    let (_, table, _) = run(&served, &["products", "--rule", "S31"]);
    assert!(table.replace('\n', " ").contains("tagged-29"), "{table}");
    let (_, sarif, _) = run(&served, &["products", "--rule", "S31", "--sarif"]);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let related = results.iter().filter_map(|one| one["relatedLocations"].as_array()).flatten();
    let places: Vec<&str> =
        related.map(|one| one["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap()).collect();
    assert!(places.contains(&&*format!("{}#tagged-29/tags", served.store())), "{places:?}");
}

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: it doesn't hold after a minute");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}
