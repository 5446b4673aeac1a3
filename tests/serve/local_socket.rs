//! The local workspace among strangers: nobody but a process of the same user is sent its key, whatever stands in the
//! way, and no two processes serve one folder.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::fs::{self, File, Permissions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use cutaway::api::{CreateProject, ListProjects, ListVideos, Me, RotateWebhookSecret};
use cutaway::client::{Client, ClientError, ClientOptions, Hosts, Limits, Locate, Located};
use cutaway::domain::{ApiKey, AppKey};
use cutaway::runtime::connection::{Connection, Hooks, connect};
use cutaway::service::{FolderError, ServeOptions, Service, ServiceError};
use cutaway::settings::{Config, Credentials, Environment, Flags, Folders, Target};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use serving::{Process, cutaway, serve_locally, text};
use url::Url;

/// Some other user of the host.
const STRANGER: u32 = 65_534;

async fn connected(folders: &Folders) -> Connection {
    let target =
        Target::resolve(&Flags::default(), &Environment::default(), &Config::default(), &Credentials::default());
    connect(&target.unwrap(), folders, None, Hooks::default(), |_| ()).await.unwrap()
}

async fn close(connection: &Connection) {
    connection.workspace.as_ref().unwrap().close().await;
}

fn record(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("serving.json")).unwrap()).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// The address of some player of the workspace.
async fn player(connection: &Connection) -> Url {
    let projects = connection.client.call(&ListProjects).await.unwrap().value.projects;
    Url::parse(projects[0].player_url.as_deref().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_in_the_folder_is_the_owners_alone_and_the_key_ends_with_the_process() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::under(home.path());
    let folder = folders.local_workspace().unwrap();
    let first = connected(&folders).await;
    let said = record(&folder);
    let socket = folder.join(said["reached"]["door"]["socket"].as_str().unwrap());
    assert_eq!(mode(&folder), 0o700);
    for file in [&socket, &folder.join("serving.json"), &folder.join("serving.lock")] {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    close(&first).await;
    assert!(!socket.exists() && !folder.join("serving.json").exists(), "nothing leads to where it was");

    let next = connected(&folders).await;
    assert_ne!(record(&folder)["reached"]["key"], said["reached"]["key"]);
    let database = fs::read(folder.join("cutaway.db")).unwrap_or_default();
    let key = said["reached"]["key"].as_str().unwrap().as_bytes().to_vec();
    assert!(!database.windows(key.len()).any(|bytes| bytes == key));
    close(&next).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_port_is_kept_for_browsers_and_takes_no_key() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::under(home.path());
    let folder = folders.local_workspace().unwrap();
    let first = connected(&folders).await;
    first.client.call(&Me).await.unwrap();
    assert!(!folder.join("browser-port").exists(), "nobody was told an address yet");

    let page = player(&first).await;
    assert_eq!(page.host_str(), Some("127.0.0.1"));
    let http = reqwest::Client::new();
    assert_eq!(http.get(page.clone()).send().await.unwrap().status(), 200, "the player is there for a browser");
    let key = record(&folder)["reached"]["key"].as_str().unwrap().to_owned();
    let status = async |path: &str, name: &str, key: &str| {
        let asked = http.get(page.join(path).unwrap()).header(name, key);
        asked.send().await.unwrap().status().as_u16()
    };
    for path in ["/users/me", "/projects/", "/videos/videos", "/account-service/authenticateCliApiKey"] {
        assert_eq!(status(path, "authorization", &format!("Bearer {key}")).await, 401, "{path}");
        assert_eq!(status(path, "x-cli-api-key", &key).await, 401, "{path}");
    }
    assert_eq!(status("/healthz", "accept", "*/*").await, 200);
    assert_eq!(status("/oauth/device", "accept", "*/*").await, 200, "the page on which sign-ins are approved");

    close(&first).await;
    let next = connected(&folders).await;
    assert_eq!(player(&next).await, page, "what was handed out before is true again");
    close(&next).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_on_the_port_of_before_is_told_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::under(home.path());
    let owner = connected(&folders).await;
    let attached = connected(&folders).await;
    let page = player(&attached).await;
    let videos = attached.client.call(&ListVideos).await.unwrap().value.videos;
    let video = videos
        .iter()
        .filter_map(|video| video.video_url.clone())
        .find(|url| url.starts_with("http://127.0.0.1:"))
        .unwrap()
        .parse::<Url>()
        .unwrap();
    assert_eq!(video.port(), page.port());

    close(&owner).await;
    let port = SocketAddr::from((Ipv4Addr::LOCALHOST, page.port().unwrap()));
    let stranger = TcpListener::bind(port).unwrap();
    stranger.set_nonblocking(true).unwrap();
    // The workspace goes on, and a video's length is asked of the workspace.
    attached.client.call(&Me).await.unwrap();
    assert!(attached.client.size_at(&video).await.unwrap() > 0);
    assert_ne!(player(&attached).await.port(), page.port(), "another port is kept from now on");
    assert_eq!(stranger.accept().err().map(|error| error.kind()), Some(io::ErrorKind::WouldBlock), "nobody came");
    close(&attached).await;
}

/// A process that holds a folder as one does that serves it, and what stands there in place of its record.
struct Held {
    home: tempfile::TempDir,
    folder: PathBuf,
    _lock: File,
}

impl Held {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("d/cutaway/local");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        let lock = File::create(folder.join("serving.lock")).unwrap();
        lock.lock().unwrap();
        Self { home, folder, _lock: lock }
    }

    /// A record that leads to a socket.
    fn plant(&self, socket: &Path, of: &Path) {
        let of = fs::metadata(of).unwrap();
        let record = json!({
            "pid": 4711, "folder": format!("{}:{}", of.dev(), of.ino()),
            "reached": { "door": { "socket": socket }, "instance": "i", "key": "cutaway_own_marked", "stores": [] },
        });
        let file = self.folder.join("serving.json");
        fs::write(&file, record.to_string()).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    }

    /// That a command gives up on the folder.
    fn is_given_up_on(&self) {
        let output = cutaway(self.home.path()).arg("whoami").output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{said}");
        assert!(said.contains("is served already"), "{said}");
    }
}

/// A socket of ours in place of the one that is planted, and that nobody came to it.
struct Trap(UnixListener);

impl Trap {
    fn at(path: &Path) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn is_unvisited(&self) {
        assert_eq!(self.0.accept().err().map(|error| error.kind()), Some(io::ErrorKind::WouldBlock));
    }
}

/// Puts something in the place of what a process that serves a folder writes there.
type Plant = fn(&Held) -> Trap;

#[test]
fn planted_records_and_sockets_are_not_believed() {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("SKIPPED: files of another user, which only root can make");
    }
    let elsewhere: Plant = |held| {
        // In a folder that others may enter.
        let open = held.home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let trap = Trap::at(&open.join("s.sock"));
        held.plant(&open.join("s.sock"), &held.folder);
        trap
    };
    let copied: Plant = |held| {
        // A sound one, of another folder.
        let trap = Trap::at(&held.folder.join("serving-a.sock"));
        held.plant(Path::new("serving-a.sock"), held.home.path());
        trap
    };
    let linked: Plant = |held| {
        let trap = Trap::at(&held.folder.join("serving-a.sock"));
        held.plant(Path::new("serving-a.sock"), &held.folder);
        fs::rename(held.folder.join("serving.json"), held.home.path().join("away.json")).unwrap();
        symlink(held.home.path().join("away.json"), held.folder.join("serving.json")).unwrap();
        trap
    };
    let pipe: Plant = |held| {
        let made = Command::new("mkfifo").arg(held.folder.join("serving.json")).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: a pipe in place of the record, for want of mkfifo");
        }
        Trap::at(&held.folder.join("serving-a.sock"))
    };
    let strangers_record: Plant = |held| {
        let trap = Trap::at(&held.folder.join("serving-a.sock"));
        held.plant(Path::new("serving-a.sock"), &held.folder);
        chown(held.folder.join("serving.json"), Some(STRANGER), None).unwrap();
        trap
    };
    let strangers_socket: Plant = |held| {
        let trap = Trap::at(&held.folder.join("serving-a.sock"));
        held.plant(Path::new("serving-a.sock"), &held.folder);
        chown(held.folder.join("serving-a.sock"), Some(STRANGER), None).unwrap();
        trap
    };
    let strangers_folder: Plant = |held| {
        let trap = Trap::at(&held.folder.join("serving-a.sock"));
        held.plant(&held.folder.join("serving-a.sock"), &held.folder);
        fs::set_permissions(&held.folder, Permissions::from_mode(0o755)).unwrap();
        trap
    };
    let all = [elsewhere, copied, linked, pipe, strangers_folder];
    let as_root = [strangers_record, strangers_socket];
    std::thread::scope(|scope| {
        for plant in all.into_iter().chain(as_root.into_iter().filter(|_| is_root)) {
            scope.spawn(move || {
                let held = Held::new();
                let trap = plant(&held);
                held.is_given_up_on();
                trap.is_unvisited();
            });
        }
    });
}

