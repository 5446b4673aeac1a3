//! `cutaway videos upload` and `queue` of the real binary, to the real local service over a line that breaks.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

mod line;
mod serving;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutaway::client::{Client, ClientOptions, Hosts, Limits};
use cutaway::domain::ApiKey;
use cutaway::runtime::uploads::{Journal, Options, QueueFolder, Seen, Uploads, look};
use cutaway::uploads::{Entry, State};
use line::{Fault, Line, clip, hold};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use serving::{Process, cutaway, serve, tells_panic};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_cutaway");
const MIB: usize = 1024 * 1024;

/// What a file is called, how it is made, and what is said of it.
type Case<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

/// `cutaway serve` on an empty folder.
struct Served {
    process: Process,
    home: TempDir,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let process = Process::start(&mut serve(home.path(), &home.path().join("served")));
        Self { process, home }
    }

    fn base(&self) -> &str {
        self.process.base()
    }

    fn file(&self, name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        let path = self.home.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn command(&self, base: &str, arguments: &[&str]) -> Command {
        let mut command = cutaway(self.home.path());
        command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", self.process.key());
        command.current_dir(self.home.path()).args(arguments);
        command
    }

    fn run(&self, base: &str, arguments: &[&str]) -> Output {
        self.command(base, arguments).output().unwrap()
    }

    /// What it prints and says where it ends with this exit code.
    fn ends(&self, code: i32, base: &str, arguments: &[&str]) -> (String, String) {
        let output = self.run(base, arguments);
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{said}");
        assert!(!tells_panic(&said), "{said}");
        (out, said)
    }

    /// The names of the library.
    fn library(&self) -> Vec<String> {
        let (out, _) = self.ends(0, self.base(), &["videos", "list", "--json"]);
        let list: Value = serde_json::from_str(&out).unwrap();
        list["videos"].as_array().unwrap().iter().map(|video| video["name"].as_str().unwrap().to_owned()).collect()
    }

    fn queue(&self, base: &str) -> Vec<Value> {
        let (out, _) = self.ends(0, base, &["--read-only", "videos", "queue", "--json"]);
        serde_json::from_str::<Value>(&out).unwrap()["uploads"].as_array().unwrap().clone()
    }
}

