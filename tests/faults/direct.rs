//! The service as another client asks it, past the proxy.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// Where the service is, and a key of its workspace.
#[derive(Clone)]
pub struct Direct {
    pub base: String,
    pub key: String,
}

impl Direct {
    /// Asks once; the status and the JSON of the answer.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let at = self.base.trim_start_matches("http://").trim_end_matches('/');
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut line = TcpStream::connect(at).unwrap();
        line.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            self.key,
            body.len()
        );
        line.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
        let mut answer = Vec::new();
        line.read_to_end(&mut answer).unwrap();
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// Reads something.
    pub fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Makes something; its id.
    pub fn create(&self, path: &str, body: &Value) -> String {
        let (status, answer) = self.ask("POST", path, body);
        assert_eq!(status, 200, "{path}: {answer}");
        answer["id"].as_str().unwrap().to_owned()
    }

    /// A project with these texts as its steps, each leading to the next; its id and theirs.
    pub fn project(&self, name: &str, texts: &[String]) -> (String, Vec<String>) {
        let id = self.create("/projects", &json!({ "project": { "name": name } }));
        let mut steps: Vec<String> = Vec::new();
        for text in texts {
            let answers: Vec<Value> =
                steps.last().map(|next| json!({ "text": "On", "next": next })).into_iter().collect();
            let step = json!({ "step": { "projectId": id, "overlayText": text, "answers": answers } });
            steps.push(self.create("/projects/steps", &step));
        }
        (id, steps)
    }
}