/// The other user's part of the test below: listens, and says what it was sent.
#[test]
fn a_stranger_listens() {
    let Some(path) = std::env::var_os("CUTAWAY_TEST_STRANGER").map(PathBuf::from) else { return };
    // It gets its name once it listens and all may connect: a socket is there before it accepts anything.
    let made = path.with_extension("new");
    let listener = UnixListener::bind(&made).unwrap();
    fs::set_permissions(&made, Permissions::from_mode(0o777)).unwrap();
    fs::rename(&made, &path).unwrap();
    let (mut line, _) = listener.accept().unwrap();
    let mut sent = Vec::new();
    let _ = line.read_to_end(&mut sent);
    println!("sent {} bytes", sent.len());
}

#[tokio::test]
async fn a_stranger_who_listens_on_the_socket_is_sent_nothing() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: a process of another user, which only root can start");
        return;
    }
    let place = tempfile::Builder::new().prefix("s").tempdir_in("/tmp").unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o777)).unwrap();
    let path = place.path().join("s.sock");
    let started = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "local_socket::a_stranger_listens", "--nocapture"])
        .env("CUTAWAY_TEST_STRANGER", &path)
        .current_dir("/")
        .uid(STRANGER)
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut stranger) = started else {
        eprintln!("SKIPPED: this test's program can't be started by another user");
        return;
    };
    while !path.exists() {
        assert!(stranger.try_wait().unwrap().is_none(), "the stranger ended early");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let hosts = Hosts::single(Url::parse("http://local").unwrap());
    let (socket, credential) = (Some(path), Some(ApiKey::new("cutaway_own_marked")));
    // The stranger listens once: whoever came again would find nobody there.
    let limits = Limits { retries: 0, ..Limits::default() };
    let client = Client::new(ClientOptions { socket, credential, limits, ..ClientOptions::new(hosts) });
    let error = client.call(&Me).await.unwrap_err();
    assert!(matches!(&error, ClientError::Unreachable { why, .. } if why.contains("another user")), "{error}");
    let output = stranger.wait_with_output().unwrap();
    assert!(text(&output.stdout).contains("sent 0 bytes"), "{}", text(&output.stdout));
}

