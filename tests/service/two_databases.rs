//! One random sequence of requests against a workspace in its folder and against the same workspace in PostgreSQL: every
//! answer is the same, byte for byte, cursors included. Ids that were made on the way are told apart by when they were first
//! seen, moments of now are not compared. `CUTAWAY_SEQUENCES=1000` is the long form, `CUTAWAY_SEED` repeats a run. Five faults,
//! planted in what PostgreSQL answers, show that each would be seen.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice, clippy::format_collect)] // All of it is tests.

#[path = "two_databases_visits.rs"]
mod beside;
#[path = "two_databases_faults.rs"]
mod faults;

use crate::hosted;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cutaway::domain::StoreUrl;
use cutaway::service::offline::{self, Kept, Way};
use cutaway::service::{Running, ServeOptions, Service};
use hosted::postgres;
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

const SAMPLE: &str = "https://nordlys-outdoor.example";
const SEARCH: &str = "/products-service/searchProductsCursor";

/// Requests of a sequence.
const LENGTH: u64 = 25;
/// Sequences after which both start over: what was made in them is in every list, and lists are to stay short.
const PAIRED: u64 = 50;
/// Pairs that are asked at the same time: each of them waits for a disk and for its databases most of the time.
const LANES: u64 = 4;

/// Numbers that look random, the same for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        // xorshift64*, Vigna 2016.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % most
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    fn chance(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// One of the two services.
struct Side {
    running: Running,
    kept: Kept,
    key: String,
    http: reqwest::Client,
    /// The address that viewers come from.
    viewer: String,
    since: Timestamp,
    /// Ids, with the order in which they were first seen.
    ids: HashMap<String, usize>,
}

/// What a request had for an answer: as it came, and as it is compared.
struct Answer {
    value: Value,
    compared: String,
}

/// Where an id begins in a text.
fn id_at(text: &str) -> Option<usize> {
    let is_id = |piece: &[u8]| {
        piece.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    text.as_bytes().windows(36).position(is_id)
}

/// Whether a name is like those that steps get.
fn is_drawn(name: &str) -> bool {
    name.len() == 5 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Side {
    async fn open(data: &Path, database: Option<&str>, key: &str) -> Self {
        let database = database.map(|place| place.parse().unwrap());
        let kept = Kept { data: data.to_owned(), database: database.clone() };
        // How often a viewer may report is counted by address, in the time that passes: each sequence has its own.
        let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        let options = ServeOptions { data: data.to_owned(), database, trusted_proxies, ..ServeOptions::default() };
        let running = Service::open(options).await.unwrap().start("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (http, ids) = (reqwest::Client::new(), HashMap::new());
        Self { running, kept, key: key.to_owned(), http, viewer: String::new(), since: Timestamp::now(), ids }
    }

    async fn ask(&mut self, method: &Method, path: &str, body: Option<&Value>) -> Answer {
        let mut asked = self.http.request(method.clone(), format!("{}{path}", self.running.base_url()));
        if !path.starts_with("/play/") {
            asked = asked.bearer_auth(&self.key);
        }
        if let Some(body) = body {
            asked = asked.json(body);
        }
        self.answered(asked).await
    }

    async fn answered(&mut self, asked: reqwest::RequestBuilder) -> Answer {
        let asked = asked.header("X-Forwarded-For", &self.viewer);
        let answer = asked.send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap().replace(self.running.base_url(), "http://here");
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let mut compared = value.clone();
        self.even_out(&mut compared);
        // Members keep their order, and a text that is no document is compared as it is.
        let compared = if value.is_null() { text } else { compared.to_string() };
        Answer { value, compared: format!("{status} {compared}") }
    }

    fn even_out(&mut self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.even_out(value)),
            Value::Object(members) => {
                // The name of a step is drawn by dice. A new one is answered with its id and that name.
                let is_step = members.contains_key("projectId") || (members.len() == 2 && members.contains_key("id"));
                if let Some(name) =
                    members.get_mut("name").filter(|name| is_step && name.as_str().is_some_and(is_drawn))
                {
                    *name = json!("drawn");
                }
                beside::even_out(members);
                members.values_mut().for_each(|value| self.even_out(value));
            }
            Value::String(text) if text.parse::<Timestamp>().is_ok_and(|at| at >= self.since) => "now".clone_into(text),
            Value::String(text) => self.name_ids(text),
            _ => {}
        }
    }

    fn name_ids(&mut self, text: &mut String) {
        while let Some(at) = id_at(text) {
            let id = text[at..at + 36].to_owned();
            let next = self.ids.len();
            let known = *self.ids.entry(id).or_insert(next);
            text.replace_range(at..at + 36, &format!("id {known}"));
        }
    }

    async fn import(&self, product: &Value) -> String {
        let lines = format!("{product}\n");
        let done = offline::import_products(&self.kept, &StoreUrl::new(SAMPLE), lines.as_bytes(), |_| ()).await;
        format!("{:?}", done.map(|done| (done.added, done.updated)).map_err(|error| error.to_string()))
    }
}

/// A workspace in a folder, and the same in PostgreSQL.
struct Pair {
    folder: Side,
    postgres: Side,
    place: String,
    _home: tempfile::TempDir,
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::copy(from.join("cutaway.sqlite3"), to.join("cutaway.sqlite3")).unwrap();
}

impl Pair {
    async fn open() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let place = postgres::beside(home.path())?;
        let [first, second]: [PathBuf; 2] = ["folder", "postgres"].map(|name| home.path().join(name));
        let options = ServeOptions { data: first.clone(), ..ServeOptions::default() };
        let service = Service::open(options).await.unwrap();
        service.load_sample(|_| ()).await.unwrap();
        service.load_synthetic(200, |_| ()).await.unwrap();
        let key = service.add_key(None).await.unwrap().expose().to_owned();
        drop(service);
        copied(&first, &second);
        offline::move_workspace(&second, &place.parse().unwrap(), Way::ToDatabase, |_| ()).await.unwrap();
        let folder = Side::open(&first, None, &key).await;
        let postgres = Side::open(&second, Some(&place), &key).await;
        Some(Self { folder, postgres, place, _home: home })
    }

    /// Asks both; what the folder's answered. The texts that tell where they differ are an error.
    async fn both(&mut self, method: Method, path: &str, body: Option<&Value>) -> Result<[Value; 2], String> {
        self.each(method, [path, path], [body, body]).await
    }

    async fn each(
        &mut self,
        method: Method,
        paths: [&str; 2],
        bodies: [Option<&Value>; 2],
    ) -> Result<[Value; 2], String> {
        let one = self.folder.ask(&method, paths[0], bodies[0]);
        let other = self.postgres.ask(&method, paths[1], bodies[1]);
        let (one, other) = tokio::join!(one, other);
        if one.compared == other.compared {
            return Ok([one.value, other.value]);
        }
        let asked = bodies[0].map(ToString::to_string).unwrap_or_default();
        Err(format!("{method} {} {asked}\nfolder:     {}\nPostgreSQL: {}", paths[0], one.compared, other.compared))
    }

    async fn stop(self) {
        self.folder.running.stop().await;
        self.postgres.running.stop().await;
    }

    /// What is asked about something made: the path has its own id on each side.
    async fn about(
        &mut self,
        method: Method,
        path: &str,
        ids: &[String; 2],
        body: Option<&Value>,
    ) -> Result<(), String> {
        let [one, other] = ids.each_ref().map(|id| path.replace("{id}", id));
        self.each(method, [&one, &other], [body, body]).await.map(|_| ())
    }

    /// Pages of one search, up to a few, each asked for with the cursor of the one before.
    async fn pages(&mut self, mut search: Value, most: u64) -> Result<(), String> {
        for _ in 0..most {
            let [page, _] = self.both(Method::POST, SEARCH, Some(&search)).await?;
            // Compared with everything else: the same cursor leads on here and there.
            let Some(cursor) = page["nextCursor"].as_str() else { return Ok(()) };
            search["cursor"] = json!(cursor);
        }
        Ok(())
    }

    async fn made(&mut self, path: &str, body: &Value, made: &mut Vec<[String; 2]>) -> Result<(), String> {
        let answers = self.both(Method::POST, path, Some(body)).await?;
        if let [Some(one), Some(other)] = answers.each_ref().map(|answer| answer["id"].as_str()) {
            made.push([one.to_owned(), other.to_owned()]);
        }
        Ok(())
    }
}

const WORDS: [&str; 9] = ["wo", "wool", "s", "söck", "j", "ra in", "x", "M", "über"];
const TAGS: [&str; 5] = ["wool", "winter", "new", "sale", "Ü"];

/// A text that is longer than an index of PostgreSQL's takes, and packs badly.
fn too_long(seed: u64) -> String {
    let mut dice = Dice(1);
    let drawn = (0..4_000).map(|_| char::from(b'a' + u8::try_from(dice.below(26)).unwrap()));
    format!("{}{seed}", drawn.collect::<String>())
}

/// A search of anything that there is.
fn search(dice: &mut Dice) -> Value {
    let mut search = json!({ "appUrl": *dice.one(&[SAMPLE, SAMPLE, "https://synthetic.example"]) });
    search["limit"] = json!(1 + dice.below(9));
    if dice.chance(2) {
        search["searchTerm"] = json!(*dice.one(&WORDS));
    }
    if !dice.chance(3) {
        search["sortBy"] = json!(*dice.one(&["inventoryQuantity", "providerCreatedAt", "providerUpdatedAt"]));
        search["sortDirection"] = json!(*dice.one(&["asc", "desc"]));
    }
    if dice.chance(3) {
        search["publishedOnly"] = json!(true);
    }
    let mut filters = json!({});
    if dice.chance(4) {
        filters["tags"] = json!([dice.one(&TAGS), dice.one(&TAGS)]);
        if dice.chance(5) {
            filters["tags"][0] = json!(too_long(dice.below(3)));
        }
        filters["tagsMatchMode"] = json!(*dice.one(&["any", "all"]));
    }
    if dice.chance(4) {
        filters["inventory"] = json!({ "min": dice.below(20), "max": 20 + dice.below(60) });
    }
    if dice.chance(6) {
        filters["createdAt"] = json!({ "from": "2024-01-01", "to": "2025-06-30" });
    }
    search["filters"] = filters;
    if dice.chance(3) {
        search["include"] = json!({ "media": true, "variants": true });
    }
    search
}

/// What was made in a sequence, on each side.
#[derive(Default)]
struct Made {
    projects: Vec<[String; 2]>,
    steps: Vec<[String; 2]>,
    videos: Vec<[String; 2]>,
    webhooks: Vec<[String; 2]>,
    visits: Vec<[String; 2]>,
    products: Vec<Value>,
}

/// A product that differs from another in something that is searched or sorted.
fn another(dice: &mut Dice, mut product: Value) -> Value {
    if dice.chance(2) {
        product["externalProductId"] = json!(format!("made-{}", dice.below(40)));
    }
    product["title"] = json!(format!("{} {}", dice.one(&WORDS), dice.one(&WORDS)));
    product["tags"] = json!([dice.one(&TAGS)]);
    if dice.chance(10) {
        let id = dice.below(3);
        product["externalProductId"] = json!(too_long(id));
        product["tags"] = json!([too_long(id)]);
    }
    for member in ["providerCreatedAt", "providerUpdatedAt"] {
        let at = *dice.one(&["2024-05-05T00:00:00Z", "2024-05-05T00:00:00Z", "2025-01-01T10:00:00.5Z"]);
        product[member] = if dice.chance(3) { Value::Null } else { json!(at) };
    }
    for variant in product["variants"].as_array_mut().into_iter().flatten() {
        variant["inventoryQuantity"] = json!(dice.below(4));
    }
    product
}

/// One request, or a few that belong together.
async fn step(pair: &mut Pair, dice: &mut Dice, made: &mut Made) -> Result<(), String> {
    let name = format!("{} {}", dice.one(&WORDS), dice.below(5));
    match dice.below(30) {
        0..=6 => {
            let most = 1 + dice.below(4);
            pair.pages(search(dice), most).await
        }
        7 | 8 => {
            let like = dice.one(&made.products).clone();
            let product = another(dice, like);
            let (one, other) = tokio::join!(pair.folder.import(&product), pair.postgres.import(&product));
            if one == other { Ok(()) } else { Err(format!("import of {product}: {one}, {other}")) }
        }
        9 => {
            let body = json!({ "appUrl": SAMPLE });
            pair.both(Method::POST, "/products-service/getProductsCount", Some(&body)).await.map(|_| ())
        }
        10 => pair.made("/projects", &json!({ "project": { "name": name } }), &mut made.projects).await,
        11 => {
            let path =
                *dice.one(&["/projects/", "/projects/actions/folders", "/videos/videos", "/webhooks", "/users/me"]);
            pair.both(Method::GET, path, None).await.map(|_| ())
        }
        12 => {
            let Some([one, other]) = last(dice, &made.projects) else { return Ok(()) };
            let body = |id: &str| json!({ "step": { "projectId": id } });
            let bodies = [body(&one), body(&other)];
            let answers = pair.each(Method::POST, ["/projects/steps"; 2], [Some(&bodies[0]), Some(&bodies[1])]).await?;
            if let [Some(one), Some(other)] = answers.each_ref().map(|answer| answer["id"].as_str()) {
                made.steps.push([one.to_owned(), other.to_owned()]);
            }
            Ok(())
        }
        13 => {
            let Some(ids) = last(dice, &made.steps) else { return Ok(()) };
            let change = json!({ "description": name, "answerTime": 2.5, "answers": [{ "text": "Ä" }] });
            pair.about(Method::PUT, "/projects/steps/{id}", &ids, Some(&change)).await
        }
        14 => {
            let Some(ids) = last(dice, &made.projects) else { return Ok(()) };
            let mut change = json!({ "name": name, "folder": dice.one(&["A", "b", ""]) });
            if dice.chance(10) {
                change["folder"] = json!(too_long(0));
            }
            pair.about(Method::PUT, "/projects/{id}", &ids, Some(&change)).await?;
            pair.about(Method::GET, "/projects/{id}", &ids, None).await
        }
        15 => pair.made("/videos/video", &json!({ "name": name }), &mut made.videos).await,
        16 => {
            let Some(ids) = last(dice, &made.videos) else { return Ok(()) };
            let vtt = json!({ "vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\nHej\n" });
            let path = format!("/videos/{{id}}/captions/{}", dice.one(&["sv", "en", "pt-BR"]));
            pair.about(Method::PUT, &path, &ids, Some(&vtt)).await?;
            pair.about(Method::GET, "/videos/{id}/captions", &ids, None).await
        }
        17 => {
            let event = *dice.one(&["response_summary", "collected_info", "conversion"]);
            let body = json!({ "event": event, "url": "http://127.0.0.1:9/hook" });
            pair.made("/webhooks", &body, &mut made.webhooks).await
        }
        18 => {
            let Some(ids) = last(dice, &made.webhooks) else { return Ok(()) };
            let path = *dice.one(&["/webhooks/{id}/disable", "/webhooks/{id}/enable"]);
            pair.about(Method::POST, path, &ids, None).await?;
            pair.about(Method::GET, "/webhooks/{id}/deliveries", &ids, None).await
        }
        19 => delete(pair, dice, made).await,
        _ => beside::step(pair, dice, made).await,
    }
}

fn last(dice: &mut Dice, made: &[[String; 2]]) -> Option<[String; 2]> {
    if made.is_empty() { None } else { Some(dice.one(made).clone()) }
}

async fn delete(pair: &mut Pair, dice: &mut Dice, made: &Made) -> Result<(), String> {
    let (of, path) = match dice.below(4) {
        0 => (&made.projects, "/projects?projectId={id}"),
        1 => (&made.steps, "/projects/steps?stepId={id}"),
        2 => (&made.videos, "/partners/assets/{id}"),
        _ => (&made.webhooks, "/webhooks/{id}"),
    };
    // One that was deleted already, too.
    let Some(ids) = last(dice, of) else { return Ok(()) };
    pair.about(Method::DELETE, path, &ids, None).await
}

async fn sequence(pair: &mut Pair, seed: u64) -> Result<(), String> {
    let (mut dice, mut made) = (Dice(seed | 1), Made::default());
    let viewer = format!("10.{}.{}.{}", dice.below(256), dice.below(256), dice.below(256));
    (pair.folder.viewer, pair.postgres.viewer) = (viewer.clone(), viewer);
    let all = json!({ "appUrl": SAMPLE, "limit": 20, "include": { "media": true, "variants": true } });
    let [page, _] = pair.both(Method::POST, SEARCH, Some(&all)).await?;
    made.products = page["products"].as_array().cloned().ok_or("the sample store has no products")?;
    for _ in 0..LENGTH {
        step(pair, &mut dice, &mut made).await?;
    }
    Ok(())
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

/// Some sequences on one pair.
async fn sequences_on_one_pair(first: u64, sequences: Range<u64>) {
    let Some(mut pair) = Pair::open().await else { return };
    for at in sequences {
        let seed = first.wrapping_add(at.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        if let Err(why) = sequence(&mut pair, seed).await {
            panic!("sequence {at} of CUTAWAY_SEED={first}: {why}");
        }
    }
    pair.stop().await;
}

#[test]
fn random_sequences_are_answered_alike() {
    let first = number("CUTAWAY_SEED", Timestamp::now().as_microsecond().unsigned_abs());
    let sequences = number("CUTAWAY_SEQUENCES", 40);
    println!("{sequences} sequences of {LENGTH} requests, CUTAWAY_SEED={first}");
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let lane = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        loop {
            let from = next.fetch_add(PAIRED, Ordering::Relaxed);
            let until = sequences.min(from.saturating_add(PAIRED));
            if from >= until {
                return;
            }
            runtime.block_on(sequences_on_one_pair(first, from..until));
            println!("{} sequences done", until - from + done.fetch_add(until - from, Ordering::Relaxed));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(lane);
        }
    });
}

#[tokio::test]
async fn five_faults_are_caught() {
    let Some(mut pair) = Pair::open().await else { return };
    // Products without a date, and some that share one and a stock.
    let first = json!({ "appUrl": SAMPLE, "limit": 1, "include": { "media": true, "variants": true } });
    let [page, _] = pair.both(Method::POST, SEARCH, Some(&first)).await.unwrap();
    for at in 0..8 {
        let mut product = page["products"][0].clone();
        product["externalProductId"] = json!(format!("planted-{at}"));
        product["title"] = json!("Wool");
        product["providerCreatedAt"] = if at % 2 == 0 { Value::Null } else { json!("2024-05-05T00:00:00Z") };
        let said = [pair.folder.import(&product).await, pair.postgres.import(&product).await];
        assert_eq!(said, ["Ok((1, 0))"; 2]);
    }
    let place = pair.place.clone();
    for (name, search, plant, take_back) in faults::faults(&place) {
        assert_eq!(pair.pages(search.clone(), 30).await, Ok(()), "{name}: alike before");
        postgres::answer(&place, &plant);
        let seen = pair.pages(search.clone(), 30).await;
        postgres::answer(&place, &take_back);
        assert!(seen.is_err(), "{name} isn't seen");
        println!("{name}: seen");
        assert_eq!(pair.pages(search, 30).await, Ok(()), "{name}: alike after");
    }
    pair.stop().await;
}
