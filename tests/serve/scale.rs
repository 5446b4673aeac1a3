//! What docs/scale.md says to whoever runs several processes: the balancer in front of them, a replica that catalogs are read
//! from, backups and the way back to a moment. On real servers; skipped, loudly, where this machine has none.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests are tests too.

use crate::serving;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use serving::postgres::{address, untried};
use serving::{Process, cutaway, serve};
use tempfile::TempDir;

/// After so long a condition is taken to never come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of PostgreSQL in a folder of its own, which ends with this.
pub struct Postgres {
    programs: PathBuf,
    pub folder: PathBuf,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl Postgres {
    /// Makes one with these settings and starts it; nothing, loudly, where this machine has none that starts.
    pub fn start(settings: &str) -> Option<Self> {
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let Some(programs) =
            versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").exists()).max()
        else {
            untried("there is no PostgreSQL on this machine");
            return None;
        };
        let server = Self::empty(programs);
        let data = server.data();
        let made = server
            .run("initdb", &["-D", &data, "-U", "cutaway", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        if !made.status.success() {
            untried("there is a PostgreSQL on this machine, but it does not start");
            return None;
        }
        server.set(settings);
        server.begin();
        server.ask("postgres", "CREATE DATABASE shop");
        Some(server)
    }

    fn empty(programs: PathBuf) -> Self {
        let folder = tempfile::Builder::new().prefix("cutaway-scale.").tempdir_in("/tmp").unwrap().keep();
        if is_root() {
            assert!(Command::new("chown").arg("postgres:postgres").arg(&folder).status().unwrap().success());
        }
        Self { programs, folder }
    }

    fn data(&self) -> String {
        self.folder.join("data").to_str().unwrap().to_owned()
    }

    /// Adds to its settings.
    fn set(&self, settings: &str) {
        let file = self.folder.join("data/postgresql.auto.conf");
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{before}{settings}\n")).unwrap();
    }

    /// A program of PostgreSQL's, as the user that it does not refuse.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let (output, errors) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        // Into files: a server that was started would hold a pipe open.
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        let status = command.stdout(output.try_clone().unwrap()).stderr(errors.try_clone().unwrap()).status().unwrap();
        let read = |mut file: std::fs::File| {
            use std::io::{Seek as _, SeekFrom};
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut bytes).unwrap();
            bytes
        };
        Output { status, stdout: read(output), stderr: read(errors) }
    }

    fn done(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments);
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(output.status.success(), "{program}: {}\n{log}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn begin(&self) {
        let (folder, log) = (self.folder.to_str().unwrap(), self.folder.join("log"));
        let options = format!("-k {folder} -c listen_addresses= -c fsync=off -c max_connections=100");
        self.done("pg_ctl", &["-D", &self.data(), "-w", "-l", log.to_str().unwrap(), "-o", &options, "start"]);
    }

    pub fn stop(&self) {
        let _ = self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }

    pub fn url(&self, database: &str) -> String {
        address(&self.folder, database)
    }

    pub fn ask(&self, database: &str, sql: &str) -> String {
        self.done("psql", &["-qtAX", "-v", "ON_ERROR_STOP=1", "-c", sql, &self.url(database)])
    }

    /// A copy of it that runs, with what is behind `settings`.
    fn copy(&self, to: &Path, with: &[&str]) {
        let socket = self.folder.to_str().unwrap();
        let fixed = ["-h", socket, "-U", "cutaway", "-c", "fast", "-D", to.to_str().unwrap()];
        self.done("pg_basebackup", &[&fixed[..], with].concat());
    }

    /// A standby that streams from it.
    pub fn standby(&self) -> Self {
        let standby = Self::empty(self.programs.clone());
        self.copy(&standby.folder.join("data"), &["-R", "-X", "stream"]);
        standby.begin();
        standby
    }
}

/// A process that serves a database, with a folder of its own.
pub struct Serving {
    pub process: Process,
    http: reqwest::Client,
    pub data: TempDir,
}

impl Serving {
    pub fn start(database: &str, flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = serve(&data.path().join("home"), data.path());
        command.env("CUTAWAY_DATABASE_URL", database).envs(environment.iter().copied()).args(flags);
        Self { process: Process::start(&mut command), http: reqwest::Client::new(), data }
    }

    async fn ask_as(&self, key: &str, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let asked = self.http.request(method, format!("{}{path}", self.process.word("base_url")));
        let answer = asked.bearer_auth(key).json(body).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or(Value::Null))
    }