/// Takes one request at a socket whole, and gives this answer, or none.
fn takes_one(listener: UnixListener, answer: &'static str) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(listener.accept().unwrap().0);
        let (mut head, mut line) = (String::new(), String::new());
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
            head.push_str(&line.to_ascii_lowercase());
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        reader.read_exact(&mut vec![0; length.unwrap_or_default()]).unwrap();
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
        head
    })
}

/// The next process to serve the workspace is at this socket.
struct Next(PathBuf);

impl Locate for Next {
    fn locate(&self) -> BoxFuture<'_, Result<Located, String>> {
        let base = Url::parse("http://local").unwrap();
        let located = Located { base, socket: Some(self.0.clone()), key: ApiKey::new("cutaway_own_second") };
        Box::pin(async { Ok(located) })
    }
}

fn moving(from: &Path, to: &Path) -> Client {
    let hosts = Hosts::single(Url::parse("http://local").unwrap());
    Client::new(ClientOptions {
        socket: Some(from.to_owned()),
        credential: Some(ApiKey::new("cutaway_own_first")),
        app_key: Some(AppKey::new("k")),
        locate: Some(Arc::new(Next(to.to_owned()))),
        ..ClientOptions::new(hosts)
    })
}

#[tokio::test]
async fn a_creation_cut_off_by_the_end_of_its_process_goes_to_the_next_under_the_same_key() {
    let place = tempfile::Builder::new().prefix("s").tempdir_in("/tmp").unwrap();
    let paths = [place.path().join("1.sock"), place.path().join("2.sock")];
    let [first, second] = paths.each_ref().map(|path| UnixListener::bind(path).unwrap());
    let made = "HTTP/1.1 200 OK\r\ncontent-length: 21\r\n\r\n{\"id\":\"p\",\"name\":\"n\"}";
    let (first, second) = (takes_one(first, ""), takes_one(second, made));
    let client = moving(&paths[0], &paths[1]);
    let answer = client.call(&CreateProject::default()).await.unwrap();
    assert_eq!(answer.status, 200);
    let key = |head: &str| {
        let key = head.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
        key.unwrap_or_else(|| panic!("a key in {head}")).to_owned()
    };
    let (first, second) = (first.join().unwrap(), second.join().unwrap());
    assert_eq!(key(&first), key(&second));
    assert!(first.contains("cutaway_own_first") && second.contains("cutaway_own_second"), "each takes its own");

    // What the workspace would do once more is not sent again.
    let paths = [place.path().join("3.sock"), place.path().join("4.sock")];
    let first = takes_one(UnixListener::bind(&paths[0]).unwrap(), "");
    let trap = Trap::at(&paths[1]);
    let error = moving(&paths[0], &paths[1]).call(&RotateWebhookSecret("w".into())).await.unwrap_err();
    assert!(matches!(error, ClientError::Broken { .. }), "{error}");
    first.join().unwrap();
    trap.is_unvisited();
}

