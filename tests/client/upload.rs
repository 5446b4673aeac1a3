//! Uploads of the client: against services that take them, and services that do not.

#![allow(clippy::type_complexity, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests are tests too.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cutaway::client::{
    Client, ClientError, ClientOptions, FileToSend, Hosts, Limits, NotUploaded, Progress, RateLimit, fingerprint,
};
use cutaway::domain::ApiKey;
use cutaway::uploads::FileChange;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use url::Url;

const CREATED: &str = "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{\"id\":\"v-1\"}";
const MIB: usize = 1024 * 1024;

/// What a service does with an upload.
#[derive(Clone, Copy)]
enum Manner {
    /// Takes it and answers.
    Takes,
    /// Takes so many bytes, then only what it is told to.
    TakesWhenTold,
    /// Answers this after so many bytes, without reading the rest, and closes.
    Answers(&'static str, usize),
    /// Closes after so many bytes.
    Closes(usize),
    /// Takes it all and says nothing.
    SaysNothing,
    /// Takes nothing more after the head.
    Stalls,
}

struct Service {
    base: String,
    uploads: Arc<AtomicUsize>,
    /// A permit lets a `TakesWhenTold` go on to the end.
    go_on: Arc<Semaphore>,
    /// Every upload as it came, head and body.
    came: tokio::sync::mpsc::UnboundedReceiver<Vec<u8>>,
}

async fn service(manner: Manner) -> Service {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (uploads, go_on) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (told, came) = tokio::sync::mpsc::unbounded_channel();
    let (counted, gate) = (uploads.clone(), go_on.clone());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (counted, gate, told) = (counted.clone(), gate.clone(), told.clone());
            tokio::spawn(async move { serve(socket, manner, &counted, &gate, &told).await });
        }
    });
    Service { base, uploads, go_on, came }
}

/// One connection: the exchange of the key, or an upload.
async fn serve(
    mut socket: TcpStream,
    manner: Manner,
    uploads: &AtomicUsize,
    gate: &Semaphore,
    told: &tokio::sync::mpsc::UnboundedSender<Vec<u8>>,
) {
    let mut seen = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if !more(&mut socket, &mut seen).await {
                return;
            }
        };
        let text = String::from_utf8_lossy(&seen[..head]).to_ascii_lowercase();
        if text.starts_with("post /account-service") {
            let token = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{\"token\":\"t\"}";
            socket.write_all(token.as_bytes()).await.unwrap();
            seen.drain(..head);
            continue;
        }
        uploads.fetch_add(1, Ordering::SeqCst);
        let length: usize =
            text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok()).unwrap();
        let first = match manner {
            Manner::Takes | Manner::SaysNothing => usize::MAX,
            Manner::TakesWhenTold => 256 * 1024,
            Manner::Answers(_, first) | Manner::Closes(first) => first,
            Manner::Stalls => 0,
        };
        while seen.len() < head.saturating_add(length.min(first)) {
            if !more(&mut socket, &mut seen).await {
                let _ = told.send(seen);
                return;
            }
        }
        match manner {
            Manner::Answers(answer, _) => {
                let _ = socket.write_all(answer.as_bytes()).await;
                let _ = told.send(seen);
                return;
            }
            Manner::Closes(_) => return,
            Manner::Stalls => return std::future::pending().await,
            Manner::TakesWhenTold => {
                let _ = told.send(Vec::new());
                gate.acquire().await.unwrap().forget();
            }
            Manner::Takes | Manner::SaysNothing => {}
        }
        while seen.len() < head + length {
            if !more(&mut socket, &mut seen).await {
                let _ = told.send(seen);
                return;
            }
        }
        let _ = told.send(std::mem::take(&mut seen));
        if matches!(manner, Manner::SaysNothing) {
            return std::future::pending().await;
        }
        socket.write_all(CREATED.as_bytes()).await.unwrap();
    }
}

