//! A headless Firefox for tests, driven over WebDriver BiDi, which it speaks by itself.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::socket::Socket;
use super::{listening, on_path, wait_until_true};

/// Where a Firefox is, if there is one.
pub fn found() -> Option<PathBuf> {
    on_path(&["firefox", "firefox-esr"])
}

/// A page of a Firefox that ends with it.
pub struct FirefoxPage {
    socket: Socket,
    asked: u64,
    context: Value,
    _browser: Child,
    _profile: tempfile::TempDir,
}

impl FirefoxPage {
    /// Starts a browser with one page.
    pub async fn open(program: PathBuf) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let settings = "user_pref('datareporting.policy.dataSubmissionEnabled', false);\n\
            user_pref('app.update.disabledForTesting', true);\nuser_pref('media.volume_scale', '0.0');\n";
        std::fs::write(profile.path().join("user.js"), settings).unwrap();
        let mut command = Command::new(program);
        command.args(["--headless", "--no-remote", "--remote-debugging-port=0", "--profile"]).arg(profile.path());
        // Its own files and nobody else's, also where there is no home.
        command.arg("about:blank").env("HOME", profile.path());
        let (browser, address) = listening(command, "WebDriver BiDi listening on ws://").await;
        let socket = Socket::open(&address, "/session").await;
        let mut page = Self { socket, asked: 0, context: Value::Null, _browser: browser, _profile: profile };
        page.ask("session.new", json!({ "capabilities": {} })).await;
        let tree = page.ask("browsingContext.getTree", json!({})).await;
        page.context = tree["contexts"][0]["context"].clone();
        page
    }

    /// Asks the browser for something and returns its answer.
    pub async fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.socket.send(&json!({ "id": id, "method": method, "params": parameters })).await;
        loop {
            let message = self.socket.receive().await;
            if message["id"] == id {
                assert_eq!(message["type"], "success", "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// Goes to an address and waits until the page is there.
    pub async fn go(&mut self, url: &str) {
        let parameters = json!({ "context": self.context, "url": url, "wait": "complete" });
        self.ask("browsingContext.navigate", parameters).await;
    }

    async fn evaluated(&mut self, context: &Value, expression: &str) -> Value {
        let parameters = json!({
            "expression": format!("(async () => JSON.stringify(await ({expression})) ?? 'null')()"),
            "target": { "context": context }, "awaitPromise": true, "userActivation": true,
        });
        let answer = self.ask("script.evaluate", parameters).await;
        assert_eq!(answer["type"], "success", "{expression}: {answer}");
        serde_json::from_str(answer["result"]["value"].as_str().unwrap()).unwrap()
    }

    /// What an expression is on the page, as if a person had touched it.
    pub async fn value(&mut self, expression: &str) -> Value {
        let context = self.context.clone();
        self.evaluated(&context, expression).await
    }

    /// The same in the frame of the page whose address contains this; null where there is no such frame.
    pub async fn value_in(&mut self, address: &str, expression: &str) -> Value {
        let tree = self.ask("browsingContext.getTree", json!({ "root": self.context })).await;
        let frames = tree["contexts"][0]["children"].as_array().cloned().unwrap_or_default();
        let frame = frames.iter().find(|frame| frame["url"].as_str().is_some_and(|url| url.contains(address)));
        match frame {
            Some(frame) => self.evaluated(&frame["context"], expression).await,
            None => Value::Null,
        }
    }

    /// Waits until an expression is true.
    pub async fn wait_until(&mut self, expression: &str) {
        let asked = format!("Boolean({expression})");
        wait_until_true!(self.value(&asked), expression, "");
    }

    /// Waits until an expression is true in such a frame.
    pub async fn wait_until_in(&mut self, address: &str, expression: &str) {
        let asked = format!("Boolean({expression})");
        wait_until_true!(self.value_in(address, &asked), expression, "");
    }

    /// Presses a key and lets it go; special ones as WebDriver names them, such as `\u{e004}` for Tab.
    pub async fn key(&mut self, key: &str) {
        let actions = json!([{ "type": "key", "id": "keyboard", "actions": [
            { "type": "keyDown", "value": key }, { "type": "keyUp", "value": key },
        ] }]);
        self.ask("input.performActions", json!({ "context": self.context, "actions": actions })).await;
    }
}
