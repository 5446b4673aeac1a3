//! A crowd that does nothing but take up connections, from one address with everybody else: the real program answers who
//! asks something all the same.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod serving;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serving::Served;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Connections that push, where this process may have so many.
const MOST: u64 = 2000;

/// As many files as the system allows; how many that is.
fn descriptors() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// One of the crowd: comes back whenever it is sent away.
async fn push(addr: String, kind: usize, inside: Arc<AtomicUsize>) {
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
            inside.fetch_add(1, Ordering::Relaxed);
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
            inside.fetch_sub(1, Ordering::Relaxed);
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// A project whose body is sent slowly by somebody who is known.
async fn slow_sender(addr: String, key: String) -> String {
    let body = br#"{"project": {"name": "slowly"}}"#;
    let head = format!(
        "POST /projects/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    for byte in body {
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
    let places = (most / 2).to_string();
    let served = Served::with(&["--max-connections", &places]);
    let (base, key) = (served.base().to_owned(), served.key().to_owned());
    let addr = base.strip_prefix("http://").unwrap().to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let slowest = runtime.block_on(async {
        let slow = tokio::spawn(slow_sender(addr.clone(), key.clone()));
        let inside = Arc::new(AtomicUsize::new(0));
        for kind in 0..usize::try_from(most).unwrap() {
            tokio::spawn(push(addr.clone(), kind, Arc::clone(&inside)));
        }
        let full = places.parse::<usize>().unwrap() / 10 * 8;
        while inside.load(Ordering::Relaxed) < full {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut slowest = Duration::ZERO;
        for nth in 0..40 {
            // Each on a connection of its own, as commands have it.
            let http = reqwest::Client::builder().pool_max_idle_per_host(0).no_proxy().build().unwrap();
            let path = if nth % 2 == 0 { "/users/me" } else { "/healthz" };
            let began = Instant::now();
            let answer = http.get(format!("{base}{path}")).bearer_auth(&key).send().await.unwrap();
            assert_eq!(answer.status(), 200);
            slowest = slowest.max(began.elapsed());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let answer = slow.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        slowest
    });
    eprintln!("a crowd of {most} at {places} places: the slowest answer took {slowest:?}");
    // A second on a machine that has the time, longer on a busy one; without closing anything it took 40.
    assert!(slowest < Duration::from_secs(30), "{slowest:?}");
}
