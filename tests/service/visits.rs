//! Visits over real HTTP, and what subscriptions are told of them: Standard Webhooks, retries, restarts, refusals.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crate::hosted;
use crate::receiver;

use std::path::Path;
use std::time::{Duration, Instant};

use cutaway::service::{ServeOptions, Timing, offline};
use hosted::{ServedFor, kept, on};
use receiver::{Got, Receiver};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// Lengths that a test can wait for.
fn quick() -> Timing {
    Timing { first_retry: Duration::from_millis(20), ..Timing::default() }
}

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn start(data: &Path, timing: Timing, allow_private_webhooks: bool) -> Self {
        Self::sample(ServeOptions { timing, allow_private_webhooks, ..on(data) }).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
        let mut request = self.http.request(method, self.url(path));
        if !path.contains("/play/") {
            request = request.bearer_auth(&self.key);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask(Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(Method::POST, path, Some(body)).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// Subscribes the receiver to an event; the subscription's id and secret.
    async fn subscribe(&self, event: &str, url: &str) -> (String, String) {
        let webhook = self.post("/webhooks", json!({ "event": event, "url": url })).await;
        let id = webhook["id"].as_str().unwrap().to_owned();
        let secret = self.get(&format!("/webhooks/{id}/secret")).await["secret"].as_str().unwrap().to_owned();
        (id, secret)
    }

    /// The sample's quiz.
    async fn quiz(&self) -> Value {
        let projects = self.get("/projects/").await;
        let found = projects["projects"].as_array().unwrap().iter().find(|project| project["name"] == "Gift finder");
        found.unwrap().clone()
    }

    async fn begin(&self) -> Value {
        let publish_id = self.quiz().await["publishId"].as_str().unwrap().to_owned();
        self.post(&format!("/play/{publish_id}/visits"), json!({ "anonymousId": "viewer-1" })).await
    }

    async fn report(&self, visit: &Value, body: Value) -> Value {
        // The port is another one after a restart.
        let events = reqwest::Url::parse(visit["eventsUrl"].as_str().unwrap()).unwrap();
        self.post(events.path(), body).await
    }

    /// A visit from its begin to its end.
    async fn visit(&self) -> Value {
        let visit = self.begin().await;
        self.report(&visit, json!({ "events": [event(0, "completed")], "ended": true })).await;
        visit
    }

    async fn deliveries(&self, webhook: &str) -> Vec<Value> {
        self.get(&format!("/webhooks/{webhook}/deliveries")).await["deliveries"].as_array().unwrap().clone()
    }

    /// The latest delivery, once it is in this state.
    async fn settled(&self, webhook: &str, state: &str) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(90) {
            let latest = self.deliveries(webhook).await.into_iter().next().unwrap_or_default();
            if latest["state"] == state {
                return latest;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("never {state}: {:?}", self.deliveries(webhook).await);
    }
}

fn event(number: u32, name: &str) -> Value {
    json!({ "number": number, "eventName": name, "stepName": "pHB58", "videoName": "welcome.mp4", "text": "For her", "ago": 10 })
}

fn names(got: &Got) -> Vec<&str> {
    got.body["events"].as_array().unwrap().iter().map(|event| event["eventName"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_visit_is_told_of() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), quick(), true).await;
    let [ends, forms, purchases] = [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    let (summary, summary_secret) = served.subscribe("response_summary", &ends.url).await;
    let (collected, collected_secret) = served.subscribe("collected_info", &forms.url).await;
    let (_, conversion_secret) = served.subscribe("conversion", &purchases.url).await;
    let quiz = served.quiz().await;
    let publish_id = quiz["publishId"].as_str().unwrap();
    assert_eq!(quiz["cutaway"], format!("{}/play/{publish_id}", served.running.base_url()));

    let played = served.get(&format!("/play/{publish_id}/project")).await;
    assert_eq!(
        (&played["name"], &played["first"], &played["form"]),
        (&json!("Gift finder"), &json!("pHB58"), &json!(false))
    );
    let first = &played["steps"][0];
    assert_eq!(first["overlayText"], "Who is it for?");
    assert_eq!(first["answers"][0], json!({ "text": "For her", "next": "rqAvg" }));
    let film = served.http.get(first["video"]["url"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(film.headers()["content-type"], "video/mp4");

    let visit = served.begin().await;
    assert_eq!((&visit["anonymousId"], &visit["formUrl"]), (&json!("viewer-1"), &Value::Null));
    let open = served.report(&visit, json!({ "events": [event(0, "step_shown"), event(1, "answer_selected")] })).await;
    assert_eq!(open, json!({ "open": true }));
    // What arrives twice is kept once.
    let last = json!({ "events": [event(1, "answer_selected"), event(2, "completed")], "ended": true });
    assert_eq!(served.report(&visit, last.clone()).await, json!({ "open": false }));
    served.report(&visit, last).await;
    let got = ends.wait_for(1).await;
    got.verify(&summary_secret);
    assert_eq!(names(&got), ["step_shown", "answer_selected", "completed"]);
    let members: Vec<&str> = got.body.as_object().unwrap().keys().map(String::as_str).collect();
    let declared = [
        "sessionId",
        "timestamp",
        "projectId",
        "publishId",
        "playlist",
        "anonymousId",
        "collectedInfo",
        "events",
        "sessionTime",
    ];
    assert_eq!(members, declared);
    let told: Vec<&str> = got.body["events"][0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(told, ["eventName", "stepName", "videoName", "text", "timestamp"]);
    assert_eq!((&got.body["sessionId"], &got.body["projectId"]), (&visit["sessionId"], &quiz["id"]));
    assert_eq!((&got.body["playlist"], &got.body["collectedInfo"]), (&json!("Gift finder"), &Value::Null));
    assert!(got.body["sessionTime"].as_f64().unwrap() < 60.0);

    // The form is off until the workspace switches it on.
    let at = |what: &str| visit["eventsUrl"].as_str().unwrap().replace("/events", what);
    let given = json!({ "name": "Ola", "email": "ola@example.com", "phone": "" });
    assert_eq!(served.ask(Method::POST, &at("/form"), Some(given.clone())).await.0, 409);
    offline::set_player_form(&kept(data.path()), true).await.unwrap();
    for (wrong, pointer) in [(json!({ "email": "nobody" }), "/email"), (json!({ "name": " " }), "/name")] {
        let (status, problem) = served.ask(Method::POST, &at("/form"), Some(wrong)).await;
        assert_eq!((status.as_u16(), &problem["errors"][0]["pointer"]), (400, &json!(pointer)));
    }
    served.post(&at("/form"), given.clone()).await;
    served.post(&at("/form"), given).await;
    let got = forms.wait_for(1).await;
    got.verify(&collected_secret);
    assert_eq!(got.body["collectedInfo"], json!({ "name": "Ola", "email": "ola@example.com", "phone": null }));

    let order = json!({ "orderId": "1001", "amount": 499.5, "currency": "NOK" });
    let purchase = visit["purchaseUrl"].as_str().unwrap();
    assert_eq!(served.post(purchase, order.clone()).await, json!({ "reported": true }));
    assert_eq!(served.post(purchase, order).await, json!({ "reported": false }));
    let got = purchases.wait_for(1).await;
    got.verify(&conversion_secret);
    assert_eq!(names(&got).last(), Some(&"purchase"));
    assert_eq!(got.body["events"].as_array().unwrap().last().unwrap()["text"], "1001 499.5 NOK");

    // Each was told once.
    assert_eq!(served.settled(&summary, "delivered").await["status"], 200);
    assert_eq!((served.deliveries(&summary).await.len(), served.deliveries(&collected).await.len()), (1, 1));
    served.running.stop().await;
}

#[tokio::test]
async fn silence_ends_a_visit() {
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    let served = Served::start(data.path(), quick(), true).await;
    let (_, secret) = served.subscribe("response_summary", &receiver.url).await;
    let visit = served.begin().await;
    served.report(&visit, json!({ "events": [event(0, "step_shown")] })).await;
    served.running.stop().await;
    // Nobody was there to end it; the next start does.
    let silent = Timing { silence: Duration::from_millis(50), ..quick() };
    let served = Served::start(data.path(), silent, true).await;
    let got = receiver.wait_for(1).await;
    got.verify(&secret);
    assert_eq!((names(&got), &got.body["sessionId"]), (vec!["step_shown"], &visit["sessionId"]));
    assert_eq!(served.report(&visit, json!({ "events": [event(1, "late")] })).await, json!({ "open": false }));
    // And one that begins while it serves.
    let visit = served.begin().await;
    assert_eq!(receiver.wait_for(2).await.body["sessionId"], visit["sessionId"]);
    served.running.stop().await;
}

/// The visits that the database has.
fn visits(data: &Path) -> i64 {
    let database = rusqlite::Connection::open(data.join("cutaway.sqlite3")).unwrap();
    database.query_row("SELECT count(*) FROM visit", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn an_idle_service_sweeps_what_was_kept_for_long_enough() {
    // It looks into the files of SQLite.
    if hosted::postgres::is_wanted() {
        return;
    }
    assert_eq!(Timing::default().sweep, Duration::from_secs(3600), "hourly");
    let data = tempfile::tempdir().unwrap();
    let often = Timing { sweep: Duration::from_millis(20), ..quick() };
    let served = Served::start(data.path(), often, true).await;
    served.begin().await;
    assert_eq!(visits(data.path()), 1);
    // As long after its start as anybody likes, nobody comes any more and the 30 days are over.
    let database = rusqlite::Connection::open(data.path().join("cutaway.sqlite3")).unwrap();
    let month = 31 * 24 * 3600 * 1000_i64;
    database.execute("UPDATE visit SET begun_at = begun_at - ?1, seen_at = seen_at - ?1", [month]).unwrap();
    drop(database);
    let begun = Instant::now();
    while visits(data.path()) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(90), "what is over stays");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    served.running.stop().await;
}

#[tokio::test]
async fn what_fails_is_tried_again() {
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    receiver.answers([(500, None), (503, Some("1")), (302, None), (200, None)]);
    let served = Served::start(data.path(), quick(), true).await;
    let (webhook, secret) = served.subscribe("response_summary", &receiver.url).await;
    served.visit().await;
    let last = receiver.wait_for(4).await;
    let seen = receiver.seen();
    for got in &seen {
        got.verify(&secret);
        assert_eq!((&got.id, &got.body), (&last.id, &last.body));
    }
    assert!(seen[2].at.duration_since(seen[1].at) >= Duration::from_millis(990), "Retry-After was not honored");
    let delivery = served.settled(&webhook, "delivered").await;
    assert_eq!((&delivery["attempts"], &delivery["responseBody"]), (&json!(4), &json!("taken")));
    assert_eq!((&delivery["messageId"], &delivery["body"]), (&json!(last.id), &last.body));

    let path = format!("/webhooks/{webhook}/deliveries/{}/redeliver", delivery["id"].as_str().unwrap());
    assert_eq!(served.ask(Method::POST, &path, None).await.0, 202);
    assert_eq!(receiver.wait_for(5).await.id, last.id);
    assert_eq!(served.ask(Method::POST, &format!("/webhooks/{webhook}/ping"), None).await.0, 202);
    let ping = receiver.wait_for(6).await;
    ping.verify(&secret);
    assert_eq!(names(&ping), ["ping"]);
    served.running.stop().await;
}

#[tokio::test]
async fn a_restart_forgets_nothing() {
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    // However long the first service takes to stop, nothing of it is delivered before the next one runs.
    receiver.answers([(500, None); 400]);
    let slower = Timing { first_retry: Duration::from_millis(300), ..Timing::default() };
    let served = Served::start(data.path(), slower.clone(), true).await;
    let (webhook, secret) = served.subscribe("response_summary", &receiver.url).await;
    served.visit().await;
    let first = receiver.wait_for(1).await;
    served.running.stop().await;
    let before = receiver.seen().len();
    receiver.forgives();
    let served = Served::start(data.path(), slower, true).await;
    let next = receiver.wait_for(before + 1).await;
    next.verify(&secret);
    assert_eq!(first.id, next.id);
    assert_eq!(served.settled(&webhook, "delivered").await["attempts"], before + 1);
    served.running.stop().await;
}

#[tokio::test]
async fn a_receiver_that_is_gone_gets_no_more() {
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    receiver.answers([(410, None)]);
    let served = Served::start(data.path(), quick(), true).await;
    let (webhook, _) = served.subscribe("response_summary", &receiver.url).await;
    served.visit().await;
    served.settled(&webhook, "ended").await;
    served.visit().await;
    assert_eq!((served.deliveries(&webhook).await.len(), receiver.seen().len()), (1, 1));
    // Asked by hand, and taken: it is there again.
    served.ask(Method::POST, &format!("/webhooks/{webhook}/ping"), None).await;
    served.settled(&webhook, "delivered").await;
    served.visit().await;
    receiver.wait_for(3).await;
    served.running.stop().await;
}

#[tokio::test]
async fn private_addresses_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    let served = Served::start(data.path(), quick(), false).await;
    let port = receiver.url.rsplit(':').next().unwrap().to_owned();
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "10.0.0.1", "169.254.169.254"] {
        let (webhook, _) = served.subscribe("conversion", &format!("http://{host}:{port}")).await;
        served.ask(Method::POST, &format!("/webhooks/{webhook}/ping"), None).await;
        let delivery = served.settled(&webhook, "failed").await;
        assert!(delivery["error"].as_str().unwrap().contains("--allow-private-webhooks"), "{host}: {delivery}");
        assert_eq!(delivery["attempts"], 1);
    }
    assert!(receiver.seen().is_empty());
    served.running.stop().await;
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() {
    let data = tempfile::tempdir().unwrap();
    let mut served = Served::start(data.path(), quick(), true).await;
    let receiver = Receiver::start().await;
    let (webhook, secret) = served.subscribe("response_summary", &receiver.url).await;
    served.visit().await;
    let delivery = served.settled(&webhook, "delivered").await["id"].as_str().unwrap().to_owned();
    assert_eq!(offline::webhook_secret(&kept(data.path()), webhook.as_str().into()).await.unwrap().expose(), secret);
    assert!(offline::webhook_secret(&kept(data.path()), "unknown".into()).await.is_err());
    let paths = [
        (Method::GET, format!("/webhooks/{webhook}/secret")),
        (Method::GET, format!("/webhooks/{webhook}/deliveries")),
        (Method::POST, format!("/webhooks/{webhook}/ping")),
        (Method::POST, format!("/webhooks/{webhook}/deliveries/{delivery}/redeliver")),
    ];
    served.key = served.running.service().add_workspace("other@example.com").await.unwrap().expose().to_owned();
    for (method, path) in &paths {
        assert_eq!(served.ask(method.clone(), path, None).await.0, 404, "{path}");
    }
    served.key = "wrong".to_owned();
    for (method, path) in &paths {
        assert_eq!(served.ask(method.clone(), path, None).await.0, 401, "{path}");
    }
    assert_eq!(receiver.seen().len(), 1);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_knows_the_secret_and_switches_the_form() {
    // `webhooks secret --data` is about a folder.
    if hosted::postgres::is_wanted() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), quick(), true).await;
    let (webhook, secret) = served.subscribe("conversion", "https://hooks.example/").await;
    // While it is served, and with nothing of the person's own settings.
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("cutaway").unwrap();
        command.env_clear().env("HOME", home.path()).args(arguments).arg("--data").arg(data.path());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(run(&["webhooks", "secret", &webhook]), (Some(0), format!("{secret}\n")));
    assert_eq!(run(&["webhooks", "secret", "unknown"]), (Some(4), String::new()));
    let publish_id = served.quiz().await["publishId"].as_str().unwrap().to_owned();
    for (setting, form) in [("on", true), ("off", false)] {
        assert_eq!(run(&["serve", "player-form", setting]).0, Some(0));
        assert_eq!(served.get(&format!("/play/{publish_id}/project")).await["form"], form);
    }
    assert_eq!(run(&["serve", "player-form", "perhaps"]).0, Some(2));
    served.running.stop().await;
}

#[tokio::test]
async fn public_paths_are_bounded_and_open_to_every_site() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), quick(), true).await;
    let publish_id = served.quiz().await["publishId"].as_str().unwrap().to_owned();
    let page = served.http.get(format!("{}/play/{publish_id}", served.running.base_url())).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(!page.headers().contains_key("access-control-allow-origin"));
    let page = page.text().await.unwrap();
    assert!(page.contains("<title>Gift finder</title>") && !page.contains("https://"), "{page}");
    let missing = served.http.get(format!("{}/play/nothing", served.running.base_url())).send().await.unwrap();
    assert_eq!(missing.status(), 404);
    assert!(missing.text().await.unwrap().contains("This video doesn&#39;t exist"));
    assert_eq!(served.ask(Method::POST, "/play/nothing/visits", None).await.0, 404);

    let visit = served.begin().await;
    let events = visit["eventsUrl"].as_str().unwrap();
    let many: Vec<Value> = (0..51).map(|number| event(number, "x")).collect();
    assert_eq!(served.ask(Method::POST, events, Some(json!({ "events": many }))).await.0, 400);
    assert_eq!(served.ask(Method::POST, events, Some(json!({ "events": "none" }))).await.0, 400);
    assert_eq!(served.ask(Method::POST, events, Some(json!("x".repeat(40_000)))).await.0, 413);
    let foreign = events.replace(&publish_id, "another");
    assert_eq!(served.ask(Method::POST, &foreign, Some(json!({}))).await.0, 404);
    let asked = served.http.request(Method::OPTIONS, events).header("origin", "https://shop.example");
    let answer = asked.send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["access-control-allow-origin"]),
        (204, &"*".parse().unwrap())
    );
    let other = served.http.get(format!("{}/projects/", served.running.base_url())).bearer_auth(&served.key);
    assert!(!other.send().await.unwrap().headers().contains_key("access-control-allow-origin"));

    let begin = format!("/play/{publish_id}/visits");
    let mut statuses = Vec::new();
    for _ in 0..100 {
        statuses.push(served.ask(Method::POST, &begin, None).await.0.as_u16());
    }
    assert_eq!(statuses[0], 201);
    assert!(statuses.contains(&429));
    served.running.stop().await;
}
