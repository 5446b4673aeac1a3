//! A real S3 server of another make, moto, and buckets in it. `.ci/s3` fetches it; where it is missing, tests of S3 are
//! skipped loudly, and fail where `CI=true`. With `CUTAWAY_TEST_S3=garage` it is Garage, which `.ci/garage` builds.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr, clippy::panic, clippy::missing_panics_doc)]

#[path = "signed.rs"]
mod signed;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use cutaway::service::S3Place;
use reqwest::Method;
use signed::Key;

/// One server for all tests of a process. It ends with the process, whose end of its standard input goes then.
struct Server {
    url: String,
    key: Key,
    _child: Mutex<Child>,
}

fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(start).as_ref()
}

/// Whether the tests run on Garage.
pub fn is_garage() -> bool {
    match std::env::var("CUTAWAY_TEST_S3") {
        Ok(name) if name == "garage" => true,
        Ok(name) => panic!("CUTAWAY_TEST_S3={name} names no S3 server; it may be garage"),
        Err(_) => false,
    }
}

/// Two ports of this machine that nobody uses at the moment.
fn free_ports() -> [String; 2] {
    let held = [(), ()].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port().to_string())
}

/// The program of a server, with its key.
fn program() -> (Command, Key) {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    if is_garage() {
        let (id, secret) =
            ("GK0123456789abcdef01234567", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
        let mut command = Command::new("bash");
        command.arg(here.join("tests/s3/garage.sh")).arg(here.join("target/ci-tools/garage/bin/garage"));
        command.args([id, secret]).args(free_ports());
        return (command, Key { id, secret });
    }
    let mut command = Command::new("python3");
    command.arg(here.join("tests/s3/server.py")).env("PYTHONPATH", here.join("target/ci-tools/moto"));
    (command, Key { id: "id", secret: "secret" })
}

fn start() -> Option<Server> {
    let (mut command, key) = program();
    // Why Garage doesn't start somebody wants to know: nobody asks for it by accident.
    let said = if is_garage() { Stdio::inherit() } else { Stdio::null() };
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(said).spawn();
    let mut url = String::new();
    let server = child.ok().and_then(|mut child| {
        BufReader::new(child.stdout.take()?).read_line(&mut url).ok()?;
        url.starts_with("http://").then(|| Server { url: url.trim().to_owned(), key, _child: Mutex::new(child) })
    });
    assert!(server.is_some() || !is_garage(), "there is no Garage that starts; .ci/garage builds it");
    if server.is_none() {
        let is_let = std::env::var_os("CUTAWAY_SKIP_ENGINES").is_some_and(|reason| !reason.is_empty());
        let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(
            is_let || !is_ci,
            "there is no S3 server; .ci/s3 fetches it, CUTAWAY_SKIP_ENGINES='the reason' lets that be"
        );
        eprintln!("\n*** SKIPPED: nothing was tried with S3, there is no moto; .ci/s3 fetches it ***\n");
    }
    server
}

/// A bucket, empty at first.
pub struct Bucket {
    /// Where the server is.
    pub server: String,
    /// Its name.
    pub name: String,
    key: Key,
}

/// What S3 answered.
struct Answer {
    status: u16,
    kind: String,
    etag: String,
    bytes: Vec<u8>,
}

impl Answer {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }
}

/// Asks on a thread of its own, so that tests with a runtime and tests without one can.
fn ask(key: Key, method: Method, url: String, body: Vec<u8>) -> Answer {
    let asking = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url: reqwest::Url = url.parse().unwrap();
            let asked = reqwest::Client::new().request(method.clone(), url.clone()).body(body);
            let answer = key.sign(&method, &url, asked).send().await.unwrap();
            let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
            let (status, kind, etag) = (answer.status().as_u16(), header("content-type"), header("etag"));
            Answer { status, kind, etag, bytes: answer.bytes().await.unwrap().to_vec() }
        })
    });
    asking.join().unwrap()
}

