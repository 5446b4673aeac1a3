//! `cutaway lint --watch`: each event as a line for people, as NDJSON, and as what a webhook is sent.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::lint::{receiver, stock};
use crate::serving::{Served, beside, text};

/// How long what has to come may take where the machine is busy.
const PATIENCE: Duration = Duration::from_secs(90);

/// A proxy before the service: products whose id is among these are gone from it. No operation deletes one.
struct Proxy {
    base: String,
    gone: Arc<Mutex<BTreeSet<String>>>,
}

impl Proxy {
    fn before(served: &Served) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let gone = Arc::<Mutex<BTreeSet<String>>>::default();
        let (service, known) = (served.base().trim_end_matches('/').to_owned(), Arc::clone(&gone));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (service, known) = (service.clone(), Arc::clone(&known));
                std::thread::spawn(move || carry(client, &service, &known));
            }
        });
        Self { base, gone }
    }
}

fn carry(client: TcpStream, service: &str, gone: &Mutex<BTreeSet<String>>) -> Option<()> {
    let mut client = BufReader::new(client);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        client.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let header = |name: &str| {
        let named = head.iter().filter_map(|line| line.split_once(": "));
        named.into_iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let mut body = vec![0; header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)];
    client.read_exact(&mut body).ok()?;
    let mut words = head.first()?.split(' ');
    let (method, path) = (words.next()?.parse::<reqwest::Method>().ok()?, words.next()?.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let (status, mut answer) = runtime.block_on(async {
        let mut asked = reqwest::Client::new().request(method, format!("{service}{path}")).body(body.clone());
        for name in ["authorization", "x-cli-api-key", "content-type"] {
            asked = header(name).into_iter().fold(asked, |asked, value| asked.header(name, value));
        }
        let answered = asked.send().await.ok()?;
        Some((answered.status().as_u16(), answered.bytes().await.ok()?.to_vec()))
    })?;
    if let Ok(mut told) = serde_json::from_slice::<Value>(&answer) {
        let gone = gone.lock().unwrap();
        let is_gone = |product: &Value| product["externalProductId"].as_str().is_some_and(|id| gone.contains(id));
        if path.contains("/products-service/") && is_gone(&told["product"]) {
            told = json!({ "product": null });
        }
        let listed = told.get_mut("products").and_then(Value::as_array_mut);
        if let Some(products) = listed.filter(|_| path.contains("/products-service/")) {
            products.retain(|product| !is_gone(product));
        }
        answer = told.to_string().into_bytes();
    }
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    client.into_inner().write_all(&[head.as_bytes(), &answer].concat()).ok()
}

/// The lines that are written, as they come.
fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A watch that goes on until it is dropped, what it prints, and what its webhook is sent.
struct Watch {
    child: Child,
    out: Receiver<String>,
    hook: Receiver<Value>,
}

impl Watch {
    fn begin(served: &Served, proxy: &Proxy, project: &str, flags: &[&str]) -> Self {
        let (address, hook) = receiver();
        let all = [&["lint", "project", project, "--watch", "--every", "1", "--webhook", &address], flags].concat();
        let mut command = served.command(&all);
        let command = command.env("CUTAWAY_BASE_URL", &proxy.base).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = lines(child.stderr.take().unwrap());
        let begun = said.recv_timeout(PATIENCE).unwrap();
        assert!(begun.contains("watching 1 product of 1 published project; 0 problems now"), "{begun}");
        Self { out: lines(child.stdout.take().unwrap()), child, hook }
    }

    fn next(&self) -> String {
        self.out.recv_timeout(PATIENCE).unwrap()
    }

    fn sent(&self) -> Value {
        self.hook.recv_timeout(PATIENCE).unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What begins an event, or ends it.
type Does<'a> = Box<dyn Fn() + 'a>;

/// Has the service take a product as this makes it.
fn change(served: &Served, id: &str, make: impl Fn(&mut Value)) {
    let mut product = served.json(&["products", "get", id])["product"].clone();
    product["providerUpdatedAt"] = jiff::Timestamp::now().to_string().into();
    make(&mut product);
    let written = served.home.path().join("changed.ndjson");
    std::fs::write(&written, product.to_string()).unwrap();
    let data = served.home.path().join("served");
    let import = ["import-products", written.to_str().unwrap(), "--app-url", served.store()];
    let output = beside(served.home.path(), &data, &import).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn each_event_is_seen_by_people_by_programs_and_by_a_webhook() {
    let served = Served::start();
    let proxy = Proxy::before(&served);
    let (id, _) = stock(&served);
    let project = served.json(&["projects", "create", "Offers"])["id"].as_str().unwrap().to_owned();
    let create = |flags: &[&str]| {
        let made = served.json(&[&["steps", "create", &project], flags].concat());
        made["name"].as_str().unwrap().to_owned()
    };
    let end = create(&["--description", "End", "--product", &id]);
    let start = create(&["--description", "Start", "--answer", &format!("Under 100000 kr=>{end}")]);
    served.prints(&["projects", "update", &project, "--steps-order", &format!("{start},{end}")]);
    let as_json = Watch::begin(&served, &proxy, &project, &["--json"]);
    let as_text = Watch::begin(&served, &proxy, &project, &[]);

    let stock_of = |left: i64| {
        move |product: &mut Value| {
            product["variants"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|one| one["inventoryQuantity"] = left.into());
        }
    };
    let price_of = |price: &'static str| {
        move |product: &mut Value| {
            product["variants"].as_array_mut().unwrap().iter_mut().for_each(|one| one["price"] = price.into());
        }
    };
    let published = |at: Value| move |product: &mut Value| product["publishedAt"] = at.clone();
    let change = |make: &dyn Fn(&mut Value)| change(&served, &id, make);
    let gone = |is_gone: bool| {
        let mut gone = proxy.gone.lock().unwrap();
        if is_gone { gone.insert(id.clone()) } else { gone.remove(&id) }
    };
    // The event, its rule, the step that it is at, and what its sentence says; then what begins and what ends it.
    let events: [(&str, &str, &str, &str, Does, Does); 4] = [
        (
            "sold-out",
            "W01",
            &end,
            "which is sold out",
            Box::new(|| change(&stock_of(0))),
            Box::new(|| change(&stock_of(50))),
        ),
        (
            "price",
            "W04",
            &start,
            "answer \"Under 100000 kr\" leads to",
            Box::new(|| change(&price_of("999999.00"))),
            Box::new(|| change(&price_of("199.00"))),
        ),
        (
            "hidden",
            "W02",
            &end,
            "which is not published",
            Box::new(|| change(&published(Value::Null))),
            Box::new(|| change(&published("2026-01-01T00:00:00.000Z".into()))),
        ),
        (
            "hidden",
            "W02",
            &end,
            "which the store doesn't have",
            Box::new(|| {
                gone(true);
            }),
            Box::new(|| {
                gone(false);
            }),
        ),
    ];
    for (event, rule, step, sentence, begins, ends) in &events {
        for (state, does) in [("begun", begins), ("over", ends)] {
            does();
            let line: Value = serde_json::from_str(&as_json.next()).unwrap();
            let named =
                [&line["event"], &line["state"], &line["rule"], &line["step"]].map(|word| word.as_str().unwrap());
            assert_eq!(named, [*event, state, *rule, *step], "{line}");
            let said = line["sentence"].as_str().unwrap();
            assert!(said.contains(sentence), "{said}");
            assert_eq!(
                (&line["project"]["id"], line["store"].as_str()),
                (&project.as_str().into(), Some(served.store()))
            );
            assert!(line["reach"]["of"] == "paths" && line["reach"]["share"] == 1.0, "{line}");
            assert!(line["at"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{line}");
            assert_eq!(as_json.sent(), line, "the webhook is sent the same");

            let over = if state == "over" { "no longer: " } else { "" };
            assert_eq!(as_text.next(), format!("{event} Offers, {step}: {over}{said} (100% of paths)"));
            let sent = as_text.sent();
            assert_eq!(
                (&sent["event"], &sent["state"], &sent["sentence"]),
                (&line["event"], &line["state"], &line["sentence"])
            );
        }
    }
}
