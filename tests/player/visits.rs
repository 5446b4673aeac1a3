//! Many visits at once, as phones make them: hidden and shown again, reloaded, offline, with answers that get lost and
//! requests that come twice. What subscriptions are told equals what an oracle says, of every visit once.
//!
//! `CUTAWAY_VISITS=10000 cargo test --release --test player visits:: -- --nocapture` is the long form;
//! `CUTAWAY_VISITS_SEED=7` repeats a run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::browser::hosted;
use crate::receiver;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cutaway::service::{Running, ServeOptions, Timing};
use futures_util::StreamExt as _;
use receiver::Receiver;
use serde_json::{Value, json};

/// Visits that go on at once.
const AT_ONCE: usize = 16;
/// As many events as the service takes at once.
const BATCH: usize = 50;

/// Random numbers (SplitMix64): small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

async fn start(data: &Path, silence: Duration) -> (Running, String) {
    let timing = Timing { silence, first_retry: Duration::from_millis(20), ..Timing::default() };
    let options = ServeOptions {
        timing,
        allow_private_webhooks: true,
        // Each viewer has an address of their own.
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..hosted::on(data)
    };
    let served = hosted::Served::empty(options).await;
    (served.running, served.key)
}

/// A viewer's page, which does what `visit.js` does.
struct Page<'a> {
    http: &'a reqwest::Client,
    base: &'a str,
    project: &'a str,
    address: String,
    dice: Dice,
    /// The page's clock, milliseconds.
    now: u64,
    events: String,
    /// What the service may not have yet: number, words, when.
    waiting: Vec<(u64, String, u64)>,
    happened: u64,
    /// What it has for sure, and what it may have: answers that got lost among it.
    arrived: u64,
}

impl Page<'_> {
    async fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.base);
        let request = self.http.post(url).header("x-forwarded-for", &self.address).json(body);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.unwrap()
    }

    /// Begins the visit; some answers get lost, and it is begun again with the same key.
    async fn begin(&mut self) -> String {
        let body = json!({ "key": format!("{:016x}{:016x}", self.dice.next(), self.dice.next()) });
        let path = format!("/play/{}/visits", self.project);
        let lost = self.dice.below(4) == 0;
        if lost {
            self.post(&path, &body).await;
        }
        let begun = self.post(&path, &body).await;
        let events = reqwest::Url::parse(begun["eventsUrl"].as_str().unwrap()).unwrap();
        events.path().clone_into(&mut self.events);
        begun["sessionId"].as_str().unwrap().to_owned()
    }

    fn happen(&mut self) {
        let number = self.happened;
        self.happened += 1;
        self.waiting.push((number, format!("event {number}"), self.now));
    }

    fn batch(&mut self, ended: bool) -> (Value, u64) {
        let sent: Vec<_> = self.waiting.iter().take(BATCH).collect();
        let last = sent.last().map_or(self.arrived, |(number, ..)| number + 1);
        // Clocks are read at another moment than the request arrives, by up to half a second.
        let late = self.dice.below(500);
        let events: Vec<Value> = sent
            .iter()
            .map(|(number, text, at)| {
                let ago = self.now - at + late;
                json!({ "number": number, "eventName": "step_shown", "text": text, "ago": ago })
            })
            .collect();
        let ended = ended && self.waiting.len() <= BATCH;
        (json!({ "events": events, "ended": ended }), last)
    }

    /// Sends what waits. The request may get lost on its way, its answer may, or it may come twice.
    async fn report(&mut self, ended: bool) -> bool {
        let (body, last) = self.batch(ended);
        let fate = self.dice.below(8);
        if fate == 0 {
            return false;
        }
        let path = self.events.clone();
        if fate == 1 {
            tokio::join!(self.post(&path, &body), self.post(&path, &body));
        } else {
            self.post(&path, &body).await;
        }
        self.arrived = self.arrived.max(last);
        if fate == 2 {
            return false;
        }
        self.waiting.retain(|(number, ..)| *number >= last);
        true
    }

    /// The whole visit; what the service is to tell of it.
    async fn visit(mut self) -> (String, Vec<String>) {
        let session = self.begin().await;
        for _ in 0..self.dice.below(25) {
            self.now += self.dice.below(3000);
            match self.dice.below(10) {
                0..6 => self.happen(),
                6 | 7 => {
                    self.report(false).await;
                }
                // Hidden: a beacon whose answer nobody hears; shown again after a while.
                8 => {
                    let (body, last) = self.batch(false);
                    let path = self.events.clone();
                    self.post(&path, &body).await;
                    self.arrived = self.arrived.max(last);
                    self.now += self.dice.below(60_000);
                }
                // Reloaded: it goes on with what it kept, and says so.
                _ => {
                    self.happen();
                    self.report(false).await;
                }
            }
        }
        // Most come to the end and try it a few times; the others go away.
        if self.dice.below(4) > 0 {
            for _ in 0..3 {
                if self.report(true).await {
                    break;
                }
            }
        }
        let texts = (0..self.arrived).map(|number| format!("event {number}")).collect();
        (session, texts)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_visit_is_told_of_once_with_all_that_arrived() {
    let count = number("CUTAWAY_VISITS", 300);
    let seed = number("CUTAWAY_VISITS_SEED", u64::from(std::process::id()));
    eprintln!("{count} visits, CUTAWAY_VISITS_SEED={seed}");
    let data = tempfile::tempdir().unwrap();
    let summaries = Receiver::start().await;
    let (running, key) = start(data.path(), Duration::from_secs(24 * 3600)).await;
    let base = running.base_url().to_owned();
    let http = reqwest::Client::new();
    let made: Value = {
        let api = |path: &str, body: Value| http.post(format!("{base}{path}")).bearer_auth(&key).json(&body).send();
        let hook = json!({ "event": "response_summary", "url": summaries.url });
        assert!(api("/webhooks", hook).await.unwrap().status().is_success());
        api("/projects", json!({ "project": { "name": "Visited" } })).await.unwrap().json().await.unwrap()
    };
    let project = made["cutaway"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();

    let visits = futures_util::stream::iter(0..count).map(|visit| {
        let address = format!("10.{}.{}.{}", visit / 65_536, visit / 256 % 256, visit % 256);
        let dice = Dice(seed.wrapping_mul(1_000_003).wrapping_add(visit));
        let (http, base, project) = (&http, &*base, &*project);
        let events = String::new();
        Page { http, base, project, address, dice, now: 0, events, waiting: Vec::new(), happened: 0, arrived: 0 }
            .visit()
    });
    let expected: BTreeMap<String, Vec<String>> = visits.buffer_unordered(AT_ONCE).collect().await;
    assert_eq!(expected.len() as u64, count, "each visit has a session of its own");
    running.stop().await;

    // The rest ends by silence, once the service is started again with little patience.
    let (running, _) = start(data.path(), Duration::from_millis(1)).await;
    for nth in 1..=expected.len() {
        summaries.wait_for(nth).await;
    }
    running.stop().await;
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for got in summaries.seen() {
        let events = got.body["events"].as_array().unwrap();
        let texts = events.iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
        let session = got.body["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(told.insert(session.clone(), texts), None, "{session} is told of twice");
    }
    for (session, events) in &expected {
        assert_eq!(told.get(session), Some(events), "{session}, seed {seed}");
    }
    assert_eq!(told.len(), expected.len(), "what is told of was visited");
}
