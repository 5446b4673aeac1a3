//! A service to open the studio on: the real one with a large store.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::Start;

/// `cutaway serve`, until it is dropped.
pub struct Service {
    process: Child,
    base_url: String,
    api_key: String,
    store: String,
    _data: TempDir,
}

impl Service {
    /// Serves a store of so many products.
    pub fn of(products: u32) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_cutaway"))
            .env_clear()
            .env("HOME", data.path())
            .args(["serve", "--listen", "127.0.0.1:0", "--ready-json", "--sample-products", &products.to_string()])
            .arg("--data")
            .arg(data.path().join("served"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        let ready: Value = serde_json::from_str(&ready).unwrap();
        let word = |name: &str| ready[name].as_str().unwrap().to_owned();
        let store = ready["app_urls"][0].as_str().unwrap().to_owned();
        Self { process, base_url: word("base_url"), api_key: word("api_key"), store, _data: data }
    }

    /// Its address.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A key of its owner's.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Its store.
    pub fn store(&self) -> &str {
        &self.store
    }

    /// A studio that is to be opened on it at another address, which leads to it.
    pub fn studio_at(&self, base_url: &str) -> Start {
        on(base_url, &self.store).with("CUTAWAY_API_KEY", &self.api_key)
    }

    /// A studio that is to be opened on it.
    pub fn studio(&self) -> Start {
        on(&self.base_url, &self.store).with("CUTAWAY_API_KEY", &self.api_key)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A studio that is to be opened on a service at this address, with a key.
pub fn on(base_url: &str, store: &str) -> Start {
    Start::new().arguments(&["--base-url", base_url, "--app-url", store]).with("CUTAWAY_API_KEY", "a key")
}
