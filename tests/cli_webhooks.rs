//! Events received on the command line of the real binary, from the real local service.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

mod receiver;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use receiver::Receiver;
use serde_json::Value;
use tempfile::TempDir;

struct Served {
    process: Child,
    ready: Value,
    home: TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn cutaway(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear().stdin(Stdio::null()).current_dir(home).env("HOME", home);
    command
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut process = cutaway(home.path())
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--sample",
                "--ready-json",
                "--allow-private-webhooks",
                "--data",
            ])
            .arg(home.path().join("served"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, ready: serde_json::from_str(&line).unwrap(), home }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cutaway(self.home.path());
        command.env("CUTAWAY_BASE_URL", self.ready["base_url"].as_str().unwrap());
        command.env("CUTAWAY_API_KEY", self.ready["api_key"].as_str().unwrap());
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
        let mut command = served.command(&["webhooks", "listen", "--listen", "127.0.0.1:0", "--json"]);
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
    let secret = served.command(&["webhooks", "secret", id, "--data"]).arg(served.home.path().join("served")).output();
    behind.wait_for(1).await.verify(String::from_utf8(secret.unwrap().stdout).unwrap().trim());

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
