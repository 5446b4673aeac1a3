//! Subscriptions that fail, are slow, or get another secret: over real HTTP, with receivers that behave so.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests are tests too.

use crate::hosted;
use crate::receiver;
use crate::serving;

use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use cutaway::service::{ServeOptions, Timing};
use hosted::{ServedFor, on};
use receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn start(data: &Path, timing: Timing) -> Self {
        Self::empty(ServeOptions { timing, allow_private_webhooks: true, ..on(data) }).await
    }

    async fn ask(&self, key: &str, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = reqwest::Client::new().request(method, format!("{}{path}", self.running.base_url()));
        let request = request.bearer_auth(key);
        let answer = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let answer = answer.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn subscribe(&self, key: &str, url: &str) -> String {
        let body = json!({ "event": "conversion", "url": url });
        self.ask(key, Method::POST, "/webhooks", Some(body)).await.1["id"].as_str().unwrap().to_owned()
    }

    async fn ping(&self, key: &str, webhook: &str) {
        let (status, answer) = self.ask(key, Method::POST, &format!("/webhooks/{webhook}/ping"), None).await;
        assert_eq!(status, 202, "{answer}");
    }

    /// The subscription as it is listed, once it is so.
    async fn listed(&self, webhook: &str, so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..6000 {
            let list = self.ask(&self.key, Method::GET, "/webhooks", None).await.1;
            let found = list.as_array().unwrap().iter().find(|one| one["id"] == webhook).unwrap().clone();
            if so(&found) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{webhook} never became so");
    }

    /// The command line, asked about this service.
    async fn command(&self, home: &Path, arguments: &[&str]) -> Output {
        let mut command = serving::cutaway(home);
        command.env("CUTAWAY_BASE_URL", self.running.base_url()).env("CUTAWAY_API_KEY", &self.key).args(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }
}

fn printed(output: &Output) -> &str {
    assert!(output.status.success(), "{}", serving::text(&output.stderr));
    serving::text(&output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_replaced_while_both_sign() {
    let (data, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path(), Timing::default()).await;
    let receiver = Receiver::start().await;
    let webhook = served.subscribe(&served.key, &receiver.url).await;
    let secret_path = format!("/webhooks/{webhook}/secret");
    let shown = served.ask(&served.key, Method::GET, &secret_path, None).await.1;
    let old = shown["secret"].as_str().unwrap().to_owned();
    assert!(shown.get("previousUntil").is_none());

    let output = served.command(home.path(), &["webhooks", "rotate-secret", &webhook]).await;
    let new = printed(&output).trim().to_owned();
    assert!(new.starts_with("whsec_") && new != old);
    assert!(serving::text(&output.stderr).contains("valid until"), "{}", serving::text(&output.stderr));
    let shown = served.ask(&served.key, Method::GET, &secret_path, None).await.1;
    assert_eq!(shown["secret"], new.as_str());
    let until: jiff::Timestamp = shown["previousUntil"].as_str().unwrap().parse().unwrap();
    let left = until.as_second() - jiff::Timestamp::now().as_second();
    assert!((23 * 3600..=24 * 3600).contains(&left), "{left}");

    served.ping(&served.key, &webhook).await;
    let got = receiver.wait_for(1).await;
    assert_eq!(got.signatures(), 2);
    got.verify(&old);
    got.verify(&new);
    let rotate = format!("{secret_path}/rotate");
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(served.ask(&served.key, Method::POST, &rotate, None).await.0);
    }
    assert_eq!(statuses, [200, 200, 409, 409], "the head of a delivery does not grow without end");
    assert_eq!(served.ask(&served.key, Method::POST, "/webhooks/unknown/secret/rotate", None).await.0, 404);
    let refused = served.command(home.path(), &["--read-only", "webhooks", "rotate-secret", &webhook]).await;
    assert_eq!(refused.status.code(), Some(7));
    served.running.stop().await;

    // The day is over: what was replaced signs no more.
    let served = Served::start(data.path(), Timing { old_secret: Duration::ZERO, ..Timing::default() }).await;
    let webhook = served.subscribe(&served.key, &receiver.url).await;
    let path = format!("/webhooks/{webhook}/secret/rotate");
    let (_, shown) = served.ask(&served.key, Method::POST, &path, None).await;
    assert!(shown.get("previousUntil").is_none(), "{shown}");
    served.ping(&served.key, &webhook).await;
    let got = receiver.wait_for(2).await;
    assert_eq!(got.signatures(), 1);
    got.verify(shown["secret"].as_str().unwrap());
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_fails_for_long_is_switched_off_and_on_again() {
    let (data, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let quick = Timing {
        first_retry: Duration::from_millis(1),
        longest_retry: Duration::from_millis(2),
        switched_off: Duration::from_millis(50),
        ..Timing::default()
    };
    let served = Served::start(data.path(), quick).await;
    let status = Arc::new(AtomicU16::new(500));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let answer = Arc::clone(&status);
    let router = Router::new().fallback(async move || StatusCode::from_u16(answer.load(Ordering::Relaxed)).unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });

    let webhook = served.subscribe(&served.key, &url).await;
    let list = printed(&served.command(home.path(), &["webhooks", "list"]).await).to_owned();
    assert!(!list.contains("STATE"), "{list}");
    served.ping(&served.key, &webhook).await;
    let off = served.listed(&webhook, |webhook| webhook.get("disabledAt").is_some()).await;
    assert_eq!(off["disabledReason"], "failing");
    let deliveries = served.ask(&served.key, Method::GET, &format!("/webhooks/{webhook}/deliveries"), None).await.1;
    let tried = &deliveries["deliveries"][0];
    assert!(tried["state"] == "ended" && tried["attempts"].as_u64().unwrap() >= 20, "{tried}");
    let list = printed(&served.command(home.path(), &["webhooks", "list"]).await).to_owned();
    assert!(list.contains("STATE") && list.contains("switched off: deliveries failed for days"), "{list}");

    status.store(200, Ordering::Relaxed);
    let enabled = served.command(home.path(), &["webhooks", "enable", &webhook]).await;
    assert!(printed(&enabled).contains(&webhook));
    assert!(served.listed(&webhook, |_| true).await.get("disabledAt").is_none());
    assert_eq!(served.command(home.path(), &["webhooks", "enable", "unknown"]).await.status.code(), Some(4));
    // Off because the receiver says so, and on because it took something that was asked for by hand.
    status.store(410, Ordering::Relaxed);
    served.ping(&served.key, &webhook).await;
    let off = served.listed(&webhook, |webhook| webhook.get("disabledAt").is_some()).await;
    assert_eq!(off["disabledReason"], "gone");
    status.store(200, Ordering::Relaxed);
    served.ping(&served.key, &webhook).await;
    served.listed(&webhook, |webhook| webhook.get("disabledAt").is_none()).await;
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_a_person_switched_off_stays_off_until_a_person_switches_it_on() {
    let (data, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = Served::start(data.path(), Timing::default()).await;
    let receiver = Receiver::start().await;
    let webhook = served.subscribe(&served.key, &receiver.url).await;
    let disabled = served.command(home.path(), &["webhooks", "disable", &webhook]).await;
    assert!(printed(&disabled).contains(&webhook));
    let off = served.listed(&webhook, |_| true).await;
    assert_eq!((off["disabledAt"].is_string(), &off["disabledReason"]), (true, &json!("disabled")));
    let again = served.ask(&served.key, Method::POST, &format!("/webhooks/{webhook}/disable"), None).await;
    assert_eq!(again, (200, off.clone()), "switched off twice it is as off as before");
    // A message by hand arrives, and changes nothing: a person wanted it off.
    served.ping(&served.key, &webhook).await;
    receiver.wait_for(1).await;
    let path = format!("/webhooks/{webhook}/deliveries");
    while served.ask(&served.key, Method::GET, &path, None).await.1["deliveries"][0]["state"] != "delivered" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(served.listed(&webhook, |_| true).await, off);
    let list = served.command(home.path(), &["webhooks", "list"]).await;
    assert!(printed(&list).contains("switched off"));
    printed(&served.command(home.path(), &["webhooks", "enable", &webhook]).await);
    assert!(served.listed(&webhook, |_| true).await.get("disabledAt").is_none());
    let refused = served.command(home.path(), &["--read-only", "webhooks", "disable", &webhook]).await;
    assert_eq!(refused.status.code(), Some(7));
    let path = "/webhooks/unknown/disable";
    assert_eq!(served.ask(&served.key, Method::POST, path, None).await.0, 404);
    served.running.stop().await;
}

/// Receivers that take a message and never answer.
fn tarpits(count: usize) -> (Vec<TcpListener>, Vec<String>) {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let urls = listeners.iter().map(|listener| format!("http://{}/", listener.local_addr().unwrap())).collect();
    (listeners, urls)
}

#[tokio::test]
async fn receivers_that_never_answer_keep_nobody_else_waiting() {
    let data = tempfile::tempdir().unwrap();
    // Longer than the test waits for anything: a place that a tarpit has it keeps.
    let patient = Timing { receiver: Duration::from_secs(600), ..Timing::default() };
    let served = Served::start(data.path(), patient).await;
    let other = served.running.service().add_workspace("other@example.com").await.unwrap().expose().to_owned();
    let (ours, theirs) = (Receiver::start().await, Receiver::start().await);
    let works = served.subscribe(&served.key, &ours.url).await;
    served.ping(&served.key, &works).await;
    ours.wait_for(1).await;

    let (_held, urls) = tarpits(40);
    for url in &urls {
        let webhook = served.subscribe(&served.key, url).await;
        served.ping(&served.key, &webhook).await;
    }
    // Many subscriptions to one host count as that host.
    for _ in 0..30 {
        let webhook = served.subscribe(&served.key, &format!("{}slow", urls[0])).await;
        served.ping(&served.key, &webhook).await;
    }
    let new = served.subscribe(&other, &theirs.url).await;
    served.ping(&other, &new).await;
    theirs.wait_for(1).await;
    served.ping(&served.key, &works).await;
    ours.wait_for(2).await;
    // And a second one while all that hangs still hangs.
    served.ping(&served.key, &works).await;
    ours.wait_for(3).await;
    served.running.stop().await;
}
