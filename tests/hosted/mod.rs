//! The local service in this process, over real HTTP: for tests that give it other lengths and limits than a command line
//! can. Each test adds what it asks of it.

#![allow(dead_code, clippy::unwrap_used, clippy::missing_panics_doc)]

#[allow(clippy::duplicate_mod)] // Some tests have both.
#[path = "../s3/mod.rs"]
pub mod s3;

#[allow(clippy::duplicate_mod)] // Some tests have both.
#[path = "../postgres/mod.rs"]
pub mod postgres;

use std::marker::PhantomData;
use std::path::Path;

use cutaway::service::offline::Kept;
use cutaway::service::{Running, ServeOptions, Service};
use reqwest::{Method, RequestBuilder};

/// The service, a key of its workspace, and a client without it. Tests that ask the same things of it name themselves, and
/// give it methods of their own.
pub struct ServedFor<Tests> {
    /// The service.
    pub running: Running,
    /// The key.
    pub key: String,
    /// The client.
    pub http: reqwest::Client,
    /// Who asks.
    pub tests: PhantomData<fn() -> Tests>,
}

/// The same without methods of anybody's own.
pub type Served = ServedFor<()>;

/// What the service is opened with on a folder, and nothing else.
pub fn on(data: &Path) -> ServeOptions {
    let blobs = s3::of_folder(data).map(|place| place.parse().unwrap());
    let database = postgres::of_folder(data).map(|place| place.parse().unwrap());
    if postgres::is_cluster() {
        postgres::tally("cluster: one process, with lengths and limits that no command line can give");
    } else if postgres::is_wanted() {
        postgres::tally("postgres: one process");
    }
    ServeOptions { data: data.to_owned(), blobs, database, ..ServeOptions::default() }
}

/// Where that service keeps its workspace, for what is done beside it.
pub fn kept(data: &Path) -> Kept {
    let ServeOptions { data, database, .. } = on(data);
    Kept { data, database }
}

/// How many rows a table of that workspace has, read beside the service.
pub fn count(data: &Path, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    if let Some(count) = postgres::number(data, &sql) {
        return count;
    }
    let database = rusqlite::Connection::open(data.join("cutaway.sqlite3")).unwrap();
    database.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// Opens the service; what it has to hold is put into it before it serves.
pub async fn opened(options: ServeOptions) -> Service {
    Service::open(options).await.unwrap()
}

impl<Tests> ServedFor<Tests> {
    /// Opens the service and serves on a free port.
    pub async fn empty(options: ServeOptions) -> Self {
        Self::of(opened(options).await).await
    }

    /// The same with the sample store.
    pub async fn sample(options: ServeOptions) -> Self {
        let service = opened(options).await;
        service.load_sample(|_| ()).await.unwrap();
        Self::of(service).await
    }

    /// Serves one that is open.
    pub async fn of(service: Service) -> Self {
        let key = service.add_key(None).await.unwrap().expose().to_owned();
        let running = service.start("127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self { running, key, http: reqwest::Client::new(), tests: PhantomData }
    }

    /// A path's address; an address is one already.
    pub fn url(&self, path: &str) -> String {
        if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.running.base_url()) }
    }

    /// A request with the key.
    pub fn asked(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path)).bearer_auth(&self.key)
    }
}