/// `cutaway serve` on a folder, once it accepts connections.
fn served(home: &Path, folder: &Path, runtime: &Path) -> Process {
    Process::start(serve_locally(home, folder).env("XDG_RUNTIME_DIR", runtime))
}

#[test]
fn a_path_too_long_for_a_socket_has_it_in_the_runtime_folder() {
    let place = tempfile::Builder::new().prefix("s").tempdir_in("/tmp").unwrap();
    let home = place.path().join("long-".repeat(20));
    let folder = home.join("d/cutaway/local");
    let runtime = place.path().join("run");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, Permissions::from_mode(0o700)).unwrap();
    let process = served(&home, &folder, &runtime);
    let socket = PathBuf::from(record(&folder)["reached"]["door"]["socket"].as_str().unwrap());
    assert!(socket.starts_with(runtime.join("cutaway")), "{}", socket.display());
    assert_eq!((mode(socket.parent().unwrap()), mode(&socket)), (0o700, 0o600));
    // Who attaches reads it in the record, whatever their own surroundings.
    let output = cutaway(&home).arg("whoami").output().unwrap();
    assert!(output.status.success() && text(&output.stdout).contains("local"), "{}", text(&output.stderr));
    drop(process);
    // The next one sweeps up what the killed one left.
    let process = served(&home, &folder, &runtime);
    assert!(!socket.exists());
    drop(process);
}

fn options(data: &Path) -> ServeOptions {
    ServeOptions { data: data.to_owned(), ..ServeOptions::default() }
}

fn is_refused(opened: Result<Service, ServiceError>) -> bool {
    matches!(opened.err(), Some(ServiceError::Folder(FolderError::Served { .. })))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_race_for_a_folder_one_serves_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("w");
    let racing = (0..16).map(|_| tokio::spawn(Service::open(options(&folder))));
    let opened: Vec<_> = futures_util::future::join_all(racing).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(opened.iter().filter(|opened| opened.is_ok()).count(), 1);
    // The lock file can be taken away, and re-created; the folder is held all the same.
    fs::remove_file(folder.join("serving.lock")).unwrap();
    assert!(is_refused(Service::open(options(&folder)).await));
    fs::copy(folder.join("serving.json"), folder.join("serving.lock")).unwrap();
    assert!(is_refused(Service::open(options(&folder)).await));
    drop(opened);
    assert!(Service::open(options(&folder)).await.is_ok());
}

#[test]
fn a_copied_folder_is_a_workspace_of_its_own() {
    let place = tempfile::tempdir().unwrap();
    let (home, copy) = (place.path().join("one"), place.path().join("two"));
    let folder = home.join("d/cutaway/local");
    let process = served(&home, &folder, place.path());
    let create = |home: &Path, name: &str| {
        let output = cutaway(home).args(["projects", "create", name]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    let list = |home: &Path| {
        let output = cutaway(home).args(["projects", "list"]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    create(&home, "Before");
    // With its record, its lock and its socket.
    let copied = Command::new("cp").args(["-a".as_ref(), home.as_os_str(), copy.as_os_str()]).status();
    assert!(copied.unwrap().success());
    assert!(copy.join("d/cutaway/local/serving.json").exists());
    create(&copy, "Of the copy");
    create(&home, "Of the first");
    let (first, second) = (list(&home), list(&copy));
    assert!(first.contains("Before") && first.contains("Of the first") && !first.contains("Of the copy"), "{first}");
    assert!(
        second.contains("Before") && second.contains("Of the copy") && !second.contains("Of the first"),
        "{second}"
    );
    drop(process);
}

#[test]
fn a_record_that_a_killed_process_left_is_believed_by_nobody() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("d/cutaway/local");
    drop(served(place.path(), &folder, place.path()));
    let left = record(&folder);
    let socket = folder.join(left["reached"]["door"]["socket"].as_str().unwrap());
    assert!(socket.exists());
    // Someone listens where it was.
    fs::remove_file(&socket).unwrap();
    let trap = Trap::at(&socket);
    let output = cutaway(place.path()).arg("whoami").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    trap.is_unvisited();
    assert!(!socket.exists() && !folder.join("serving.json").exists());
}