impl Bucket {
    /// A new one; nothing where there is no server.
    pub fn new() -> Option<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let bucket = Self::named(&format!("films-{}", NEXT.fetch_add(1, Ordering::Relaxed)))?;
        bucket.make();
        Some(bucket)
    }

    /// One that is not made yet.
    pub fn named(name: &str) -> Option<Self> {
        let server = server()?;
        Some(Self { server: server.url.clone(), name: name.to_owned(), key: server.key })
    }

    /// What the service is told, with keys.
    pub fn url(&self, prefix: &str) -> String {
        self.url_at(prefix, &self.server)
    }

    /// The same by way of somebody who passes on what is asked.
    pub fn url_at(&self, prefix: &str, server: &str) -> String {
        let Key { id, secret } = self.key;
        format!("s3://{id}:{secret}@{}/{prefix}?region=us-east-1&endpoint={server}", self.name)
    }

    /// The same, read.
    pub fn place(&self, prefix: &str) -> S3Place {
        self.url(prefix).parse().unwrap()
    }

    fn ask(&self, method: Method, rest: &str) -> Answer {
        ask(self.key, method, format!("{}/{}{rest}", self.server, self.name), Vec::new())
    }

    /// Makes it.
    pub fn make(&self) {
        assert!(self.ask(Method::PUT, "").is_success());
    }

    /// Removes it with all that is in it.
    pub fn remove(&self) {
        for key in self.keys() {
            self.ask(Method::DELETE, &format!("/{key}"));
        }
        assert!(self.ask(Method::DELETE, "").is_success());
    }

    /// Puts a file there.
    pub fn put(&self, key: &str, bytes: Vec<u8>) {
        assert!(ask(self.key, Method::PUT, format!("{}/{}/{key}", self.server, self.name), bytes).is_success());
    }

    /// Removes a file.
    pub fn drop_key(&self, key: &str) {
        assert!(self.ask(Method::DELETE, &format!("/{key}")).is_success());
    }

    /// What a file has, with its media type and its ETag.
    pub fn get(&self, key: &str) -> Option<(Vec<u8>, String, String)> {
        let answer = self.ask(Method::GET, &format!("/{key}"));
        answer.is_success().then_some((answer.bytes, answer.kind, answer.etag))
    }

    /// The files that it has.
    pub fn keys(&self) -> Vec<String> {
        between(self.ask(Method::GET, "?list-type=2").text(), "Key")
    }

    /// The uploads that were begun and not ended: their keys.
    pub fn uploads(&self) -> Vec<String> {
        between(self.ask(Method::GET, "?uploads").text(), "Key")
    }

    /// Begins an upload, as a process does that is killed then.
    pub fn begin(&self, key: &str) -> String {
        between(self.ask(Method::POST, &format!("/{key}?uploads")).text(), "UploadId").remove(0)
    }

    /// How many parts of an upload are there.
    pub fn parts(&self, key: &str, upload: &str) -> usize {
        between(self.ask(Method::GET, &format!("/{key}?uploadId={upload}")).text(), "PartNumber").len()
    }
}

/// The texts of all elements of a name.
fn between(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    xml.split(&open).skip(1).filter_map(|rest| Some(rest.split_once(&close)?.0.to_owned())).collect()
}

/// The files that the service of a data folder keeps in a bucket, and those that are on their way there, where it keeps them in
/// one.
pub fn files_of(data: &Path) -> Option<Vec<String>> {
    of_folder(data)?;
    let (bucket, prefix) = (Bucket::named("all-films").unwrap(), prefix_of(data));
    let found = bucket.keys().into_iter().chain(bucket.uploads());
    Some(found.filter(|key| key.starts_with(&prefix)).collect())
}

/// What is in such a file.
pub fn bytes_of(key: &str) -> Vec<u8> {
    Bucket::named("all-films").unwrap().get(key).map(|(bytes, ..)| bytes).unwrap_or_default()
}

fn prefix_of(data: &Path) -> String {
    blake3::hash(data.as_os_str().as_encoded_bytes()).to_hex().to_string()
}

/// With `CUTAWAY_TEST_BLOBS=s3`, and for several processes that serve one workspace: where the service of a data folder keeps its files, the same each time.
pub fn of_folder(data: &Path) -> Option<String> {
    static MADE: OnceLock<()> = OnceLock::new();
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|found| found == wanted);
    if !is("CUTAWAY_TEST_BLOBS", "s3") && !is("CUTAWAY_TEST_ENGINE", "cluster") {
        return None;
    }
    let bucket = Bucket::named("all-films").unwrap();
    MADE.get_or_init(|| bucket.make());
    Some(bucket.url(&prefix_of(data)))
}
