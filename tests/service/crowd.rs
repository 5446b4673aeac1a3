//! A crowd that does nothing but take up connections, from one address with everybody else: the real program answers who
//! asks something all the same.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serving::Served;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Connections that push, where this process may have so many.
const MOST: u64 = 2000;

/// What the log says where a connection is closed because another one needs its place: not one that was silent for too
/// long, which is closed in any case.
const FOR_ANOTHER: &str = "closed a connection for another one";

/// A request of somebody who asks takes at most this long before it is tried again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// As many files as the system allows; how many that is.
fn descriptors() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// What the crowd counts of itself.
#[derive(Default)]
struct Crowd {
    /// Connections that are open.
    inside: AtomicUsize,
    /// Connections that were made.
    came: AtomicUsize,
    /// Connections that the service closed.
    closed: AtomicUsize,
}

/// One of the crowd: comes back whenever it is sent away.
async fn push(addr: String, kind: usize, crowd: Arc<Crowd>) {
    let (begin, drip): (&[u8], &[u8]) = match kind % 4 {
        0 => (b"", b""),
        1 => (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"x"),
        2 => (
            b"POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
              Content-Length: 10000\r\n\r\n",
            b"x",
        ),
        _ => (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
    };
    loop {
        if let Ok(mut stream) = TcpStream::connect(&addr).await {
            crowd.inside.fetch_add(1, Ordering::Relaxed);
            crowd.came.fetch_add(1, Ordering::Relaxed);
            let _ = stream.write_all(begin).await;
            let mut heard = [0; 1024];
            loop {
                match tokio::time::timeout(Duration::from_millis(500), stream.read(&mut heard)).await {
                    Ok(Ok(0) | Err(_)) => break,
                    Ok(Ok(_)) => {}
                    Err(_) if drip.is_empty() => {}
                    Err(_) => {
                        if stream.write_all(drip).await.is_err() {
                            break;
                        }
                    }
                }
            }
            crowd.inside.fetch_sub(1, Ordering::Relaxed);
            crowd.closed.fetch_add(1, Ordering::Relaxed);
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// A project that is sent slowly.
const SLOWLY: &[u8] = br#"{"project": {"name": "slowly"}}"#;

/// Somebody who is known begins to send a project.
async fn slow_beginner(addr: String, key: String) -> TcpStream {
    let head = format!(
        "POST /projects/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        SLOWLY.len()
    );
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// The body comes slowly.
async fn slow_sender(mut stream: TcpStream) -> String {
    for byte in SLOWLY {
        stream.write_all(&[*byte]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[test]
fn who_asks_something_is_answered_whatever_a_crowd_holds() {
    let most = MOST.min(descriptors() / 2).max(64);
    // Less than the crowd in any case.
    let places = most / 2;
    let served = Served::logging_all(&["--max-connections", &places.to_string()]);
    let (base, key) = (served.base().to_owned(), served.key().to_owned());
    let addr = base.strip_prefix("http://").unwrap().to_owned();
    let full = usize::try_from(places).unwrap() / 10 * 8;
    // Who asks has a thread alone, and doesn't stand in line behind the crowd in this process, too.
    let crowds = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let asks = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (slowest, closed) = asks.block_on(async {
        let slow = tokio::spawn(slow_sender(slow_beginner(addr.clone(), key.clone()).await));
        let crowd = Arc::new(Crowd::default());
        for kind in 0..usize::try_from(most).unwrap() {
            crowds.spawn(push(addr.clone(), kind, Arc::clone(&crowd)));
        }
        let is_full = async || {
            while crowd.inside.load(Ordering::Relaxed) < full {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let (mut slowest, mut again) = (Duration::ZERO, 0);
        for nth in 0..40 {
            // Each on a connection of its own, as commands have it.
            let http = reqwest::Client::builder().pool_max_idle_per_host(0).no_proxy().timeout(REQUEST_TIMEOUT);
            let http = http.build().unwrap();
            let path = if nth % 2 == 0 { "/users/me" } else { "/healthz" };
            is_full().await;
            let (began, came) = (Instant::now(), crowd.came.load(Ordering::Relaxed));
            // A machine that is busy may not get to read a request before its connection counts as silent. Reads are tried
            // again, as clients do, and that is counted.
            let asked = async {
                loop {
                    match http.get(format!("{base}{path}")).bearer_auth(&key).send().await {
                        Ok(answer) => break answer,
                        Err(_) => again += 1,
                    }
                    assert!(again <= 10, "{again} connections were closed before they could ask, at {nth} of 40");
                }
            };
            // What a crowd costs is counted in the crowd: who asks stands in line behind those who came before, and is not
            // overtaken for ever by those who come back.
            let overtaken = async {
                while crowd.came.load(Ordering::Relaxed) - came < 5 * usize::try_from(most).unwrap() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            let answer = tokio::select! {
                answer = asked => answer,
                () = overtaken => panic!("{nth} of 40 was overtaken five times by all of the crowd"),
            };
            assert_eq!(answer.status(), 200);
            slowest = slowest.max(began.elapsed());
        }
        assert!(crowd.inside.load(Ordering::Relaxed) >= full / 2, "the crowd is still there");
        let answer = slow.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        (slowest, crowd.closed.load(Ordering::Relaxed))
    });
    drop(crowds);
    eprintln!("a crowd of {most} at {places} places: {closed} closed, the slowest answer took {slowest:?}");
    assert!(closed > 0 && served.logged(FOR_ANOTHER) > 0, "places were made by closing connections of the crowd");
}

/// What came over a connection: nothing yet, or that it was closed.
fn is_closed(stream: &mut std::net::TcpStream) -> bool {
    use std::io::Read as _;
    stream.set_nonblocking(true).unwrap();
    match stream.read(&mut [0; 16]) {
        Ok(0) => true,
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_longest_silent_connection_is_closed_for_who_asks() {
    use std::io::{Read as _, Write as _};
    // One address holds three quarters of the places before its own are closed.
    const SILENT: usize = 6;
    let served = Served::logging_all(&["--max-connections", "8"]);
    let addr = served.base().strip_prefix("http://").unwrap();
    let begun = Instant::now();
    let mut silent: Vec<_> = (0..SILENT).map(|_| std::net::TcpStream::connect(addr).unwrap()).collect();
    for first in 0..2 {
        let mut asks = std::net::TcpStream::connect(addr).unwrap();
        asks.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = [0; 15];
        asks.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        // It stays, so the next one needs a place too.
        silent.push(asks);
        while !is_closed(&mut silent[first]) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{first} keeps its place");
            std::thread::yield_now();
        }
        while served.logged(FOR_ANOTHER) <= first {
            assert!(begun.elapsed() < Duration::from_secs(60), "{first} was not closed for another one");
            std::thread::yield_now();
        }
        let later: Vec<bool> = silent.iter_mut().take(SILENT).skip(first + 1).map(is_closed).collect();
        // Where places are few, those that are silent for 5 s go too.
        if begun.elapsed() < Duration::from_secs(5) {
            assert!(!later.contains(&true), "one is closed for one: {later:?}");
        }
    }
}