    pub async fn ask(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        self.ask_as(self.process.key(), method, path, body).await
    }

    pub async fn create(&self, name: &str) {
        let (status, made) = self.ask(Method::POST, "/projects", &json!({ "project": { "name": name } })).await;
        assert_eq!(status, 200, "{made}");
    }

    pub async fn names(&self, key: &str) -> BTreeSet<String> {
        let (_, listed) = self.ask_as(key, Method::GET, "/projects", &Value::Null).await;
        let projects = listed["projects"].as_array().unwrap_or_else(|| panic!("{listed}"));
        projects.iter().map(|project| project["name"].as_str().unwrap().to_owned()).collect()
    }

    /// A page of the catalog.
    async fn page(&self, key: &str, store: &Value, cursor: &Value) -> Value {
        let mut search =
            json!({ "appUrl": store, "limit": 20, "sortBy": "inventoryQuantity", "sortDirection": "desc" });
        if !cursor.is_null() {
            search["cursor"] = cursor.clone();
        }
        let (status, page) = self.ask_as(key, Method::POST, "/products-service/searchProductsCursor", &search).await;
        assert_eq!(status, 200, "{page}");
        page
    }

    async fn metric(&self, name: &str) -> f64 {
        let asked = self.http.get(format!("{}/metrics", self.process.base())).bearer_auth(self.process.key());
        let text = asked.send().await.unwrap().text().await.unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is not in {text}")).parse().unwrap()
    }
}

/// What a command that is about a database does.
pub fn run(database: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.arg("serve").args(arguments).arg("--data").arg(home.path()).env("CUTAWAY_DATABASE_URL", database);
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), format!("{}{}", String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap()))
}

fn added_key(database: &str) -> String {
    let (code, said) = run(database, &["key", "add", "--name", "script"]);
    assert_eq!(code, Some(0), "{said}");
    said.lines().find(|line| line.starts_with("cutaway_key_")).unwrap().to_owned()
}

