//! A service to open the studio on: the real one with a large store.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::serving::{Process, serve};
use crate::terminal::Start;

/// `cutaway serve`, until it is dropped.
pub struct Service {
    process: Process,
    data: TempDir,
}

impl Service {
    /// Serves a store of so many products.
    pub fn of(products: u32) -> Self {
        let data = tempfile::tempdir().unwrap();
        let products = products.to_string();
        let data_folder = data.path().join("served");
        let process = Process::start(serve(data.path(), &data_folder).args(["--sample-products", &products]));
        Self { process, data }
    }

    /// Its address.
    pub fn base_url(&self) -> &str {
        self.process.base()
    }

    /// A key of its owner's.
    pub fn api_key(&self) -> &str {
        self.process.key()
    }

    /// The folder that it serves.
    pub fn data(&self) -> PathBuf {
        self.data.path().join("served")
    }

    /// Its store.
    pub fn store(&self) -> &str {
        self.process.ready["app_urls"][0].as_str().unwrap()
    }

    /// A studio that is to be opened on it at another address, which leads to it.
    pub fn studio_at(&self, base_url: &str) -> Start {
        on(base_url, self.store()).with("CUTAWAY_API_KEY", self.api_key())
    }

    /// A studio that is to be opened on it.
    pub fn studio(&self) -> Start {
        on(self.base_url(), self.store()).with("CUTAWAY_API_KEY", self.api_key())
    }
}

/// A studio that is to be opened on a service at this address, with a key.
pub fn on(base_url: &str, store: &str) -> Start {
    Start::new().arguments(&["--base-url", base_url, "--app-url", store]).with("CUTAWAY_API_KEY", "a key")
}
