//! What somebody can do who knows no more than a player's address, or is another user of the same machine: against the
//! real binary.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::receiver;
use crate::serving;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use receiver::Receiver;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use serving::Served;
use sha2::Sha256;

async fn send(request: reqwest::RequestBuilder) -> (u16, HeaderMap, Value) {
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
}

async fn post(url: &str, body: &Value) -> (u16, HeaderMap, Value) {
    send(reqwest::Client::new().post(url).json(body)).await
}

async fn asked(served: &Served, path: &str, body: Option<Value>) -> Value {
    let http = reqwest::Client::new();
    let url = format!("{}{path}", served.base());
    let request = match body {
        None => http.get(url),
        Some(body) => http.post(url).json(&body),
    };
    send(request.bearer_auth(served.key())).await.2
}

/// The addresses of the sample's players.
async fn players(served: &Served) -> Vec<String> {
    let projects = asked(served, "/projects/", None).await;
    projects["projects"].as_array().unwrap().iter().map(|one| one["cutaway"].as_str().unwrap().to_owned()).collect()
}

/// `webhook-signature` over a body.
fn signature(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
    let key = STANDARD.decode(secret.trim().strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// What a command of the served folder prints.
async fn told(served: &Served, arguments: &[&str]) -> String {
    let mut command = serving::beside(served.home.path(), &served.home.path().join("served"), arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", serving::text(&output.stderr));
    serving::text(&output.stdout).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_that_the_shop_did_not_report_is_told_as_not_verified() {
    let served = Served::with(&["--allow-private-webhooks"]);
    let receiver = Receiver::start().await;
    asked(&served, "/webhooks", Some(json!({ "event": "conversion", "url": receiver.url }))).await;
    let player = players(&served).await.remove(0);
    let visit = post(&format!("{player}/visits"), &json!({})).await.2;
    let url = visit["purchaseUrl"].as_str().unwrap();
    let order = json!({ "orderId": "1001", "amount": 5, "currency": "NOK" });
    let last = |got: &receiver::Got| got.body["events"].as_array().unwrap().last().unwrap().clone();

    // Anybody, without a credential.
    let (status, _, said) = post(url, &order).await;
    assert_eq!((status, said), (200, json!({ "reported": true })));
    let got = receiver.wait_for(1).await;
    assert_eq!((&got.body["verified"], &last(&got)["verified"]), (&json!(false), &json!(false)), "{}", got.body);
    assert_eq!(post(url, &order).await.2, json!({ "reported": false }));
    // It does not keep the shop from reporting the same order.
    let by_key = |key: &str| reqwest::Client::new().post(url).bearer_auth(key).json(&order);
    assert_eq!(send(by_key(served.key())).await.2, json!({ "reported": true, "verified": true }));
    let got = receiver.wait_for(2).await;
    assert_eq!((&got.body["verified"], &last(&got)["verified"]), (&json!(true), &json!(true)));
    assert_eq!(send(by_key(served.key())).await.2["reported"], false);
    assert_eq!(post(url, &order).await.2["reported"], false, "what the shop said is not told once more");
    assert_eq!(send(by_key("wrong")).await.0, 401);
    // A key that only reads vouches for nothing, and neither does what it is exchanged for.
    let reader = told(&served, &["key", "add", "--name", "report", "--read-only"]).await;
    let exchange = reqwest::Client::new().post(format!("{}/account-service/authenticateCliApiKey", served.base()));
    let token = send(exchange.bearer_auth(reader.trim()).json(&json!({}))).await.2;
    let unreported = json!({ "orderId": "1002", "amount": 5, "currency": "NOK" });
    for secret in [reader.trim(), token["accessToken"].as_str().unwrap()] {
        let by_reader = reqwest::Client::new().post(url).bearer_auth(secret).json(&unreported);
        assert_eq!(send(by_reader).await.0, 401);
    }
    let by_writer = reqwest::Client::new().post(url).bearer_auth(served.key()).json(&unreported);
    assert_eq!(send(by_writer).await.2["reported"], true, "what was refused is not taken for reported");
    receiver.wait_for(3).await;

    // Signed by a shop that has no key.
    let sold = r#"{"amount":7}"#;
    let now = jiff::Timestamp::now().as_second();
    let signed = |secret: &str, id: &str, at: i64, body: &'static str| {
        reqwest::Client::new()
            .post(url)
            .header("webhook-id", id)
            .header("webhook-timestamp", at)
            .header("webhook-signature", signature(secret, id, at, sold))
            .body(body)
    };
    let guess = format!("whsec_{}", STANDARD.encode([7; 32]));
    assert_eq!(send(signed(&guess, "m1", now, sold)).await.0, 401, "there is no secret yet");
    let secret = told(&served, &["shop-secret"]).await;
    assert_eq!(told(&served, &["shop-secret"]).await, secret);
    assert_eq!(send(signed(&guess, "m1", now, sold)).await.0, 401);
    assert_eq!(send(signed(&secret, "m1", now - 900, sold)).await.0, 401, "an old one");
    assert_eq!(send(signed(&secret, "m1", now, r#"{"amount":70}"#)).await.0, 401, "another body");
    assert_eq!(send(signed(&secret, "m1", now, sold)).await.2, json!({ "reported": true, "verified": true }));
    assert_eq!(send(signed(&secret, "m1", now, sold)).await.2["reported"], false, "replayed");
    assert_eq!(receiver.wait_for(3).await.body["verified"], true);
    assert_ne!(told(&served, &["shop-secret", "--new"]).await, secret);
    assert_eq!(send(signed(&secret, "m2", now, sold)).await.0, 401, "replaced");

    // However many strangers report, the shop is heard.
    let mut statuses = Vec::new();
    for number in 0..60 {
        statuses.push(post(url, &json!({ "orderId": format!("x{number}") })).await.0);
    }
    assert_eq!(statuses.last(), Some(&409));
    let request = reqwest::Client::new().post(url).bearer_auth(served.key()).json(&json!({ "orderId": "1002" }));
    assert_eq!(send(request).await.2["verified"], true);

    // Nor are the service's own events anybody else's.
    let forged = json!({ "events": [{ "number": 0, "eventName": "purchase", "text": "1 000 000" }] });
    assert_eq!(post(visit["eventsUrl"].as_str().unwrap(), &forged).await.0, 200);
    let request = reqwest::Client::new().post(url).bearer_auth(served.key()).json(&json!({ "orderId": "last" }));
    send(request).await;
    // Two of one order, a signed one, 49 of strangers beside the first, and two by key.
    let got = receiver.wait_for(54).await;
    assert_eq!(last(&got)["text"], "last");
    assert!(!got.body.to_string().contains("1 000 000"), "{}", got.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_embed_the_player_is_a_setting() {
    let served = Served::start();
    let player = players(&served).await.remove(0);
    let page = async || {
        let answer = reqwest::get(&player).await.unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        (policy, answer.text().await.unwrap())
    };
    let (policy, text) = page().await;
    assert!(!policy.contains("frame-ancestors") && text.contains(r#"data-embed="*""#), "{policy}");
    assert_eq!(told(&served, &["player-embed"]).await, "anyone\n");
    told(&served, &["player-embed", "https://shop.example", "https://www.shop.example:8443/"]).await;
    let (policy, text) = page().await;
    let origins = "https://shop.example https://www.shop.example:8443";
    assert!(policy.ends_with(&format!("; frame-ancestors {origins}")), "{policy}");
    assert!(text.contains(&format!(r#"data-embed="{origins}""#)), "{text}");
    assert_eq!(told(&served, &["player-embed"]).await, format!("{}\n", origins.replace(' ', "\n")));
    assert!(!asked(&served, "/projects/", None).await.to_string().contains("shop.example"));
    told(&served, &["player-embed", "--nobody"]).await;
    let (policy, text) = page().await;
    assert!(policy.contains("frame-ancestors 'none'") && text.contains(r#"data-embed="""#), "{policy}");
    assert_eq!(told(&served, &["player-embed"]).await, "nobody\n");
    told(&served, &["player-embed", "--anyone"]).await;
    assert!(!page().await.0.contains("frame-ancestors"));
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_of_a_project_write_only_so_much() {
    let served = Served::with(&["--visits-per-day", "8", "--visit-bytes-per-day", "40K"]);
    let players = players(&served).await;
    let begin = format!("{}/visits", players[0]);
    let mut visits = Vec::new();
    // A quarter of them in an hour; should one end meanwhile, another quarter.
    let (headers, problem) = loop {
        let (status, headers, body) = post(&begin, &json!({})).await;
        if status == 429 {
            break (headers, body);
        }
        assert_eq!(status, 201, "{body}");
        visits.push(body);
        assert!(visits.len() <= 4, "no end to the visits");
    };
    let wait: u64 = headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=3600).contains(&wait) && visits.len() >= 2, "{wait}");
    assert!(problem["detail"].as_str().unwrap().contains("sent too much data"), "{problem}");
    // Another project has its own share, and the page plays on.
    assert_eq!(post(&format!("{}/visits", players[1]), &json!({})).await.0, 201);
    assert_eq!(reqwest::get(&players[0]).await.unwrap().status(), 200);

    // Long texts count, whoever sends them.
    let events = visits[0]["eventsUrl"].as_str().unwrap();
    let mut number = 0;
    let mut batch = || {
        let some: Vec<Value> = (0..10)
            .map(|_| {
                number += 1;
                json!({ "number": number, "eventName": "x", "text": "t".repeat(500) })
            })
            .collect();
        json!({ "events": some })
    };
    let mut sent = 0;
    while post(events, &batch()).await.0 == 200 {
        sent += 1;
        assert!(sent <= 8, "no end to the bytes");
    }
    // A sign of life without anything to keep is still one.
    assert_eq!(post(events, &json!({})).await.0, 200);
}

/// Whether another user of the host can open a file, for reading or for writing; root alone can find out.
#[cfg(unix)]
fn opens_for_others(file: &std::path::Path) -> bool {
    use std::os::unix::process::CommandExt as _;
    ["cat \"$0\"", ": >> \"$0\"", "exec 9< \"$0\"", "ls \"$0\"/*"].iter().any(|does| {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", does]).arg(file).uid(65_534).gid(65_534).current_dir("/");
        shell.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        shell.status().unwrap().success()
    })
}

#[cfg(unix)]
#[test]
fn a_strangers_lock_on_an_open_folder_keeps_nobody_from_serving_it() {
    use std::os::unix::fs::PermissionsExt as _;
    // It is about the files of a folder, and a copy of them.
    if serving::postgres::is_wanted() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("served");
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    std::fs::create_dir(&data).unwrap();
    open(home.path(), 0o755);
    open(&data, 0o755);
    // As an earlier version left it.
    for lock in ["serving.lock", "backup.lock"] {
        std::fs::write(data.join(lock), "").unwrap();
        open(&data.join(lock), 0o644);
    }
    // A lock is a lock, whoever holds it: what others can open, they can hold for ever.
    let held = std::fs::File::open(&data).unwrap();
    held.lock().unwrap();

    let served = serving::Process::start(serving::serve(home.path(), &data).arg("--sample"));
    let second = serving::serve(home.path(), &data).output().unwrap();
    assert!(!second.status.success() && serving::text(&second.stderr).contains("is served already"));
    let backup = home.path().join("backup.tar");
    let mut command = serving::cutaway(home.path());
    let done = command.args(["serve", "backup"]).arg(&backup).arg("--data").arg(&data).output().unwrap();
    assert!(done.status.success(), "{}", serving::text(&done.stderr));
    assert_eq!(mode(&data), 0o755, "the folder is its owner's affair");
    let within: Vec<_> = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(within.len() >= 5, "{within:?}");
    for path in within.iter().chain([&backup]) {
        assert_eq!(mode(path) & 0o077, 0, "{}", path.display());
    }
    if rustix::process::geteuid().is_root() {
        assert!(opens_for_others(&data), "others may look into the folder");
        for path in within.iter().chain([&backup]) {
            assert!(!opens_for_others(path), "{}", path.display());
        }
    } else {
        eprintln!("SKIPPED: as another user, which only root can be");
    }
    drop((served, held));
}