pub async fn until(what: &str, is: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Every id of a catalog, page by page.
fn ids(page: &Value) -> Vec<String> {
    let products = page["products"].as_array().unwrap();
    products.iter().map(|product| product["externalProductId"].to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dump_of_a_running_service_is_one_that_can_be_served() {
    let Some(server) = Postgres::start("") else { return };
    let database = server.url("shop");
    let serving = Serving::start(&database, &["--sample"], &[]);
    let key = added_key(&database);
    let store = serving.process.ready["app_urls"][0].clone();
    let first = serving.page(&key, &store, &Value::Null).await;
    let hook = json!({ "url": "https://hooks.example.com/x", "event": "response_summary" });
    let (_, hook) = serving.ask(Method::POST, "/webhooks", &hook).await;
    // While it is written to.
    let writing = async {
        for nth in 0..40 {
            serving.create(&format!("P{nth}")).await;
        }
    };
    let file = tempfile::tempdir().unwrap();
    let dump = file.path().join("shop.dump");
    let dumping = async {
        let pg_dump = server.programs.join("pg_dump");
        let mut command = tokio::process::Command::new(pg_dump);
        command.args(["--format=custom", "--file"]).arg(&dump).arg(&database).status().await.unwrap()
    };
    let ((), dumped) = tokio::join!(writing, dumping);
    assert!(dumped.success());
    server.ask("postgres", "CREATE DATABASE again");
    let again = server.url("again");
    let restored = Command::new(server.programs.join("pg_restore"))
        .args(["--no-owner", "--exit-on-error", "--dbname", &again])
        .arg(&dump)
        .output()
        .unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let copy = Serving::start(&again, &[], &[]);
    assert!(copy.names(&key).await.contains("Gift finder"), "the key is good");
    assert_eq!(
        ids(&copy.page(&key, &store, &first["nextCursor"]).await),
        ids(&serving.page(&key, &store, &first["nextCursor"]).await),
        "so are cursors"
    );
    let (_, hooks) = copy.ask_as(&key, Method::GET, "/webhooks", &Value::Null).await;
    assert!(!hook["id"].is_null() && hooks.to_string().contains(&hook["id"].to_string()), "{hook} {hooks}");
    copy.create("after the restore").await;
    let (code, said) = run(&database, &["backup", "x.tar"]);
    assert!(code == Some(2) && said.contains("pg_dump"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_goes_back_to_a_moment() {
    let archive = tempfile::Builder::new().prefix("cutaway-archive.").tempdir_in("/tmp").unwrap();
    if is_root() {
        assert!(Command::new("chown").arg("postgres:postgres").arg(archive.path()).status().unwrap().success());
    }
    let kept = archive.path().to_str().unwrap();
    let settings = format!("archive_mode = on\narchive_command = 'cp %p {kept}/%f'");
    let Some(server) = Postgres::start(&settings) else { return };
    let database = server.url("shop");
    let serving = Serving::start(&database, &[], &[]);
    let key = added_key(&database);
    serving.create("before the base backup").await;
    let restored = Postgres::empty(server.programs.clone());
    server.copy(&restored.folder.join("data"), &["-X", "none"]);
    serving.create("before the moment").await;
    let moment = server.ask("shop", "SELECT clock_timestamp()");
    serving.create("after the moment").await;
    let last = server.ask("shop", "SELECT pg_walfile_name(pg_switch_wal())");
    // Its file is there before it is whole.
    let archived = format!("SELECT last_archived_wal >= '{last}' FROM pg_stat_archiver");
    until("the log is archived", async || server.ask("shop", &archived) == "t").await;
    drop(serving);
    drop(server);

    let back = format!(
        "archive_mode = off\nrestore_command = 'cp {kept}/%f %p'\nrecovery_target_time = '{moment}'\nrecovery_target_action = promote"
    );
    restored.set(&back);
    std::fs::write(restored.folder.join("data/recovery.signal"), "").unwrap();
    restored.begin();
    until("it is there again", async || restored.ask("shop", "SELECT pg_is_in_recovery()") == "f").await;
    let again = Serving::start(&restored.url("shop"), &[], &[]);
    let there: Vec<String> = again.names(&key).await.into_iter().collect();
    assert_eq!(there, ["before the base backup", "before the moment"]);
    again.create("and on").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_from_a_replica_neither_skip_nor_repeat() {
    let Some(server) = Postgres::start("") else { return };
    let database = server.url("shop");
    let key = {
        drop(Serving::start(&database, &["--sample"], &[]));
        added_key(&database)
    };
    let standby = server.standby();
    let replica = standby.url("shop");
    let serving = Serving::start(&database, &[], &[("CUTAWAY_DATABASE_READ_URL", &replica)]);
    let store = serving.process.ready["app_urls"][0].clone();
    let used = async || serving.metric("cutaway_replica_pages_total{result=\"used\"}").await;
    let first = serving.page(&key, &store, &Value::Null).await;
    until("the replica is read from", async || {
        serving.page(&key, &store, &Value::Null).await;
        used().await > 0.0
    })
    .await;

    // What is written meanwhile does not get there.
    standby.ask("shop", "SELECT pg_wal_replay_pause()");
    // That only asks for it: until it is so, more may get there.
    until("its recovery is paused", async || standby.ask("shop", "SELECT pg_get_wal_replay_pause_state()") == "paused")
        .await;
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/products.json");
    let sample: Value = serde_json::from_slice(&std::fs::read(sample).unwrap()).unwrap();
    let product = |nth: u32| {
        let mut product = sample["products"][0]["product"].clone();
        product["externalProductId"] = format!("new-{nth}").into();
        (product["title"], product["media"]) = ("New".into(), json!([]));
        product["variants"][0]["inventoryQuantity"] = (1_000_000_000 + nth).into();
        (product["featuredMediaId"], product["featuredMediaPreviewUrl"]) = (Value::Null, Value::Null);
        product.to_string()
    };
    let lines = (0..30).map(product).collect::<Vec<_>>().join("\n");
    let file = serving.data.path().join("new.ndjson");
    std::fs::write(&file, lines).unwrap();
    let (code, said) =
        run(&database, &["import-products", file.to_str().unwrap(), "--app-url", store.as_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    // Who began before that goes on at the replica, which has all that they have seen.
    let before = used().await;
    until("a replica that is far enough is read from", async || {
        serving.page(&key, &store, &first["nextCursor"]).await;
        used().await > before + 0.5
    })
    .await;
    let before = used().await;
    let page = serving.page(&key, &store, &Value::Null).await;
    assert_eq!(page["products"][0]["title"], "New", "what is written is seen by whoever asks then");
    let mut seen: Vec<String> = ids(&page);
    let mut cursor = page["nextCursor"].clone();
    let mut pages = 1;
    while !cursor.is_null() {
        if pages == 3 {
            standby.ask("shop", "SELECT pg_wal_replay_resume()");
        }
        let page = serving.page(&key, &store, &cursor).await;
        seen.extend(ids(&page));
        cursor = page["nextCursor"].clone();
        pages += 1;
        if pages == 3 {
            assert!((used().await - before).abs() < 0.5, "a replica that is behind was read from");
            assert!(serving.metric("cutaway_replica_pages_total{result=\"behind\"}").await > 0.0);
        }
    }
    let once: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), once.len()), (274 + 30, 274 + 30));
    // A cursor from before goes on at either.
    serving.page(&key, &store, &first["nextCursor"]).await;
    until("the replica has caught up", async || {
        serving.page(&key, &store, &Value::Null).await;
        used().await > before + 0.5
    })
    .await;

    // One that is away is done without.
    drop(standby);
    let begun = Instant::now();
    assert_eq!(serving.page(&key, &store, &Value::Null).await["products"][0]["title"], "New");
    assert!(begun.elapsed() < Duration::from_secs(10));
    // Another database is none.
    server.ask("postgres", "CREATE DATABASE other");
    added_key(&server.url("other"));
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(home.path())
        .env("CUTAWAY_DATABASE_URL", &database);
    let refused = command.arg("--database-read-url").arg(server.url("other")).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.status.code() == Some(1) && said.contains("isn't a replica") && said.lines().count() == 1,
        "{said}"
    );
}

/// The balancer, with the configuration that is handed out.
struct Balancer(Child);

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn port_of(address: &str) -> String {
    address.rsplit(':').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_balancer_asks_processes_that_are_ready() {
    let Some(program) =
        ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].into_iter().find(|path| Path::new(path).exists())
    else {
        return untried("there is no haproxy on this machine");
    };
    let Some(server) = Postgres::start("") else { return };
    let database = server.url("shop");
    let (http, ssh) = (free_port(), free_port());
    let public = format!("http://127.0.0.1:{http}");
    let flags = ["--ssh", "127.0.0.1:0", "--public-url", &public, "--trusted-proxy", "127.0.0.1"];
    let mut processes: Vec<Process> = Vec::new();
    let homes: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    for home in &homes {
        let mut command = serve(&home.path().join("home"), home.path());
        processes.push(Process::start(command.env("CUTAWAY_DATABASE_URL", &database).args(flags)));
    }
    let mut balancer = Command::new(program);
    balancer.arg("-f").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/haproxy.cfg"));
    balancer.env("CUTAWAY_HTTP", format!("127.0.0.1:{http}")).env("CUTAWAY_SSH", format!("127.0.0.1:{ssh}"));
    for (nth, (name, process)) in ["ONE", "TWO", "THREE"].into_iter().zip(&processes).enumerate() {
        balancer.env(format!("CUTAWAY_{name}"), "127.0.0.1");
        balancer.env(format!("CUTAWAY_PORT_{}", nth + 1), port_of(process.word("local_url")));
        balancer.env(format!("CUTAWAY_SSH_{}", nth + 1), port_of(process.word("ssh")));
    }
    let checked = Command::new(program)
        .args(balancer.get_args())
        .arg("-c")
        .envs(balancer.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output();
    let checked = checked.unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let _balancer = Balancer(balancer.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    // A connection each: it is the requests that go round.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let key = added_key(&database);
    let instance = async || {
        let asked = client.get(format!("{public}/healthz")).bearer_auth(&key).send().await.ok()?;
        let health: Value = serde_json::from_str(&asked.text().await.ok()?).ok()?;
        Some(health["instance"].as_str()?.to_owned())
    };
    let round = async || {
        let mut instances = Vec::new();
        for _ in 0..9 {
            instances.push(instance().await);
        }
        (instances.iter().all(Option::is_some), instances.into_iter().flatten().collect::<BTreeSet<_>>())
    };
    until("all three are asked", async || round().await.1.len() == 3).await;
    assert!(round().await.0);
    let mut greeting = [0; 15];
    let mut line = TcpStream::connect(("127.0.0.1", ssh)).unwrap();
    line.set_read_timeout(Some(PATIENCE)).unwrap();
    line.read_exact(&mut greeting).unwrap();
    assert_eq!(&greeting, b"SSH-2.0-cutaway");
    // As `kill -9` does.
    drop(processes.pop());
    until("it is not asked any more", async || matches!(round().await, (true, rest) if rest.len() == 2)).await;
    for _ in 0..5 {
        assert!(round().await.0, "what is sent now reaches a process that is there");
    }
    // Without the database none is ready, and the balancer says so.
    server.stop();
    until("nobody is ready", async || {
        client.get(format!("{public}/healthz")).send().await.is_ok_and(|answer| answer.status() == 503)
    })
    .await;
    server.begin();
    until("they are ready again", async || round().await.0).await;
}