/// Waits until it holds; what is there instead, where it never does.
fn until<T: std::fmt::Debug>(mut look: impl FnMut() -> T, holds: impl Fn(&T) -> bool) -> T {
    let began = Instant::now();
    loop {
        let seen = look();
        if holds(&seen) {
            return seen;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "it never came about: {seen:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn states(queue: &[Value]) -> Vec<String> {
    queue.iter().map(|upload| upload["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn files_of_any_name_arrive_byte_for_byte() {
    let served = Served::start();
    let bytes = clip(300_000);
    let odd = std::ffi::OsStr::from_bytes(b"odd \x1b[31m\xff\n.mp4");
    let paths = [served.file("a clip.mp4", &bytes), served.file(odd, &bytes)];
    let output = served.command(served.base(), &["videos", "upload", "--json"]).args(&paths).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let created: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(created.as_array().unwrap().len(), 2);
    assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b));
    assert_eq!(served.library().len(), 2);
    let (out, _) = served.ends(0, served.base(), &["videos", "list", "--json"]);
    let list: Value = serde_json::from_str(&out).unwrap();
    for video in list["videos"].as_array().unwrap() {
        let address = video["videoUrl"].as_str().unwrap();
        let answer = Command::new("curl").args(["-sS", address]).output().unwrap();
        assert!(answer.stdout == bytes, "{} bytes of {}", answer.stdout.len(), bytes.len());
    }
    // What was waited for is not left on the list.
    assert_eq!(served.queue(served.base()), [] as [Value; 0]);
    let (out, _) = served.ends(0, served.base(), &["videos", "upload", paths[0].to_str().unwrap()]);
    assert!(out.contains("a clip.mp4"), "{out}");
}

#[test]
fn what_is_no_video_is_said_and_costs_the_others_nothing() {
    let served = Served::start();
    served.file("good.mp4", &clip(10));
    served.file("empty.mp4", b"");
    served.file("text.mp4", b"no film at all");
    fs::create_dir(served.home.path().join("folder.mp4")).unwrap();
    let files = ["good.mp4", "empty.mp4", "text.mp4", "folder.mp4", "/dev/null", "none.mp4"];
    let (out, said) = served.ends(1, served.base(), &[&["videos", "upload"], &files[..]].concat());
    for why in
        ["empty.mp4: it is empty", "text.mp4: it is not a video file", "folder.mp4: it is a folder", "no such file"]
    {
        assert!(said.contains(why), "{why}: {said}");
    }
    assert!(said.contains("/dev/null: it is a device") && said.contains("5 of 6 files not uploaded"), "{said}");
    assert!(out.contains("good.mp4"), "{out}");
    assert_eq!(served.library(), ["good.mp4"]);
    let (_, said) = served.ends(7, "http://127.0.0.1:9", &["--read-only", "videos", "upload", "good.mp4"]);
    assert!(said.contains("read-only"), "{said}");
    let (_, said) = served.ends(2, served.base(), &["videos", "upload", "--limit-rate", "fast", "good.mp4"]);
    assert!(said.contains("is not a rate"), "{said}");
}

#[test]
fn a_line_that_breaks_is_waited_out_and_nothing_arrives_twice() {
    let served = Served::start();
    served.file("film.mp4", &clip(4 * MIB));
    let line = Line::to(served.base(), [Fault::Cut(MIB), Fault::Slow(512 * 1024, Duration::from_millis(20))]);
    let (_, said) = served.ends(0, &line.base, &["videos", "upload", "film.mp4"]);
    assert!(said.contains("trying again"), "{said}");
    assert_eq!((line.uploads(), served.library().len()), (2, 1));

    for (number, fault) in [Fault::LoseAnswer, Fault::Garble].into_iter().enumerate() {
        let name = format!("lost {number}.mp4");
        served.file(&name, &clip(MIB));
        let line = Line::to(served.base(), [fault]);
        let (_, said) = served.ends(0, &line.base, &["videos", "upload", &name]);
        assert!(said.contains("done, though the response was lost"), "{said}");
        assert_eq!(line.uploads(), 1, "it was not sent again");
        assert_eq!(served.library().iter().filter(|video| **video == name).count(), 1);
    }
}

#[test]
fn a_video_that_was_there_before_is_never_taken_for_an_upload_that_broke() {
    let served = Served::start();
    served.file("film.mp4", &clip(2 * MIB));
    served.ends(0, served.base(), &["videos", "upload", "film.mp4"]);
    // By another way, so that this queue never knew of the first.
    let line = Line::to(served.base(), [Fault::Cut(MIB)]);
    let (_, said) = served.ends(0, &line.base, &["videos", "upload", "film.mp4"]);
    assert!(said.contains("trying again") && !said.contains("though the response was lost"), "{said}");
    assert_eq!((line.uploads(), served.library().len()), (2, 2));
}

#[test]
fn two_of_one_name_that_break_do_not_become_one_video() {
    let served = Served::start();
    for folder in ["a", "b", "c"] {
        fs::create_dir(served.home.path().join(folder)).unwrap();
        served.file(format!("{folder}/film.mp4"), &clip(MIB));
    }
    let line = Line::to(served.base(), [Fault::LoseAnswer, Fault::Cut(1000), Fault::LoseAnswer]);
    let (out, _) =
        served.ends(0, &line.base, &["videos", "upload", "--id-only", "a/film.mp4", "b/film.mp4", "c/film.mp4"]);
    let mut ids: Vec<&str> = out.lines().collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), served.library().len(), line.uploads()), (3, 3, 4), "{out}");
}