async fn more(socket: &mut TcpStream, seen: &mut Vec<u8>) -> bool {
    let mut piece = vec![0; 64 * 1024];
    match socket.read(&mut piece).await {
        Ok(0) | Err(_) => false,
        Ok(read) => {
            seen.extend_from_slice(&piece[..read]);
            true
        }
    }
}

fn client(base: &str, limits: Limits) -> Client {
    let hosts = Hosts::single(Url::parse(base).unwrap());
    Client::new(ClientOptions { credential: Some(ApiKey::new("k")), limits, ..ClientOptions::new(hosts) })
}

fn limits() -> Limits {
    Limits { silence: Duration::from_secs(20), ..Limits::default() }
}

fn clip(folder: &TempDir, name: &str, size: usize) -> PathBuf {
    let path = folder.path().join(name);
    let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
    fs::write(&path, bytes).unwrap();
    path
}

fn to_send(path: &Path, name: &str) -> FileToSend {
    FileToSend {
        key: None,
        path: path.to_owned(),
        fingerprint: fingerprint(&fs::metadata(path).unwrap()),
        name: name.to_owned(),
        content_type: "video/mp4".to_owned(),
        progress: Arc::new(Progress::default()),
        limit: Arc::new(RateLimit::default()),
    }
}

#[tokio::test]
async fn a_file_arrives_with_its_name_its_type_and_its_length() {
    let folder = TempDir::new().unwrap();
    let mut taking = service(Manner::Takes).await;
    let client = client(&taking.base, limits());
    for (size, name) in [(1, "one.mp4"), (MIB + 7, "tab\tquote\" ü.mp4")] {
        let path = clip(&folder, "clip", size);
        let file = to_send(&path, name);
        let answer = client.upload(&file).await.unwrap();
        assert_eq!(answer.value.id.as_str(), "v-1");
        assert_eq!(file.progress.sent(), size as u64);
        let came = taking.came.recv().await.unwrap();
        let head = came.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let part = came[head + 4..].windows(4).position(|four| four == b"\r\n\r\n").unwrap() + head + 4;
        let about = String::from_utf8_lossy(&came[head + 4..part]).into_owned();
        assert!(about.contains("name=\"videoBlob\""), "{about}");
        assert!(about.to_ascii_lowercase().contains("content-type: video/mp4"), "{about}");
        assert_eq!(about.lines().filter(|line| line.starts_with("Content-Disposition")).count(), 1, "{about}");
        assert!(came[part + 4..].starts_with(&fs::read(&path).unwrap()));
        assert!(String::from_utf8_lossy(&came[..head]).to_ascii_lowercase().contains("bearer t"));
    }
    assert_eq!(taking.uploads.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_answer_that_comes_early_is_understood_every_time() {
    let folder = TempDir::new().unwrap();
    let path = clip(&folder, "clip", 12 * MIB);
    for (answer, status) in [
        ("HTTP/1.1 413 Content Too Large\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{\"detail\":\"x\"}", 413),
        ("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n", 401),
        ("HTTP/1.1 415 Unsupported Media Type\r\ncontent-length: 0\r\n\r\n", 415),
        ("HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n", 429),
        ("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 99\r\n\r\ncut", 500),
    ] {
        for first in [0, 100_000, 3 * MIB] {
            for round in 0..6 {
                let refusing = service(Manner::Answers(answer, first)).await;
                let refused = client(&refusing.base, limits()).upload(&to_send(&path, "clip.mp4")).await.unwrap_err();
                assert_eq!(refused.error.status(), Some(status), "{round} after {first}: {}", refused.error);
                assert_eq!(refused.retry_after, (status == 429).then(|| Duration::from_secs(7)));
                // Refusing the token, it may be asked for another; it is the same, so nothing is sent again.
                assert_eq!(refusing.uploads.load(Ordering::SeqCst), 1);
            }
        }
    }
}

#[tokio::test]
async fn what_breaks_is_said_and_never_sent_again_by_itself() {
    let folder = TempDir::new().unwrap();
    let path = clip(&folder, "clip", 8 * MIB);
    let quick = Limits { silence: Duration::from_secs(2), total: Duration::from_secs(4), ..limits() };
    let failed = |error: NotUploaded| match error.error {
        ClientError::Broken { .. } => "broken",
        ClientError::Silent { .. } => "silent",
        error => panic!("{error}"),
    };
    for (manner, limits, what) in [
        (Manner::Closes(MIB), limits(), "broken"),
        (Manner::Closes(0), limits(), "broken"),
        (Manner::Answers(CREATED, MIB), limits(), "broken"),
        (Manner::SaysNothing, quick.clone(), "silent"),
        (Manner::Stalls, quick, "silent"),
    ] {
        let bad = service(manner).await;
        let error = client(&bad.base, limits).upload(&to_send(&path, "clip.mp4")).await.unwrap_err();
        assert_eq!(failed(error), what);
        assert_eq!(bad.uploads.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_never_arrives() {
    type Change = fn(&Path);
    let changes: [(Change, fn(&FileChange) -> bool); 4] = [
        (|path| fs::remove_file(path).unwrap(), |change| *change == FileChange::Removed),
        (
            |path| fs::File::options().write(true).open(path).unwrap().set_len(9).unwrap(),
            |change| matches!(change, FileChange::Shortened { .. }),
        ),
        (
            |path| fs::File::options().append(true).open(path).unwrap().write_all(b"more").unwrap(),
            |change| matches!(change, FileChange::Grown { .. }),
        ),
        (
            |path| {
                let other = path.with_extension("other");
                fs::copy(path, &other).unwrap();
                fs::rename(&other, path).unwrap();
            },
            |change| *change == FileChange::Replaced,
        ),
    ];
    for (change, is_right) in changes {
        let folder = TempDir::new().unwrap();
        let path = clip(&folder, "clip.mp4", 24 * MIB);
        let mut slow = service(Manner::TakesWhenTold).await;
        let (client, file) = (client(&slow.base, limits()), to_send(&path, "clip.mp4"));
        let sending = tokio::spawn(async move { client.upload(&file).await });
        slow.came.recv().await.unwrap();
        change(&path);
        slow.go_on.add_permits(1);
        let error = sending.await.unwrap().unwrap_err().error;
        assert!(matches!(&error, ClientError::File(change) if is_right(change)), "{error}");
        let came = slow.came.recv().await.unwrap();
        assert!(came.len() < 24 * MIB, "it came whole");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_a_files_place_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    let path = clip(&folder, "clip.mp4", 64);
    let service = service(Manner::Takes).await;
    let file = to_send(&path, "clip.mp4");
    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let client = client(&service.base, limits());
    let sent = tokio::time::timeout(Duration::from_secs(90), client.upload(&file)).await;
    let error = sent.expect("it waits for the pipe's other end").unwrap_err().error;
    assert!(matches!(&error, ClientError::File(FileChange::Unreadable(why)) if why.contains("a pipe")), "{error}");
}

#[tokio::test]
async fn dropping_it_ends_it() {
    let folder = TempDir::new().unwrap();
    let path = clip(&folder, "clip.mp4", 24 * MIB);
    let mut slow = service(Manner::TakesWhenTold).await;
    let (client, file) = (client(&slow.base, limits()), to_send(&path, "clip.mp4"));
    let sending = tokio::spawn(async move { client.upload(&file).await });
    slow.came.recv().await.unwrap();
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    slow.go_on.add_permits(1);
    assert!(slow.came.recv().await.unwrap().len() < 24 * MIB);
}

#[tokio::test]
async fn read_only_sends_nothing() {
    let folder = TempDir::new().unwrap();
    let path = clip(&folder, "clip.mp4", 10);
    let taking = service(Manner::Takes).await;
    let hosts = Hosts::single(Url::parse(&taking.base).unwrap());
    let client =
        Client::new(ClientOptions { credential: Some(ApiKey::new("k")), read_only: true, ..ClientOptions::new(hosts) });
    assert_eq!(client.upload(&to_send(&path, "clip.mp4")).await.unwrap_err().error.exit_code(), 7);
    assert_eq!(taking.uploads.load(Ordering::SeqCst), 0);
}
