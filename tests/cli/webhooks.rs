//! Events received on the command line of the real binary, from the real local service.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::receiver;
use crate::recorder;
use crate::serving;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cutaway::domain::WebhookSecret;
use receiver::Receiver;
use recorder::Recorder;
use serde_json::Value;
use serving::{Process, serve};
use tempfile::TempDir;

struct Served {
    process: Process,
    home: TempDir,
}

fn cutaway(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear().stdin(Stdio::null()).current_dir(home).env("HOME", home);
    command
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("served");
        let process = Process::start(serve(home.path(), &data).args(["--sample", "--allow-private-webhooks"]));
        Self { process, home }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cutaway(self.home.path());
        command.env("CUTAWAY_BASE_URL", self.process.base());
        command.env("CUTAWAY_API_KEY", self.process.key());
        command.args(arguments);
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// `webhooks listen`, until it is dropped.
struct Listening {
    process: Child,
    out: BufReader<std::process::ChildStdout>,
    url: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Listening {
    fn start(served: &Served, arguments: &[&str]) -> Self {
        Self::of(served.command(&[]), arguments)
    }

    /// On a service that tells no secrets.
    fn without_secrets(service: &Recorder, home: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        let mut command = cutaway(home);
        command.env("CUTAWAY_BASE_URL", &service.base).env("CUTAWAY_API_KEY", "a-key").envs(variables.iter().copied());
        Self::of(command, arguments)
    }

    fn of(mut command: Command, arguments: &[&str]) -> Self {
        command.args(["webhooks", "listen", "--listen", "127.0.0.1:0", "--json"]);
        let mut process = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
        let out = BufReader::new(process.stdout.take().unwrap());
        Self { process, out, url }
    }

    fn event(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_subscription_to_a_verified_delivery_and_on() {
    let behind = Receiver::start().await;
    let url = behind.url.clone();
    let (served, mut listening) = tokio::task::spawn_blocking(move || {
        let served = Served::start();
        let listening = Listening::start(&served, &["--forward-to", &url]);
        (served, listening)
    })
    .await
    .unwrap();
    let created = served.json(&["webhooks", "create", "conversion", &listening.url]);
    let id = created["id"].as_str().unwrap();
    let pinged = served.json(&["webhooks", "ping", id]);
    let event = listening.event();
    assert_eq!(
        (&event["verified"], &event["event"], &event["webhookId"]),
        (&true.into(), &"conversion".into(), &id.into())
    );
    assert_eq!((&event["id"], &event["forwarded"]["status"]), (&pinged["messageId"], &200.into()));
    // Without a folder the service is asked, wherever it keeps it; the local workspace of this home has no such thing.
    let asked = served.command(&["webhooks", "secret", id]).output().unwrap();
    assert_eq!(asked.status.code(), Some(0), "{}", String::from_utf8_lossy(&asked.stderr));
    // With a database there is nothing in the folder.
    if !serving::postgres::is_wanted() {
        let mut beside = served.command(&["webhooks", "secret", id, "--data"]);
        assert_eq!(asked.stdout, beside.arg(served.home.path().join("served")).output().unwrap().stdout);
    }
    let unknown = served.command(&["webhooks", "secret", "00000000-0000-4000-8000-000000000000"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(4), "{}", String::from_utf8_lossy(&unknown.stderr));
    behind.wait_for(1).await.verify(String::from_utf8(asked.stdout).unwrap().trim());

    // What someone else posts is not believed, and not passed on.
    let http = reqwest::Client::new();
    let forged = http.post(&listening.url).header("webhook-id", "msg_1").header("webhook-timestamp", "1");
    let refused = forged.header("webhook-signature", "v1,AAAA").body("{}").send().await.unwrap();
    assert_eq!(refused.status(), 401);
    let event = listening.event();
    assert_eq!(
        (&event["verdict"], &event["verified"], &event["forwarded"]),
        (&"forged".into(), &false.into(), &Value::Null)
    );
    assert_eq!(http.post(&listening.url).body("x").send().await.unwrap().status(), 401);
    assert_eq!(listening.event()["verdict"], "not signed");
    assert_eq!(behind.seen().len(), 1);

    // Where the one behind fails, the sender hears it.
    behind.answers([(503, None)]);
    let deliveries = served.json(&["webhooks", "deliveries", id]);
    let delivery = &deliveries["deliveries"][0];
    assert_eq!(delivery["state"], "delivered");
    // What is sent once more in the same second is the same byte for byte, as a replay is.
    let second = jiff::Timestamp::now().as_second();
    while jiff::Timestamp::now().as_second() == second {
        tokio::task::yield_now().await;
    }
    served.json(&["webhooks", "redeliver", id, delivery["id"].as_str().unwrap()]);
    let event = listening.event();
    assert_eq!((&event["verified"], &event["answered"]), (&true.into(), &503.into()));
    // Tried again by the service itself.
    assert_eq!(listening.event()["answered"], 200);

    let read_only = served.command(&["webhooks", "ping", id, "--read-only"]).output().unwrap();
    assert_eq!(read_only.status.code(), Some(7));
    let elsewhere = served.command(&["webhooks", "listen", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(elsewhere.status.code(), Some(2));
    let unknown = served.command(&["webhooks", "deliveries", "00000000-0000-4000-8000-000000000000"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(4));
}

/// A service that knows subscriptions, and tells no secrets of them.
fn tight_lipped() -> Recorder {
    Recorder::start(|asked| match asked.split(' ').nth(1).unwrap_or_default() {
        path if path.ends_with("/webhooks") || path.ends_with("/webhooks/") => {
            (200, String::new(), r#"[{"id":"w","event":"conversion","url":"https://x.example"}]"#.to_owned())
        }
        _ => (404, String::new(), "{}".to_owned()),
    })
}

/// Posts a message, with these headers more.
async fn post(url: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = reqwest::Client::new().post(url).body("{\"playlist\":\"x\"}");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_verified_is_passed_on_only_where_that_is_wanted_and_never_from_elsewhere() {
    let (service, behind, home) = (tight_lipped(), Recorder::saying("{}"), tempfile::tempdir().unwrap());
    let mut usual = Listening::without_secrets(&service, home.path(), &[], &["--forward-to", &behind.base]);
    assert_eq!(post(&usual.url, &[("webhook-id", "m1")]).await, 401);
    let event = usual.event();
    assert_eq!((&event["verdict"], &event["verified"]), (&"not verified".into(), &false.into()));
    assert!(event["forwarded"]["error"].as_str().unwrap().contains("--forward-unverified"), "{event}");
    assert_eq!(behind.seen().len(), 0, "nobody knows who sent it");

    let mut keeping = Listening::without_secrets(&service, home.path(), &[], &["--keep"]);
    for page in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        assert_eq!(post(&keeping.url, &[page]).await, 401, "no page makes up what viewers did");
        assert_eq!(keeping.event()["verdict"], "web page");
    }
    assert_eq!(post(&keeping.url, &[]).await, 200);
    assert_eq!(keeping.event()["verdict"], "not verified");

    let wanted = ["--forward-to", &behind.base, "--forward-unverified"];
    let mut listening = Listening::without_secrets(&service, home.path(), &[], &wanted);
    let url = listening.url.clone();
    let own = url.trim_end_matches('/').to_owned();
    for foreign in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("host", "evil.example:7228"),
        ("host", "rebound.example"),
        ("sec-fetch-site", "cross-site"),
    ] {
        assert_eq!(post(&url, &[foreign]).await, 401, "{foreign:?}");
        let event = listening.event();
        assert!(event["forwarded"]["error"].as_str().unwrap().contains("not this machine"), "{foreign:?} {event}");
    }
    assert_eq!(reqwest::get(&url).await.unwrap().status(), 405, "a picture of a web page");
    assert_eq!(behind.seen().len(), 0);
    for (nth, headers) in [&[][..], &[("origin", own.as_str())], &[("webhook-id", "m2")]].iter().enumerate() {
        assert_eq!(post(&url, headers).await, 200, "{headers:?}");
        assert_eq!((&listening.event()["forwarded"]["status"], behind.seen().len()), (&200.into(), nth + 1));
    }
    assert_eq!(post(&url, &[("webhook-id", "m2")]).await, 401);
    assert!(listening.event()["forwarded"]["error"].as_str().unwrap().contains("before"));
    assert_eq!(behind.seen().len(), 3, "the same message is passed on once");
    let alone = cutaway(home.path()).args(["webhooks", "listen", "--forward-unverified"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2), "there is nothing to pass on to");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_signed_is_passed_on_once_whatever_its_host() {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (service, home) = (tight_lipped(), tempfile::tempdir().unwrap());
    let fails = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let failing = std::sync::Arc::clone(&fails);
    let behind = Recorder::start(move |_| {
        let status = if failing.swap(false, std::sync::atomic::Ordering::SeqCst) { 503 } else { 200 };
        (status, String::new(), "{}".to_owned())
    });
    let variables = [("CUTAWAY_WEBHOOK_SECRET", SECRET)];
    let mut listening = Listening::without_secrets(&service, home.path(), &variables, &["--forward-to", &behind.base]);
    let url = listening.url.clone();
    let signed = |id: &str, at: i64| {
        let signature = cutaway::api::sign(&WebhookSecret::new(SECRET), id, at, "{\"playlist\":\"x\"}").unwrap();
        [("webhook-id", id.to_owned()), ("webhook-timestamp", at.to_string()), ("webhook-signature", signature)]
    };
    let send = async |message: &[(&'static str, String); 3], more: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = message.iter().map(|(name, value)| (*name, value.as_str())).collect();
        post(&url, &[&headers, more].concat()).await
    };
    let now = jiff::Timestamp::now().as_second();
    // Through a tunnel: its host is another one.
    let first = signed("m1", now);
    assert_eq!(send(&first, &[("host", "tunnel.example")]).await, 200);
    assert_eq!((&listening.event()["verdict"], behind.seen().len()), (&"verified".into(), 1));
    for _ in 0..2 {
        assert_eq!(send(&first, &[]).await, 200, "its sender need not send it again");
        let event = listening.event();
        assert_eq!((&event["verdict"], &event["forwarded"]), (&"replayed".into(), &Value::Null));
    }
    assert_eq!(behind.seen().len(), 1, "what somebody recorded does nothing a second time");
    for stale in [now - 400, now + 400] {
        assert_eq!(send(&signed("m2", stale), &[]).await, 401);
        assert!(listening.event()["verdict"].as_str().unwrap().starts_with("stale"));
    }
    assert_eq!(behind.seen().len(), 1);
    // One that failed behind is no replay when it comes again, nor is one that its sender signed again.
    fails.store(true, std::sync::atomic::Ordering::SeqCst);
    let third = signed("m3", now);
    assert_eq!(send(&third, &[]).await, 503);
    assert_eq!(send(&third, &[]).await, 200);
    assert_eq!(send(&signed("m3", now + 1), &[]).await, 200);
    let verdicts: Vec<Value> = (0..3).map(|_| listening.event()["verdict"].clone()).collect();
    assert_eq!((verdicts, behind.seen().len()), (vec!["verified".into(); 3], 4));
}

/// A service with one subscription, whose secret it tells `before` it is told to stop; after that it answers nobody.
fn stops_answering(secret: &'static str) -> (Recorder, std::sync::Arc<std::sync::Mutex<bool>>) {
    let silent = std::sync::Arc::new(std::sync::Mutex::new(false));
    let is_silent = std::sync::Arc::clone(&silent);
    let service = Recorder::start(move |asked| {
        let path = asked.split(' ').nth(1).unwrap_or_default();
        if path.contains("/webhooks") && *is_silent.lock().unwrap() {
            loop {
                std::thread::park();
            }
        }
        match path {
            path if path.contains("/secret") => (200, String::new(), format!(r#"{{"id":"w","secret":"{secret}"}}"#)),
            path if path.contains("/webhooks") => {
                (200, String::new(), r#"[{"id":"w","event":"conversion","url":"https://x.example"}]"#.to_owned())
            }
            _ => (404, String::new(), "{}".to_owned()),
        }
    });
    (service, silent)
}

/// How often the subscriptions were asked for.
fn asked_for(service: &Recorder) -> usize {
    let list =
        |one: &&String| one.split(' ').nth(1).is_some_and(|path| path.trim_end_matches('/').ends_with("/webhooks"));
    service.seen().iter().filter(list).count()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed().as_secs() < 60, "waited in vain until {what}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_posts_make_no_questions_and_hold_up_nobody() {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const OTHER: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let (service, silent) = stops_answering(SECRET);
    let home = tempfile::tempdir().unwrap();
    let mut listening = Listening::without_secrets(&service, home.path(), &[], &[]);
    let url = listening.url.clone();
    let signed = |secret: &'static str, id: &str, at: i64| {
        let signature = cutaway::api::sign(&WebhookSecret::new(secret), id, at, "{\"playlist\":\"x\"}").unwrap();
        [("webhook-id", id.to_owned()), ("webhook-timestamp", at.to_string()), ("webhook-signature", signature)]
    };
    let send = async |message: &[(&'static str, String)], more: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = message.iter().map(|(name, value)| (*name, value.as_str())).collect();
        post(&url, &[&headers, more].concat()).await
    };
    let now = jiff::Timestamp::now().as_second();
    assert_eq!(send(&signed(SECRET, "m1", now), &[]).await, 200);
    assert_eq!((&listening.event()["verdict"], asked_for(&service)), (&"verified".into(), 1));

    // Not signed, of long ago, of a web page, of no form: nothing is asked for them, however many they are.
    let forged = signed(OTHER, "m2", now);
    for _ in 0..25 {
        assert_eq!(send(&[], &[]).await, 401);
        assert_eq!(send(&signed(OTHER, "m2", now - 400), &[]).await, 401);
        assert_eq!(send(&forged, &[("origin", "https://evil.example")]).await, 401);
        assert_eq!(send(&forged, &[("sec-fetch-site", "cross-site")]).await, 401);
        assert_eq!(send(&forged[..2], &[("webhook-signature", "AAAA")]).await, 401);
    }
    for _ in 0..125 {
        assert!(["not signed", "forged"].contains(&listening.event()["verdict"].as_str().unwrap()));
    }
    assert_eq!(asked_for(&service), 1, "strangers cost the service nothing");

    // A signature of now may be that of a new subscription. It is asked for, and not for each of them.
    let begun = std::time::Instant::now();
    for _ in 0..50 {
        assert_eq!(send(&forged, &[]).await, 401);
    }
    let most = 2 + usize::try_from(begun.elapsed().as_secs()).unwrap() / 2;
    assert!((2..=1 + most).contains(&asked_for(&service)), "{} of {most}", asked_for(&service));
    (0..50).for_each(|_| assert_eq!(listening.event()["verdict"], "forged"));

    // While the service does not answer, who is known is not held up.
    *silent.lock().unwrap() = true;
    let before = asked_for(&service);
    let waiting = {
        let (url, forged) = (url.clone(), forged.clone());
        tokio::spawn(async move {
            loop {
                let headers: Vec<(&str, &str)> = forged.iter().map(|(name, value)| (*name, value.as_str())).collect();
                post(&url, &headers).await;
            }
        })
    };
    until("it is asked once more", || asked_for(&service) > before).await;
    for nth in 0..3 {
        assert_eq!(send(&signed(SECRET, &format!("m{}", 10 + nth), now), &[]).await, 200);
    }
    assert_eq!((asked_for(&service), waiting.is_finished()), (before + 1, false));
    waiting.abort();
}

/// What viewers say of themselves takes no answers away that only hold a part of it, and what is not kept is counted.
#[test]
fn an_import_says_how_many_texts_it_did_not_keep() {
    let served = Served::start();
    let event = |session: &str, viewer: &str, answer: &str| {
        serde_json::json!({
            "sessionId": session, "projectId": "p", "timestamp": 1_767_225_600, "collectedInfo": { "name": viewer },
            "events": [
                { "eventName": "answer_selected", "stepName": "aaaaa", "text": answer },
                { "eventName": "completed", "stepName": "aaaaa" },
            ],
        })
        .to_string()
    };
    let lines =
        [event("1", "Ed", "Redder"), event("2", "An", "Another"), event("3", "Kari", "For Kari"), "{}".to_owned()];
    std::fs::write(served.home.path().join("events.ndjson"), lines.join("\n")).unwrap();
    let taken = served.json(&["webhooks", "import", "events.ndjson"]);
    let wanted = serde_json::json!({
        "kept": 3, "known": 0, "unread": 1, "firstUnread": { "line": 4, "reason": "it has no sessionId" },
        "withheld": 1, "unreadEntries": 0,
    });
    assert_eq!(taken, wanted);
    let output = served.command(&["webhooks", "import", "events.ndjson"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("1 text not kept") && said.contains("(line 4: it has no sessionId)"), "{said}");
    std::fs::write(served.home.path().join("odd.ndjson"), "{}\nno json\n").unwrap();
    let odd = served.command(&["webhooks", "import", "odd.ndjson"]).output().unwrap();
    assert_eq!(odd.status.code(), Some(1), "nothing of it is an event: {odd:?}");
    let folder = std::fs::read_dir(state_of(served.home.path()).join("visits")).unwrap();
    let kept =
        folder.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|end| end == "ndjson"));
    let kept = std::fs::read_to_string(kept.unwrap()).unwrap();
    assert_eq!((kept.matches("completed").count(), kept.matches("answer_selected").count()), (3, 3), "{kept}");
    assert!(kept.contains("Redder") && kept.contains("Another") && !kept.contains("Kari"), "{kept}");
}

/// The state folder of a home.
fn state_of(home: &Path) -> std::path::PathBuf {
    home.join(".local/state/cutaway")
}