#[test]
fn how_the_queue_is_sent_is_said_though_it_is_empty() {
    let served = Served::start();
    let (out, _) = served.ends(0, served.base(), &["videos", "queue", "limit", "2M"]);
    assert!(out.contains("limited to 2.0 MB/s") || out.contains("limited to 2 MB/s"), "{out}");
    let (out, _) = served.ends(0, served.base(), &["videos", "queue", "at-once", "4"]);
    assert!(out.contains("4 at once"), "{out}");
    let (out, _) = served.ends(0, served.base(), &["videos", "queue", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["at_once"], 4);
    served.ends(2, served.base(), &["videos", "queue", "at-once", "0"]);
}

#[test]
fn a_credential_that_is_refused_stops_the_queue_and_costs_none_of_it() {
    let served = Served::start();
    let names: Vec<String> = (0..10).map(|number| format!("film {number}.mp4")).collect();
    for name in &names {
        served.file(name, &clip(10));
    }
    let refused = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    // Two at once, each again with a renewed token.
    let line = Line::to(served.base(), (0..4).map(|_| Fault::Answer(refused, 0)));
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let (_, said) = served.ends(3, &line.base, &[&["videos", "upload"], &files[..]].concat());
    assert!(
        said.contains("sign in") && said.contains("still in the queue: ") && said.contains("10 film 9.mp4"),
        "{said}"
    );
    assert_eq!(states(&served.queue(&line.base)), ["waiting"; 10]);
    let (out, _) = served.ends(0, &line.base, &["--read-only", "videos", "queue"]);
    assert!(out.contains("nothing is sent: ") && out.contains("cutaway login"), "{out}");
    // The same credential may be taken by now; that is found out by trying.
    let go_on = || {
        served.ends(0, &line.base, &["videos", "queue"]);
        states(&served.queue(&line.base))
    };
    until(go_on, |states| *states == ["done"; 10]);
    let (out, _) = served.ends(0, &line.base, &["videos", "queue"]);
    assert!(!out.contains("nothing is sent"), "{out}");
}

impl Served {
    /// A queue of one's own with these files of it, and a client of `base`.
    fn journal(&self, base: &str, names: &[&str]) -> (Journal, Client) {
        let folder = QueueFolder::at(self.home.path().join("queue")).unwrap();
        let mut journal = Journal::open(folder).unwrap();
        journal.add(names.iter().map(|name| look(&self.file(name, &clip(10))).unwrap()).collect(), None, 1).unwrap();
        let limits = Limits { silence: Duration::from_secs(2), retries: 0, ..Limits::default() };
        let credential = Some(ApiKey::new(self.process.key()));
        let hosts = Hosts::single(base.parse().unwrap());
        (journal, Client::new(ClientOptions { credential, limits, ..ClientOptions::new(hosts) }))
    }
}

async fn seen_to(uploads: &Uploads, holds: impl FnMut(&Seen) -> bool) -> Seen {
    let mut seen = uploads.seen();
    let seen = tokio::time::timeout(Duration::from_secs(60), seen.wait_for(holds)).await;
    seen.unwrap().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_does_not_answer_or_only_fails_is_not_waited_for_longer_than_is_said() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_base = format!("http://{}", silent.local_addr().unwrap());
    std::thread::spawn(move || silent.incoming().collect::<Vec<_>>());
    let served = Served::start();
    let oops = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let failing = Line::to(served.base(), (0..1000).map(|_| Fault::Answer(oops, 0)));
    for (base, code) in [(&*silent_base, 6), ("http://127.0.0.1:9", 6), (&*failing.base, 1)] {
        let (journal, client) = served.journal(base, &["a.mp4", "b.mp4", "c.mp4"]);
        let patience = Duration::from_secs(2);
        let began = Instant::now();
        let uploads = Uploads::start(journal, client, Options { patience: Some(patience), ..Options::default() });
        let seen = seen_to(&uploads, |seen| seen.stopped.is_some()).await;
        assert_eq!(seen.stopped.map(|stopped| stopped.code), Some(code), "{base}");
        assert!(began.elapsed() >= patience && began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
        let left = seen.overview.queue;
        assert!(left.uploads().iter().all(|upload| upload.state.is_under_way()), "{left:?}");
        uploads.stop().await;
        fs::remove_dir_all(served.home.path().join("queue")).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_sets_a_stopped_queue_going_and_what_others_queue_is_noticed() {
    let served = Served::start();
    let (journal, client) = served.journal(served.base(), &[]);
    let folder = journal.folder().clone();
    let key = ApiKey::new(served.process.key());
    client.sign_in(Some(ApiKey::new("no such key")), None).await;
    let uploads = Uploads::start(journal, client.clone(), Options::default());
    seen_to(&uploads, |_| true).await;
    // Nobody tells the one that drives it but the system.
    let mut other = Journal::open(folder).unwrap();
    let files: Vec<_> = ["a.mp4", "b.mp4", "c.mp4"].map(|name| look(&served.file(name, &clip(10))).unwrap()).into();
    other.add(files, None, 1).unwrap();
    let seen = seen_to(&uploads, |seen| seen.stopped.is_some()).await;
    assert_eq!(seen.stopped.unwrap().code, 3);
    assert!(seen.overview.fault.unwrap().contains("sign in"));
    assert_eq!(seen.overview.queue.uploads().len(), 3);
    assert!(seen.overview.queue.uploads().iter().all(|upload| upload.state == State::Waiting));
    client.sign_in(Some(key), None).await;
    let seen = seen_to(&uploads, |seen| !seen.overview.queue.is_under_way()).await;
    assert!(seen.overview.queue.uploads().iter().all(|upload| upload.video().is_some()), "{seen:?}");
    assert_eq!((seen.overview.fault, seen.stopped), (None, None));
    uploads.stop().await;
}

#[test]
fn answers_that_last_end_it_with_what_to_do_and_those_that_pass_do_not() {
    let served = Served::start();
    served.file("film.mp4", &clip(6 * MIB));
    for (answer, code, say) in [
        ("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 3, "sign in"),
        ("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 1, "make it smaller"),
        ("HTTP/1.1 415 Unsupported\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 1, "convert it to MP4"),
        ("HTTP/1.1 400 Bad\r\ncontent-length: 3\r\nconnection: close\r\n\r\nno!", 5, "no!"),
    ] {
        let line = Line::to(served.base(), [Fault::Answer(answer, MIB), Fault::Answer(answer, MIB)]);
        let (_, said) = served.ends(code, &line.base, &["videos", "upload", "film.mp4"]);
        assert!(said.contains(say), "{said}");
    }
    assert_eq!(served.library().len(), 0);
    let passing = [
        Fault::Answer("HTTP/1.1 429 Slow Down\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 0),
        Fault::Answer("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", MIB),
        Fault::Cut(0),
    ];
    let line = Line::to(served.base(), passing);
    let (_, said) = served.ends(0, &line.base, &["videos", "upload", "film.mp4"]);
    assert!(said.contains("429") && said.contains("500"), "{said}");
    assert_eq!((line.uploads(), served.library().len()), (4, 1));
}

/// A service behind TLS that answers an upload after so many bytes, and closes without reading the rest. Its certificate
/// is of an authority that is there for tests alone.
fn refusing_over_tls(answer: &'static str, first: usize) -> String {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::{ServerConfig, ServerConnection, StreamOwned};

    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/localhost.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/localhost.key")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            std::thread::spawn(move || {
                let mut line = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
                let mut seen = Vec::new();
                let more = |line: &mut StreamOwned<ServerConnection, TcpStream>, seen: &mut Vec<u8>| {
                    let mut piece = [0; 16 * 1024];
                    let read = line.read(&mut piece).unwrap_or(0);
                    seen.extend_from_slice(&piece[..read]);
                    read > 0
                };
                loop {
                    let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") else {
                        if more(&mut line, &mut seen) {
                            continue;
                        }
                        return;
                    };
                    let head = text(&seen[..end]).to_ascii_lowercase();
                    let length =
                        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
                    let is_upload = head.starts_with("post /videos ");
                    let whole = end + 4 + if is_upload { first } else { length.unwrap_or(0) };
                    while seen.len() < whole && more(&mut line, &mut seen) {}
                    if is_upload {
                        let _ = line.write_all(answer.as_bytes()).and_then(|()| line.flush());
                        // A line that is dropped with bytes unread is reset, and the answer may go with it.
                        let mut rest = vec![0; 64 * 1024];
                        while line.sock.read(&mut rest).is_ok_and(|read| read > 0) {}
                        return;
                    }
                    let body = r#"{"accessToken": "t", "videos": []}"#;
                    let told = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    line.write_all(told.as_bytes()).unwrap();
                    seen.drain(..whole.min(seen.len()));
                }
            });
        }
    });
    base
}

#[test]
fn an_early_answer_is_understood_over_tls_too() {
    let served = Served::start();
    served.file("film.mp4", &clip(12 * MIB));
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/authority.pem");
    for (answer, code, say) in [
        ("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 1, "make it smaller"),
        ("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 3, "sign in"),
    ] {
        for first in [0, 100_000, 3 * MIB] {
            let base = refusing_over_tls(answer, first);
            let mut command = served.command(&base, &["videos", "upload", "film.mp4"]);
            let output = command.env("SSL_CERT_FILE", authority).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "after {first}: {said}");
            assert!(said.contains(say) && !said.contains("retrying"), "after {first}: {said}");
        }
    }
    // Whom nobody vouches for is sent nothing.
    let base = refusing_over_tls("", 0);
    let mut command = served.command(&base, &["videos", "upload", "film.mp4"]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let _ = child.kill().and_then(|()| child.wait().map(drop));
    assert!(said.to_ascii_lowercase().contains("certificate"), "{said}");
}

#[test]
fn detached_it_goes_on_without_a_terminal_and_ends_by_itself() {
    let served = Served::start();
    for name in ["one.mp4", "two.mp4", "three.mp4"] {
        served.file(name, &clip(MIB));
    }
    let line = Line::to(served.base(), [Fault::Cut(1000), Fault::LoseAnswer]);
    let (out, _) = served.ends(0, &line.base, &["videos", "upload", "--detach", "one.mp4", "two.mp4", "three.mp4"]);
    assert!(out.contains("QUEUED") && out.contains("three.mp4"), "{out}");
    let done = ["done", "done", "done"];
    until(|| states(&served.queue(&line.base)), |states| *states == done);
    let mut library = served.library();
    library.sort();
    assert_eq!(library, ["one.mp4", "three.mp4", "two.mp4"]);
    // It is gone: its lock can be had.
    let locks = fs::read_dir(served.home.path().join("s/cutaway/uploads")).unwrap();
    let lock = locks.map(|entry| entry.unwrap().path().join("background")).next().unwrap();
    until(|| fs::File::open(&lock).unwrap().try_lock().is_ok(), |free| *free);
    let (out, _) = served.ends(0, &line.base, &["videos", "queue"]);
    assert!(out.contains("done"), "{out}");
    let (out, _) = served.ends(0, &line.base, &["videos", "queue", "clear"]);
    assert!(out.contains("No uploads"), "{out}");
}

#[test]
fn a_session_that_drops_in_the_middle_leaves_it_to_the_background() {
    let served = Served::start();
    served.file("film.mp4", &clip(8 * MIB));
    let (fault, held, go) = hold(2 * MIB);
    let line = Line::to(served.base(), [fault]);
    let mut uploading = served
        .command(&line.base, &["videos", "upload", "--limit-rate", "900M", "film.mp4"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    held.recv().unwrap();
    kill_process(Pid::from_child(&uploading), Signal::HUP).unwrap();
    assert!(uploading.wait().unwrap().success());
    drop(go);
    let (out, _) = served.ends(0, &line.base, &["--read-only", "videos", "queue"]);
    assert!(out.contains("limited to 900 MB/s"), "the background part keeps to it: {out}");
    until(|| states(&served.queue(&line.base)), |states| *states == ["done"]);
    assert_eq!(served.library(), ["film.mp4"]);
    assert_eq!(line.uploads(), 2);
}

#[test]
fn a_process_that_is_killed_leaves_it_to_the_next_and_two_never_send_the_same() {
    let served = Served::start();
    served.file("film.mp4", &clip(8 * MIB));
    let (fault, held, go) = hold(2 * MIB);
    let line = Line::to(served.base(), [fault]);
    let mut uploading = served
        .command(&line.base, &["videos", "upload", "film.mp4"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    held.recv().unwrap();
    // Another one sees it, and lets it be.
    let (out, _) = served.ends(0, &line.base, &["videos", "queue"]);
    assert!(out.contains("sending"), "{out}");
    assert_eq!(line.uploads(), 1);
    uploading.kill().unwrap();
    uploading.wait().unwrap();
    drop(go);
    served.ends(0, &line.base, &["videos", "queue"]);
    served.ends(0, &line.base, &["videos", "queue"]);
    until(|| states(&served.queue(&line.base)), |states| *states == ["done"]);
    assert_eq!((line.uploads(), served.library().len()), (2, 1));
}

#[test]
fn one_that_is_taken_off_the_list_elsewhere_is_not_waited_for() {
    let served = Served::start();
    served.file("film.mp4", &clip(4 * MIB));
    let (fault, held, _go) = hold(MIB);
    let line = Line::to(served.base(), [fault]);
    let uploading = served
        .command(&line.base, &["videos", "upload", "film.mp4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    held.recv().unwrap();
    let mut queues = fs::read_dir(served.home.path().join("s/cutaway/uploads")).unwrap();
    let folder = QueueFolder::at(queues.next().unwrap().unwrap().path()).unwrap();
    let mut journal = Journal::open(folder).unwrap();
    let id = journal.queue().uploads()[0].id;
    // Both at once: it never sees the one without the other.
    journal.append(&[Entry::Cancelled { id, at_ms: 1 }, Entry::Cleared { ids: vec![id] }]).unwrap();
    let output = uploading.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("film.mp4: it was canceled and removed from the list elsewhere"), "{said}");
    assert_eq!(served.library(), [] as [&str; 0]);
}

#[test]
fn a_file_that_changes_while_it_is_sent_fails_and_says_so() {
    let served = Served::start();
    // More than the buffers of a connection take while it is held: its end is not read yet.
    let path = served.file("film.mp4", &clip(24 * MIB));
    let (fault, held, go) = hold(MIB);
    let line = Line::to(served.base(), [fault]);
    let uploading = served
        .command(&line.base, &["videos", "upload", "film.mp4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    held.recv().unwrap();
    fs::File::options().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    drop(go);
    let output = uploading.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("film.mp4: the file grew from") && said.contains("retry"), "{said}");
    assert_eq!(served.library(), [] as [&str; 0]);
}

#[test]
fn one_is_paused_resumed_cancelled_and_retried() {
    let served = Served::start();
    served.file("film.mp4", &clip(2 * MIB));
    let (fault, held, _go) = hold(MIB);
    let line = Line::to(served.base(), [fault]);
    served.ends(0, &line.base, &["videos", "upload", "--detach", "film.mp4"]);
    held.recv().unwrap();
    served.ends(0, &line.base, &["videos", "queue", "pause", "1"]);
    assert_eq!(states(&served.queue(&line.base)), ["paused"]);
    let (out, _) = served.ends(0, &line.base, &["videos", "queue", "cancel", "1"]);
    assert!(out.contains("cancelled"), "{out}");
    let (_, said) = served.ends(4, &line.base, &["videos", "queue", "cancel", "7"]);
    assert!(said.contains("no upload 7"), "{said}");
    let (out, _) = served.ends(0, &line.base, &["videos", "queue", "limit", "900M"]);
    assert!(out.contains("limited to 900 MB/s"), "{out}");
    let (_, said) = served.ends(1, &line.base, &["videos", "queue", "pause", "1"]);
    assert!(said.contains("upload 1 (film.mp4) is cancelled: it can't be paused"), "{said}");
    served.ends(0, &line.base, &["videos", "queue", "retry", "1"]);
    until(|| states(&served.queue(&line.base)), |states| *states == ["done"]);
    for (change, done) in
        [("pause", "paused"), ("resume", "sent again"), ("retry", "sent again"), ("cancel", "cancelled")]
    {
        let (_, said) = served.ends(1, &line.base, &["videos", "queue", change, "1"]);
        assert!(said.contains(&format!("is done: it can't be {done}")), "{said}");
    }
    assert_eq!(served.library(), ["film.mp4"]);
    fs::remove_file(served.home.path().join("film.mp4")).unwrap();
}

#[test]
fn a_full_disk_is_said_before_anything_is_sent() {
    let served = Served::start();
    served.file("film.mp4", &clip(10));
    let line = Line::to(served.base(), []);
    let mut shell = Command::new("sh");
    let limited = served.command(&line.base, &[]);
    shell.env_clear().envs(limited.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {BINARY} videos upload film.mp4");
    let output = shell.current_dir(served.home.path()).args(["-c", &script]).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing was queued") && said.contains("upload queue"), "{said}");
    assert_eq!(line.uploads(), 0);
}

/// WebM files whose headers lie: titles of terabytes, tags within tags, and parts where others should be.
fn hostile_films() -> Vec<(&'static str, Vec<u8>)> {
    let film = |segment: &[u8]| {
        [b"\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff", segment].concat()
    };
    let large = |id: &[u8]| [id, b"\x01\x00\x40\x00\x00\x00\x00\x00"].concat();
    let mut deep = Vec::new();
    for _ in 0..30_000 {
        deep.extend(large(b"\x67\xc8"));
    }
    vec![
        ("title.webm", film(&[large(b"\x15\x49\xa9\x66"), large(b"\x7b\xa9")].concat())),
        ("key.webm", film(&[large(b"\x16\x54\xae\x6b"), large(b"\xae"), large(b"\x63\xa2")].concat())),
        ("tags.webm", film(&[large(b"\x12\x54\xc3\x67"), large(b"\x73\x73"), deep].concat())),
        ("seek.webm", film(b"\x11\x4d\x9b\x74\x8e\x4d\xbb\x8b\x53\xab\x84\x15\x49\xa9\x66\x53\xac\x81\x00")),
    ]
}

#[test]
fn a_film_whose_headers_lie_is_uploaded_as_any_other() {
    let served = Served::start();
    for (name, bytes) in hostile_films() {
        let film = served.file(name, &bytes);
        let output = served.command(served.base(), &["videos", "upload", film.to_str().unwrap()]).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {:?}: {said}", output.status);
        assert!(!tells_panic(&said) && !said.contains("allocation"), "{name}: {said}");
    }
}

#[test]
fn a_file_that_is_named_several_times_is_uploaded_once() {
    let served = Served::start();
    let file = served.file("clip.mp4", &clip(MIB));
    served.file("other.mp4", &clip(MIB));
    let home = served.home.path();
    fs::create_dir(home.join("sub")).unwrap();
    std::os::unix::fs::symlink(&file, home.join("link.mp4")).unwrap();
    fs::hard_link(&file, home.join("hard.mp4")).unwrap();
    let whole = file.display().to_string();
    let named = ["clip.mp4", "clip.mp4", "./clip.mp4", "sub/../clip.mp4", &whole, "link.mp4", "hard.mp4", "other.mp4"];
    let (out, said) = served.ends(0, served.base(), &[&["videos", "upload"], &named[..]].concat());
    let mut library = served.library();
    library.sort();
    assert_eq!(library, ["clip.mp4", "other.mp4"], "{out}{said}");
    assert_eq!(said.matches("uploaded only once").count(), 6, "{said}");
    assert!(said.contains("hard.mp4: the same file as"), "{said}");
    assert_eq!(out.lines().count(), 3, "each video once: {out}");
}

#[test]
fn waiting_uploads_stop_when_their_profile_becomes_read_only() {
    let served = Served::start();
    for name in ["one.mp4", "two.mp4", "three.mp4"] {
        served.file(name, &clip(2 * MIB));
    }
    let (fault, held, go) = hold(MIB);
    let line = Line::to(served.base(), [fault]);
    let config = served.home.path().join("c/cutaway/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, format!("[profiles.shop]\nbase_url = \"{}\"\n", line.base)).unwrap();
    let ends = |arguments: &[&str]| served.ends(0, &line.base, &[&["--profile", "shop"], arguments].concat());
    ends(&["videos", "queue", "at-once", "1"]);
    ends(&["videos", "upload", "--detach", "one.mp4", "two.mp4", "three.mp4"]);
    held.recv().unwrap();
    ends(&["profiles", "change", "shop", "--read-only"]);
    // The line breaks now: what was on its way has to be sent again, which is not allowed any more.
    drop(go);
    let locks = fs::read_dir(served.home.path().join("s/cutaway/uploads")).unwrap();
    let lock = locks.map(|entry| entry.unwrap().path().join("background")).find(|lock| lock.exists()).unwrap();
    until(|| fs::File::open(&lock).unwrap().try_lock().is_ok(), |free| *free);
    let queue = served.queue(&line.base);
    assert!(!states(&queue).iter().any(|state| state == "done" || state == "sending"), "{queue:?}");
    assert_eq!((served.library(), line.uploads()), (Vec::<String>::new(), 1));
    // They are kept, and go on once they may.
    ends(&["profiles", "change", "shop", "--writable"]);
    ends(&["videos", "queue"]);
    until(|| states(&served.queue(&line.base)), |states| *states == ["done", "done", "done"]);
    assert_eq!(served.library().len(), 3);
}

#[test]
fn pipes_and_hundreds_of_megabytes_in_the_queues_place_are_named() {
    let served = Served::start();
    let film = served.file("clip.mp4", &clip(64 * 1024));
    let upload = || {
        let arguments = ["videos", "upload", film.to_str().unwrap()];
        let mut command = served.command(served.base(), &arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (child.wait().unwrap().code(), said)
    };
    assert_eq!(upload().0, Some(0));
    let queues = served.home.path().join("s/cutaway/uploads");
    let queue = fs::read_dir(queues).unwrap().flatten().next().unwrap().path();
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let large = |path: &Path| fs::File::create(path).unwrap().set_len(500 << 20).unwrap();
    let cases: [Case<'_>; 3] = [
        ("lock", &pipe, "it is a pipe, not a file"),
        ("journal", &large, "it is too large (500 MiB"),
        ("journal", &pipe, "it is a pipe, not a file"),
    ];
    for (name, put, words) in cases {
        let path = queue.join(name);
        put(&path);
        let (code, said) = upload();
        assert_eq!(code, Some(1), "{name}: {said}");
        assert!(said.contains(words), "{name}: {said}");
        fs::remove_file(path).unwrap();
    }
    // What is only known from it is not, and nothing waits.
    pipe(&queue.join("lengths"));
    assert_eq!(upload().0, Some(0));
}

/// A token that ends and a disk that is full in the middle of an upload: both are waited out, and it arrives once.
#[test]
fn what_ends_an_upload_in_its_middle_and_passes_costs_no_upload() {
    let served = Served::start();
    let refusals = [
        (
            "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer error=\"invalid_token\"\r\ncontent-length: 0\r\n\
             connection: close\r\n\r\n",
            1,
        ),
        ("HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 2),
    ];
    for (number, (answer, times)) in refusals.into_iter().enumerate() {
        let name = format!("film {number}.mp4");
        served.file(&name, &clip(6 * MIB));
        let line = Line::to(served.base(), (0..times).map(|_| Fault::Answer(answer, 3 * MIB)));
        let (out, said) = served.ends(0, &line.base, &["videos", "upload", &name]);
        assert!(out.contains(&name), "{out}{said}");
        assert_eq!(line.uploads(), times + 1, "{said}");
        // A token is renewed without a word; a disk is waited for.
        assert_eq!(said.contains("507"), times == 2, "{said}");
        assert_eq!(said.contains("trying again"), times == 2, "{said}");
        assert_eq!(served.library().iter().filter(|video| **video == name).count(), 1);
        assert_eq!(served.queue(&line.base), [] as [Value; 0]);
    }
}

/// A disk that stays full is named, and the file stays in the queue for a service that has room again.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_stays_full_is_named_and_the_file_stays_in_the_queue() {
    let served = Served::start();
    let full = "HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let line = Line::to(served.base(), (0..1000).map(|_| Fault::Answer(full, 0)));
    let (journal, client) = served.journal(&line.base, &["a.mp4"]);
    let folder = journal.folder().clone();
    let patience = Some(Duration::from_millis(200));
    let uploads = Uploads::start(journal, client, Options { patience, ..Options::default() });
    let seen = seen_to(&uploads, |seen| seen.stopped.is_some()).await;
    let stopped = seen.stopped.unwrap();
    assert_eq!(stopped.code, 1);
    assert!(seen.overview.queue.uploads().iter().all(|upload| upload.state.is_under_way()));
    assert!(format!("{:?}", seen.overview.queue).contains("507"), "{:?}", seen.overview.queue);
    uploads.stop().await;
    // With room again the same queue goes on, and it arrives once.
    let (_, client) = served.journal(served.base(), &[]);
    let uploads = Uploads::start(Journal::open(folder).unwrap(), client, Options::default());
    seen_to(&uploads, |seen| !seen.overview.queue.is_under_way()).await;
    uploads.stop().await;
    assert_eq!(served.library(), ["a.mp4"]);
}
