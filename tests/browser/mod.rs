//! A headless Chromium for tests, driven over the DevTools protocol; and a Firefox beside it.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

pub mod firefox;
#[path = "../hosted/mod.rs"]
pub mod hosted;
mod socket;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cutaway::service::{Running, ServeOptions};
use serde_json::{Value, json};
use socket::Socket;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// How long a page may take to come to what is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// Where a Chromium is, if there is one.
pub fn found() -> Option<PathBuf> {
    on_path(&NAMES)
}

/// The first program of these names on PATH.
fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Starts a browser; and where it listens, host and port, which it says behind these words.
async fn listening(mut command: Command, words: &str) -> (Child, String) {
    let mut browser = command.stderr(Stdio::piped()).stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("the browser ended");
        if let Some((_, rest)) = line.split_once(words) {
            break rest.trim().split('/').next().unwrap().to_owned();
        }
    };
    // It goes on to say things; nobody listening would end it.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (browser, address)
}

/// Asks a page again and again until it says true.
macro_rules! wait_until_true {
    ($asked:expr, $expression:expr, $complaints:expr) => {
        let begun = std::time::Instant::now();
        while $asked.await != true {
            assert!(begun.elapsed() < $crate::browser::PATIENCE, "never: {}; {:?}", $expression, $complaints);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
}
use wait_until_true;

/// The local service with the sample store, and a key of its workspace.
pub async fn serve(data: &std::path::Path) -> (Running, String) {
    let options = ServeOptions { allow_private_webhooks: true, ..hosted::on(data) };
    let service = hosted::opened(options).await;
    service.load_sample(|_| ()).await.unwrap();
    service.set_player_form(true).await.unwrap();
    let served = hosted::Served::of(service).await;
    (served.running, served.key)
}

/// What the service answers: to a GET, or to a POST of this body.
pub async fn api(base: &str, key: &str, path: &str, body: Option<Value>) -> Value {
    let http = reqwest::Client::new();
    let request = match body {
        None => http.get(format!("{base}{path}")),
        Some(body) => http.post(format!("{base}{path}")).json(&body),
    };
    request.bearer_auth(key).send().await.unwrap().json().await.unwrap()
}

/// The player's address of one of the sample's projects.
pub async fn player(base: &str, key: &str, name: &str) -> String {
    let projects = api(base, key, "/projects/", None).await;
    let found = projects["projects"].as_array().unwrap().iter().find(|project| project["name"] == name).unwrap();
    found["cutaway"].as_str().unwrap().to_owned()
}

/// A page of a browser that ends with it.
pub struct Page {
    socket: Socket,
    asked: u64,
    /// What the page complained of.
    pub complaints: Vec<String>,
    /// Bytes that came over the line, heads among them, since `Network.enable` was asked for.
    pub received: u64,
    _browser: Child,
    _profile: tempfile::TempDir,
}

impl Page {
    /// Starts a browser with one page, as large as a phone.
    pub async fn open(program: PathBuf) -> Self {
        Self::open_with(program, &[]).await
    }

    /// The same with more arguments.
    pub async fn open_with(program: PathBuf, arguments: &[&str]) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--mute-audio",
            "--remote-debugging-port=0",
        ]);
        command.args(arguments);
        // The sandbox refuses to run for root, whom containers have.
        if rustix::process::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let (browser, address) = listening(command, "DevTools listening on ws://").await;
        let targets: Value = reqwest::get(format!("http://{address}/json/list")).await.unwrap().json().await.unwrap();
        let page = targets.as_array().unwrap().iter().find(|target| target["type"] == "page").unwrap();
        let socket = page["webSocketDebuggerUrl"].as_str().unwrap();
        let path = socket.split_once(&address).unwrap().1;

        let socket = Socket::open(&address, path).await;
        let mut page =
            Self { socket, asked: 0, complaints: Vec::new(), received: 0, _browser: browser, _profile: profile };
        for domain in ["Page", "Runtime", "Log"] {
            page.ask(&format!("{domain}.enable"), json!({})).await;
        }
        let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
        page.ask("Emulation.setDeviceMetricsOverride", phone).await;
        page
    }

    /// Asks the browser for something and returns its answer.
    pub async fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let message = self.answered(method, parameters).await;
        assert!(message.get("error").is_none(), "{method}: {message}");
        message["result"].clone()
    }

    /// The same, with what the browser says where it can't.
    async fn answered(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.send(method, parameters).await;
        self.answer_to(id).await
    }

    /// Asks for something without waiting for it; the number that its answer comes under.
    async fn send(&mut self, method: &str, parameters: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.socket.send(&json!({ "id": id, "method": method, "params": parameters })).await;
        id
    }

    async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.socket.receive().await;
            match message["method"].as_str() {
                Some("Log.entryAdded") if message["params"]["entry"]["level"] == "error" => {
                    self.complaints.push(message["params"]["entry"].to_string());
                }
                Some("Network.loadingFinished") => {
                    let bytes = message["params"]["encodedDataLength"].as_f64().unwrap_or_default();
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                    let bytes = bytes.max(0.0) as u64;
                    self.received += bytes;
                }
                Some("Runtime.exceptionThrown") => self.complaints.push(message["params"].to_string()),
                _ => {}
            }
            if message["id"] == id {
                return message;
            }
            // Answers to what was sent before it, which nobody waited for.
            assert!(message.get("error").is_none(), "{message}");
        }
    }

    /// What an expression is on the page, as if a person had touched it.
    pub async fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "userGesture": true, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", parameters).await;
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Whether an expression is true now. On a page that goes while it is asked nothing is.
    async fn is_true(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": format!("Boolean({expression})"), "userGesture": true,
            "returnByValue": true, "awaitPromise": true });
        let message = self.answered("Runtime.evaluate", parameters).await;
        let error = message["error"]["message"].as_str().unwrap_or_default();
        if error.contains("navigated")
            || error.contains("context was destroyed")
            || error.contains("Cannot find context")
        {
            return Value::Bool(false);
        }
        assert!(error.is_empty() && message["result"].get("exceptionDetails").is_none(), "{expression}: {message}");
        message["result"]["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub async fn wait_until(&mut self, expression: &str) {
        wait_until_true!(self.is_true(expression), expression, self.complaints);
    }

    /// Presses the button with this text, once it is shown and a double click would no longer reach it.
    pub async fn press(&mut self, text: &str) {
        let button = format!(
            "[...document.querySelectorAll('button')].find((button) => button.checkVisibility() && \
             button.textContent.trim().endsWith({}))",
            json!(text)
        );
        self.wait_until(&format!("!document.querySelector('[data-settling]') && {button}")).await;
        self.value(&format!("{button}.click()")).await;
    }

    /// Presses a key and lets it go.
    pub async fn key(&mut self, key: &str, code: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let parameters = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code,
                "text": if kind == "keyDown" { text } else { "" },
            });
            self.ask("Input.dispatchKeyEvent", parameters).await;
        }
    }

    /// Clicks so many times, full speed, where the middle of the element with this id is. No click waits for the one before
    /// it: on a busy machine that would be longer than a double click takes.
    pub async fn click(&mut self, id: &str, times: u32) {
        let place = format!(
            "(() => {{ const box = document.getElementById('{id}').getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let place = self.value(&place).await;
        let mut last = 0;
        for count in 1..=times {
            for kind in ["mousePressed", "mouseReleased"] {
                let parameters = json!({
                    "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": count,
                });
                last = self.send("Input.dispatchMouseEvent", parameters).await;
            }
        }
        let message = self.answer_to(last).await;
        assert!(message.get("error").is_none(), "click on {id}: {message}");
    }

    /// Skips the film of the step that is shown, once that counts, unless it comes to its end before.
    pub async fn skip(&mut self) {
        let skipped = "(() => { if (document.querySelector('[data-settling]') || player.dataset.state === 'ready') return false; \
            if (player.dataset.state !== 'playing') return true; \
            if (document.getElementById('skip').checkVisibility()) document.getElementById('skip').click(); return false; })()";
        self.wait_until(skipped).await;
    }

    /// What an expression is in a frame of the page whose address contains this, as if a person had touched it; null
    /// where there is no such frame.
    pub async fn value_in(&mut self, address: &str, expression: &str) -> Value {
        let tree = self.ask("Page.getFrameTree", json!({})).await;
        let frames = tree["frameTree"]["childFrames"].as_array().cloned().unwrap_or_default();
        let mut frames = frames.iter().map(|frame| &frame["frame"]);
        let Some(frame) = frames.find(|frame| frame["url"].as_str().is_some_and(|url| url.contains(address))) else {
            return Value::Null;
        };
        let world = self.ask("Page.createIsolatedWorld", json!({ "frameId": frame["id"] })).await;
        let asked = json!({
            "expression": expression, "contextId": world["executionContextId"], "userGesture": true,
            "returnByValue": true, "awaitPromise": true,
        });
        self.ask("Runtime.evaluate", asked).await["result"]["value"].clone()
    }

    /// Waits until an expression is true in such a frame.
    pub async fn wait_until_in(&mut self, address: &str, expression: &str) {
        let asked = format!("Boolean({expression})");
        wait_until_true!(self.value_in(address, &asked), expression, self.complaints);
    }

    /// Makes the window as large as this, in CSS pixels.
    pub async fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000 });
        self.ask("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// The window as it is seen, as PNG.
    pub async fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.ask("Page.captureScreenshot", json!({ "format": "png" })).await;
        STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()
    }

    /// Goes to an address and waits until the page is there.
    pub async fn go(&mut self, url: &str) {
        self.ask("Page.navigate", json!({ "url": url })).await;
        self.wait_until(&format!("location.href === {} && document.readyState === 'complete'", json!(url))).await;
    }

    /// A picture of the page in the folder of `CUTAWAY_SHOTS`, where one is named.
    pub async fn shoot(&mut self, name: &str) {
        if let Some(folder) = std::env::var_os("CUTAWAY_SHOTS") {
            let bytes = self.screenshot().await;
            std::fs::write(PathBuf::from(folder).join(format!("{name}.png")), bytes).unwrap();
        }
    }
}
